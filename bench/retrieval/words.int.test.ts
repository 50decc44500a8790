// Full text alone against the history's own baseline (BM25, folded), by language: the minimum for every change to
// words, times, names and ranking. With the local model: `npm run bench -- retrieval --local`.
import { freshStore } from '@relay/testing/store';
import { beforeAll, describe, expect, test } from 'vitest';
import { FIXTURES } from '../retrieval.ts';
import { readSet, type SetMessage } from './data.ts';
import { type Answers, askAll } from './history.ts';
import { type Answer, score } from './score.ts';

const store = await freshStore();
let answers: Answers;
let messages: ReadonlyMap<string, SetMessage>;

beforeAll(async () => {
  const set = await readSet(FIXTURES);
  messages = new Map(set.messages.map((message) => [message.id, message]));
  answers = await askAll(set, store, null);
}, 240_000);

const scored = (verb: keyof Answers, of: (answer: Answer) => boolean = () => true) =>
  score(answers[verb].filter(of), messages);

test.each(['search', 'retrieve'] as const)('%s finds nothing outside of its scope', (verb) => {
  expect(scored(verb)).toMatchObject({ leaks: 0, outside: 0, future: 0 });
});

describe('full-text search beats the baseline', () => {
  test('over all queries', () => {
    const all = scored('search');
    expect(all.ndcg).toBeGreaterThan(0.6);
    expect(all.recall).toBeGreaterThan(0.63);
    expect(all.newFirst).toBeGreaterThanOrEqual(0.8);
  });

  test.each([
    ['en', 0.472, 0.498],
    ['es', 0.58, 0.621],
    ['pt', 0.656, 0.69],
    ['de', 0.386, 0.406],
    ['ar', 0.546, 0.594],
    ['hi', 0.613, 0.65],
    ['hi-Latn', 0.48, 0.545],
    ['zh', 0.612, 0.666],
  ])('in %s', (lang, ndcg, recall) => {
    const of = scored('search', ({ query }) => query.lang === lang);
    expect(of.ndcg).toBeGreaterThan(ndcg);
    expect(of.recall).toBeGreaterThan(recall);
  });

  test('a time in the query is understood', () => {
    expect(scored('search', ({ query }) => query.kind === 'temporal').recall).toBeGreaterThan(0.85);
  });

  test('a model is shown nothing where there is no answer', () => {
    expect(scored('retrieve').abstain).toBeGreaterThan(0.9);
  });
});
