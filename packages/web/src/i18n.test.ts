import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import {
  activateLocale,
  formatLocale,
  isolate,
  matchLocale,
  sentenceDirection,
  t,
  textDirection,
} from './i18n.ts';

test('chooses the first language of the browser that the console speaks', () => {
  expect(matchLocale(['fr-FR', 'pt-PT', 'en'])).toBe('pt-BR');
  expect(matchLocale(['de-AT', 'en'])).toBe('de');
  expect(matchLocale(['en-GB', 'de'])).toBe('en');
  expect(matchLocale(['fr'])).toBe('en');
});

test('writes Arabic from right to left', () => {
  expect([textDirection('ar'), textDirection('hi')]).toEqual(['rtl', 'ltr']);
});

test('shows a value as it is, also one that looks like an escaped character', () => {
  verifies('WORDS-VALUES');
  expect(t('common.palette.conversation', { name: 'Ana \\u202e\\x41' })).toBe(
    'Conversation with Ana \\u202e\\x41',
  );
});

test('writes a sentence in the direction of its language, whatever its first word is', () => {
  expect(sentenceDirection('WhatsApp is connected.')).toBe('auto');
  activateLocale('ar');
  expect(sentenceDirection('Relay غير مرتبط بهاتف.')).toBeUndefined();
  expect(sentenceDirection('This contact has no grant.')).toBe('auto');
  activateLocale('en', 'en-GB');
});

test('keeps a phone number in order within Arabic text', () => {
  activateLocale('ar');
  expect([isolate('+49 170 1234567'), isolate('paused')]).toEqual([
    '\u2068+49 170 1234567\u2069',
    'paused',
  ]);
  activateLocale('en', 'en-GB');
  expect(isolate('+49 170 1234567')).toBe('+49 170 1234567');
});

test('writes Arabic numbers and dates with the digits that its texts have', () => {
  activateLocale('ar', 'ar-EG');
  const time = new Intl.DateTimeFormat(formatLocale(), { timeStyle: 'short', timeZone: 'UTC' });
  expect(new Intl.NumberFormat(formatLocale()).format(24)).toBe('24');
  expect(time.format(new Date('2026-11-20T04:09:00Z'))).toContain('4:09');
  activateLocale('en', 'en-GB');
});
