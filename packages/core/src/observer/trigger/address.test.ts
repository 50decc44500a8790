import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GROUP_MESSAGE_KINDS } from '../message.ts';
import { groupMessage } from '../testing/message.ts';
import { type Addressee, findAddress, mayBeAddressed } from './address.ts';

const WHO: Addressee = {
  name: 'Annie',
  jids: ['900000000000116@lid', '447700900123@s.whatsapp.net'],
  isAssistantMessage: (id) => id === 'hers',
};

test('finds the name as a whole word, in any case and position', () => {
  verifies('004-TRIGGER-REGEX');
  for (const text of [
    'Annie, what is the plan for Saturday?',
    'what time is it ANNIE',
    'ok annie.',
    '(annie) list them',
    "Annie's turn",
    '*Annie* when?',
  ])
    expect(mayBeAddressed(groupMessage({ text }), WHO), text).toBe(true);
  for (const text of ['Mannieville', 'tyrannie', 'mezzanniere', 'plannierten'])
    expect(mayBeAddressed(groupMessage({ text }), WHO), text).toBe(false);
});

test('finds a mention by phone number and by LID, from any device', () => {
  for (const jid of [...WHO.jids, '900000000000116:12@lid'])
    expect(findAddress(groupMessage({ text: '@1 when?', mentions: [jid] }), WHO)).toBe('mention');
  expect(
    findAddress(groupMessage({ text: '@900 when?', mentions: ['900000000000117@lid'] }), WHO),
  ).toBeNull();
});

test('finds a mention without its list, as a notification forwarder delivers it', () => {
  expect(findAddress(groupMessage({ text: 'so @900000000000116 when?' }), WHO)).toBe('mention');
  expect(findAddress(groupMessage({ text: 'so @90000000000011 when?' }), WHO)).toBeNull();
});

test('finds a reply to a message that the assistant wrote', () => {
  expect(findAddress(groupMessage({ text: 'sure?', quotedId: 'hers' }), WHO)).toBe('reply');
  expect(findAddress(groupMessage({ text: 'sure?', quotedId: 'another' }), WHO)).toBeNull();
});

test('a forwarded message never addresses the assistant, whatever it says and whoever sends it', () => {
  verifies('004-ANTI-FORWARDED');
  fc.assert(
    fc.property(
      fc.record({
        kind: fc.constantFrom(...GROUP_MESSAGE_KINDS),
        text: fc.constantFrom('Annie, when?', '@900000000000116', 'ऐनी, कब?', 'annie'),
        quotedId: fc.constantFrom(null, 'hers'),
        mentions: fc.constantFrom([], [...WHO.jids]),
        fromOwner: fc.boolean(),
      }),
      (given) => findAddress(groupMessage({ ...given, forwarded: true }), WHO) === null,
    ),
  );
});

test('somebody other than the owner is recorded and never answered', () => {
  const message = groupMessage({ text: 'Annie, when?', fromOwner: false, senderName: 'Rohan' });
  expect(findAddress(message, WHO)).toBe('name');
  expect(mayBeAddressed(message, WHO)).toBe(false);
});

test('ignores the assistant’s own messages and text that nobody typed', () => {
  const text = 'Annie, when?';
  expect(findAddress(groupMessage({ text, fromAssistant: true }), WHO)).toBeNull();
  for (const kind of ['system', 'deleted', 'reaction', 'sticker', 'document', 'contact'] as const)
    expect(findAddress(groupMessage({ text, kind }), WHO), kind).toBeNull();
  expect(findAddress(groupMessage({ text, kind: 'image' }), WHO)).toBe('name');
});
