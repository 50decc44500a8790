import { expect, test } from 'vitest';
import {
  isDeletionNotice,
  readPlaceholder,
  textInStoredContent,
  toStoredContent,
} from './media.ts';

test.each([
  ['📷 Photo', 'image', '', null],
  ['📷 Foto', 'image', '', null],
  ['📷 照片', 'image', '', null],
  ['📷 Look at her!', 'image', 'Look at her!', null],
  ['🎥 Video (0:12)', 'video', '', 12],
  ['🎤 Voice message (0:27)', 'audio', '', 27],
  ['🎤 Sprachnachricht (1:02:03)', 'audio', '', 3723],
  ['🎤 (0:05)', 'audio', '', 5],
  ['📄 Tickets.pdf', 'document', 'Tickets.pdf', null],
  ['💟 Sticker', 'sticker', '', null],
  ['👾 GIF', 'video', '', null],
  ['📍 Location', 'location', '', null],
  ['👤 Contact', 'contact', '', null],
] as const)('reads %s as a %s', (text, media, words, seconds) => {
  expect(readPlaceholder(text, null)).toEqual({ media, words, seconds });
});

test.each(['📍 We meet at five', '🎵 This song', '😂😂', 'Photo', 'I took a photo 📷', ''])(
  'reads "%s" as typed text',
  (text) => {
    expect(readPlaceholder(text, null)).toEqual({ media: null, words: text, seconds: null });
  },
);

test('uses the forwarder’s kind, and the rest as the caption', () => {
  expect(readPlaceholder('Best day ever', 'image')).toMatchObject({
    media: 'image',
    words: 'Best day ever',
  });
  expect(readPlaceholder('📊 Pizza or pasta?', 'poll')).toMatchObject({
    media: 'poll',
    words: 'Pizza or pasta?',
  });
  expect(readPlaceholder('', 'sticker')).toMatchObject({ media: 'sticker', words: '' });
});

test('distinguishes a deletion notice from typed text', () => {
  expect(isDeletionNotice('🚫 This message was deleted')).toBe(true);
  expect(isDeletionNotice('Deleted 🚫')).toBe(false);
});

test('stores and reads back the same content as a received message', () => {
  expect(toStoredContent('image', 'Goa', null)).toEqual({
    kind: 'imageMessage',
    body: '[Image] Goa',
    media: { mimeType: null, fileName: null, size: null, seconds: null },
    details: null,
  });
  expect(toStoredContent('document', 'a.pdf', null)).toMatchObject({
    body: '[Document] a.pdf',
    media: { fileName: 'a.pdf' },
  });
  expect(toStoredContent('poll', 'Pizza?', null)).toMatchObject({
    kind: 'pollCreationMessage',
    body: '[pollCreationMessage]',
    details: { words: 'Pizza?' },
  });
  for (const [media, words] of [
    [null, 'Hello'],
    ['image', 'Goa'],
    ['document', 'a.pdf'],
    ['poll', 'Pizza?'],
    ['image', ''],
  ] as const) {
    expect(textInStoredContent(toStoredContent(media, words, null))).toBe(words);
  }
});
