// The CPU time that the host of a virtual machine gave to others during a measurement: a task that waits for a
// processor looks long without being slow. Reports nothing where the machine does not provide it.
import { readFileSync } from 'node:fs';
import type { Limit } from './figures.ts';

const EVERY_MS = 50;

export interface Host {
  /** CPU milliseconds taken between two times; null where unknown. */
  takenMs(from: number, to: number): number | null;
  end(): readonly Limit[];
}

/** Starts watching. */
export function watchHost(): Host {
  const seen: { at: number; ms: number }[] = [];
  const look = () => {
    const ms = takenSoFar();
    if (ms !== null) seen.push({ at: Date.now(), ms });
  };
  look();
  const watching = setInterval(look, EVERY_MS);
  const takenMs = (from: number, to: number) => {
    const before = seen.findLast(({ at }) => at <= from) ?? seen[0];
    const after = seen.find(({ at }) => at >= to) ?? seen.at(-1);
    return before === undefined || after === undefined ? null : after.ms - before.ms;
  };
  return {
    takenMs,
    end() {
      clearInterval(watching);
      look();
      const ms = takenMs(0, Number.POSITIVE_INFINITY);
      if (ms === null) return [];
      return [{ name: 'processor time its host gave to others', measured: ms / 1_000, unit: 's' }];
    },
  };
}

/** Since boot, over all processors. */
function takenSoFar(): number | null {
  try {
    const [, , , , , , , , steal] =
      readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.split(/\s+/) ?? [];
    return Number(steal) * 10;
  } catch {
    return null;
  }
}
