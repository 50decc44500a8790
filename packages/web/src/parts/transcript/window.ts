// The part of a transcript that is held: a stretch without gaps that never grows beyond a few hundred lines, however
// far somebody scrolls. Pure. Invariant: what is dropped at one end can be asked for again from there.
import { isAfter, type Line, type Page, type Place } from './line.ts';

/** What is asked for at a time: a few screens, and little enough to be drawn without anybody noticing. */
export const PAGE_LINES = 40;
export const MOST_LINES = 240;

export function withOlder(window: Page, page: Page): Page {
  const lines = [...page.lines, ...window.lines];
  const kept = lines.slice(0, MOST_LINES);
  return { lines: kept, older: page.older, newer: window.newer || kept.length < lines.length };
}

export function withNewer(window: Page, page: Page): Page {
  const lines = [...window.lines, ...page.lines];
  const kept = lines.slice(-MOST_LINES);
  return { lines: kept, older: window.older || kept.length < lines.length, newer: page.newer };
}

/**
 * The newest page as it is now: what came, what changed and what is gone. Whoever reads further up keeps their place:
 * what would not fit below it is left for later.
 */
export function withNewest(window: Page, newest: Page, isReadingEnd: boolean): Page {
  if (window.newer) return window;
  const first = newest.lines[0];
  if (first === undefined) return newest;
  const last = window.lines.at(-1);
  const hasGap = newest.older && (last === undefined || isAfter(first.place, last.place));
  if (hasGap) return isReadingEnd ? newest : { ...window, newer: true };
  const before = window.lines.filter((line) => isAfter(first.place, line.place));
  const lines = [...before, ...reused(window.lines, newest.lines)];
  const older = before.length === 0 ? newest.older : window.older;
  if (lines.length <= MOST_LINES) return { lines, older, newer: false };
  return isReadingEnd
    ? { lines: lines.slice(-MOST_LINES), older: true, newer: false }
    : { lines: lines.slice(0, MOST_LINES), older, newer: true };
}

/** A line that did not change stays the same object, so that it is not drawn again. */
function reused(before: readonly Line[], now: readonly Line[]): readonly Line[] {
  const known = new Map(before.map((line) => [line.key, line]));
  return now.map((line) => {
    const old = known.get(line.key);
    return old !== undefined && isSame(old, line) ? old : line;
  });
}

const isSame = (a: Line, b: Line): boolean =>
  a.delivery === b.delivery &&
  a.text === b.text &&
  a.label === b.label &&
  a.by === b.by &&
  a.marks.join() === b.marks.join() &&
  a.quoted?.text === b.quoted?.text;

/** How many came after the last that was seen. */
export const countAfter = (lines: readonly Line[], seen: Place | null): number =>
  seen === null ? 0 : lines.filter(({ place }) => isAfter(place, seen)).length;
