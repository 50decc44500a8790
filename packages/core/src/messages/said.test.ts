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

test('text stands as it was typed, brackets and braces too', () => {
  expect(toReadableMessage(stored('conversation', '[Image] {"a":1}'))).toEqual({
    label: null,
    text: '[Image] {"a":1}',
  });
});

test('what is more than text is named in words, its caption beside it', () => {
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

test('a reaction, its taking back and a deletion are told as what was done', () => {
  const reacted = (words: string) =>
    toReadableMessage(stored('reactionMessage', '[reactionMessage]', { details: { words } })).label;
  expect(reacted('👍')).toBe('Reacted 👍');
  expect(reacted('')).toBe('Took a reaction back');
  expect(toReadableMessage(stored('protocolMessage', '[protocolMessage]')).label).toBe(
    'Deleted a message',
  );
});

test('a kind that nobody knows is named as that, never by its own word', () => {
  expect(toReadableMessage(stored('futureProofMessage', '[futureProofMessage]'))).toEqual({
    label: 'A message Relay cannot show',
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
] as const)('a %s with details %j holds text of others: %s', (kind, details, expected) => {
  expect(isOthersText({ kind, details })).toBe(expected);
});
