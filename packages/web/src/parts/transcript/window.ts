// The part of a transcript that is held: a stretch without gaps that never grows beyond a few hundred lines, however
// far somebody scrolls. Pure. Invariant: what is dropped at one end can be asked for again from there.
import type { OutboxState } from '@relay/contract/outbox/states';

/** What is asked for at a time: a few screens, and little enough to be drawn without anybody noticing. */
export const PAGE_ENTRIES = 40;
export const MOST_ENTRIES = 240;

export function withOlder(window: TranscriptPage, page: TranscriptPage): TranscriptPage {
  const lines = [...page.lines, ...window.lines];
  const kept = lines.slice(0, MOST_ENTRIES);
  return { lines: kept, older: page.older, newer: window.newer || kept.length < lines.length };
}

export function withNewer(window: TranscriptPage, page: TranscriptPage): TranscriptPage {
  const lines = [...window.lines, ...page.lines];
  const kept = lines.slice(-MOST_ENTRIES);
  return { lines: kept, older: window.older || kept.length < lines.length, newer: page.newer };
}

/**
 * The newest page as it is now: what came, what changed and what is gone. Whoever reads further up keeps their place:
 * what would not fit below it is left for later.
 */
export function withNewest(
  window: TranscriptPage,
  newest: TranscriptPage,
  isReadingEnd: boolean,
): TranscriptPage {
  if (window.newer) return window;
  const first = newest.lines[0];
  if (first === undefined) return newest;
  const last = window.lines.at(-1);
  const hasGap = newest.older && (last === undefined || isPlaceAfter(first.place, last.place));
  if (hasGap) return isReadingEnd ? newest : { ...window, newer: true };
  const before = window.lines.filter((line) => isPlaceAfter(first.place, line.place));
  const lines = [...before, ...reused(window.lines, newest.lines)];
  const older = before.length === 0 ? newest.older : window.older;
  if (lines.length <= MOST_ENTRIES) return { lines, older, newer: false };
  return isReadingEnd
    ? { lines: lines.slice(-MOST_ENTRIES), older: true, newer: false }
    : { lines: lines.slice(0, MOST_ENTRIES), older, newer: true };
}

/** A line that did not change stays the same object, so that it is not drawn again. */
function reused(
  before: readonly TranscriptEntry[],
  now: readonly TranscriptEntry[],
): readonly TranscriptEntry[] {
  const known = new Map(before.map((line) => [line.key, line]));
  return now.map((line) => {
    const old = known.get(line.key);
    return old !== undefined && isSame(old, line) ? old : line;
  });
}

const isSame = (a: TranscriptEntry, b: TranscriptEntry): boolean =>
  a.delivery === b.delivery &&
  a.text === b.text &&
  a.label === b.label &&
  a.by === b.by &&
  a.marks.join() === b.marks.join() &&
  a.quoted?.text === b.quoted?.text;

/** How many came after the last that was seen. */
export const countAfter = (lines: readonly TranscriptEntry[], seen: EntryPlace | null): number =>
  seen === null ? 0 : lines.filter(({ place }) => isPlaceAfter(place, seen)).length;

// A line as the transcript shows it, whichever page it stands on: a message with its author, or something that
// happened between messages. Pure; each page makes its own lines.

/** Where it stands among the others: by the first number, and by the second among equals. */
export type EntryPlace = readonly [number, number];

export interface QuotedEntry {
  readonly by: string;
  readonly label: string | null;
  readonly text: string;
}

export interface TranscriptEntry {
  readonly key: string;
  readonly place: EntryPlace;
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
  readonly quoted: QuotedEntry | null;
  /** The message to ask why about. */
  readonly why: string | null;
}

export interface TranscriptPage {
  /** The oldest first. */
  readonly lines: readonly TranscriptEntry[];
  readonly older: boolean;
  readonly newer: boolean;
}

export const isPlaceAfter = (a: EntryPlace, b: EntryPlace): boolean =>
  a[0] === b[0] ? a[1] > b[1] : a[0] > b[0];

// The lines with the days between them. Pure.

type TranscriptRow =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | { readonly kind: 'line'; readonly key: string; readonly line: TranscriptEntry };

export function withDayRows(lines: readonly TranscriptEntry[]): readonly TranscriptRow[] {
  const rows: TranscriptRow[] = [];
  let day = '';
  for (const line of lines) {
    const next = new Date(line.at).toDateString();
    // Named by its day, so that it stays the same element when older ones of that day come before it.
    if (next !== day) rows.push({ kind: 'day', key: `day ${next}`, at: line.at });
    day = next;
    rows.push({ kind: 'line', key: line.key, line });
  }
  return rows;
}
