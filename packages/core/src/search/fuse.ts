// One order out of several: weighted reciprocal rank. What any list puts first stands near the top, whatever
// the scores of the lists are made of. Full text gives one list today; vectors will give another.

export interface RankedList<Id> {
  /** Best first. */
  readonly ids: readonly Id[];
  readonly weight: number;
}

/** How quickly lower ranks stop to matter; 60 is what everybody found. */
const SMOOTHING = 60;

export function fuse<Id>(lists: readonly RankedList<Id>[]): readonly { id: Id; score: number }[] {
  const scores = new Map<Id, number>();
  for (const { ids, weight } of lists) {
    [...new Set(ids)].forEach((id, rank) => {
      scores.set(id, (scores.get(id) ?? 0) + weight / (SMOOTHING + rank + 1));
    });
  }
  return [...scores].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score);
}
