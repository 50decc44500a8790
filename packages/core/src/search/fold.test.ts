import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { foldText } from './words.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 60_000 + 5 * numRuns });

describe('folding of spelling variants', () => {
  test.each([
    ['Café CAFÉ', 'cafe cafe'],
    ['Straße ŁÓDŹ Ærø', 'strasse lodz aero'],
    ['ὈΔΥΣΣΕΎΣ', 'οδυσσευσ'],
    ['أحمد إلى ٱلقاهرة', 'احمد الي القاهره'],
    ['مُحَمَّد كـــتاب', 'محمد كتاب'],
    ['علی کتاب', 'علي كتاب'],
    ['١٢٣ ۴۵۶ १२३ ๓ ０９', '123 456 123 3 09'],
    ['ज़रूरी', 'जरूरी'],
    ['ﬁne ①', 'fine 1'],
    ['がくせい', 'がくせい'],
    ['한국어', '한국어'],
    ['co\u00adop\u200b\u202e', 'coop'],
  ])('%s is %s', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  test('keeps the vowels of Indian scripts: they are letters, not accents', () => {
    expect(foldText('किताब')).toBe('किताब');
  });
});

test('folding a folded text changes nothing', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })),
      (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
      },
    ),
    { numRuns },
  );
});
