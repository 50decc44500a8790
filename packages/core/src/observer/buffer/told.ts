// What one line of the buffer says, before it has its time in front of it.
import type { Judged } from '../verdict.ts';

export interface Told {
  readonly at: Date;
  readonly words: string;
  /** The messages it tells of. */
  readonly ids: readonly string[];
}

/** Messages by the id that replies and reactions name. */
export type Known = ReadonlyMap<string, Judged>;
