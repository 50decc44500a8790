// Media without telling words: one line for what one member sent in one go. Only that it was sent is told,
// since nobody has looked at it or listened to it.
import type { Judged } from '../verdict.ts';
import type { Told } from './told.ts';
import { counted, nameOf } from './words.ts';

const ONE_GO_MS = 15 * 60_000;

export function mediaLines(judged: readonly Judged[]): readonly Told[] {
  const goes: Judged[][] = [];
  const last = new Map<string, Judged[]>();
  for (const heard of judged) {
    const { message, verdict } = heard;
    if (verdict.category !== 'media_only') continue;
    const key = `${message.kind} ${message.sender}`;
    const go = last.get(key);
    const before = go?.at(-1)?.message.at.getTime() ?? Number.NEGATIVE_INFINITY;
    if (go !== undefined && message.at.getTime() - before <= ONE_GO_MS) {
      go.push(heard);
      continue;
    }
    const begun = [heard];
    last.set(key, begun);
    goes.push(begun);
  }
  return goes.flatMap((go) => {
    const [first] = go;
    if (first === undefined) return [];
    const { message } = first;
    return {
      at: message.at,
      words: `${nameOf(message)} sent ${counted(go.length, message.kind)}`,
      ids: go.map(({ message: { id } }) => id),
    };
  });
}
