// A scripted summariser for tests: builds digests of a group's hours and days from the prompt's lines alone, by
// counting and copying. The demo writes its own digests.
import type { ChatRequest, Reply } from '../schemas.ts';
import { callsOfTurn, newestUserText, systemText } from '../transcript.ts';

const MOST_QUOTES = 12;
const LONGEST_QUOTE = 140;
const MOST_FACTS = 6;

/** Undefined if the request does not ask for a digest. */
export function summarizeGroup(request: ChatRequest): Reply | undefined {
  const material = digestMaterial(request);
  if (material === undefined) return undefined;
  const { period, lines } = material;
  return { text: JSON.stringify(period === 'hour' ? hourOf(lines) : dayOf(lines)) };
}

interface DigestMaterial {
  readonly period: 'hour' | 'day';
  /** The messages of an hour, or the digests of a day's hours. */
  readonly lines: readonly string[];
}

/** Undefined if the request does not ask for a digest. */
export function digestMaterial(request: ChatRequest): DigestMaterial | undefined {
  const [, period] =
    /^You sum up one (hour|day) of a WhatsApp group/.exec(systemText(request)) ?? [];
  if (period === undefined) return undefined;
  const lines = linesBetweenMarks(newestUserText(request));
  return { period: period === 'hour' ? 'hour' : 'day', lines };
}

/** The text between the markers that the prompt names. */
function linesBetweenMarks(prompt: string): string[] {
  const [, mark] = /<([\w-]+)> and <\/\1>/.exec(prompt) ?? [];
  if (mark === undefined) return [];
  const [, inside = ''] = prompt.split(`<${mark}>\n`);
  return (inside.split(`\n</${mark}>`)[0] ?? '').split('\n');
}

const LINE = /^\[[^\]]*\] ([^:]{1,80}?)(?: \(([^)]*)\))?: (.+)$/;
const ROLE = / \((?:owner|assistant)\)/;
const ROLE_OF_SENDER = /^\[[^\]]*\] [^:(]{1,80} \((owner|assistant)\)/;

interface GroupLine {
  readonly who: string;
  readonly role: 'owner' | 'assistant' | 'member';
  readonly isAnswer: boolean;
  readonly words: string;
}

/** A message of the group in a prompt: `[Fri 10:02] Mum: …`. Undefined for other lines. */
export function readGroupLine(line: string): GroupLine | undefined {
  const [, role] = ROLE_OF_SENDER.exec(line) ?? [];
  const [, who, marks = '', words] = LINE.exec(line.replace(ROLE, '')) ?? [];
  if (who === undefined || words === undefined || / reacted to /.test(who)) return undefined;
  return {
    who,
    role: role === 'owner' || role === 'assistant' ? role : 'member',
    isAnswer: /answers/.test(marks),
    words,
  };
}

/** Each line that somebody wrote, as `Mum said “…”.` */
function hourOf(lines: readonly string[]): { digest: string } {
  const quotes = lines.flatMap((line) => {
    const read = readGroupLine(line);
    if (read === undefined) return [];
    const { who, isAnswer, words } = read;
    const verb = isAnswer ? 'answered' : isQuestion(words) ? 'asked' : 'said';
    return { weight: weightOf(words), text: `${who} ${verb} “${shortened(words)}”.` };
  });
  const least = quotes.map(({ weight }) => weight).sort((a, b) => b - a)[MOST_QUOTES - 1] ?? 0;
  const told = quotes.filter(({ weight }) => weight >= least).slice(0, MOST_QUOTES);
  return { digest: told.map(({ text }) => text).join(' ') || 'Nothing was said in words.' };
}

const QUOTE = /([^“”.][^“”]{0,80}?) (said|asked|answered) “([^”]*)”/g;

interface Said {
  readonly hour: string;
  readonly who: string;
  readonly verb: string;
  readonly words: string;
}

function dayOf(lines: readonly string[]) {
  const said = lines.flatMap((line): Said[] => {
    const [, hour = '', text = ''] = /^(\d\d:\d\d)-\d\d:\d\d: (.*)$/.exec(line) ?? [];
    return [...text.matchAll(QUOTE)].map(([, who = '', verb = '', words = '']) => ({
      hour,
      who: who.replace(/^[.\s]+/, ''),
      verb,
      words,
    }));
  });
  const facts = (of: readonly Said[]) =>
    of
      .slice(0, MOST_FACTS)
      .map(({ words, who, hour }) => ({ text: words, who, hour, when: whenOf(words) }));
  const stated = said.filter(({ verb }) => verb !== 'asked');
  const decisions = stated.filter(({ words }) => DECIDED.test(words));
  const events = stated.filter(({ words }) => !DECIDED.test(words) && whenOf(words) !== '');
  const most = [...decisions, ...events].slice(0, 5).map(({ who, words }) => `${who}: ${words}`);
  return {
    summary: most.length === 0 ? `${lines.length} hours with messages.` : `${most.join('. ')}.`,
    decisions: facts(decisions),
    events: facts(events),
    action_items: facts(stated.filter(({ words }) => PROMISED.test(words))),
    open_questions: facts(
      said.filter((each, at) => each.verb === 'asked' && said[at + 1]?.verb !== 'answered'),
    ),
    mood: '',
  };
}

const DECIDED =
  /\b(?:final|decided|agreed|confirmed|booked|fixed|blocked|moved to|let's go with)\b/i;
const PROMISED =
  /\b(?:i['’]?ll|i will|will (?:bring|send|call|book|pick|do)|bringing|le aaunga|laungi|lunga|dunga|karunga)\b/i;
const WHEN =
  /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|tonight|today)\b(?:[^.,;]{0,20}?\b\d{1,2}(?::\d\d)?(?: ?(?:am|pm))?\b)?|\b\d{1,2}:\d\d\b/i;

const whenOf = (words: string): string => WHEN.exec(words)?.[0] ?? '';
const isQuestion = (words: string): boolean => /[?？؟]/.test(words);
const weightOf = (words: string): number =>
  (DECIDED.test(words) ? 4 : 0) +
  (PROMISED.test(words) ? 3 : 0) +
  (whenOf(words) === '' ? 0 : 2) +
  (isQuestion(words) ? 1 : 0);

/** Replaces the digest's own quotation marks, so that no quoted text can end a quotation. */
function shortened(words: string): string {
  const plain = words.replace(/[“”]/g, '"').trim();
  return plain.length <= LONGEST_QUOTE ? plain : `${plain.slice(0, LONGEST_QUOTE - 1).trimEnd()}…`;
}

// Scripted answers about a group: copies the given lines that share words with the question. It classifies a mention by
// its question mark, and requests a digest when it is asked about a group.

const MOST_LINES = 3;
const LONGEST = 160;

/** Undefined if the request is not about a group. */
export function answerAboutGroup(request: ChatRequest): Reply | undefined {
  const system = systemText(request);
  const text = newestUserText(request);
  if (system.startsWith('You sort messages of a WhatsApp group')) return sorted(text);
  if (/^You are .{1,60}, the assistant of .{1,60}\. You read a WhatsApp group/.test(system))
    return { text: fromLines(asked(text), text.split('\n')) };
  return system.startsWith('You are the personal assistant')
    ? fromDigest(request, text)
    : undefined;
}

function sorted(text: string): Reply {
  const last = text.split('\n').findLast((line) => line.startsWith('{')) ?? '';
  return {
    text: JSON.stringify({ label: last.includes('?') ? 'direct_request' : 'mention_only' }),
  };
}

function fromDigest(request: ChatRequest, text: string): Reply | undefined {
  const question = text.split('\n')[0] ?? '';
  const offered = request.tools?.some(({ function: tool }) => tool.name === 'get_digest') === true;
  if (!offered || !/\bgroup\b/i.test(question)) return undefined;
  const result = callsOfTurn(request).find(({ name }) => name === 'get_digest')?.result;
  if (result === undefined)
    return { tool_calls: [{ name: 'get_digest', arguments: { hours: true } }] };
  const lines = digestTexts(result).flatMap((text) => text.split('\n'));
  const told = fromLines(question, lines);
  return { text: told === NOTHING && lines.length > 0 ? lines.slice(0, 3).join('\n') : told };
}

/** The texts in a result of `get_digest`; none if it refuses. */
export function digestTexts(result: string): string[] {
  try {
    const { digests = [] } = JSON.parse(result) as { digests?: readonly { text?: string }[] };
    return digests.flatMap(({ text }) => text ?? []);
  } catch {
    return [];
  }
}

/** The owner's question is between the last markers. */
const asked = (text: string): string =>
  /<owner-[0-9a-f]{8}>\n(?:[^:\n]{1,60}: )?([\s\S]*?)\n<\/owner-/.exec(
    text.slice(text.lastIndexOf('<owner-')),
  )?.[1] ?? text;

const NOTHING = 'I did not see that in the group.';

function fromLines(question: string, lines: readonly string[]): string {
  const wanted = new Set(stemsOf(question));
  const found = lines
    .filter((line) => !line.includes(question.trim()) && !/^<|^\[?[\w ]*:?$/.test(line))
    .flatMap((line) => line.split(/(?<=”\.) /))
    .map((line, at) => ({
      line,
      at,
      shared: stemsOf(line).filter((stem) => wanted.has(stem)).length,
    }))
    .filter(({ shared }) => shared > 0)
    .sort((a, b) => b.shared - a.shared || b.at - a.at)
    .slice(0, MOST_LINES)
    .sort((a, b) => a.at - b.at);
  if (found.length === 0) return NOTHING;
  return [...new Set(found.map(({ line }) => short(line)))].join(' ');
}

const PLAIN = new Set(
  'what happened when where which whom about there their with from this that group annie'.split(
    ' ',
  ),
);

/** The distinct stems of the meaningful words. */
const stemsOf = (text: string): string[] => [
  ...new Set(
    (text.toLowerCase().match(/[\p{L}\p{M}]{4,}/gu) ?? [])
      .filter((word) => !PLAIN.has(word))
      .map((word) => word.slice(0, 5)),
  ),
];

const short = (line: string): string => {
  const plain = line
    .replace(/^\[[^\]]*\] /, '')
    .replace(/^[-•] /, '')
    .trim();
  return plain.length <= LONGEST ? plain : `${plain.slice(0, LONGEST - 1).trimEnd()}…`;
};
