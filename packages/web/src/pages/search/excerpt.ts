// Marks the words of a result that match the query, with the same folding that found them: case and accents do not
// matter. Pure, on plain text; returns the original text in pieces.
import { findZone } from '@relay/core/schedule/zone';
import { type HighlightPiece, highlight } from '@relay/core/search/query';

const ROOM = 420;
/** Characters shown before the first match. */
const AHEAD = 90;
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function highlightExcerpt(
  text: string,
  question: string,
  now: number,
): readonly HighlightPiece[] {
  const zone = findZone(HERE) ?? findZone('UTC');
  return zone === null
    ? [{ text, found: false }]
    : cutExcerpt(highlight(text, question, new Date(now), zone));
}

/** For a long text, the part around the match; adjacent pieces of one kind are merged. */
export function cutExcerpt(
  pieces: readonly HighlightPiece[],
  room = ROOM,
): readonly HighlightPiece[] {
  const whole = joined(pieces);
  const length = whole.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= room) return whole;
  const first = whole.findIndex(({ found }) => found);
  const before = whole.slice(0, Math.max(first, 0)).reduce((sum, { text }) => sum + text.length, 0);
  const from = before <= AHEAD ? 0 : before - AHEAD;
  return [
    ...(from > 0 ? [{ text: '…', found: false }] : []),
    ...cut(whole, from, from + room),
    ...(from + room < length ? [{ text: '…', found: false }] : []),
  ];
}

function joined(pieces: readonly HighlightPiece[]): readonly HighlightPiece[] {
  return pieces.reduce<HighlightPiece[]>((all, piece, index) => {
    const last = all.at(-1);
    const next = pieces[index + 1];
    // Spaces between two matches belong to them: a phrase is marked as one.
    const found = piece.found || (/^\s+$/.test(piece.text) && !!last?.found && !!next?.found);
    if (last?.found === found) all.splice(-1, 1, { text: last.text + piece.text, found });
    else all.push({ text: piece.text, found });
    return all;
  }, []);
}

function cut(
  pieces: readonly HighlightPiece[],
  from: number,
  to: number,
): readonly HighlightPiece[] {
  let at = 0;
  return pieces.flatMap(({ text, found }) => {
    const begin = at;
    at += text.length;
    const part = whole(text, Math.max(0, from - begin), Math.max(0, to - begin));
    return part === '' ? [] : [{ text: part, found }];
  });
}

/** Never splits a surrogate pair. */
function whole(text: string, from: number, to: number): string {
  const isTail = (at: number) => /[\uDC00-\uDFFF]/.test(text[at] ?? '');
  return text.slice(isTail(from) ? from + 1 : from, isTail(to) ? to - 1 : to);
}
