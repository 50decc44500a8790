// A line as the transcript shows it, whichever page it stands on: a message with its author, or something that
// happened between messages. Pure; each page makes its own lines.
import type { OutboxState } from '@relay/core/outbox/progress';

/** Where it stands among the others: by the first number, and by the second among equals. */
export type Place = readonly [number, number];

export interface Quoted {
  readonly by: string;
  readonly label: string | null;
  readonly text: string;
}

export interface Line {
  readonly key: string;
  readonly place: Place;
  /** Whose words they are; `system` is told in the middle. */
  readonly from: 'contact' | 'agent' | 'owner' | 'system';
  /** Named above the words; null where there is nobody to mix up. */
  readonly by: string | null;
  /** What it is where it is more than text. */
  readonly label: string | null;
  readonly text: string;
  readonly at: string;
  readonly delivery: OutboxState | null;
  /** `Edited`, `Forwarded`. */
  readonly marks: readonly string[];
  readonly quoted: Quoted | null;
  /** The message to ask why about. */
  readonly why: string | null;
}

export interface Page {
  /** The oldest first. */
  readonly lines: readonly Line[];
  readonly older: boolean;
  readonly newer: boolean;
}

export const isAfter = (a: Place, b: Place): boolean => (a[0] === b[0] ? a[1] > b[1] : a[0] > b[0]);
