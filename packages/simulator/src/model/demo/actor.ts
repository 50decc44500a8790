// The model of `relay demo`: answers whatever visitors type by simple rules. It recognises the asking agent by the
// prompt and leaves digests and groups to the group scripts. Invariant: it repeats nobody's text to others; only the
// owner is told who said what.
import type { ChatRequest, Reply } from '../schemas.ts';
import { callsOfTurn, newestUserText, systemText } from '../transcript.ts';

export function playDemo(request: ChatRequest): Reply | undefined {
  const system = systemText(request);
  if (system.includes('## WhatsApp Auto-Reply Context')) {
    const [, sender = ''] = /answering a WhatsApp message from (.+?)\. What you/.exec(system) ?? [];
    const before = request.messages.filter(({ role }) => role === 'assistant').length;
    return { text: playSmallTalk(contactText(newestUserText(request)), sender, before) };
  }
  if (system.startsWith('You hold a WhatsApp conversation')) return playErrand(request);
  if (system.startsWith('You are the personal assistant')) return playOwnerAssistant(request);
  return / You read a WhatsApp group/.test(system) ? playFamilyGroup(request) : undefined;
}

// Extracts the contact's text from a prompt: everything between the turn's markers.
const MARKED = /<contact-[0-9a-f]{8}>\n([\s\S]*?)\n<\/contact-[0-9a-f]{8}>/g;

const contactText = (prompt: string): string =>
  [...prompt.matchAll(MARKED)].map(([, words = '']) => words).join('\n');

// Small talk of the auto-reply agent: the first matching rule, with a different wording each time. Pure; it knows
// nothing and so promises nothing.

interface SmallTalkRule {
  readonly fits: RegExp;
  /** `{name}` is the sender. */
  readonly answers: readonly [string, ...string[]];
}

const SMALL_TALK_RULES: readonly SmallTalkRule[] = [
  {
    fits: /\[(?:image|video|document|audio message|sticker)\]/i,
    answers: ['I cannot look at that myself, but Alex will see it later.'],
  },
  {
    fits: /\b(?:good ?night|sleep well|bye|see you|talk (?:later|soon)|ciao)\b/i,
    answers: [
      'Good night, {name}! Alex will read this later.',
      'Bye for now, {name}. I will pass it on.',
    ],
  },
  {
    fits: /\b(?:thanks?|thank you|thx|merci|gracias|danke)\b/i,
    answers: ['You are welcome, {name}!', 'With pleasure.', 'Any time!'],
  },
  {
    fits: /\b(?:urgent|emergency|hospital|accident|asap|right now)\b/i,
    answers: [
      'That sounds urgent. I have marked it for Alex; if it cannot wait, please call directly.',
    ],
  },
  {
    fits: /\b(?:call|ring|phone)\b/i,
    answers: [
      'Alex is busy right now and will call you back, {name}.',
      'I have noted that you would like a call.',
    ],
  },
  {
    fits: /\b(?:dinner|lunch|breakfast|supper|eat|cook|cake|soup)\b/i,
    answers: [
      'That sounds lovely! I will tell Alex and let you know.',
      'Yum. Alex will tell you about the food later, {name}.',
    ],
  },
  {
    fits: /\b(?:money|pay|transfer|bank|password|code|pin)\b/i,
    answers: ['That is something only Alex can decide. I have passed it on.'],
  },
  {
    fits: /\b(?:what time|when|tonight|tomorrow|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day|\d{1,2}(?::\d\d| ?(?:am|pm)))\b/i,
    answers: [
      'I will check the time with Alex and come back to you, {name}.',
      'Noted. Alex will confirm the time later today.',
      'I have written that down for Alex.',
    ],
  },
  {
    fits: /\bhow (?:are|is|s|do)\b|\bhow's\b|\bare you (?:ok|well|fine)\b/i,
    answers: [
      'All well here, {name}, just a busy day. And how are you?',
      'Fine, thank you! Alex will write more tonight.',
    ],
  },
  {
    fits: /\bwhere\b/i,
    answers: ['I do not know exactly where Alex is, but I will pass the question on.'],
  },
  {
    fits: /\b(?:love you|miss you|hugs?|kiss(?:es)?)\b|[❤💕😘🥰]/iu,
    answers: ['That will make Alex smile. ❤', 'A hug back, {name}!'],
  },
  {
    fits: /\b(?:who (?:are|is) (?:you|this)|are you (?:a )?(?:bot|robot|machine|real|human|ai))\b/i,
    answers: ['I am Relay, the assistant who answers for Alex when Alex is busy.'],
  },
  {
    fits: /\b(?:happy|congratulations|well done|great|wonderful|birthday)\b/i,
    answers: ['How nice, {name}! Alex will be glad to read it.'],
  },
  {
    fits: /[?？؟]/,
    answers: [
      'Good question, {name}. Alex knows that better than I do; I will ask.',
      'I would rather not guess. Alex will answer that one.',
    ],
  },
  {
    fits: /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening)|hola|hallo|bonjour|ciao)\b/i,
    answers: [
      'Hello {name}! Alex is busy just now. Can I pass something on?',
      'Hi again, {name}! What can I do for you?',
    ],
  },
];

const OTHERWISE = [
  'Thank you, {name}. I have read it and will tell Alex.',
  'Understood, I will pass it on.',
  'Alright, {name}. Alex will get back to you about that.',
] as const;

/** `before` is how often this person was answered already. */
function playSmallTalk(said: string, name: string, before: number): string {
  const answers = SMALL_TALK_RULES.find(({ fits }) => fits.test(said))?.answers ?? OTHERWISE;
  const [first = name] = name.split(' ');
  return (answers[before % answers.length] ?? OTHERWISE[0]).replaceAll('{name}', first);
}

// A conversation: the contact's messages settle todos, open ones are asked for one at a time, and with none open it
// thanks them and ends. A request for payment in advance goes to the owner.

interface Todo {
  readonly id: string;
  readonly text: string;
}

interface TodoKind {
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

const TODO_KINDS: readonly TodoKind[] = [
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

const ANYTHING: TodoKind = {
  about: /(?:)/,
  asks: ['Could you tell me a little more?', 'And what else should I know?'],
  settles: (said) => said.trim() !== '' && !isQuestion(said),
};

const kindOf = ({ text }: Todo): TodoKind =>
  TODO_KINDS.find(({ about }) => about.test(text)) ?? ANYTHING;

const ADVANCE =
  /\b(?:deposit|in advance|up ?front|iban|bank|transfer|credit card|password|pin code)\b/i;

function playErrand(request: ChatRequest): Reply {
  // This turn's tool calls are already made.
  if (callsOfTurn(request).length > 0) return { text: 'Done.' };
  const system = systemText(request);
  const newest = newestUserText(request);
  const open = openTodos(system);
  const before = request.messages.filter(({ role }) => role === 'assistant').length;
  if (newest.includes('first_message')) return sendMessageReply(`${HELLO} ${question(open[0], 0)}`);
  const said = contactText(newest);
  if (said === '') return sendMessageReply(`Hello again! ${question(open[0], before)}`);
  if (ADVANCE.test(said))
    return toolCallsReply(['request_human_intervention', { reason: ASKED_MONEY }]);
  return answered(said, { open, before, facts: factsIn(system) });
}

const HELLO = 'Hello! I am writing for Alex Moreno.';
const ASKED_MONEY =
  'They ask for money in advance or for something private. What should I tell them?';

interface ErrandState {
  readonly open: readonly Todo[];
  readonly before: number;
  readonly facts: readonly string[];
}

function answered(said: string, { open, before, facts }: ErrandState): Reply {
  const settled = settledBy(said, open);
  const left = open.filter((todo) => !settled.includes(todo));
  const marks = settled.map(({ id }) => mark(id));
  if (left.length === 0) return toolCallsReply(...marks, ['send_message', { text: BYE }], END);
  const thanks = settled.length > 0 ? 'Thank you, noted.' : (answerTo(said, facts) ?? 'Thank you.');
  const text = `${thanks} ${question(left[0], before)}`;
  return toolCallsReply(...marks, ['send_message', { text }]);
}

/** Of todos that any text would settle, only the one that was asked for. */
function settledBy(said: string, open: readonly Todo[]): readonly Todo[] {
  const settled = open.filter((todo) => isParticular(todo) && kindOf(todo).settles(said));
  const [asked] = open;
  if (settled.length > 0 || asked === undefined) return settled;
  return kindOf(asked).settles(said) ? [asked] : [];
}

const isParticular = (todo: Todo): boolean => TODO_KINDS.slice(0, 2).includes(kindOf(todo));

const BYE = 'Perfect, thank you! That is all I needed. Alex looks forward to seeing you.';
const END: ErrandCall = ['end_conversation', { reason: 'Everything on the list is settled.' }];

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

// The assistant: lists received messages, searches, and sends a note to a named contact. For anything else it says what
// can be asked.

const MOST_TOLD = 5;
const LONGEST = 100;

/** Undefined for questions about groups, which are answered elsewhere. */
function playOwnerAssistant(request: ChatRequest): Reply | undefined {
  const [question = ''] = newestUserText(request).split('\n');
  if (/\bgroup\b/i.test(question)) return undefined;
  const [made] = callsOfTurn(request);
  if (made?.result !== undefined) return resultReply(made.name, made.result);
  const note = noteIn(question, systemText(request));
  if (note !== undefined) return toolCallReply('send_message', note);
  const [, wanted] =
    /\b(?:find|search(?: for)?|look for)\s+(.{2,80}?)[.?!]*$/i.exec(question) ?? [];
  if (wanted !== undefined) return toolCallReply('search_messages', { query: wanted });
  if (NEWS.test(question)) return toolCallReply('whatsapp_read_messages', { limit: 12 });
  return { text: /^\W*(?:hi|hello|hey)\b/i.test(question) ? `Hello! ${CAN}` : CAN };
}

const NEWS =
  /\b(?:miss(?:ed)?|new|news|unread|summar\w+|catch me up|what happened|who wrote|today|latest)\b/i;
const CAN =
  'I am the scripted model of this demo, so I know only a few things. Ask me what you missed, what happened in the family group, to find a word, or to tell Mom something.';

/** "Tell Mom that …", to somebody with a permission record. */
function noteIn(question: string, system: string) {
  const [, name, words] =
    /^(?:please )?(?:tell|write to|message|text)\s+(\p{L}+)[\s,:]*(?:that\s+)?(.{2,300})$/iu.exec(
      question.trim(),
    ) ?? [];
  if (name === undefined || words === undefined) return undefined;
  const records = [...system.matchAll(/^- (.+) \((\+?\d{5,15})\): canRead/gm)];
  const found = records.find(([, known = '']) =>
    known.toLowerCase().startsWith(name.toLowerCase()),
  );
  if (found?.[2] === undefined) return undefined;
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return { phone_number: found[2].replace('+', ''), message: text };
}

function resultReply(name: string, result: string): Reply {
  if (name === 'send_message') return { text: outcomeOf(result) };
  const lines = linesIn(result);
  if (lines.length > 0) return { text: lines.join('\n') };
  const none = name === 'search_messages' ? 'I found nothing about that.' : 'Nothing new came in.';
  return { text: none };
}

function outcomeOf(result: string): string {
  if (result.includes('"sent"')) return 'Done, it is on its way.';
  if (result.includes('waiting_for_approval')) return 'It waits for your yes under Approvals.';
  return /said no/i.test(result)
    ? 'Then I leave it.'
    : 'That was refused: you have not allowed me to write to them.';
}

interface ResultMessage {
  readonly fromMe?: boolean;
  readonly fromName?: string | null;
  readonly sender?: string;
  readonly body?: string;
  readonly text?: string;
}

/** A list with the newest message of each person first. */
function linesIn(result: string): string[] {
  let messages: readonly ResultMessage[] = [];
  try {
    messages = (JSON.parse(result) as { messages?: ResultMessage[] }).messages ?? [];
  } catch {}
  return messages
    .filter(({ fromMe }) => fromMe !== true)
    .slice(-MOST_TOLD)
    .reverse()
    .map(({ fromName, sender, body, text }) => {
      const words = (body ?? text ?? '').replace(/\s+/g, ' ').slice(0, LONGEST);
      return `- **${fromName ?? sender ?? 'Somebody'}**: ${words}`;
    });
}

const toolCallReply = (name: string, given: Record<string, unknown>): Reply => ({
  tool_calls: [{ name, arguments: given }],
});

// Answers in the family's group when the owner asks by name: one sentence for each topic of the scene, and only if its
// source is in the prompt. Other questions go to the script that copies lines.

interface FamilyFact {
  readonly asked: RegExp;
  /** What the prompt must contain. */
  readonly seen: RegExp;
  readonly answer: string;
}

const FAMILY_FACTS: readonly FamilyFact[] = [
  {
    asked: /\b(?:party|birthday|celebrat\w+|café|cafe)\b/i,
    seen: /moved to 4 pm/i,
    answer:
      'Grandma’s party is on Saturday at 4 pm at Café Linde. It was 3 pm at first; Nora moved it.',
  },
  {
    asked: /\b(?:cake|candles?)\b/i,
    seen: /cake is booked/i,
    answer: 'Nora booked a lemon cake for 30 people, 95 euros. Mom brings the candles.',
  },
  {
    asked: /\b(?:train|ticket|platform)\b/i,
    seen: /11:08/,
    answer: 'Leo wrote that the train on Saturday is at 11:08, platform 4.',
  },
  {
    asked: /\b(?:jon|airport|pick)\b/i,
    seen: /17:40/,
    answer: 'Mom picks Uncle Jon up at the airport on Friday; he lands at 17:40.',
  },
  {
    asked: /\b(?:card|sign)\b/i,
    seen: /sign the card/i,
    answer: 'Mom asks everybody to sign Grandma’s card today. Nora has it.',
  },
];

/** Undefined for questions about anything else. */
function playFamilyGroup(request: ChatRequest): Reply | undefined {
  const prompt = newestUserText(request);
  const [, question = ''] =
    /<owner-[0-9a-f]{8}>\n([\s\S]*?)\n<\/owner-/.exec(
      prompt.slice(prompt.lastIndexOf('<owner-')),
    ) ?? [];
  const found = FAMILY_FACTS.find(({ asked, seen }) => asked.test(question) && seen.test(prompt));
  return found === undefined ? undefined : { text: found.answer };
}
