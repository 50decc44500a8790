// Reads 500 malformed and hostile documents in the way the daemon does, two at a time: nothing crashes, the event loop
// stays free, and no more processes run than that, each within its limits.
import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { readDocument } from '@relay/daemon/features/media/documents';
import { hostileFiles } from '@relay/daemon/features/media/testing/hostile-files';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';

const FILES = 500;
const LANES = 2;
/** The daemon's, but for the time: some files use all of it. */
const LIMITS = {
  heapMb: 256,
  addressSpaceMb: 2_048,
  seconds: 4,
  inputBytes: 64 * 1024 ** 2,
  outputBytes: 4 * 1024 ** 2,
};
const MAX_RSS_MB = 1_200;

async function* inPieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) {
    yield bytes.subarray(at, at + 65_536);
    await turn();
  }
}

/** Child processes of this one, with their memory in megabytes; empty where there is no /proc. */
function childProcesses(): number[] {
  try {
    return readdirSync('/proc').flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'utf8');
        if (Number(/PPid:\s*(\d+)/.exec(status)?.[1]) !== process.pid) return [];
        return [Number(/VmRSS:\s*(\d+)/.exec(status)?.[1] ?? 0) / 1_024];
      } catch {
        return [];
      }
    });
  } catch {
    return [];
  }
}

test('reads 500 hostile documents without a crash, a blocked event loop or unbounded processes', {
  timeout: 3_600_000,
}, async () => {
  verifies('MEDIA-DOCUMENTS-HOSTILE');
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const outcomes = new Map<string, number>();
  const [before, most] = [childProcesses().length, { processes: 0, megabytes: 0, ms: 0, delay: 0 }];
  const watch = setInterval(() => {
    const running = childProcesses();
    most.processes = Math.max(most.processes, running.length - before);
    most.megabytes = Math.max(most.megabytes, ...running);
  }, 50);
  const files = hostileFiles(FILES);
  for (let read = 0; read < FILES; read += LANES) {
    // Making a file takes this process's time, so only reading is measured.
    const batch = [...Array(LANES)].flatMap(() => files.next().value ?? []);
    delay.reset();
    delay.enable();
    const began = performance.now();
    const results = await Promise.all(
      batch.map(({ kind, bytes }) => readDocument(kind, inPieces(bytes), undefined, LIMITS)),
    );
    delay.disable();
    most.ms = Math.max(most.ms, performance.now() - began);
    most.delay = Math.max(most.delay, delay.max / 1e6);
    for (const result of results) {
      const came = 'problem' in result ? result.problem : result.isCut ? 'cut' : 'text';
      outcomes.set(came, (outcomes.get(came) ?? 0) + 1);
    }
  }
  clearInterval(watch);
  console.info(JSON.stringify({ outcomes: Object.fromEntries(outcomes), most }));
  expect([...outcomes.values()].reduce((sum, count) => sum + count, 0)).toBe(FILES);
  expect(most.delay).toBeLessThan(200);
  expect(most.processes).toBeLessThanOrEqual(LANES);
  expect(most.megabytes).toBeLessThan(MAX_RSS_MB);
  await expect.poll(() => childProcesses().length).toBe(before);
});
