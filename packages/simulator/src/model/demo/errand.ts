// A delegated conversation as the demo's model holds it: what the contact wrote settles todos, what is open is asked
// for, one thing at a time, and with nothing open it says thank you and ends. Money in advance is the owner's.
import type { ChatRequest, Reply } from '../schemas.ts';
import { callsOfTurn, newestUserText, systemText } from '../transcript.ts';
import { saidIn } from './said.ts';

interface Todo {
  readonly id: string;
  readonly text: string;
}

interface Kind {
  readonly about: RegExp;
  readonly asks: readonly [string, ...string[]];
  settles(said: string): boolean;
}

const TIME = /(?:\bat )?\b\d{1,2}(?::\d\d\b| ?(?:am|pm|h|o'?clock)\b)|\bat \d{1,2}\b/gi;
const DAY =
  /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow|tonight|next week|morning|noon|afternoon|evening|\d{1,2}[./]\d{1,2}|\d{1,2}(?:st|nd|rd|th))\b/i;
const PRICE =
  /[$€£]|\b(?:euros?|dollars?|pounds?|bucks|usd|eur|gbp|hundred|fifty|free|no charge|nothing)\b|\b\d{2,5}\b/i;
const isQuestion = (said: string): boolean => /[?？؟]/.test(said);

const KINDS: readonly Kind[] = [
  {
    about: /\b(?:price|cost|quote|how much)\b/i,
    asks: [
      'Roughly what will it cost, parts included?',
      'Could you give me a price? A rough one is fine.',
      'What would the price be, more or less?',
    ],
    settles: (said) => PRICE.test(said.replace(TIME, '')),
  },
  {
    about: /\b(?:day|date|time|when|appointment)\b/i,
    asks: [
      'Which day would suit you to come by?',
      'When could you come? Any day this week is possible.',
    ],
    settles: (said) => DAY.test(said) || new RegExp(TIME).test(said),
  },
  {
    about: /\b(?:prepare|ready|bring|before)\b/i,
    asks: [
      'Is there anything we should prepare before you come?',
      'Should anything be cleared away or switched off before?',
    ],
    settles: (said) => said.trim() !== '' && !isQuestion(said),
  },
];

const ANYTHING: Kind = {
  about: /(?:)/,
  asks: ['Could you tell me a little more?', 'And what else should I know?'],
  settles: (said) => said.trim() !== '' && !isQuestion(said),
};

const kindOf = ({ text }: Todo): Kind => KINDS.find(({ about }) => about.test(text)) ?? ANYTHING;

const ADVANCE =
  /\b(?:deposit|in advance|up ?front|iban|bank|transfer|credit card|password|pin code)\b/i;

export function errandTurn(request: ChatRequest): Reply {
  // What was to be done in this turn is done.
  if (callsOfTurn(request).length > 0) return { text: 'Done.' };
  const system = systemText(request);
  const newest = newestUserText(request);
  const open = openTodos(system);
  const before = request.messages.filter(({ role }) => role === 'assistant').length;
  if (newest.includes('first_message')) return say(`${HELLO} ${question(open[0], 0)}`);
  const said = saidIn(newest);
  if (said === '') return say(`Hello again! ${question(open[0], before)}`);
  if (ADVANCE.test(said)) return calls(['request_human_intervention', { reason: ASKED_MONEY }]);
  return answered(said, { open, before, facts: factsIn(system) });
}

const HELLO = 'Hello! I am writing for Alex Moreno.';
const ASKED_MONEY =
  'They ask for money in advance or for something private. What should I tell them?';

interface Situation {
  readonly open: readonly Todo[];
  readonly before: number;
  readonly facts: readonly string[];
}

function answered(said: string, { open, before, facts }: Situation): Reply {
  const settled = settledBy(said, open);
  const left = open.filter((todo) => !settled.includes(todo));
  const marks = settled.map(({ id }) => mark(id));
  if (left.length === 0) return calls(...marks, ['send_message', { text: BYE }], END);
  const thanks = settled.length > 0 ? 'Thank you, noted.' : (answerTo(said, facts) ?? 'Thank you.');
  const text = `${thanks} ${question(left[0], before)}`;
  return calls(...marks, ['send_message', { text }]);
}

/** Of those that anything would settle only the one that was asked for. */
function settledBy(said: string, open: readonly Todo[]): readonly Todo[] {
  const settled = open.filter((todo) => isParticular(todo) && kindOf(todo).settles(said));
  const [asked] = open;
  if (settled.length > 0 || asked === undefined) return settled;
  return kindOf(asked).settles(said) ? [asked] : [];
}

const isParticular = (todo: Todo): boolean => KINDS.slice(0, 2).includes(kindOf(todo));

const BYE = 'Perfect, thank you! That is all I needed. Alex looks forward to seeing you.';
const END: Call = ['end_conversation', { reason: 'Everything on the list is settled.' }];

/** A fact that shares a word with the question; what is not known is not made up. */
function answerTo(said: string, facts: readonly string[]): string | undefined {
  if (!isQuestion(said)) return undefined;
  const words = said.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const fact = facts.find((each) => words.some((word) => each.toLowerCase().includes(word)));
  return fact ?? 'I will ask Alex about that and come back to you.';
}

const question = (todo: Todo | undefined, before: number): string => {
  const { asks } = todo === undefined ? ANYTHING : kindOf(todo);
  return asks[before % asks.length] ?? asks[0];
};

const TODO = /^- (.+) \(todo_id (\S+), (?:pending|in_progress)\)$/gm;

const openTodos = (system: string): Todo[] =>
  [...system.matchAll(TODO)].map(([, text = '', id = '']) => ({ id, text }));

function factsIn(system: string): string[] {
  const [, list = ''] = /# Facts[^\n]*\n((?:- .+\n?)+)/.exec(system) ?? [];
  return list.split('\n').flatMap((line) => (line.startsWith('- ') ? [line.slice(2)] : []));
}

type Call = readonly [name: string, given: Record<string, unknown>];

const mark = (todo_id: string): Call => ['mark_todo_item', { todo_id, status: 'completed' }];
const say = (text: string): Reply => calls(['send_message', { text }]);
const calls = (...made: readonly Call[]): Reply => ({
  tool_calls: made.map(([name, given]) => ({ name, arguments: { ...given } })),
});
