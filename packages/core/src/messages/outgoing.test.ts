import type { OutgoingContent } from '@relay/contract/api/outgoing';
import { contentProblem, readContentFields } from '@relay/contract/api/outgoing';
import { expect, test } from 'vitest';
import { describeContent, targetMessageId, textInContent, withContent } from './outgoing.ts';

const file = {
  kind: 'media',
  media: '6f2d1c3b-4a5e-4f60-8b7a-9c0d1e2f3a4b',
  as: 'image',
  sha256: '0'.repeat(64),
  bytes: 212_400,
  mimetype: 'image/jpeg',
  file_name: 'cat.jpg',
} satisfies OutgoingContent;
const poll = {
  kind: 'poll',
  question: 'When?',
  options: ['Mon', 'Tue'],
  select_up_to: 1,
} satisfies OutgoingContent;
const place = {
  kind: 'location',
  latitude: 52.5,
  longitude: 13.4,
  name: 'Café',
  address: null,
} satisfies OutgoingContent;

test.each<[OutgoingContent, string]>([
  [file, 'Photo “cat.jpg” (image/jpeg, 212 KB)'],
  [
    { ...file, as: 'voice', file_name: null, bytes: 3_400_000 },
    'Voice message (image/jpeg, 3.4 MB)',
  ],
  [{ kind: 'reaction', to: 'A', emoji: '👍' }, 'Reaction 👍 to a message'],
  [{ kind: 'reaction', to: 'A', emoji: '' }, 'Removes the reaction to a message'],
  [{ kind: 'delete', of: 'A' }, 'Deletes an earlier message for everyone'],
  [poll, 'Poll: When?\n- Mon\n- Tue\nOne answer each.'],
  [{ ...poll, select_up_to: 0 }, 'Poll: When?\n- Mon\n- Tue\nAny number of answers each.'],
  [place, 'Location: Café (52.5, 13.4)'],
])('describes %j', (content, words) => {
  expect(describeContent(content)).toBe(words);
});

test('shows content with its text, and text alone unchanged', () => {
  expect(withContent('look', file)).toBe('[Photo “cat.jpg” (image/jpeg, 212 KB)]\nlook');
  expect(withContent('look', null)).toBe('look');
});

test('finds all text in the content of a message', () => {
  expect(textInContent(poll)).toBe('When?\nMon\nTue');
  expect(textInContent(file)).toBe('cat.jpg');
  expect(textInContent(place)).toBe('Café');
  expect(targetMessageId({ kind: 'edit', of: 'A' })).toBe('A');
  expect(targetMessageId(file)).toBeNull();
});

test.each([
  [{ text: 'a' }, null],
  [{ text: 'a', edit: { of: 'x' } }, null],
  [{ poll: {} }, null],
  [{}, 'Give a text, or one thing to send instead.'],
  [{ edit: { of: 'x' } }, 'Give a text, or one thing to send instead.'],
  [{ text: 'a', poll: {} }, 'A poll has no text.'],
  [{ text: 'a', media: {} }, 'The text of a file is its caption.'],
  [{ poll: {}, location: {} }, 'Give only one of poll and location.'],
  [{ media: { kind: 'voice', caption: 'listen' } }, 'Audio has no caption.'],
  [{ media: { kind: 'image', caption: 'look' } }, null],
])('a request asks for one thing: %j', (fields, problem) => {
  expect(contentProblem(fields)).toBe(problem);
});

test('takes the caption of a file as the text', () => {
  const media = { id: file.media, kind: 'image', caption: 'a cat' } as const;
  expect(readContentFields({ media })).toEqual({
    text: 'a cat',
    content: { kind: 'media', id: file.media, as: 'image' },
  });
  expect(readContentFields({ location: { latitude: 1, longitude: 2 } }).content).toEqual({
    kind: 'location',
    latitude: 1,
    longitude: 2,
    name: null,
    address: null,
  });
});
