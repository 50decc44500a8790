// The script of a dialogue in which every message has a unique name: the model's calls in each turn, the contact's
// answers, and what must have been seen in the end. Invariant: each text depends only on what was read, so a repeated
// turn gives the same texts.
import type { CreateInstanceRequest, Todo } from '@relay/contract/api/instances';
import type { ChatRequest, Reply, ScriptedCall } from '@relay/simulator/model/schemas';
import {
  messageText,
  newestUserText,
  roundsOfTurn,
  systemText,
} from '@relay/simulator/model/transcript';

/**
 * talks: answers everything. nudged: stops answering once, until a follow-up comes. silent: never answers, and the
 * conversation gives up.
 */
export const MANNERS = ['talks', 'nudged', 'silent'] as const;
export type Manner = (typeof MANNERS)[number];

export interface Dialogue {
  /** Part of every text, so that each message shows its dialogue: `c` and a number. */
  readonly name: string;
  readonly manner: Manner;
  /** All calls of a turn in one answer of the model, instead of one after the other. */
  readonly atOnce: boolean;
}

const LINES = [1, 2, 3, 4] as const;
const LAST = 4;
const SOON_MS = 1_000;
const LATER_MS = 3_600_000;
/** The final status of todos that are not simply done. */
const MARKS: Readonly<Record<number, Todo['status']>> = { 2: 'skipped' };
const markOf = (line: number): Todo['status'] => MARKS[line] ?? 'completed';

export const objectiveOf = ({ name, manner, atOnce }: Dialogue): string =>
  `Dialogue ${name}, ${manner}${atOnce ? ', at once' : ''}: go through all points with this person.`;

export function conversationRequest(dialogue: Dialogue, phone: string): CreateInstanceRequest {
  return {
    objective: objectiveOf(dialogue),
    target_contact: `+${phone}`,
    todos: LINES.map((line) => ({ text: `Point ${line}` })),
    heartbeat_config: { interval_ms: SOON_MS, max_followups: 1 },
  };
}

/** For a request with a result: the model's first value for it is not valid. */
export const RESULT_SCHEMA = {
  type: 'object',
  properties: { name: { type: 'string' }, points: { type: 'integer' } },
  required: ['name', 'points'],
};

export const expectedResult = ({ name, manner }: Dialogue) =>
  manner === 'silent'
    ? { status: 'none', result: null }
    : { status: 'valid', result: { name, points: LAST } };

/** What the contact must have seen, each once and in this order. */
export function expectedTexts({ name, manner }: Dialogue): string[] {
  const words =
    manner === 'silent'
      ? ['hello 1', 'hello 2', 'nudge']
      : [
          ...['hello 1', 'hello 2', 're 1', 're 2'],
          ...(manner === 'nudged' ? ['nudge'] : []),
          ...['re 3', 're 4', 'bye'],
        ];
  return words.map((word) => `${name} ${word}`);
}

export const expectedLines = ({ name, manner }: Dialogue): string[] =>
  manner === 'silent' ? [] : LINES.map((line) => `${name} line ${line}`);

export const expectedEnd = ({ manner }: Dialogue): 'ABANDONED' | 'COMPLETED' =>
  manner === 'silent' ? 'ABANDONED' : 'COMPLETED';

export const expectedTodos = ({ manner }: Dialogue): Todo['status'][] =>
  LINES.map((line) => (manner === 'silent' ? 'pending' : markOf(line)));

/** The contact's lines after it has seen these texts, including those already sent. */
export function linesAfter({ name, manner }: Dialogue, seen: ReadonlySet<string>): string[] {
  if (manner === 'silent') return [];
  const saw = (...words: string[]) => words.every((word) => seen.has(`${name} ${word}`));
  const due: Readonly<Record<number, boolean>> = {
    1: saw('hello 1'),
    2: saw('hello 2'),
    3: saw('re 1', 're 2', ...(manner === 'nudged' ? ['nudge'] : [])),
    4: saw('re 3'),
  };
  return LINES.filter((line) => due[line]).map((line) => `${name} line ${line}`);
}

/** The contact's line that a text of the model answers. */
export function lineAnsweredBy(text: string): string | null {
  const [, name, line] = /^(c\d+) re (\d)$/.exec(text) ?? [];
  return line === undefined ? null : `${name} line ${line}`;
}

/** The model's answer. Undefined for a request that belongs to no dialogue. */
export function answer(request: ChatRequest): Reply | undefined {
  const [, name = '', manner = '', atOnce] =
    /Dialogue (c\d+), (\w+)(, at once)?:/.exec(systemText(request)) ?? [];
  if (name === '') return undefined;
  const calls = [
    ...withdrawn(request).map(say),
    ...callsOf(name, manner as Manner, newestUserText(request)),
  ].flatMap((made) => (made.name === 'end_conversation' ? ends(request, name) : [made]));
  const round = roundsOfTurn(request);
  const now = atOnce === undefined ? calls.slice(round, round + 1) : round === 0 ? calls : [];
  return now.length === 0 ? { text: '' } : { tool_calls: now };
}

/** Messages that the contact's reply overtook before they were sent, and that were not sent again. */
function withdrawn({ messages }: ChatRequest): string[] {
  const said = messages.filter(({ role }) => role === 'assistant').map(messageText);
  const unsent = messages.flatMap(
    (message) => /never sent; nobody has read it:\n(c\d+ .+)/.exec(messageText(message))?.[1] ?? [],
  );
  return [...new Set(unsent)].filter((text) => !said.includes(text));
}

function callsOf(name: string, manner: Manner, news: string): ScriptedCall[] {
  const lines = LINES.filter((line) => news.includes(`${name} line ${line}`));
  if (lines.length > 0) {
    const answers = lines.flatMap((line) => [
      call('mark_todo_item', { todo_id: String(line), status: markOf(line) }),
      say(`${name} re ${line}`),
    ]);
    if (lines.includes(LAST))
      return [...answers, say(`${name} bye`), call('end_conversation', { reason: 'All was said' })];
    const quiet = manner === 'nudged' && lines.includes(2);
    return [...answers, again(quiet ? SOON_MS : LATER_MS)];
  }
  if (news.includes('follow_up'))
    return [say(`${name} nudge`), again(manner === 'silent' ? SOON_MS : LATER_MS)];
  const patience = manner === 'silent' ? SOON_MS : LATER_MS;
  return [say(`${name} hello 1`), say(`${name} hello 2`), again(patience)];
}

const call = (name: string, args: Record<string, unknown>): ScriptedCall => ({
  name,
  arguments: args,
});
const say = (text: string) => call('send_message', { text });
const ends = (request: ChatRequest, name: string): ScriptedCall[] => {
  const reason = 'All was said';
  const results = [{ name }, { name, points: LAST }];
  return systemText(request).includes('# Result')
    ? results.map((result) => call('end_conversation', { reason, result }))
    : [call('end_conversation', { reason })];
};
const again = (delay: number) => call('schedule_next_heartbeat', { delay });
