// The loop breaker's eye: whether what goes back and forth is still a talk with a person. An exchange is
// what the contact wrote after an answer of ours had left; many lines in one go are one exchange.
import type { AutoReplySettings } from '../settings.ts';
import { likeness } from './likeness.ts';

export interface Said {
  readonly from: 'contact' | 'agent';
  readonly content: string;
  readonly at: Date;
}

interface Exchange {
  readonly at: Date;
  readonly text: string;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** From here on two texts are the same. */
const ALIKE = 0.8;
/** A text is held against so many before it: loops may go round in a few steps. */
const STEPS_BACK = 3;

type Limits = Pick<
  AutoReplySettings,
  'rapid_exchanges' | 'rapid_within_minutes' | 'similar_exchanges'
>;

/** `lines` in order, each answer behind what it answers, the newest one last. */
export function loopIn(
  lines: readonly Said[],
  now: Date,
  limits: Limits,
): 'rapid' | 'similar' | null {
  const exchanges = exchangesOf(lines);
  const since = now.getTime() - limits.rapid_within_minutes * MINUTE;
  const recent = exchanges.filter(({ at }) => at.getTime() > since);
  if (recent.length >= limits.rapid_exchanges) return 'rapid';
  return repeatsAtEnd(exchanges) >= limits.similar_exchanges ? 'similar' : null;
}

/** How many lines have to be looked at for it, at the least. */
export const linesForLoop = ({ rapid_exchanges, similar_exchanges }: Limits): number =>
  2 * (Math.max(rapid_exchanges, similar_exchanges) + STEPS_BACK);

function exchangesOf(lines: readonly Said[]): Exchange[] {
  const exchanges: Exchange[] = [];
  let answeredAt: number | null = null;
  for (const { from, content, at } of lines) {
    if (from === 'agent') {
      // WhatsApp counts in whole seconds.
      answeredAt = Math.floor(at.getTime() / SECOND) * SECOND;
      continue;
    }
    const last = exchanges.at(-1);
    if (last !== undefined && (answeredAt === null || at.getTime() < answeredAt)) {
      exchanges[exchanges.length - 1] = { at, text: `${last.text}\n${content}` };
    } else {
      exchanges.push({ at, text: content });
      answeredAt = null;
    }
  }
  return exchanges;
}

function repeatsAtEnd(exchanges: readonly Exchange[]): number {
  let count = 0;
  for (let at = exchanges.length - 1; at > 0; at--) {
    const text = exchanges[at]?.text ?? '';
    const before = exchanges.slice(Math.max(0, at - STEPS_BACK), at);
    if (!before.some((earlier) => likeness(earlier.text, text) >= ALIKE)) break;
    count += 1;
  }
  return count;
}
