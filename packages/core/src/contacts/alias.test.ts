import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { aliasKey, aliasOfJid, lidAlias, phoneAlias } from './alias.ts';

const numRuns = Number(process.env.PROPERTY_RUNS ?? 500);
vi.setConfig({ testTimeout: 60_000 + 5 * numRuns });
// The first digit is never 0, as in international form.
const digits = (min: number, max: number) =>
  fc.stringMatching(new RegExp(`^[1-9][0-9]{${min - 1},${max - 1}}$`));

describe('phone text', () => {
  test.each([
    ['14155551234', '14155551234'],
    ['+1 (415) 555-1234', '14155551234'],
    [' +44 20.7946.0958 ', '442079460958'],
    ['1234567', '1234567'],
    ['123456789012345', '123456789012345'],
  ])('%s is read as %s', (text, value) => {
    expect(phoneAlias(text)).toEqual({ kind: 'phone', value });
  });

  test.each([
    '',
    'plumber',
    '123456',
    '1234567890123456',
    '0151 2345678',
    '123456789@lid',
    '14155551234@s.whatsapp.net',
    'Room 14155551234',
    'abcdefab-1234-4bcd-8efa-bcdefabcdef1',
    '+1415555١٢٣٤',
    '１４１５５５５１２３４',
  ])('refuses %s', (text) => {
    expect(phoneAlias(text)).toBeNull();
  });
});

describe('JIDs', () => {
  test.each([
    ['14155551234@s.whatsapp.net', 'phone', '14155551234'],
    ['14155551234@c.us', 'phone', '14155551234'],
    ['14155551234:12@s.whatsapp.net', 'phone', '14155551234'],
    ['14155551234_1:12@s.whatsapp.net', 'phone', '14155551234'],
    ['14155551234:99@hosted', 'phone', '14155551234'],
    ['123:5@lid', 'lid', '123'],
    ['98765432101234@lid', 'lid', '98765432101234'],
    ['98765432101234:99@hosted.lid', 'lid', '98765432101234'],
  ])('%s names the person %s %s', (jid, kind, value) => {
    expect(aliasOfJid(jid)).toEqual({ kind, value });
  });

  test.each([
    '120363025246125486@g.us',
    '14155551234-1590000000@g.us',
    'status@broadcast',
    '120363144038483540@newsletter',
    '0@s.whatsapp.net',
    '14155551234',
    '@lid',
    '1415555@lid@s.whatsapp.net',
    '14155551234@s.whatsapp.net.evil',
    '14155551234@constructor',
    '14155551234\n@lid',
    '',
  ])('%s names nobody', (jid) => {
    expect(aliasOfJid(jid)).toBeNull();
  });

  test('the device never changes which person is meant', () => {
    fc.assert(
      fc.property(digits(7, 15), fc.nat(99), fc.constantFrom('lid', 'c.us'), (user, device, at) => {
        expect(aliasOfJid(`${user}:${device}@${at}`)).toEqual(aliasOfJid(`${user}@${at}`));
      }),
      { numRuns },
    );
  });

  test('a phone number and a LID with the same digits are two aliases', () => {
    fc.assert(
      fc.property(digits(7, 15), (value) => {
        const phone = phoneAlias(value);
        const lid = lidAlias(value);
        expect(phone && aliasKey(phone)).not.toBe(lid && aliasKey(lid));
      }),
      { numRuns },
    );
  });

  test('no id is read as a phone number', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(phoneAlias(id)).toBeNull();
      }),
      { numRuns },
    );
  });

  test('any text is parsed or refused without throwing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9:_@.a-z]+$/)), (text) => {
        for (const alias of [phoneAlias(text), lidAlias(text), aliasOfJid(text)]) {
          if (alias) expect(alias.value).toMatch(/^\d{1,20}$/);
        }
      }),
      { numRuns },
    );
  });
});
