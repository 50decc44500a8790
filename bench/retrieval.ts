// How well past messages are found: a history, queries with graded answers, and the complete search over a real
// database, by words alone and with the small local model. A query within a scope must find nothing outside of it, or
// the figures are invalid.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Limit } from './figures.ts';
import { type RetrievalSet, readSet } from './retrieval/data.ts';
import { type Answers, askAll } from './retrieval/history.ts';
import { type Answer, score } from './retrieval/score.ts';
import { table } from './retrieval/table.ts';
import { keptEmbedder } from './retrieval/vectors.ts';
import { openStore } from './store.ts';

export const FIXTURES = join(import.meta.dirname, 'retrieval', 'fixtures');

export interface RetrievalOptions {
  readonly data?: string | undefined;
  /** With the local model too. */
  readonly local?: boolean | undefined;
  /** A folder for the rankings, in the format of the set's own scorer. */
  readonly results?: string | undefined;
}

export async function benchRetrieval({
  data = FIXTURES,
  local = false,
  results,
}: RetrievalOptions): Promise<readonly Limit[]> {
  const set = await readSet(data);
  const words = await measured(set, 'words', false, results);
  const both = local ? await measured(set, 'hybrid', true, results) : [];
  return [...words, ...both];
}

async function measured(
  set: RetrievalSet,
  way: 'words' | 'hybrid',
  model: boolean,
  results: string | undefined,
): Promise<readonly Limit[]> {
  const store = await openStore();
  const embedder = model ? await keptEmbedder() : null;
  try {
    const answers = await askAll(set, store, embedder);
    await print(set, way, answers, results);
    return figures(set, way, answers);
  } finally {
    await embedder?.close?.();
    await store.close();
  }
}

async function print(
  set: RetrievalSet,
  way: string,
  answers: Answers,
  results: string | undefined,
): Promise<void> {
  const messages = new Map(set.messages.map((message) => [message.id, message]));
  for (const verb of ['search', 'retrieve'] as const) {
    console.log(table(`${way}, ${verb}`, answers[verb], messages).join('\n'));
    if (results === undefined) continue;
    const lines = answers[verb].map(({ query, found }) =>
      JSON.stringify({ id: query.id, results: found }),
    );
    await writeFile(join(results, `${way}.${verb}.jsonl`), `${lines.join('\n')}\n`);
  }
}

/** Minimum scores that must always hold. */
const FLOORS = {
  words: {
    search: { ndcg: 0.6, recall: 0.63, newFirst: 0.8, temporal: 0.85 },
    retrieve: { abstain: 0.9 },
  },
  hybrid: {
    search: { ndcg: 0.68, newFirst: 0.8, abstain: 0.8, temporal: 0.85, paraphrase: 0.7 },
    retrieve: { ndcg: 0.65, newFirst: 0.8, abstain: 0.8, temporal: 0.8 },
  },
} as const;

function figures(set: RetrievalSet, way: 'words' | 'hybrid', answers: Answers): readonly Limit[] {
  const messages = new Map(set.messages.map((message) => [message.id, message]));
  return (['search', 'retrieve'] as const).flatMap((verb) => {
    const of = (some: (answer: Answer) => boolean) => score(answers[verb].filter(some), messages);
    const all = of(() => true);
    const floors: Readonly<Record<string, number>> = FLOORS[way][verb];
    const limit = (name: string, value: number): Limit => {
      const floor = floors[name];
      return {
        name: `${way}, ${verb}: ${name}`,
        measured: value,
        unit: '×',
        ...(floor === undefined ? {} : { atLeast: floor }),
      };
    };
    return [
      limit('ndcg', all.ndcg),
      limit('recall', all.recall),
      limit('newFirst', all.newFirst),
      limit('abstain', all.abstain),
      limit('temporal', of(({ query }) => query.kind === 'temporal').recall),
      limit(
        'paraphrase',
        of(({ query }) => query.kind === 'paraphrase' && query.lang === 'en').recall,
      ),
      {
        name: `${way}, ${verb}: found outside of the scope or from later`,
        measured: all.leaks + all.outside + all.future,
        unit: '',
        atMost: 0,
      } as const,
    ];
  });
}
