// Preloaded into a measured process: answers over the IPC channel how much memory and processor time it uses and how
// long its event loop made others wait.
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { writeHeapSnapshot } from 'node:v8';
import { serve } from '../worker.ts';

const RESOLUTION_MS = 5;
const SAMPLE_MS = 1_000;
/** The goal is about ten seconds together. */
const WINDOW = 10;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let before = performance.eventLoopUtilization();
let samples: number[] = [];
setInterval(() => {
  const now = performance.eventLoopUtilization();
  samples.push(performance.eventLoopUtilization(now, before).utilization);
  before = now;
}, SAMPLE_MS).unref();

const methods = {
  /** Begins a new measurement of the event loop. */
  reset: () => {
    delay.reset();
    samples = [];
  },
  loop: () => ({
    /** Beyond the interval at which it looks. */
    p99Ms: Math.max(0, delay.percentile(99) / 1e6 - RESOLUTION_MS),
    longestMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS),
    busiest: busiest(),
  }),
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  memory: async () => {
    for (let round = 0; round < 5; round++) {
      globalThis.gc?.();
      await turn();
    }
    const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
    return { rss, heapUsed, external, arrayBuffers };
  },
  snapshot: ({ file }: { file: string }) => writeHeapSnapshot(file),
};

/** The utilisation of the busiest ten seconds, from 0 to 1. */
function busiest(): number {
  let most = 0;
  for (let at = 0; at < samples.length; at++) {
    const window = samples.slice(at, at + WINDOW);
    if (at > 0 && window.length < WINDOW) break;
    most = Math.max(most, window.reduce((sum, one) => sum + one, 0) / window.length);
  }
  return most;
}

export type ProbeMethods = typeof methods;
serve(methods);
