import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { splitIntoWords } from './words.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 300);
vi.setConfig({ testTimeout: 60_000 + 10 * numRuns });

const terms = (text: string) => splitIntoWords(text).map(({ term }) => term);
const plain = (text: string) =>
  splitIntoWords(text).flatMap((word) => (word.plain ? [word.term] : []));

describe('words', () => {
  test('are folded, in order, each with its position', () => {
    expect(splitIntoWords('The Boiler, again!')).toEqual([
      { term: 'the', at: 0, plain: true },
      { term: 'boiler', at: 1, plain: true },
      { term: 'again', at: 2, plain: true },
    ]);
  });

  test('joined by a hyphen are also one word', () => {
    expect(terms('check-up')).toEqual(['check', 'up', 'checkup']);
  });

  test('of a code are found however it is written', () => {
    for (const [one, other] of [
      ['SP-879828', 'SP879828'],
      ['TGHU 661204-3', 'TGHU6612043'],
      ['TP 1339', 'tp1339'],
      ['+44 20 7946 0958', '442079460958'],
      ['ES00 1234 0000', 'ES0012340000'],
    ] as const) {
      const shared = terms(one).filter((term) => terms(other).includes(term));
      expect(
        shared.some((term) => /\d{4}/.test(term)),
        `${one} and ${other}`,
      ).toBe(true);
    }
  });

  test('of Chinese and Japanese are characters and pairs of neighbours', () => {
    expect(terms('瓷砖展')).toEqual(['瓷砖', '砖展', '瓷', '砖', '展']);
    expect(plain('瓷砖 tile')).toEqual(['瓷', '砖', 'tile']);
    expect(terms('東京タワー')).toContain('京タ');
  });

  test('of Thai are split at word boundaries', () => {
    expect(plain('ฉันกินข้าว')).toEqual(['ฉัน', 'กิน', 'ข้าว']);
  });

  test('of Korean are found without their endings', () => {
    expect(terms('학교에서')).toEqual(expect.arrayContaining(['학교에서', '학교']));
  });

  test('of Arabic are found without the article', () => {
    expect(plain('الضريبة')).toEqual(plain('ضريبه'));
  });

  test('include emoji', () => {
    expect(terms('Party 🎂!')).toEqual(['party', '🎂']);
  });

  test('of excessive length are omitted', () => {
    expect(terms(`${'x'.repeat(10_000)} end`)).toEqual(['end']);
  });
});

test('splitting any text ends, and gives terms that are words by themselves', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      for (const { term, at } of splitIntoWords(text)) {
        expect(term).toMatch(/^[\p{L}\p{M}\p{N}\p{Extended_Pictographic}]{1,64}$/u);
        expect(at).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns },
  );
});

test('positions of written words never decrease', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
      const places = splitIntoWords(text).flatMap(({ at, plain }) => (plain ? [at] : []));
      expect(places).toEqual([...places].sort((a, b) => a - b));
      expect(new Set(places).size).toBe(places.length);
    }),
    { numRuns },
  );
});
