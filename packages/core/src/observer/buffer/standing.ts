// What still stands of a group's messages: neither taken back nor written anew. Only its sender can change
// a message; an admin of the group can take one away, so a deletion counts whoever made it.
import type { Judged } from '../verdict.ts';

/** In the order of their time; an edit stands where it was made, under the id of what it replaces. */
export function standing(judged: readonly Judged[]): readonly Judged[] {
  const left = new Map<string, Judged>();
  const gone = new Set<string>();
  for (const heard of inOrder(judged)) {
    const { id, kind, replaces, sender } = heard.message;
    if (kind === 'deleted') {
      if (replaces !== null) {
        gone.add(replaces);
        left.delete(replaces);
      }
      continue;
    }
    if (replaces === null) {
      if (!gone.has(id)) left.set(id, heard);
      continue;
    }
    const before = left.get(replaces);
    if (gone.has(replaces) || (before !== undefined && before.message.sender !== sender)) continue;
    left.delete(replaces);
    left.set(replaces, heard);
  }
  return [...left.values()];
}

const inOrder = (judged: readonly Judged[]): readonly Judged[] =>
  judged.toSorted((a, b) => a.message.at.getTime() - b.message.at.getTime());
