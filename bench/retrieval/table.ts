// Prints scores as a table: all queries, each half of the set, each kind, each language.
import { createHash } from 'node:crypto';
import type { SetMessage, SetQuery } from './data.ts';
import { type Answer, type Score, score } from './score.ts';

/** Parameters were fitted to one half of the queries; the other half was not used. */
export const isFitted = ({ id }: SetQuery): boolean =>
  (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0;

const COLUMNS = [
  'recall',
  'ndcg',
  'mrr',
  'abstain',
  'newFirst',
  'leaks',
  'outside',
  'future',
] as const;
const NAMES = ['R@5', 'nDCG@10', 'MRR', 'abstain', 'newFirst', 'leaks', 'outside', 'future'];

export function table(
  title: string,
  answers: readonly Answer[],
  messages: ReadonlyMap<string, SetMessage>,
): readonly string[] {
  const groups: [string, (query: SetQuery) => boolean][] = [
    ['all', () => true],
    ['fitted half', isFitted],
    ['other half', (query) => !isFitted(query)],
    ...each(answers, 'kind').map(([name, of]): [string, typeof of] => [name, of]),
    ['paraphrase, en', ({ kind, lang }) => kind === 'paraphrase' && lang === 'en'],
    ...each(answers, 'lang').map(([name, of]): [string, typeof of] => [`in ${name}`, of]),
  ];
  const head = ['', 'n', ...NAMES].map((name, n) => (n === 0 ? '' : name.padStart(8))).join(' ');
  return [
    '',
    `${title.padEnd(16)}${head}`,
    ...groups.map(([name, belongs]) => {
      const scored = score(
        answers.filter(({ query }) => belongs(query)),
        messages,
      );
      return `${name.padEnd(16)} ${row(scored)}`;
    }),
  ];
}

function each(
  answers: readonly Answer[],
  field: 'kind' | 'lang',
): [string, (query: SetQuery) => boolean][] {
  const values = [...new Set(answers.map(({ query }) => query[field]))];
  return values.map((value) => [value, (query) => query[field] === value]);
}

const row = (scored: Score): string =>
  [String(scored.queries), ...COLUMNS.map((column) => cell(scored[column], column))]
    .map((text) => text.padStart(8))
    .join(' ');

const WHOLE = new Set(['leaks', 'outside', 'future']);
const cell = (value: number, column: string): string =>
  Number.isNaN(value) ? '–' : value.toFixed(WHOLE.has(column) ? 0 : 3);
