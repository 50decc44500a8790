import { expect, test } from 'vitest';
import { Scan } from './scan.ts';

const WORDS = 'q83hf0a7d2kz5w1mxv9ct4eu6';
const around = (part: Buffer) =>
  Buffer.concat([Buffer.from('before '), part, Buffer.from(' after')]);

/** pglz output for incompressible text: a byte of flags, then eight literals. */
function literals(text: string, into: number): Buffer {
  const bytes = Buffer.from('x'.repeat(into) + text);
  const groups = Array.from({ length: Math.ceil(bytes.length / 8) }, (_, n) =>
    Buffer.concat([Buffer.from([0]), bytes.subarray(n * 8, n * 8 + 8)]),
  );
  return Buffer.concat(groups);
}

const WRITTEN: readonly (readonly [way: string, bytes: Buffer])[] = [
  ['plain', Buffer.from(WORDS)],
  ['utf16', Buffer.from(WORDS, 'utf16le')],
  ['hex', Buffer.from(Buffer.from(WORDS).toString('hex'))],
  ['base64', Buffer.from(Buffer.from(WORDS).toString('base64'))],
  ['base64', Buffer.from(Buffer.from(`x${WORDS}`).toString('base64'))],
  ['base64', Buffer.from(Buffer.from(`xy${WORDS} and more`).toString('base64'))],
  ...[0, 1, 2, 3, 4, 5, 6, 7].map((into) => ['compressed', literals(WORDS, into)] as const),
];

test.each(WRITTEN)('finds words that are written as %s', (way, bytes) => {
  expect([...new Scan(WORDS).waysIn(around(bytes))]).toEqual([way]);
});

test('finds nothing where the words are absent', () => {
  const others = WORDS.replace('5w1m', '5w2m');
  expect(new Scan(WORDS).waysIn(around(Buffer.from(others))).size).toBe(0);
});
