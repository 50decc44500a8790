import { describe, expect, test } from 'vitest';
import { findOvertakingMessage, saysChange } from './overtaken.ts';
import { splitIntoWords } from './words.ts';

const terms = (text: string): string[] => splitIntoWords(text).map(({ term }) => term);
const later = (id: string, text: string, day = 2) => ({
  id,
  at: new Date(Date.UTC(2026, 5, day)),
  words: terms(text),
});

describe('messages about a change', () => {
  test.each([
    'The gate code is 3046 now',
    'Match moved to Sunday',
    'We postponed it',
    'He cambiado la clave',
    'A partir de setembro passo a levar 14 libras',
    'Kleine Änderung: doch am Samstag',
    'نغيّر الدرس إلى يوم الاثنين',
    'sagai ki date badal gayi',
    'अब मीटिंग तीन बजे है',
    '会议改到三点',
    'Le rendez-vous est reporté à lundi',
  ])('%s', (text) => {
    expect(saysChange(splitIntoWords(text))).toBe(true);
  });

  test.each(['The gate code is 7719', 'See you on Sunday', 'La clave es limonero', '三点见'])(
    '%s is not about a change',
    (text) => {
      expect(saysChange(splitIntoWords(text))).toBe(false);
    },
  );
});

describe('an overtaken message', () => {
  const CODE = terms('Site access by the rear gate on Quay Street. Gate code 7719');

  test('is overtaken by the later one with most words in common', () => {
    const found = findOvertakingMessage(CODE, [
      later('other', 'Parking on Quay Street is cancelled'),
      later('code', 'Gate code on Quay Street changed, it is 3046 now'),
    ]);
    expect(found?.id).toBe('code');
  });

  test('is overtaken by the last of two that say the same', () => {
    const found = findOvertakingMessage(CODE, [
      later('third', 'New gate code: 1111', 9),
      later('second', 'New gate code: 3046', 5),
    ]);
    expect(found?.id).toBe('third');
  });

  test('needs more than one shared word, stop words, or the mere mention of a change', () => {
    expect(findOvertakingMessage(CODE, [later('one', 'New gate for the dog')])).toBeNull();
    expect(
      findOvertakingMessage(CODE, [later('the', 'The new one is on the left by now')]),
    ).toBeNull();
    expect(
      findOvertakingMessage(terms('new plan now'), [later('x', 'new friends now')]),
    ).toBeNull();
    expect(findOvertakingMessage(CODE, [])).toBeNull();
  });
});
