import { expect, test } from 'vitest';
import { findZone } from '../schedule/zone.ts';
import { findNamedPeople, highlight, parseSearchQuery } from './query.ts';

const UTC = findZone('UTC');
if (UTC === null) throw new Error('no UTC');
const NOW = new Date('2026-10-14T12:00:00Z');
const ask = (text: string) => parseSearchQuery(text, NOW, UTC);

test('the words that matter are left of a question, each once', () => {
  expect(ask("What's the boiler pressure? The boiler!").terms).toEqual(['boiler', 'pressure']);
});

test('a question of words that say nothing has none, but keeps them', () => {
  const { terms, spare } = ask('what is it?');
  expect(terms).toEqual([]);
  expect(spare).toEqual(['what', 'is', 'it']);
});

test('what stands in quotation marks is a phrase', () => {
  expect(ask('"to be or not" hamlet').phrases).toEqual([['to', 'be', 'or', 'not']]);
  expect(ask('„Guten Tag“').phrases).toEqual([['guten', 'tag']]);
});

test('one word in quotation marks is that word', () => {
  expect(ask('"boiler"')).toMatchObject({ phrases: [], terms: ['boiler'] });
});

test('a time inside a phrase is a part of the phrase', () => {
  expect(ask('"see you yesterday"').time).toBeNull();
});

test('a letter as a question is one about its beginning', () => {
  const words = Array.from({ length: 500 }, (_, n) => `thing${n}x`).join(' ');
  expect(ask(words).terms.length).toBeLessThanOrEqual(48);
});

test('everybody who has the name is meant, however it is written', () => {
  const people = [
    { id: 1, names: ['José García'] },
    { id: 2, names: ['Ana', 'Jose'] },
    { id: 3, names: ['The Plumber'] },
  ];
  expect(findNamedPeople(ask('what did Jose say').terms, people)).toEqual({
    ids: [1, 2],
    words: new Set(['jose']),
  });
  expect(findNamedPeople(['the'], people).ids).toEqual([]);
});

test('what was found is marked, and the text stays as it was written', () => {
  const text = 'Ça va? Le café-crème, 2 € — SP-87!';
  const pieces = highlight(text, 'cafe creme', NOW, UTC);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(pieces.flatMap((piece) => (piece.found ? [piece.text] : []))).toEqual(['café', 'crème']);
});
