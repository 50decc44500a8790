// Scores rankings by the definitions of the set's own scorer. R@5: the answers among the first five, of as many as
// could be there. nDCG@10: graded, earlier is better. MRR: one over the rank of the first answer. Abstain: nothing was
// found where there is no answer; compare it with recall.
import type { SetMessage, SetQuery } from './data.ts';

export interface Answer {
  readonly query: SetQuery;
  /** Ids of messages, best first. */
  readonly found: readonly string[];
  /** Whether the answer said that nothing was found, even if it showed results. */
  readonly nothing: boolean;
}

export interface Score {
  readonly queries: number;
  readonly recall: number;
  readonly ndcg: number;
  readonly mrr: number;
  readonly abstain: number;
  /** For facts that were changed later: how often the current one comes first. */
  readonly newFirst: number;
  /** Messages that should not have been found: forbidden, outside of the scope, from the future. */
  readonly leaks: number;
  readonly outside: number;
  readonly future: number;
}

export function score(
  answers: readonly Answer[],
  messages: ReadonlyMap<string, SetMessage>,
): Score {
  const asked = answers.filter(({ query }) => query.relevant.length > 0);
  const none = answers.filter(({ query }) => query.relevant.length === 0);
  const changed = asked.filter(
    ({ query }) => query.kind === 'superseded' && query.relevant.some(({ grade }) => grade === 1),
  );
  const count = (of: (query: SetQuery, id: string) => boolean): number =>
    answers.reduce((sum, { query, found }) => sum + found.filter((id) => of(query, id)).length, 0);
  return {
    queries: answers.length,
    recall: mean(asked, recallAt5),
    ndcg: mean(asked, ndcgAt10),
    mrr: mean(asked, ({ query, found }) => {
      const place = found.slice(0, 10).findIndex((id) => gradeOf(query, id) > 0);
      return place < 0 ? 0 : 1 / (place + 1);
    }),
    abstain: mean(none, ({ nothing }) => (nothing ? 1 : 0)),
    newFirst: mean(changed, ({ query, found }) =>
      firstOf(query, found, 3) < firstOf(query, found, 1) ? 1 : 0,
    ),
    leaks: count((query, id) => query.forbidden?.includes(id) ?? false),
    outside: count((query, id) => !(query.scope?.includes(messages.get(id)?.chat ?? '') ?? true)),
    future: count((query, id) => (messages.get(id)?.ts ?? '') > query.now),
  };
}

const gradeOf = ({ relevant }: SetQuery, id: string): number =>
  relevant.find((answer) => answer.id === id)?.grade ?? 0;

function recallAt5({ query, found }: Answer): number {
  const hits = found.slice(0, 5).filter((id) => gradeOf(query, id) > 0).length;
  return hits / Math.min(5, query.relevant.length);
}

function ndcgAt10({ query, found }: Answer): number {
  const gained = (grades: readonly number[]): number =>
    grades.slice(0, 10).reduce((sum, grade, n) => sum + (2 ** grade - 1) / Math.log2(n + 2), 0);
  const ideal = query.relevant.map(({ grade }) => grade).sort((a, b) => b - a);
  return gained(found.map((id) => gradeOf(query, id))) / gained(ideal);
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
