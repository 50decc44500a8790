// From the messages of an observed group, with their verdicts, to the lines a model reads. Content stands
// verbatim, everything else is gone or told in a word. Bounded in time and tokens; the newest line is the last.
import { estimateTokens } from '../agent/tokens.ts';
import { weekdayOf } from '../schedule/local.ts';
import type { Zone } from '../schedule/zone.ts';
import { contentLine } from './buffer/content.ts';
import { mediaLines } from './buffer/media.ts';
import { reactionLines } from './buffer/reactions.ts';
import { standing } from './buffer/standing.ts';
import type { Told } from './buffer/told.ts';
import type { Judged } from './verdict.ts';

export const RAW_BUFFER_TOKENS = 20_000;
export const RAW_BUFFER_HOURS = 24;

export interface BufferLine {
  readonly at: Date;
  readonly text: string;
  readonly tokens: number;
  /** The messages it tells of. */
  readonly ids: readonly string[];
}

export interface BufferBounds {
  /** What was said before is left out. */
  readonly from: Date;
  /** What was said at this moment or later is left out. */
  readonly to: Date;
  /** Whose clock the lines show. */
  readonly zone: Zone;
  /** When they do not all fit, the oldest are left out. */
  readonly tokens: number;
}

/** The raw buffer: the last 24 hours, at most 20,000 tokens of them. */
export function rawBuffer(
  judged: readonly Judged[],
  { now, zone }: { readonly now: Date; readonly zone: Zone },
): readonly BufferLine[] {
  const from = new Date(now.getTime() - RAW_BUFFER_HOURS * 3_600_000);
  const to = new Date(now.getTime() + 1);
  return bufferLines(judged, { from, to, zone, tokens: RAW_BUFFER_TOKENS });
}

/**
 * `judged` may reach further back than `from`, so that an answer stands beside what it answers, and further
 * on than `to`, so that what was taken back since is not told.
 */
export function bufferLines(
  judged: readonly Judged[],
  bounds: BufferBounds,
): readonly BufferLine[] {
  const left = standing(judged);
  const within = left.filter(({ message: { at } }) => at >= bounds.from && at < bounds.to);
  const known = new Map(left.map((heard) => [heard.message.id, heard]));
  const told = [
    ...within.filter(({ verdict }) => !verdict.noise).map((heard) => contentLine(heard, known)),
    ...mediaLines(within),
    ...reactionLines(within, known),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  return newest(
    told.map((line) => written(line, bounds)),
    bounds.tokens,
  );
}

/** No single message may push the others out: what is longer than this part of the budget is cut. */
const LONGEST = 1 / 8;

function written({ at, words, ids }: Told, { zone, tokens }: BufferBounds): BufferLine {
  const local = zone.localAt(at.getTime());
  const day = weekdayOf(local);
  const clock = new Date(local).toISOString().slice(11, 16);
  const head = `[${day[0]?.toUpperCase()}${day.slice(1)} ${clock}] `;
  const text = head + cut(words, tokens * LONGEST);
  return { at, text, tokens: estimateTokens(text) + 1, ids };
}

function cut(words: string, tokens: number): string {
  const cost = estimateTokens(words);
  if (cost <= tokens) return words;
  const kept = Math.floor((words.length * tokens) / cost);
  return `${words.slice(0, kept).toWellFormed()}… (cut here, ${words.length - kept} more characters)`;
}

function newest(lines: readonly BufferLine[], tokens: number): readonly BufferLine[] {
  let left = tokens;
  const first = lines.findLastIndex((line) => {
    left -= line.tokens;
    return left < 0;
  });
  return lines.slice(first + 1);
}
