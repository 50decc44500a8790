// From the messages of an observed group, with their verdicts, to the lines a model reads. Content stands
// verbatim, everything else is gone or told in a word. Bounded in time and tokens; the newest line is the last.
import { estimateTokens } from '../agent/context-window.ts';
import { weekdayOf, type Zone } from '../schedule/zone.ts';
import type { GroupMessage, GroupMessageKind, JudgedMessage } from './message.ts';

export const RAW_BUFFER_TOKENS = 20_000;
const RAW_BUFFER_HOURS = 24;

export interface BufferLine {
  readonly at: Date;
  readonly text: string;
  readonly tokens: number;
  /** The messages it tells of. */
  readonly ids: readonly string[];
}

interface BufferBounds {
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
  judged: readonly JudgedMessage[],
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
  judged: readonly JudgedMessage[],
  bounds: BufferBounds,
): readonly BufferLine[] {
  const left = standingMessages(judged);
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

function written({ at, words, ids }: BufferEntry, { zone, tokens }: BufferBounds): BufferLine {
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

// One message of content as a line: who, in answer to what, and the words as they were written. The message
// it answers is named with it, since in a group what stands above is often somebody else's talk.

function contentLine({ message }: JudgedMessage, known: MessagesById): BufferEntry {
  const marks = [
    ...(message.kind === 'text' ? [] : [kindNoun(message.kind)]),
    ...(message.forwarded ? ['forwarded'] : []),
    ...(message.replaces === null ? [] : ['edited']),
    ...(message.quotedId === null
      ? []
      : [`answers ${describeAnswered(known.get(message.quotedId))}`]),
  ];
  const mark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
  return {
    at: message.at,
    words: `${senderLabel(message)}${mark}: ${verbatim(message.text)}`,
    ids: [message.id],
  };
}

function describeAnswered(answered: JudgedMessage | undefined): string {
  return answered === undefined ? 'an earlier message' : describeMessage(answered.message);
}

/** `Mum's photo`, `Mum's "Who brings the colours?"`. */
function describeMessage(message: GroupMessage): string {
  const words = message.kind === 'text' || message.kind === 'poll';
  return `${senderLabel(message)}'s ${words && message.text.trim() !== '' ? quoteStart(message.text) : kindNoun(message.kind)}`;
}

// Media without telling words: one line for what one member sent in one go. Only that it was sent is told,
// since nobody has looked at it or listened to it.

const ONE_GO_MS = 15 * 60_000;

function mediaLines(judged: readonly JudgedMessage[]): readonly BufferEntry[] {
  const goes: JudgedMessage[][] = [];
  const last = new Map<string, JudgedMessage[]>();
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
      words: `${senderLabel(message)} sent ${countKind(go.length, message.kind)}`,
      ids: go.map(({ message: { id } }) => id),
    };
  });
}

// Reactions collapsed to a count for each message they are for: "5 people reacted to Mum's photo". A member
// has one reaction to a message, the last; an empty one takes it back. What is noise itself is not worth one.

const EMOJI = /^(?:\p{Extended_Pictographic}|\p{RI}|\p{EMod}|[\u200d\ufe0f\u20e3#*0-9])+$/u;
const LONGEST_EMOJI = 16;

function reactionLines(
  judged: readonly JudgedMessage[],
  known: MessagesById,
): readonly BufferEntry[] {
  const byTarget = Map.groupBy(
    judged.flatMap(({ message }) => (message.kind === 'reaction' ? message : [])),
    ({ reactionTo }) => reactionTo ?? '',
  );
  return [...byTarget].flatMap(([target, reactions]) => {
    const to = known.get(target);
    if (to === undefined || (to.verdict.noise && to.verdict.category !== 'media_only')) return [];
    return toldOf(lastOfEach(reactions), to.message);
  });
}

function lastOfEach(reactions: readonly GroupMessage[]): readonly GroupMessage[] {
  const last = new Map(reactions.map((reaction) => [reaction.sender, reaction]));
  return [...last.values()].filter(({ text }) => text !== '');
}

function toldOf(reactions: readonly GroupMessage[], to: GroupMessage): readonly BufferEntry[] {
  const latest = reactions.toSorted((a, b) => a.at.getTime() - b.at.getTime()).at(-1);
  if (latest === undefined) return [];
  const who = reactions.length === 1 ? senderLabel(latest) : `${reactions.length} people`;
  return [
    {
      at: latest.at,
      words: `${who} reacted to ${describeMessage(to)}${emojiOf(reactions)}`,
      ids: reactions.map(({ id }) => id),
    },
  ];
}

/** With the most frequent one in front. Whatever is no emoji is not told: it could be anything. */
function emojiOf(reactions: readonly GroupMessage[]): string {
  const counts = new Map<string, number>();
  for (const { text } of reactions) {
    if (text.length > LONGEST_EMOJI || !EMOJI.test(text)) continue;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const shown = [...counts].sort(([, a], [, b]) => b - a).map(([emoji]) => emoji);
  return shown.length === 0 ? '' : `: ${shown.join(' ')}`;
}

// What still stands of a group's messages: neither taken back nor written anew. Only its sender can change
// a message; an admin of the group can take one away, so a deletion counts whoever made it.

/** In the order of their time; an edit stands where it was made, under the id of what it replaces. */
function standingMessages(judged: readonly JudgedMessage[]): readonly JudgedMessage[] {
  const left = new Map<string, JudgedMessage>();
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

const inOrder = (judged: readonly JudgedMessage[]): readonly JudgedMessage[] =>
  judged.toSorted((a, b) => a.message.at.getTime() - b.message.at.getTime());

// What one line of the buffer says, before it has its time in front of it.

interface BufferEntry {
  readonly at: Date;
  readonly words: string;
  /** The messages it tells of. */
  readonly ids: readonly string[];
}

/** Messages by the id that replies and reactions name. */
type MessagesById = ReadonlyMap<string, JudgedMessage>;

// What members wrote, made fit for a line: nobody can begin a line of their own, or take another's name.

const LONGEST_NAME = 40;
const LONGEST_QUOTE = 60;

const BREAK = /\r\n|[\n\r\u0085\u2028\u2029\v\f]/g;
/** Signs of the lines themselves, and what is not seen. */
const NOT_IN_NAMES = /[()[\]"“”:\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Every further line is set in, so that only Relay begins one. */
const verbatim = (text: string): string => text.trim().replace(BREAK, '\n    ');

function senderLabel({ senderName, fromOwner, fromAssistant }: GroupMessage): string {
  const name = senderName.replace(NOT_IN_NAMES, ' ').replace(/\s+/g, ' ').trim();
  const shown = shorten(name === '' ? 'Someone' : name, LONGEST_NAME);
  if (fromAssistant) return `${shown} (assistant)`;
  return fromOwner ? `${shown} (owner)` : shown;
}

/** Its first words, to know it by. */
const quoteStart = (text: string): string =>
  `"${shorten(text.trim().replace(BREAK, ' ').replace(/"/g, "'"), LONGEST_QUOTE)}"`;

function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text
    .slice(0, longest - 1)
    .toWellFormed()
    .trimEnd()}…`;
}

const NOUNS: Readonly<Record<GroupMessageKind, readonly [one: string, many: string]>> = {
  text: ['message', 'messages'],
  image: ['photo', 'photos'],
  video: ['video', 'videos'],
  document: ['document', 'documents'],
  audio: ['voice note', 'voice notes'],
  sticker: ['sticker', 'stickers'],
  reaction: ['reaction', 'reactions'],
  poll: ['poll', 'polls'],
  contact: ['contact', 'contacts'],
  location: ['place', 'places'],
  deleted: ['deleted message', 'deleted messages'],
  system: ['notice', 'notices'],
};

const kindNoun = (kind: GroupMessageKind): string => NOUNS[kind][0];

const countKind = (count: number, kind: GroupMessageKind): string =>
  count === 1 ? `a ${NOUNS[kind][0]}` : `${count} ${NOUNS[kind][1]}`;
