// The loaded part of a transcript: a stretch without gaps that never exceeds a few hundred lines. Pure. Invariant: what
// is dropped at one end can be requested again from there.
import type { OutboxState } from '@relay/contract/outbox/states';

/** Lines per request: a few screens, and few enough to render without a delay. */
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
 * Merges the newest page: new, changed and deleted lines. A reader further up keeps their place: lines that would not
 * fit below it are loaded later.
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

/** Keeps the object of an unchanged line, so that it is not rendered again. */
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

/** How many lines came after the last one seen. */
export const countAfter = (lines: readonly TranscriptEntry[], seen: EntryPlace | null): number =>
  seen === null ? 0 : lines.filter(({ place }) => isPlaceAfter(place, seen)).length;

// A line of a transcript on any page: a message with its author, or an event between messages. Pure; each page creates
// its own lines.

/** Sort key: the first number, then the second. */
export type EntryPlace = readonly [number, number];

export interface QuotedEntry {
  readonly by: string;
  readonly label: string | null;
  readonly text: string;
}

export interface TranscriptEntry {
  readonly key: string;
  readonly place: EntryPlace;
  /** The author; `system` lines are centred. */
  readonly from: 'contact' | 'agent' | 'owner' | 'system';
  /** The name above the text; null where the author is obvious. */
  readonly by: string | null;
  /** The kind, if it is more than text. */
  readonly label: string | null;
  readonly text: string;
  readonly at: string;
  readonly delivery: OutboxState | null;
  /** `Edited`, `Forwarded`. */
  readonly marks: readonly string[];
  readonly quoted: QuotedEntry | null;
  /** The id to ask `why` about. */
  readonly why: string | null;
}

export interface TranscriptPage {
  /** Oldest first. */
  readonly lines: readonly TranscriptEntry[];
  readonly older: boolean;
  readonly newer: boolean;
}

export const isPlaceAfter = (a: EntryPlace, b: EntryPlace): boolean =>
  a[0] === b[0] ? a[1] > b[1] : a[0] > b[0];

// Adds day headings between the lines. Pure.

type TranscriptRow =
  | { readonly kind: 'day'; readonly key: string; readonly at: string }
  | { readonly kind: 'line'; readonly key: string; readonly line: TranscriptEntry };

export function withDayRows(lines: readonly TranscriptEntry[]): readonly TranscriptRow[] {
  const rows: TranscriptRow[] = [];
  let day = '';
  for (const line of lines) {
    const next = new Date(line.at).toDateString();
    // Keyed by its day, so that it stays the same element when older lines of that day are added.
    if (next !== day) rows.push({ kind: 'day', key: `day ${next}`, at: line.at });
    day = next;
    rows.push({ kind: 'line', key: line.key, line });
  }
  return rows;
}
