// What a ranking is worth. Recall: the answers among the first five, of as many as could be there. MRR: one
// over the place of the first answer among ten. Abstains: nothing was found where there is no answer.
import type { SetQuery } from './data.ts';

export interface Answer {
  readonly query: SetQuery;
  /** Ids of messages, best first. */
  readonly found: readonly string[];
}

export interface Score {
  readonly queries: number;
  readonly recall: number;
  readonly mrr: number;
  readonly abstains: number;
  /** Of facts that were changed later: how often the current one comes first. */
  readonly newFirst: number;
}

export function score(answers: readonly Answer[]): Score {
  const asked = answers.filter(({ query }) => query.relevant.length > 0);
  const none = answers.filter(({ query }) => query.relevant.length === 0);
  const changed = asked.filter(
    ({ query }) => query.kind === 'superseded' && query.relevant.some(({ grade }) => grade === 1),
  );
  return {
    queries: answers.length,
    recall: mean(asked, ({ query, found }) => {
      const right = new Set(query.relevant.map(({ id }) => id));
      const hits = found.slice(0, 5).filter((id) => right.has(id)).length;
      return hits / Math.min(5, right.size);
    }),
    mrr: mean(asked, ({ query, found }) => {
      const right = new Set(query.relevant.map(({ id }) => id));
      const place = found.slice(0, 10).findIndex((id) => right.has(id));
      return place < 0 ? 0 : 1 / (place + 1);
    }),
    abstains: mean(none, ({ found }) => (found.length === 0 ? 1 : 0)),
    newFirst: mean(changed, ({ query, found }) =>
      firstOf(query, found, 3) < firstOf(query, found, 1) ? 1 : 0,
    ),
  };
}

function firstOf({ relevant }: SetQuery, found: readonly string[], grade: number): number {
  const places = relevant
    .filter((answer) => answer.grade === grade)
    .map(({ id }) => found.indexOf(id))
    .filter((place) => place >= 0);
  return Math.min(Number.POSITIVE_INFINITY, ...places);
}

const mean = <T>(list: readonly T[], value: (item: T) => number): number =>
  list.length === 0 ? Number.NaN : list.reduce((sum, item) => sum + value(item), 0) / list.length;
