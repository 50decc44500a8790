// Turns the judged messages of an observed group into the lines a model reads. Content stays verbatim; everything else
// is dropped or shortened to a word. Limited in time and tokens; the newest line is last.
import { estimateTokens } from '../agent/context-window.ts';
import { weekdayOf, type Zone } from '../schedule/zone.ts';
import type { GroupMessage, GroupMessageKind, JudgedMessage } from './message.ts';

export const RAW_BUFFER_TOKENS = 20_000;
const RAW_BUFFER_HOURS = 24;

export interface BufferLine {
  readonly at: Date;
  readonly text: string;
  readonly tokens: number;
  /** The messages in this line. */
  readonly ids: readonly string[];
}

interface BufferBounds {
  /** Omits earlier messages. */
  readonly from: Date;
  /** Omits messages at this time or later. */
  readonly to: Date;
  /** The zone of the times in the lines. */
  readonly zone: Zone;
  /** If not all lines fit, the oldest are omitted. */
  readonly tokens: number;
}

/** The raw buffer: the last 24 hours, at most 20,000 tokens. */
export function rawBuffer(
  judged: readonly JudgedMessage[],
  { now, zone }: { readonly now: Date; readonly zone: Zone },
): readonly BufferLine[] {
  const from = new Date(now.getTime() - RAW_BUFFER_HOURS * 3_600_000);
  const to = new Date(now.getTime() + 1);
  return bufferLines(judged, { from, to, zone, tokens: RAW_BUFFER_TOKENS });
}

/**
 * `judged` may begin before `from`, so that an answer can quote what it answers, and end after `to`, so that messages
 * revoked since are omitted.
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

/** Cuts messages longer than this part of the budget, so that no single one displaces the others. */
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

// Formats one message of content as a line: sender, what it answers, and the text verbatim. The answered message is
// named because the line above often belongs to another exchange.

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

// Formats media without meaningful text: one line for what a member sent in one go. It only says that it was sent,
// because nobody has looked at it or listened to it.

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

// Combines reactions into one count per message: "5 people reacted to Mum's photo". A member's last reaction to a
// message counts; an empty one removes it. Reactions to noise are omitted.

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

/** The most frequent emoji first. Anything that is not an emoji is omitted: it could be any text. */
function emojiOf(reactions: readonly GroupMessage[]): string {
  const counts = new Map<string, number>();
  for (const { text } of reactions) {
    if (text.length > LONGEST_EMOJI || !EMOJI.test(text)) continue;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const shown = [...counts].sort(([, a], [, b]) => b - a).map(([emoji]) => emoji);
  return shown.length === 0 ? '' : `: ${shown.join(' ')}`;
}

// Drops messages that were deleted or replaced by an edit. Only the sender can edit a message; a group's admin can
// delete one, so a deletion counts whoever made it.

/** In order of time. An edit has its own time and the id of the message it replaces. */
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

// The content of a buffer line without its time.

interface BufferEntry {
  readonly at: Date;
  readonly words: string;
  /** The messages in this line. */
  readonly ids: readonly string[];
}

/** Messages by the id that replies and reactions refer to. */
type MessagesById = ReadonlyMap<string, JudgedMessage>;

// Escapes members' text for a line, so that nobody can begin a new line or fake another's name.

const LONGEST_NAME = 40;
const LONGEST_QUOTE = 60;

const BREAK = /\r\n|[\n\r\u0085\u2028\u2029\v\f]/g;
/** Characters of the line format, and invisible ones. */
const NOT_IN_NAMES = /[()[\]"“”:\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Indents every further line, so that only Relay begins one. */
const verbatim = (text: string): string => text.trim().replace(BREAK, '\n    ');

function senderLabel({ senderName, fromOwner, fromAssistant }: GroupMessage): string {
  const name = senderName.replace(NOT_IN_NAMES, ' ').replace(/\s+/g, ' ').trim();
  const shown = shorten(name === '' ? 'Someone' : name, LONGEST_NAME);
  if (fromAssistant) return `${shown} (assistant)`;
  return fromOwner ? `${shown} (owner)` : shown;
}

/** The first words, to identify it. */
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
