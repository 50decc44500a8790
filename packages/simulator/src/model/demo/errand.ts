// Conversations of the demo: the contact's messages settle todos, open ones are asked for one at a time, and with none
// open it thanks them and ends. A request for payment in advance goes to the owner.
import { z } from 'zod';
import type { ChatRequest, Reply } from '../schemas.ts';
import { callsOfTurn, messageText, newestUserText, systemText } from '../transcript.ts';
import { contactText } from './contact-text.ts';

interface Todo {
  readonly id: string;
  readonly text: string;
}

interface TodoKind {
  readonly about: RegExp;
  readonly asks: readonly [string, ...string[]];
  /** What settles it whenever it is said. Without it, any statement does after the question was asked. */
  readonly settledBy?: (said: string) => boolean;
}

const TIME = /(?:\bat )?\b\d{1,2}(?::\d\d\b| ?(?:am|pm|h|o'?clock)\b)|\bat \d{1,2}\b/gi;
const DAY =
  /\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tomorrow|tonight|next week|morning|noon|afternoon|evening|\d{1,2}[./]\d{1,2}|\d{1,2}(?:st|nd|rd|th))\b/i;
const PRICE =
  /[$€£]|\b(?:euros?|dollars?|pounds?|bucks|usd|eur|gbp|hundred|fifty|free|no charge|nothing)\b|\b\d{2,5}\b/i;
const PERIOD =
  /\b(?:\d+|one|two|three|four|a|an?other) (?:days?|weeks?|months?|years?)\b|\b(?:until|till|end of)\b/i;
const PREPARATION =
  /\b(?:empty|clear|remove|move|switch off|turn off|shut off|keep|leave)\b.*\b(?:cupboard|water|sink|kitchen|car|way|door|tap|power)\b/i;

const isQuestion = (said: string): boolean => /[?？؟]/.test(said);
const namesTime = (said: string): boolean => DAY.test(said) || new RegExp(TIME).test(said);

/** The first kind that fits; the order separates the todos of the console's templates. */
const TODO_KINDS: readonly TodoKind[] = [
  {
    about: /\bvalid(?:ity)?\b|\bhow long\b/i,
    asks: ['How long is the offer valid?', 'Until when can you hold that price?'],
    settledBy: (said) => PERIOD.test(said) && !PRICE.test(said.replace(PERIOD, '')),
  },
  {
    about: /\bpa(?:y|yment|id)\b/i,
    asks: ['When do you expect to pay it?', 'Which day can we expect the payment?'],
    settledBy: (said) => namesTime(said) || PERIOD.test(said) || /\bpaid\b/i.test(said),
  },
  {
    about: /\b(?:price|cost|quote|how much)\b/i,
    asks: [
      'Roughly what will it cost, parts included?',
      'Could you give me a price? A rough one is fine.',
      'What would the price be, more or less?',
    ],
    settledBy: (said) => PRICE.test(said.replace(TIME, '')),
  },
  {
    about: /\bright document\b|\bcheck that\b/i,
    asks: ['Could you confirm that it is the right document?'],
  },
  {
    about: /\bdocument\b/i,
    asks: [
      'Could you send it here, or tell me when it will arrive?',
      'When could you send the document?',
    ],
  },
  {
    about: /\binvoice\b/i,
    asks: ['Did the invoice reach you?', 'Could you check whether the invoice arrived?'],
  },
  {
    about: /\bplace\b|\bwhere\b|\baddress\b/i,
    asks: ['Which place would suit you?', 'And where would that be?'],
  },
  {
    about: /\bbring\b/i,
    asks: ['Is there anything to bring?', 'Should we bring anything?'],
  },
  {
    about: /\b(?:day|date|time|when)\b.*\bcome\b/i,
    asks: [
      'Which day would suit you to come by?',
      'When could you come? Any day this week is possible.',
    ],
    settledBy: namesTime,
  },
  {
    about: /\b(?:days?|dates?|times?|when|appointment)\b/i,
    asks: ['Which day and time would suit you?', 'When would be a good time for you?'],
    settledBy: namesTime,
  },
  {
    about: /\b(?:prepare|ready|before)\b/i,
    asks: [
      'Is there anything we should prepare before you come?',
      'Should anything be cleared away or switched off before?',
    ],
    settledBy: (said) => !isQuestion(said) && PREPARATION.test(said),
  },
];

const ANYTHING: TodoKind = {
  about: /(?:)/,
  asks: ['Could you tell me a little more?', 'And what else should I know?'],
};

const kindOf = ({ text }: Todo): TodoKind =>
  TODO_KINDS.find(({ about }) => about.test(text)) ?? ANYTHING;

const ADVANCE =
  /\b(?:deposit|in advance|up ?front|iban|bank|transfer|credit card|password|pin code)\b/i;

export function playErrand(request: ChatRequest): Reply {
  // This turn's tool calls are already made.
  if (callsOfTurn(request).length > 0) return { text: 'Done.' };
  const system = systemText(request);
  const newest = newestUserText(request);
  const open = openTodos(system);
  const before = request.messages.filter(({ role }) => role === 'assistant').length;
  if (newest.includes('first_message')) return sendMessageReply(firstMessage(system, open[0]));
  const said = contactText(newest);
  if (said === '') return sendMessageReply(`Hello again! ${question(open[0], before)}`);
  if (ADVANCE.test(said))
    return toolCallsReply(['request_human_intervention', { reason: ASKED_MONEY }]);
  return answered(said, { open, before, facts: factsIn(system), end: endOf(request) });
}

const ASKED_MONEY =
  'They ask for money in advance or for something private. What should I tell them?';

function firstMessage(system: string, todo: Todo | undefined): string {
  const subject = subjectOf(system);
  const about = subject === undefined ? [] : [`It is about ${subject}.`];
  const ask = todo === undefined ? 'Do you have a moment?' : question(todo, 0);
  return ['Hello! I am writing on behalf of Alex Moreno.', ...about, ask].join(' ');
}

const SUBJECTS: readonly RegExp[] = [
  /\b(?:quote|offer|estimate|price|appointment) for (.+)/i,
  /\bmeet(?:ing)? about (.+)/i,
  /\b(invoice \S+)/i,
  /^ask(?: \w+)? for (.+)/i,
  /\babout (.+)/i,
];
const LONGEST_SUBJECT = 60;

/** What the objective is about, in a few words; undefined if that is unclear. */
function subjectOf(system: string): string | undefined {
  const [, objective = ''] = /# Objective\n(.+)/.exec(system) ?? [];
  const found = SUBJECTS.map((pattern) => pattern.exec(objective)?.[1]).find(
    (subject) => subject !== undefined,
  );
  const subject = found?.split(/[,.;]| and | by /)[0]?.trim() ?? '';
  return subject === '' || subject.length > LONGEST_SUBJECT || subject.includes('…')
    ? undefined
    : subject;
}

interface ErrandState {
  readonly open: readonly Todo[];
  readonly before: number;
  readonly facts: readonly string[];
  readonly end: ErrandCall;
}

function answered(said: string, { open, before, facts, end }: ErrandState): Reply {
  const settled = settledBy(said, open);
  const left = open.filter((todo) => !settled.includes(todo));
  const marks = settled.map(({ id }) => mark(id));
  if (left.length === 0) return toolCallsReply(...marks, ['send_message', { text: BYE }], end);
  const thanks = settled.length > 0 ? 'Thank you, noted.' : (answerTo(said, facts) ?? 'Thank you.');
  const text = `${thanks} ${question(left[0], before)}`;
  return toolCallsReply(...marks, ['send_message', { text }]);
}

/** What any statement would settle is settled only if it was asked for and nothing else is settled. */
function settledBy(said: string, open: readonly Todo[]): readonly Todo[] {
  const settled = open.filter((todo) => kindOf(todo).settledBy?.(said) === true);
  const [asked] = open;
  if (settled.length > 0 || asked === undefined) return settled;
  const isSettled = said.trim() !== '' && !isQuestion(said) && takesAnyStatement(asked);
  return isSettled ? [asked] : [];
}

/** What to prepare can be said in any words. */
const takesAnyStatement = (todo: Todo): boolean => {
  const kind = kindOf(todo);
  return kind.settledBy === undefined || kind.about.test('prepare');
};

const BYE = 'Perfect, thank you! That is all I needed. I will pass it on to Alex.';

function endOf(request: ChatRequest): ErrandCall {
  const reason = 'Everything on the list is settled.';
  const tool = request.tools?.find(({ function: { name } }) => name === 'end_conversation');
  const argument = resultSchema.safeParse(tool?.function.parameters).data?.properties.result;
  if (argument === undefined) return ['end_conversation', { reason }];
  const said = contactText(request.messages.map(messageText).join('\n'));
  return ['end_conversation', { reason, result: resultFrom(said, argument.anyOf[0]) }];
}

const fieldsSchema = z.object({
  properties: z.record(z.string(), z.looseObject({ type: z.unknown() })).default({}),
  required: z.array(z.string()).default([]),
});
const resultSchema = z.object({
  properties: z.object({ result: z.object({ anyOf: z.tuple([fieldsSchema, z.unknown()]) }) }),
});

/** The first number that the contact wrote, and their words; null if the schema needs anything else. */
function resultFrom(
  said: string,
  { properties, required }: z.infer<typeof fieldsSchema>,
): Record<string, unknown> | null {
  const number = /\d+(?:\.\d+)?/.exec(said.replace(TIME, ''))?.[0];
  const known: Readonly<Record<string, unknown>> = {
    number: number && Number(number),
    integer: number && Math.round(Number(number)),
    string: said.replaceAll('\n', ' '),
  };
  const told = Object.entries(properties).flatMap(([name, { type, format, enum: options }]) => {
    const value = format || options ? undefined : known[String(type)];
    return value === undefined ? [] : [[name, value] as const];
  });
  const result = Object.fromEntries(told);
  return required.every((name) => name in result) ? result : null;
}

/** A fact that shares a word with the question; unknown answers are not made up. */
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

type ErrandCall = readonly [name: string, given: Record<string, unknown>];

const mark = (todo_id: string): ErrandCall => ['mark_todo_item', { todo_id, status: 'completed' }];
const sendMessageReply = (text: string): Reply => toolCallsReply(['send_message', { text }]);
const toolCallsReply = (...made: readonly ErrandCall[]): Reply => ({
  tool_calls: made.map(([name, given]) => ({ name, arguments: { ...given } })),
});
