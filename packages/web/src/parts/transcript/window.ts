// The loaded part of a transcript: a stretch without gaps that never exceeds a few hundred lines. Pure. Invariant: what
// is dropped at one end can be requested again from there.
import type { MediaBody } from '@relay/contract/api/media';
import type { ReceivedContent } from '@relay/contract/api/received';
import type { OutboxState } from '@relay/contract/outbox/states';

/** Lines per request: a few screens, and few enough to render without a delay. */
export const PAGE_ENTRIES = 40;
export const MOST_ENTRIES = 240;

export function withOlder(window: TranscriptPage, page: TranscriptPage): TranscriptPage {
  const entries = [...page.entries, ...window.entries];
  const kept = entries.slice(0, MOST_ENTRIES);
  return {
    entries: kept,
    hasOlder: page.hasOlder,
    hasNewer: window.hasNewer || kept.length < entries.length,
  };
}

export function withNewer(window: TranscriptPage, page: TranscriptPage): TranscriptPage {
  const entries = [...window.entries, ...page.entries];
  const kept = entries.slice(-MOST_ENTRIES);
  return {
    entries: kept,
    hasOlder: window.hasOlder || kept.length < entries.length,
    hasNewer: page.hasNewer,
  };
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
  if (window.hasNewer) return window;
  const first = newest.entries[0];
  if (first === undefined) return newest;
  const last = window.entries.at(-1);
  const hasGap = newest.hasOlder && (last === undefined || isPlaceAfter(first.place, last.place));
  if (hasGap) return isReadingEnd ? newest : { ...window, hasNewer: true };
  const before = window.entries.filter((line) => isPlaceAfter(first.place, line.place));
  const entries = [...before, ...reused(window.entries, newest.entries)];
  const hasOlder = before.length === 0 ? newest.hasOlder : window.hasOlder;
  if (entries.length <= MOST_ENTRIES) return { entries, hasOlder, hasNewer: false };
  return isReadingEnd
    ? { entries: entries.slice(-MOST_ENTRIES), hasOlder: true, hasNewer: false }
    : { entries: entries.slice(0, MOST_ENTRIES), hasOlder, hasNewer: true };
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
  a.authorName === b.authorName &&
  a.marks.join() === b.marks.join() &&
  a.isDeleted === b.isDeleted &&
  a.media?.state === b.media?.state &&
  a.media?.transcript === b.media?.transcript &&
  a.reactions.map(({ emoji, by }) => emoji + by).join() ===
    b.reactions.map(({ emoji, by }) => emoji + by).join() &&
  a.quoted?.text === b.quoted?.text;

/** How many lines came after the last one seen. */
export const countAfter = (entries: readonly TranscriptEntry[], seen: EntryPlace | null): number =>
  seen === null ? 0 : entries.filter(({ place }) => isPlaceAfter(place, seen)).length;

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
  readonly side: 'contact' | 'agent' | 'owner' | 'system';
  /** The name above the text; null where the author is obvious. */
  readonly authorName: string | null;
  /** The kind, if it is more than text. */
  readonly label: string | null;
  readonly text: string;
  readonly at: string;
  readonly delivery: OutboxState | null;
  /** `Edited`, `Forwarded`. */
  readonly marks: readonly string[];
  readonly quoted: QuotedEntry | null;
  /** The id to ask `why` about. */
  readonly whyMessageId: string | null;
  readonly media: MediaBody | null;
  /** What it is besides text and a file. */
  readonly content: ReceivedContent | null;
  readonly reactions: readonly { readonly emoji: string; readonly by: string }[];
  /** Its author deleted it for everybody. */
  readonly isDeleted: boolean;
}

/** Of a line that is only text. */
export const ONLY_TEXT = { media: null, content: null, reactions: [], isDeleted: false } as const;

export interface TranscriptPage {
  /** Oldest first. */
  readonly entries: readonly TranscriptEntry[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
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
