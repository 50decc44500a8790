import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunkLines, fitNewestLines, shortenMiddle } from './context-window.ts';

const cost = (line: number) => line;
const sum = (lines: readonly number[]) => lines.reduce((total, line) => total + line, 0);
const anyLines = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 60 });
const anyLimit = fc.integer({ min: 1, max: 2_000 });

test('a window is the newest end of the transcript, complete and in order', () => {
  fc.assert(
    fc.property(anyLines, anyLimit, (lines, limit) => {
      const { dropped, kept } = fitNewestLines(lines, limit, cost);
      expect([...dropped, ...kept]).toEqual(lines);
    }),
  );
});

test('the kept lines fit the limit, unless the newest line alone does not', () => {
  fc.assert(
    fc.property(anyLines, anyLimit, (lines, limit) => {
      const { kept } = fitNewestLines(lines, limit, cost);
      if (lines.length > 0) expect(kept.length).toBeGreaterThan(0);
      if (kept.length > 1) expect(sum(kept)).toBeLessThanOrEqual(limit);
    }),
  );
});

test('drops nothing while everything fits; otherwise frees half of the limit', () => {
  fc.assert(
    fc.property(anyLines, anyLimit, (lines, limit) => {
      const { dropped, kept } = fitNewestLines(lines, limit, cost);
      if (sum(lines) <= limit) expect(dropped).toEqual([]);
      else if (kept.length > 1) expect(sum(kept)).toBeLessThanOrEqual(limit / 2);
      const next = dropped.at(-1);
      if (next !== undefined) expect(sum(kept) + next).toBeGreaterThan(limit / 2);
    }),
  );
});

test('chunks are the whole in order, and each fits unless it is one line', () => {
  fc.assert(
    fc.property(anyLines, anyLimit, (lines, limit) => {
      const pieces = chunkLines(lines, limit, cost);
      expect(pieces.flat()).toEqual(lines);
      for (const piece of pieces) {
        expect(piece.length).toBeGreaterThan(0);
        if (piece.length > 1) expect(sum(piece)).toBeLessThanOrEqual(limit);
      }
    }),
  );
});

test('shortens a text in the middle only if it is too long, and keeps it well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 50 }), (text, most) => {
      const short = shortenMiddle(text, most);
      if (text.length <= most) expect(short).toBe(text);
      else expect(short).toMatch(/\[… \d+ characters left out …\]/);
      expect(short.isWellFormed()).toBe(true);
      expect(short.length).toBeLessThanOrEqual(most + 50);
    }),
  );
});
