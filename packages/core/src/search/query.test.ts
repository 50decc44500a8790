import { expect, test } from 'vitest';
import { findZone } from '../schedule/zone.ts';
import { findNamedPeople, highlight, parseSearchQuery } from './query.ts';

const UTC = findZone('UTC');
if (UTC === null) throw new Error('no UTC');
const NOW = new Date('2026-10-14T12:00:00Z');
const ask = (text: string) => parseSearchQuery(text, NOW, UTC);

test('keeps the significant words of a query, each once', () => {
  expect(ask("What's the boiler pressure? The boiler!").terms).toEqual(['boiler', 'pressure']);
});

test('a query of stop words has no terms but keeps the words', () => {
  const { terms, spare } = ask('what is it?');
  expect(terms).toEqual([]);
  expect(spare).toEqual(['what', 'is', 'it']);
});

test('text in quotation marks is a phrase', () => {
  expect(ask('"to be or not" hamlet').phrases).toEqual([['to', 'be', 'or', 'not']]);
  expect(ask('„Guten Tag“').phrases).toEqual([['guten', 'tag']]);
});

test('one word in quotation marks is a plain word', () => {
  expect(ask('"boiler"')).toMatchObject({ phrases: [], terms: ['boiler'] });
});

test('a time inside a phrase is part of the phrase', () => {
  expect(ask('"see you yesterday"').time).toBeNull();
});

test('a letter as a query counts by its beginning', () => {
  const words = Array.from({ length: 500 }, (_, n) => `thing${n}x`).join(' ');
  expect(ask(words).terms.length).toBeLessThanOrEqual(48);
});

test('a name means everybody who has it, however it is written', () => {
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

test('marks the matches and keeps the text as written', () => {
  const text = 'Ça va? Le café-crème, 2 € — SP-87!';
  const pieces = highlight(text, 'cafe creme', NOW, UTC);
  expect(pieces.map((piece) => piece.text).join('')).toBe(text);
  expect(pieces.flatMap((piece) => (piece.found ? [piece.text] : []))).toEqual(['café', 'crème']);
});
