import { expect, test } from 'vitest';
import { isOthersText, type StoredMessageContent, toReadableMessage } from './message.ts';

const stored = (
  kind: string,
  body: string,
  over: Partial<StoredMessageContent> = {},
): StoredMessageContent => ({
  kind,
  body,
  media: null,
  details: null,
  ...over,
});
const media = { mimeType: null, fileName: null, size: null, seconds: null };

test('shows text as typed, including brackets and braces', () => {
  expect(toReadableMessage(stored('conversation', '[Image] {"a":1}'))).toEqual({
    label: null,
    text: '[Image] {"a":1}',
  });
});

test('labels media in words, next to its caption', () => {
  expect(toReadableMessage(stored('imageMessage', '[Image] the leak'))).toEqual({
    label: 'Photo',
    text: 'the leak',
  });
  expect(
    toReadableMessage(
      stored('audioMessage', '[Audio message]', {
        media: { ...media, mimeType: 'audio/ogg; codecs=opus', seconds: 12 },
      }),
    ),
  ).toEqual({ label: 'Voice message, 0:12', text: '' });
  expect(
    toReadableMessage(
      stored('documentMessage', '[Document] quote.pdf', {
        media: { ...media, fileName: 'quote.pdf' },
        details: { words: 'as promised' },
      }),
    ),
  ).toEqual({ label: 'Document, quote.pdf', text: 'as promised' });
  expect(
    toReadableMessage(
      stored('locationMessage', '[locationMessage]', { details: { words: 'Elm Street 4' } }),
    ),
  ).toEqual({ label: 'Location', text: 'Elm Street 4' });
});

test('describes a reaction, its removal and a deletion as actions', () => {
  const reacted = (words: string) =>
    toReadableMessage(stored('reactionMessage', '[reactionMessage]', { details: { words } })).label;
  expect(reacted('👍')).toBe('Reacted 👍');
  expect(reacted('')).toBe('Removed a reaction');
  expect(toReadableMessage(stored('protocolMessage', '[protocolMessage]')).label).toBe(
    'Deleted a message',
  );
});

test('labels an unknown kind as such, never by WhatsApp’s name', () => {
  expect(toReadableMessage(stored('futureProofMessage', '[futureProofMessage]'))).toEqual({
    label: 'Unsupported message',
    text: '',
  });
});

test.each([
  ['conversation', null, false],
  ['imageMessage', null, false],
  ['conversation', { forwarded: true }, true],
  ['documentMessage', null, true],
  ['contactMessage', null, true],
  ['someFutureMessage', null, true],
] as const)('a %s with details %j contains others’ text: %s', (kind, details, expected) => {
  expect(isOthersText({ kind, details })).toBe(expected);
});
