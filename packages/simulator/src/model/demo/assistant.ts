// The owner's assistant in the demo. Each task calls tools and answers from their results; for anything else it
// searches, and says that a real model is needed if that finds nothing.
import { digestTexts } from '../group/group.ts';
import type { ChatRequest, Reply, ScriptedCall } from '../schemas.ts';
import { callsOfTurn, newestUserText, systemText } from '../transcript.ts';
import { answerAboutFamily, isAboutFamily } from './family.ts';
import { readReminder } from './reminder.ts';

export function playOwnerAssistant(request: ChatRequest): Reply {
  const question = ownerQuestion(request);
  if (/WhatsApp is not connected/i.test(systemText(request))) return { text: NOT_CONNECTED };
  if (GREETING.test(question)) return { text: GREETING_ANSWER };
  for (const { fits, calls, answer } of TASKS) {
    const wanted = fits.test(question) ? calls(question, request) : undefined;
    if (wanted === undefined) continue;
    if (typeof wanted === 'string') return { text: wanted };
    const made = callsOfTurn(request);
    if (made.length === 0) return { tool_calls: [...wanted] };
    return { text: answer(new ToolResults(made), question, request) };
  }
  return { text: NO_MODEL };
}

const NOT_CONNECTED = 'WhatsApp is not connected, so I can neither read nor send messages now.';
const NO_MODEL =
  'This demo has no real model, so I can only answer the suggestions here. With your own model I would look through your chats.';
const GREETING = /^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening))\W*$/i;
const GREETING_ANSWER =
  'Hello! Ask me what you missed, who is waiting for a reply, or to remind you of something.';

/** Without the past messages that Relay adds below it. */
const ownerQuestion = (request: ChatRequest): string =>
  (newestUserText(request).split('\n\n')[0] ?? '').replace(/\s+/g, ' ').trim();

class ToolResults {
  readonly #results: ReadonlyMap<string, string>;

  constructor(made: ReturnType<typeof callsOfTurn>) {
    this.#results = new Map(made.map(({ name, result = '' }) => [name, result]));
  }

  /** Everything that the tools returned. */
  get text(): string {
    return [...this.#results.values()].join('\n');
  }

  textOf(tool: string): string {
    return this.#results.get(tool) ?? '';
  }

  /** The fields of a result; none if it is not a JSON object. */
  fields<Fields>(tool: string): ResultFields<Fields> {
    return parseObject(this.textOf(tool)) as ResultFields<Fields>;
  }
}

type ResultFields<Fields> = Partial<Fields> & { readonly error?: string };

function parseObject(text: string): unknown {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}

interface AssistantTask {
  readonly fits: RegExp;
  /** A string answers without a tool; undefined leaves the question to the next task. */
  calls(question: string, request: ChatRequest): readonly ScriptedCall[] | string | undefined;
  answer(results: ToolResults, question: string, request: ChatRequest): string;
}

const call = (name: string, given: Record<string, unknown> = {}): ScriptedCall => ({
  name,
  arguments: given,
});

const offers = ({ tools = [] }: ChatRequest, name: string): boolean =>
  tools.some(({ function: tool }) => tool.name === name);

interface PermissionRecord {
  readonly name: string;
  readonly phone: string;
}

/** The people in the prompt's permission records. */
const permissionRecords = (request: ChatRequest): PermissionRecord[] =>
  [...systemText(request).matchAll(/^- (.+) \((\+?\d{5,15})\): canRead/gm)].map(
    ([, name = '', phone = '']) => ({ name, phone: phone.replace('+', '') }),
  );

const findRecord = (request: ChatRequest, name: string): PermissionRecord | undefined =>
  permissionRecords(request).find((record) =>
    record.name.toLowerCase().startsWith(name.toLowerCase()),
  );

// Sending and scheduling.

const NOTE =
  /^(?:please )?(?:tell|write(?: to)?|message|text|send (?:a )?message to)\s+(\p{L}+)[\s,:]*(?:that\s+)?(.{2,300})$/iu;

const sendNote: AssistantTask = {
  fits: NOTE,
  calls(question, request) {
    const [, name = '', words = ''] = NOTE.exec(question) ?? [];
    const to = findRecord(request, name);
    if (to === undefined) return `I may not write to ${name}: there is no grant for that name.`;
    const message = words.charAt(0).toUpperCase() + words.slice(1);
    return [call('send_message', { phone_number: to.phone, message })];
  },
  answer(results, question, request) {
    const [, name = ''] = NOTE.exec(question) ?? [];
    const to = findRecord(request, name)?.name ?? name;
    return outcomeText(results, 'send_message', {
      done: `Sent to ${to}.`,
      waiting: `The message to ${to} is waiting for your approval.`,
      declined: 'You declined it, so I did not send it.',
      refused: `I was not allowed to write to ${to}.`,
    });
  },
};

const remind: AssistantTask = {
  fits: /^(?:please )?remind me\b/i,
  calls(question, request) {
    const system = systemText(request);
    const [, own] = /own chat has the id (\S+?)[:,.]?\s/.exec(system) ?? [];
    const reminder = readReminder(question, system);
    if (own === undefined || reminder === undefined)
      return 'Tell me when and of what, for example: “Remind me tomorrow at 9 to call the plumber.”';
    const { text, time, date } = reminder;
    return [
      call('schedule_message', {
        phone_number: own,
        message: text,
        time,
        pattern: 'once',
        ...(date === undefined ? {} : { date }),
      }),
    ];
  },
  answer(results, question, request) {
    const { text = '', when = '' } = readReminder(question, systemText(request)) ?? {};
    return outcomeText(results, 'schedule_message', {
      done: `Done. I will remind you ${when}: ${text}.`,
      waiting: `The reminder ${when} is waiting for your approval.`,
      declined: 'You declined it, so there is no reminder.',
      refused: 'I could not schedule the reminder.',
    });
  },
};

interface OutcomeTexts {
  readonly done: string;
  readonly waiting: string;
  readonly declined: string;
  readonly refused: string;
}

function outcomeText(results: ToolResults, tool: string, texts: OutcomeTexts): string {
  const { status = '', error = '' } = results.fields<{ status: string }>(tool);
  if (['sent', 'scheduled'].includes(status)) return texts.done;
  if (status === 'waiting_for_approval') return texts.waiting;
  return /said no|declin|do not try it again/i.test(error) ? texts.declined : texts.refused;
}

// Questions about the owner's chats.

interface ReadMessage {
  readonly from: string;
  readonly to: string;
  readonly fromName: string | null;
  readonly fromMe: boolean;
  readonly isGroup: boolean;
  readonly body: string;
}

interface OpenChat {
  readonly name: string;
  /** The newest message of the other person. */
  readonly body: string;
  readonly isAnswered: boolean;
}

/** The direct chats in which somebody wrote, newest first. */
function chatsIn(results: ToolResults): OpenChat[] {
  const { messages = [] } = results.fields<{ messages: readonly ReadMessage[] }>(READ);
  const chats = new Map<string, OpenChat>();
  for (const { from, to, fromName, fromMe, isGroup, body } of messages) {
    if (isGroup) continue;
    const other = fromMe ? to : from;
    const known = chats.get(other);
    chats.delete(other);
    if (!fromMe) chats.set(other, { name: fromName ?? 'Somebody', body, isAnswered: false });
    else if (known !== undefined) chats.set(other, { ...known, isAnswered: true });
  }
  return [...chats.values()].reverse();
}

const READ = 'whatsapp_read_messages';
const LONGEST_QUOTE = 140;

/** The messages of the scene, as a person would report them. */
const REPORTED: readonly (readonly [RegExp, string])[] = [
  [
    /still on for friday\?.*book a table/i,
    'asks whether Friday still works and would book a table',
  ],
  [/^hello darling, how are you\?$/i, 'asks how you are'],
  [/could come on thursday at 9 am/i, 'can come on Thursday at 9 am'],
];

export function reportMessage(name: string, body: string): string {
  const [, reported] = REPORTED.find(([said]) => said.test(body)) ?? [];
  const text = body.replace(/\s+/g, ' ');
  const quote = text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE - 1)}…`;
  return `**${name}** ${reported ?? `wrote: “${quote}”`}.`.replace(/([.!?])”\.$/, '$1”');
}

const unanswered: AssistantTask = {
  fits: /\b(?:waiting|wait|owe|unanswered)\b|\b(?:reply|replies|answer)\b.*\b(?:from me|to)\b|\bwho\b.*\b(?:reply|answer)\b/i,
  calls: () => [call(READ, { limit: 50 })],
  answer(results) {
    const waiting = chatsIn(results).filter(({ isAnswered }) => !isAnswered);
    if (waiting.length === 0)
      return 'No one is waiting: every message in the chats that I can read has a reply.';
    const count = waiting.length === 1 ? '1 person is' : `${waiting.length} people are`;
    return [
      `${count} waiting for a reply from you:`,
      ...waiting.map(({ name, body }) => `- ${reportMessage(name, body)}`),
      '',
      'If I have drafted a reply, it is under Approvals.',
    ].join('\n');
  },
};

const missed: AssistantTask = {
  fits: /\b(?:miss(?:ed)?|new|news|unread|summar\w+|catch me up|what happened|who wrote|today|latest)\b(?!.*\bgroup\b)/i,
  calls: (_question, request) => [
    call(READ, { limit: 50 }),
    ...(offers(request, 'get_digest') ? [call('get_digest')] : []),
  ],
  answer(results) {
    const chats = chatsIn(results).map(
      ({ name, body, isAnswered }) =>
        `- ${reportMessage(name, body)} ${isAnswered ? 'Answered.' : 'No reply yet.'}`,
    );
    const digests = digestTexts(results.textOf('get_digest')).flatMap((text) => {
      const [title, body] = text.split('\n');
      return title && body ? [`- **${title}**: ${body}`] : [];
    });
    if (chats.length + digests.length === 0) return 'No new messages in the chats that I can read.';
    return ['Here is what is new:', ...chats, ...digests].join('\n');
  },
};

const SAID_BY = /\bwhat (?:did|has) (\p{L}+) (?:just )?(?:writ|say|said|want|ask|sen[dt])/iu;
const MOST_QUOTED = 3;

const saidBy: AssistantTask = {
  fits: SAID_BY,
  calls(question, request) {
    const [, name = ''] = SAID_BY.exec(question) ?? [];
    return findRecord(request, name) === undefined ? undefined : [call(READ, { limit: 50 })];
  },
  answer(results, question, request) {
    const [, asked = ''] = SAID_BY.exec(question) ?? [];
    const name = findRecord(request, asked)?.name ?? asked;
    const { messages = [] } = results.fields<{ messages: readonly ReadMessage[] }>(READ);
    const said = messages.filter(
      ({ fromName, fromMe, isGroup }) => fromName === name && !fromMe && !isGroup,
    );
    if (said.length === 0) return `I found no messages from ${name}.`;
    return said
      .slice(-MOST_QUOTED)
      .map(({ body }) => `- ${reportMessage(name, body)}`)
      .join('\n');
  },
};

const aboutGroup: AssistantTask = {
  fits: /\b(?:groups?|digests?|family|morenos|grandma|party|birthday|café|cafe|cake|candles?|train|tickets?|airport|jon|heating|speakers?|card)\b/i,
  calls(question, request) {
    const search = isAboutFamily(question) ? [call('search_messages', { query: question })] : [];
    const digest = offers(request, 'get_digest') ? [call('get_digest')] : [];
    const all = [...search, ...digest];
    return all.length === 0 ? undefined : all;
  },
  answer(results, question) {
    const [digest] = digestTexts(results.textOf('get_digest'));
    const known = answerAboutFamily(question, results.text);
    if (known !== undefined) return known;
    return digest === undefined ? 'I found no digest of a group that I may read.' : show(digest);
  },
};

/** The digest's lists under headings, without who took part. */
const show = (digest: string): string =>
  digest
    .split('\n')
    .filter((line) => !/^(?:Took part|Mood): /.test(line))
    .map((line, at) => (at === 0 || /^[A-Z][a-z ]+:$/.test(line) ? heading(line) : line))
    .join('\n')
    .trim();

const heading = (line: string): string => `\n**${line.replace(/:$/, '')}**\n`;

const SUMMARIZE = /\b(?:summar(?:y|ise|ize)|sum up)\b.*\b(?:with|from|of|to)\s+(\p{L}+)/iu;

const summarizeChat: AssistantTask = {
  fits: SUMMARIZE,
  calls(question, request) {
    const [, name = ''] = SUMMARIZE.exec(question) ?? [];
    const whom = findRecord(request, name);
    return whom === undefined ? undefined : [call('summarize_chat', { phone_number: whom.phone })];
  },
  answer(results) {
    const { summary, name = '' } = results.fields<{ summary: string; name: string }>(
      'summarize_chat',
    );
    return summary ?? `There are no messages in the chat with ${name} yet.`;
  },
};

const schedules: AssistantTask = {
  fits: /\b(?:what|which|list|show)\b.*\b(?:scheduled?|reminders?)\b/i,
  calls: () => [call('list_scheduled_tasks')],
  answer(results) {
    const { tasks = [] } = results.fields<{ tasks: readonly ScheduledTask[] }>(
      'list_scheduled_tasks',
    );
    if (tasks.length === 0) return 'No messages are scheduled.';
    const lines = tasks.map(
      ({ name, message, when }) => `- **${name ?? 'You'}**, ${when}: “${message}”`,
    );
    return ['These messages are scheduled:', ...lines].join('\n');
  },
};

interface ScheduledTask {
  readonly name: string | null;
  readonly message: string;
  readonly when: string;
}

const permissions: AssistantTask = {
  fits: /\b(?:permissions?|grants?|access|allowed)\b|\bwho(?:m)? can you\b/i,
  calls: () => [call('whatsapp_list_permissions')],
  answer(results) {
    const { permissions: records = [] } = results.fields<{
      permissions: readonly Permission[];
    }>('whatsapp_list_permissions');
    if (records.length === 0) return 'No contact has a grant.';
    return ['These contacts have a grant:', ...records.map(permissionLine)].join('\n');
  },
};

interface Permission {
  readonly displayName: string;
  readonly canRead: boolean;
  readonly canReply: boolean;
}

function permissionLine({ displayName, canRead, canReply }: Permission): string {
  const may = [canRead && 'read', canReply && 'reply'].filter((each) => each !== false);
  return `- **${displayName}**: ${may.length === 0 ? 'no access' : `I may ${may.join(' and ')}`}`;
}

// Searching: when asked to, and for every question that nothing else fits.

const WANTED = /\b(?:find|search(?: for)?|look for)\s+(.{2,80}?)[.?!]*$/i;
const MOST_FOUND = 5;

const search: AssistantTask = {
  fits: /\S/,
  calls: (question) => [
    call('search_messages', { query: (WANTED.exec(question)?.[1] ?? question).slice(0, 400) }),
  ],
  answer(results, question) {
    const { messages = [], note } = results.fields<{
      messages: readonly FoundMessage[];
      note: string;
    }>('search_messages');
    // With a note, Relay is not sure that any of them is about it.
    if (messages.length > 0 && note === undefined) {
      const found = messages.slice(0, MOST_FOUND);
      return ['I found this:', ...found.map(foundLine)].join('\n');
    }
    return WANTED.test(question) ? 'I found no messages about that.' : NO_MODEL;
  },
};

interface FoundMessage {
  readonly sender: string | null;
  readonly text: string;
}

const foundLine = ({ sender, text }: FoundMessage): string => {
  // Digests, and the facts from them, have no sender.
  if (sender === 'digest' || sender === 'fact') return `- From a digest: “${text}”`;
  return `- ${reportMessage(sender === null || sender === 'me' ? 'You' : sender, text)}`;
};

/** The first that fits. */
const TASKS: readonly AssistantTask[] = [
  sendNote,
  remind,
  schedules,
  summarizeChat,
  permissions,
  unanswered,
  saidBy,
  missed,
  aboutGroup,
  search,
];
