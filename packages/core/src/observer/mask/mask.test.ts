import { growth } from '@relay/testing/growth';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GroupMessage } from '../message.ts';
import { groupMessage } from '../testing/message.ts';
import { maskIdentifiers, maskPrivate, privateMatter } from './mask.ts';

/** Six times as much of it. */
const GROWS_WITH_ITS_SQUARE = 36;

describe('identifiers', () => {
  test.each([
    ['send it to GB33BUKB20201555555555 please', 'send it to [bank account] please'],
    ['GB33 BUKB 2020 1555 5555 55', '[bank account]'],
    ['A/c 000123456789, IFSC TEST0000123', 'A/c [bank account], IFSC [bank code]'],
    ['sort code 20-20-15, account 55555555', 'sort code [bank account], account [bank account]'],
    ['card 4111 1111 1111 1111', 'card [number]'],
    ['new alarm code is 4471# tonight', 'new alarm code is [code] tonight'],
    ['PIN: 8812', 'PIN: [code]'],
    ['la clave es 9921', 'la clave es [code]'],
    ['senha: gato77', 'senha: [code]'],
    ['wifi password is Mango2024!', 'wifi password is [code]'],
    ['call me on +1 202 555 0163', 'call me on [number]'],
    ['mera number 07700 900123 hai', 'mera number [number] hai'],
    ['رقمي ٠٧٧٠٠٩٠٠١٢٣', 'رقمي [number]'],
    ['kavya@example.com', '[e-mail address]'],
    ['we live at 22 Chandpol Link Road', 'we live at [address]'],
    ['Calle Mayor 14', '[address]'],
    ['Rua das Flores, 120', '[address]'],
    ['Hauptstraße 5', '[address]'],
    ['passport no K1234567', 'passport no [document number]'],
  ])('masks %j', (text, masked) => {
    verifies('004-PRIV-ANONYMISE');
    expect(maskIdentifiers(text)).toBe(masked);
  });

  test.each([
    'Sunday 8 March 2026, lunch 12:30',
    'on 2026-03-08 at 10:20',
    '08.03.2026 oder 09/03/2026',
    '₹1,12,000 for the villa, ₹22,400 per share',
    '£2,840 and 61 covers',
    'QX 417 LHR-DEL, lands Fri 05:40, then KD 233 at 09:15',
    'Hotel Amber Court, Sunday',
    '5BR, pool, 9 to 13 March',
    'only 14 pics in the drive',
    'the season 2025-2026',
    'table 12 at 7:30, 34 booked',
    'dress code: yellow',
  ])('does not mask %j', (text) => {
    expect(maskIdentifiers(text)).toBe(text);
  });

  test('masking twice changes nothing, and hostile text takes time in proportion to its length', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const masked = maskIdentifiers(text);
        expect(maskIdentifiers(masked)).toBe(masked);
      }),
    );
    for (const piece of ['1 ', '1-', 'a@', 'pin ', 'calle a ', 'GB33 ', '12 aa bb ']) {
      const grows = growth((size) => maskIdentifiers(piece.repeat(size)), 1_500, 6);
      expect(grows, piece).toBeLessThan(GROWS_WITH_ITS_SQUARE / 2);
    }
  });
});

test.each([
  ["I'm at A&E, they think it's kidney stones", 'health'],
  ['she is on 500 metformin', 'health'],
  ['Nani ka BP 160/95 tha', 'health'],
  ['Nani ke ghutne mein dard hai', 'health'],
  ['अस्पताल में हूँ', 'health'],
  ['estoy en urgencias con mi hijo', 'health'],
  ['estou grávida', 'health'],
  ['انا في المستشفى', 'health'],
  ['bin krankgeschrieben', 'health'],
  ['I have a severe peanut allergy', 'health'],
  ['her kid is ill', 'health'],
  ['I borrowed 12000, will pay you back', 'money'],
  ['woh 12000 jo liye the, lauta dunga', 'money'],
  ['tengo una deuda', 'money'],
  ['tengo la cita del visado', 'personal'],
  ['we are getting divorced', 'personal'],
  ['table 12: coeliac guest', null],
  ['can borrow his projector', null],
  ['my e-visa arrived', null],
  ['lunch at Amber Court on Sunday', null],
  ['report is due Monday', null],
  ['what a pain, the fridge is broken', null],
])('%j is %s', (text, matter) => {
  expect(privateMatter(text)).toBe(matter);
});

const MESSAGE = groupMessage({ sender: 's', senderName: 'Amy', fromOwner: false });
const masked = (...messages: Partial<GroupMessage>[]) =>
  maskPrivate(
    messages.map((message) => ({
      message: { ...MESSAGE, ...message },
      verdict: { category: 'content', noise: false },
    })),
    new Map([['447700900103', 'Sunita']]),
  ).map(({ message: { senderName, text } }) => `${senderName}: ${text}`);

test('a private message loses its name and words and keeps its times', () => {
  verifies('004-PRIV-ANONYMISE');
  expect(masked({ text: 'Nani ke ghutne ka dard badh gaya, Dr Saxena Thursday 11:30' })).toEqual([
    'A member: shared something private (health; times named: Thursday, 11:30)',
  ]);
  expect(masked({ text: "I'm at A&E. Can't do tonight" })).toEqual([
    "A member: Can't do tonight (left out: something private, health)",
  ]);
});

test('the answer to a private question is private, a later exchange is not', () => {
  const later = new Date(+MESSAGE.at + 3_600_000);
  expect(
    masked(
      { id: 'q', text: 'did they do the HbA1c again?' },
      { senderName: 'Mum', text: 'Report aa gayi, 7.9 hai', quotedId: 'q' },
      { senderName: 'Rohan', text: 'the report of the caterer is here', at: later },
    ),
  ).toEqual([
    'A member: shared something private (health)',
    'A member: shared something private (health)',
    'Rohan: the report of the caterer is here',
  ]);
});

test('names who is away for a private reason, but not the reason', () => {
  expect(masked({ text: 'No estoy hasta las 4, tengo la cita del visado' })).toEqual([
    'Amy: No estoy hasta las 4, (left out: something private, personal)',
  ]);
});

test('mentions become names, and nobody is identified by their number', () => {
  expect(
    masked({ text: '@447700900103 and @447700900999 pls', senderName: '+1 202 555 0163' }),
  ).toEqual(['…0163: @Sunita and @somebody pls']);
});
