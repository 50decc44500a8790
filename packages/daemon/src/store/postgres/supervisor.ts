// Keeps the postmaster running for as long as the daemon does: when it dies it is started again,
// at once the first time, ever slower if it keeps dying. After `stop` nothing is started any more.

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@relay/core/log';
import type { Postmaster } from './postmaster.ts';

const FIRST_DELAY = 100;
const LONGEST_DELAY = 10_000;
/** Up for this long, a server counts as healthy again. */
const HEALTHY_AFTER = 30_000;

interface Options {
  readonly first: Postmaster;
  /** Starts another postmaster and waits until it is ready; rejects when `signal` aborts. */
  start(signal: AbortSignal): Promise<Postmaster>;
  end(postmaster: Postmaster): Promise<void>;
  readonly log: Log;
  /** Must not throw. */
  onRestart?(): void;
}

export function supervise(options: Options): { stop(): Promise<void> } {
  const { log } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const asked = once(signal, 'abort');
  let current = options.first;
  let upSince = Date.now();
  let failures = 0;

  async function keepRunning(): Promise<void> {
    for (;;) {
      await Promise.race([current.gone, asked]);
      if (signal.aborted) return;
      log.error('postgres ended unasked', { pid: current.pid });
      if (Date.now() - upSince > HEALTHY_AFTER) failures = 0;
      const next = await startAgain();
      if (!next) return;
      current = next;
      upSince = Date.now();
      log.warn('postgres is back', { pid: next.pid, attempt: failures });
      options.onRestart?.();
    }
  }

  async function startAgain(): Promise<Postmaster | undefined> {
    while (!signal.aborted) {
      try {
        await sleep(delayAfter(failures), undefined, { signal, ref: false });
        failures += 1;
        return await options.start(signal);
      } catch (error) {
        if (!signal.aborted) log.error('postgres did not start', { attempt: failures, error });
      }
    }
    return undefined;
  }

  const running = keepRunning();
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    stopping.abort();
    await running;
    await options.end(current);
  }

  return {
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

export function delayAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(FIRST_DELAY * 2 ** (failures - 1), LONGEST_DELAY);
}
