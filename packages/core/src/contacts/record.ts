// A grant as the owner keeps it: what is allowed, whom it names, and how it is to be used. For anybody else
// but the owner a change of the name or of the options counts as widening: a name decides who is written to,
// a persona what is said.
import { changeOf, type Grant, type GrantChange } from './grants.ts';
import type { GrantOptions } from './options.ts';

export interface GrantRecord {
  /** What the owner calls them; null if they gave no name. */
  readonly displayName: string | null;
  readonly grant: Grant;
  readonly options: GrantOptions;
}

export function changeOfRecord(before: GrantRecord | null, after: GrantRecord | null): GrantChange {
  if (after === null) return 'narrow';
  const same =
    before !== null &&
    before.displayName === after.displayName &&
    optionsText(before.options) === optionsText(after.options);
  return same ? changeOf(before.grant, after.grant) : 'widen';
}

const optionsText = ({ persona, model, quietHours }: GrantOptions): string =>
  JSON.stringify([persona, model, quietHours?.from, quietHours?.to, quietHours?.zone]);
