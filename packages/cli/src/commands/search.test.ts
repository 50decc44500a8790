import type { FoundMessage } from '@relay/contract/api/search';
import { findZone } from '@relay/core/schedule/zone';
import { expect, test } from 'vitest';
import { formatSearchResults } from './search.ts';

const COLOURS = { dim: (text: unknown) => `(${text})`, bold: (text: unknown) => `*${text}*` };
const ASKED = { question: 'cafe', now: new Date('2026-10-14T12:00:00Z'), zone: findZone('UTC') };
const LINE = { message_id: 'A1', from_me: false, from_name: 'Ana', at: '2026-10-01T08:00:00Z' };
const HIT: FoundMessage = {
  ...LINE,
  text: 'The café\nat five',
  chat_id: 'c',
  chat_name: 'Book club',
  is_group: true,
  source: 'message',
  contact_id: null,
  rank: 1,
  by: 'words',
  before: null,
  after: null,
};
const shown = (...hits: FoundMessage[]) => formatSearchResults(hits, COLOURS, ASKED);

test('shows a match with its neighbours, its words marked, and its id', () => {
  const before = { ...LINE, text: 'Where\nto?' };
  const after = { ...LINE, from_me: true, from_name: 'me', text: 'Fine' };
  const lines = shown({ ...HIT, before, after });
  expect(lines[0]).toMatch(/^\*Book club\* {2}2026-10-01 \d\d:\d\d {2}\(A1\)$/);
  expect(lines.slice(1)).toEqual([
    '(    Ana: Where to?)',
    '  │ Ana: The *café*',
    '  │ at five',
    '(    you: Fine)',
  ]);
});

test('explains a match that shares no word with the query', () => {
  expect(shown({ ...HIT, by: 'meaning' })[0]).toMatch(/\(A1 {2}matched by meaning\)$/);
});

test('separates matches', () => {
  expect(shown(HIT, HIT).filter((line) => line === '')).toHaveLength(1);
});

test('removes text that would move the cursor', () => {
  const evil = '\u001b[2Jcafe\u202e';
  const lines = shown({ ...HIT, text: evil, from_name: evil, chat_name: evil, message_id: evil });
  for (const obeyed of ['\u001b', '\u202e']) expect(lines.join('\n')).not.toContain(obeyed);
});

test('shortens a long neighbouring message', () => {
  const [, glance = ''] = shown({ ...HIT, before: { ...LINE, text: 'word '.repeat(500) } });
  expect(glance.length).toBeLessThan(90);
});
