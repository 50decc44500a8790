// Formats conversations: state, todos, follow-ups, and the commands that are possible now. Pure.
import type {
  ConversationInstance,
  StateTransition,
  Todo,
  TranscriptLine,
} from '@relay/contract/api/instances';
import {
  type InstanceState,
  isTerminal,
  STATE_SENTENCES,
  UNSENT_SENTENCES,
} from '@relay/contract/conversation/states';
import type { OutboxState } from '@relay/contract/outbox/states';
import { type ConversationEventType, legalEvents } from '@relay/core/conversation/transition-table';
import {
  formatClock,
  formatCount,
  formatDuration,
  formatPhone,
  formatRoughDuration,
  padText,
  textWidth,
  toOneLine,
  toPrintable,
  truncateText,
  wrapText,
} from '../../format.ts';
import type { Terminal } from '../../terminal.ts';
import { shortConversationId } from './input.ts';
import { CANCELLED_STATE_NAME, conversationStateName, isCancelled } from './state-name.ts';

type ConversationColours = Pick<
  Terminal['colours'],
  'bold' | 'dim' | 'green' | 'yellow' | 'red' | 'cyan' | 'magenta' | 'blue'
>;

const COLOUR: Readonly<Record<InstanceState, keyof ConversationColours>> = {
  CREATED: 'cyan',
  QUEUED: 'dim',
  ACTIVE: 'cyan',
  WAITING_FOR_REPLY: 'blue',
  WAITING_FOR_AGENT: 'cyan',
  HEARTBEAT_SCHEDULED: 'cyan',
  PAUSED: 'magenta',
  NEEDS_HUMAN_INTERVENTION: 'yellow',
  COMPLETED: 'green',
  ABANDONED: 'red',
  FAILED: 'red',
};

export const colourByState = (
  state: InstanceState,
  text: string,
  colours: ConversationColours,
): string => colours[COLOUR[state]](text);

/** The stored reason says “you”, also when a client has cancelled the conversation. */
const describeReason = (instance: ConversationInstance): string =>
  isCancelled(instance) ? 'The conversation was cancelled.' : instance.reason;

export const needsOwner = ({ state }: Pick<ConversationInstance, 'state'>): boolean =>
  state === 'NEEDS_HUMAN_INTERVENTION';

/** Lists and single conversations come with the name; the answers to changes do not. */
type WithContact = Pick<ConversationInstance, 'target_contact'> & {
  readonly contact_name?: string | null;
};

const formatConversationAddress = ({ target_contact }: WithContact): string =>
  formatPhone(toPrintable(target_contact).trim());

export const formatConversationContact = (conversation: WithContact): string =>
  conversation.contact_name == null
    ? formatConversationAddress(conversation)
    : toOneLine(conversation.contact_name);

function formatContactWithAddress(conversation: WithContact): string {
  const address = formatConversationAddress(conversation);
  const { contact_name: name } = conversation;
  return name == null ? address : `${toOneLine(name)} (${address})`;
}

/** Skipped todos count as done: no agent returns to them. */
export const countDoneTodos = ({ todos }: ConversationInstance): number =>
  todos.filter(({ status }) => status === 'completed' || status === 'skipped').length;

export function describeFollowUp(instance: ConversationInstance, now: number): string {
  const { follow_up_count: sent, heartbeat_config, next_follow_up_at: at } = instance;
  const most = heartbeat_config.max_followups;
  if (at === null) {
    return sent === 0 || isTerminal(instance.state) ? '' : `${sent} of ${most} sent`;
  }
  const left = Date.parse(at) - now;
  const when = left <= 0 ? 'now' : `in ${formatRoughDuration(left)}`;
  return sent >= most ? `ends ${when}` : `${when}, ${sent + 1} of ${most}`;
}

const COMMAND: Readonly<Partial<Record<ConversationEventType, (id: string) => string>>> = {
  resume: (id) => `relay resume ${id}`,
  manual_send: (id) => `relay send ${id} "…"`,
  pause: (id) => `relay pause ${id}`,
  cancel: (id) => `relay cancel ${id}`,
};

/** The commands that the daemon would accept now. */
export function listPossibleCommands({
  id,
  state,
}: Pick<ConversationInstance, 'id' | 'state'>): string[] {
  const legal = legalEvents(state);
  return (Object.keys(COMMAND) as ConversationEventType[])
    .filter((event) => legal.includes(event))
    .flatMap((event) => COMMAND[event]?.(shortConversationId(id)) ?? []);
}

/** Worded as the end of a sentence. */
export function describePossibleCommands(
  instance: Pick<ConversationInstance, 'id' | 'state'>,
): string {
  const commands = listPossibleCommands(instance).map((command) => `\`${command}\``);
  return commands.length === 0
    ? 'The conversation has ended. Start another with `relay create`.'
    : `Possible now: ${commands.join(', ')}.`;
}

// `relay list`: one line for each conversation, those that need the owner first; two lines in a narrow window. Pure.

interface ConversationLayout {
  /** Null when the output is not a terminal: nothing is truncated. */
  readonly columns: number | null;
  readonly colours: ConversationColours;
  readonly now: number;
}

const HEAD = ['ID', 'CONTACT', 'STATE', 'TODOS', 'FOLLOW-UP', 'REASON'] as const;
/** With less room than this the reason gets its own line. */
const LEAST_FOR_REASON = 20;
const GAP = '  ';
const MARK = 2;

const rank = (instance: ConversationInstance): number => {
  if (needsOwner(instance)) return 0;
  return isTerminal(instance.state) ? 2 : 1;
};

/** First those that need the owner, then the running ones, then the ended ones; the order within each group is kept. */
export const sortByAttention = (
  instances: readonly ConversationInstance[],
): ConversationInstance[] => instances.toSorted((one, other) => rank(one) - rank(other));

export function formatConversationTable(
  instances: readonly ConversationInstance[],
  look: ConversationLayout,
): string[] {
  const rows = instances.map((instance) => ({ instance, cells: cellsOf(instance, look.now) }));
  const widths = HEAD.slice(0, -1).map((name, column) =>
    Math.max(textWidth(name), ...rows.map(({ cells }) => textWidth(cells[column] ?? ''))),
  );
  const taken = MARK + widths.reduce((sum, one) => sum + one + GAP.length, 0);
  const room = look.columns === null ? Number.POSITIVE_INFINITY : look.columns - taken;
  if (room < LEAST_FOR_REASON) return rows.flatMap((row) => narrow(row, look));
  const head = HEAD.map((name, column) => padText(name, widths[column] ?? 0)).join(GAP);
  return [
    look.colours.dim(`${' '.repeat(MARK)}${head}`),
    ...rows.map(({ instance, cells }) => {
      const padded = cells.map((cell, column) => padText(cell, widths[column] ?? 0));
      const line = paint(instance, padded, look).join(GAP);
      const reason = truncateText(toOneLine(describeReason(instance)), room);
      return `${mark(instance, look)}${line}${GAP}${reason}`;
    }),
  ];
}

interface Row {
  readonly instance: ConversationInstance;
  readonly cells: readonly string[];
}

function narrow({ instance, cells }: Row, look: ConversationLayout): string[] {
  const columns = look.columns ?? Number.POSITIVE_INFINITY;
  const [id = '', contact = '', state = '', todos = '', next = ''] = cells;
  const first = [
    id,
    truncateText(contact, Math.max(4, columns - MARK - id.length - textWidth(state) - 4)),
    state,
  ];
  const detail = [todos === '' ? '' : `${todos} done`, next].filter(Boolean).join(', ');
  const reason = toOneLine(describeReason(instance));
  return [
    `${mark(instance, look)}${fitted(paint(instance, first, look), first, columns - MARK)}`,
    ...(detail === '' ? [] : [look.colours.dim(`    ${truncateText(detail, columns - 4)}`)]),
    `    ${truncateText(reason, columns - 4)}`,
  ];
}

/** Uses colours only if everything fits: truncation could cut off the end of a colour sequence. */
function fitted(painted: readonly string[], plain: readonly string[], columns: number): string {
  const line = painted.join(GAP);
  return textWidth(line) <= columns ? line : truncateText(plain.join(GAP), columns);
}

const cellsOf = (instance: ConversationInstance, now: number): string[] => [
  shortConversationId(instance.id),
  truncateText(formatConversationContact(instance), 20),
  conversationStateName(instance),
  instance.todos.length === 0 ? '' : `${countDoneTodos(instance)}/${instance.todos.length}`,
  describeFollowUp(instance, now),
];

const mark = (instance: ConversationInstance, { colours }: ConversationLayout): string =>
  needsOwner(instance) ? `${colours.yellow('!')} ` : '  ';

function paint(
  { state }: ConversationInstance,
  [id = '', contact = '', shown = '', ...rest]: readonly string[],
  { colours }: ConversationLayout,
): string[] {
  return [colours.bold(id), contact, colourByState(state, shown, colours), ...rest];
}

// `relay get`: everything about one conversation, with a progress bar for its todos. Pure.

const BAR = 20;
const NAMES = 13;
const INDENT = 2;
const LAST_STEPS = 10;

export function formatConversationCard(
  instance: ConversationInstance,
  steps: readonly StateTransition[],
  look: ConversationLayout & { readonly all: boolean },
): string[] {
  const { colours } = look;
  const { state } = instance;
  const reason = describeReason(instance);
  const columns = Math.max(20, (look.columns ?? 100) - INDENT - NAMES);
  const part = (name: string, lines: readonly string[]): string[] =>
    lines.map((line, index) => {
      const label = (index === 0 ? name : '').padEnd(NAMES);
      return `${' '.repeat(INDENT)}${colours.dim(label)}${line}`;
    });
  const text = (name: string, value: string) => part(name, wrapText(toPrintable(value), columns));
  // In some states the reason replaces the state's own sentence.
  const isReasonEnough = state in UNSENT_SENTENCES || isCancelled(instance);
  const sentence = isReasonEnough ? reason : STATE_SENTENCES[state];
  const stateName = colourByState(state, conversationStateName(instance), colours);
  const shown = look.all ? steps : steps.slice(-LAST_STEPS);
  return [
    `${colourByState(state, '●', colours)} ${colours.bold(stateName)}`,
    ...wrapText(toPrintable(sentence), columns + NAMES).map((line) => `  ${line}`),
    '',
    ...(reason === sentence ? [] : text('Reason', reason)),
    ...text('Objective', instance.objective),
    ...part('Contact', [formatContactWithAddress(instance)]),
    ...part('Todos', todoLines(instance, columns, colours)),
    ...part('Result', resultLines(instance, columns)),
    ...part('Follow-ups', followUpLines(instance, look.now)),
    ...instance.facts.flatMap((fact, index) => text(index === 0 ? 'Facts' : '', fact)),
    ...(instance.unread === 0
      ? []
      : part('Unread', [`${formatCount(instance.unread, 'message')} not yet read by the agent`])),
    ...part('Created', [moment(instance.created_at, look.now)]),
    ...part('Updated', [moment(instance.updated_at, look.now)]),
    ...part('Id', [instance.id]),
    ...part('Steps', stepLines(shown, steps.length - shown.length, look)),
    ...part('Commands', listPossibleCommands(instance)),
  ];
}

const TODO_MARKS: Readonly<Record<Todo['status'], readonly [string, keyof ConversationColours]>> = {
  completed: ['✓', 'green'],
  in_progress: ['◐', 'cyan'],
  pending: ['○', 'dim'],
  skipped: ['–', 'dim'],
};

function todoLines(
  instance: ConversationInstance,
  columns: number,
  colours: ConversationColours,
): string[] {
  const { todos } = instance;
  if (todos.length === 0) return ['None'];
  return [
    formatProgressBar(countDoneTodos(instance), todos.length, colours),
    ...todos.flatMap(({ text, status }) => {
      const [sign, colour] = TODO_MARKS[status];
      return wrapText(toOneLine(text), columns - 2).map(
        (line, index) => `${index === 0 ? colours[colour](sign) : ' '} ${line}`,
      );
    }),
  ];
}

/** A valid result is what the contact wrote, and not verified. */
function resultLines(instance: ConversationInstance, columns: number): string[] {
  const { result_status: status, result_reason: reason } = instance;
  if (status === undefined) return [];
  if (status === 'pending') return ['The agent gives it when the conversation ends.'];
  if (status !== 'valid') return wrapText(toPrintable(`${status}: ${reason ?? ''}`), columns);
  const fields = Object.entries(instance.result ?? {});
  return [
    ...fields.flatMap(([name, value]) =>
      wrapText(toPrintable(`${name}: ${JSON.stringify(value)}`), columns),
    ),
    'From what the contact wrote; not verified.',
  ];
}

export function formatProgressBar(
  done: number,
  all: number,
  colours: Pick<ConversationColours, 'green' | 'dim'>,
): string {
  const full = all === 0 ? 0 : Math.floor((done / all) * BAR);
  const drawn = colours.green('█'.repeat(full)) + colours.dim('░'.repeat(BAR - full));
  return `${drawn} ${done} of ${all} done`;
}

function followUpLines(instance: ConversationInstance, now: number): string[] {
  const { heartbeat_config: config, follow_up_count: sent, next_follow_up_at: at } = instance;
  const most = config.max_followups;
  const every = formatDuration(config.interval_ms / 1_000);
  const rule =
    most === 0
      ? `None; the conversation ends after ${every} without a reply`
      : `After ${every} without a reply, up to ${most}${sent === 0 ? '' : `; ${sent} sent since the last reply`}`;
  if (at === null) return [rule];
  return [rule, `${sent >= most ? 'Ends' : 'Next'} ${moment(at, now)}`];
}

function moment(at: string, now: number): string {
  const away = Date.parse(at) - now;
  const near = away > 0 ? `in ${formatRoughDuration(away)}` : `${formatRoughDuration(-away)} ago`;
  return `${near} (${formatClock(new Date(at), new Date(now))})`;
}

function stepLines(
  steps: readonly StateTransition[],
  hidden: number,
  look: ConversationLayout,
): string[] {
  const lines = steps.map(({ from_state, to_state, trigger, timestamp }) => {
    const time = formatClock(new Date(timestamp), new Date(look.now));
    const isCancellation = to_state === 'FAILED' && trigger === 'cancel';
    const name = isCancellation ? CANCELLED_STATE_NAME : to_state;
    const to = colourByState(to_state, name, look.colours);
    return `${time}  ${from_state} → ${to}  ${look.colours.dim(toPrintable(trigger))}`;
  });
  if (hidden > 0) {
    const earlier = formatCount(hidden, 'earlier step');
    lines.unshift(look.colours.dim(`… ${earlier} (\`--all\` shows them)`));
  }
  return lines.length === 0 ? ['None yet'] : lines;
}

// `relay transcript`: one line with time, sender, text and delivery state. Pure.

const WHO: Readonly<Record<TranscriptLine['role'], readonly [string, keyof ConversationColours]>> =
  {
    agent: ['agent', 'cyan'],
    contact: ['contact', 'green'],
    manual: ['you', 'bold'],
    system: ['Relay', 'yellow'],
  };

const DELIVERY_MARKS: Readonly<Record<OutboxState, readonly [string, keyof ConversationColours]>> =
  {
    pending: ['queued', 'dim'],
    sent: ['sent ✓', 'dim'],
    delivered: ['delivered ✓✓', 'dim'],
    read: ['read ✓✓', 'blue'],
    failed: ['failed ✗', 'red'],
    unknown: ['unknown ?', 'yellow'],
  };

/** Width of the time with and without the day; narrow windows align those without it. */
const TIME = { wide: 11, narrow: 5 };
const WIDE = 80;
const NAME = 7;
/** With less room than this, the text starts on the next line. */
const LEAST = 24;

export function formatTranscriptLine(line: TranscriptLine, look: ConversationLayout): string[] {
  const { colours } = look;
  const [who, colour] = WHO[line.role];
  const room = look.columns ?? Number.POSITIVE_INFINITY;
  const time = formatClock(new Date(line.timestamp), new Date(look.now)).padStart(
    room < WIDE ? TIME.narrow : TIME.wide,
  );
  const before = time.length + NAME + 4;
  const beside = room - before;
  const below = beside < LEAST;
  const columns = below ? room - 2 : beside;
  const text = wrapText(toPrintable(line.content).trimEnd(), columns);
  const written = withMark(text, line, columns, look);
  if (below) {
    return [
      `${colours.dim(time.trimStart())} ${colours[colour](who)}`,
      ...written.map((part) => `  ${part}`),
    ];
  }
  const first = `${colours.dim(time)}  ${colours[colour](who.padEnd(NAME))}  `;
  return written.map((part, index) => (index === 0 ? first : ' '.repeat(before)) + part);
}

/** The delivery mark stands after the text, or below it if there is no room. */
function withMark(
  text: readonly string[],
  { delivery, queued_until }: TranscriptLine,
  columns: number,
  { colours, now }: ConversationLayout,
): string[] {
  if (delivery === null) return [...text];
  const [word, colour] = DELIVERY_MARKS[delivery];
  const until =
    queued_until === undefined
      ? ''
      : ` until ${formatClock(new Date(queued_until), new Date(now))}`;
  const mark = `${word}${until}`;
  const last = text.at(-1) ?? '';
  const painted = colours[colour](mark);
  return wrapText(`${last}  ${mark}`, columns).length === 1
    ? [...text.slice(0, -1), `${last}  ${painted}`]
    : [...text, painted];
}

// Exit codes of `relay create --wait`, one for each way a conversation can end or stop. Programs rely on them: never
// change one.

const EXITS: Readonly<Partial<Record<InstanceState, number>>> = {
  COMPLETED: 0,
  NEEDS_HUMAN_INTERVENTION: 10,
  FAILED: 11,
  ABANDONED: 12,
};

export const outcomeExitCode = ({ state }: ConversationInstance): number => EXITS[state] ?? 0;

const NO_VALID_RESULT = 13;

/** For a conversation with a result: 0 only if there is a valid one. */
export function resultExitCode(instance: ConversationInstance): number {
  if (instance.result_status === 'valid') return 0;
  return outcomeExitCode(instance) || NO_VALID_RESULT;
}

/** The result as JSON, over several lines. */
export const formatResult = ({ result }: ConversationInstance): string =>
  toPrintable(JSON.stringify(result ?? null, null, 2));

export function describeOutcome(
  instance: ConversationInstance,
  colours: ConversationColours,
): string {
  const state = colourByState(instance.state, conversationStateName(instance), colours);
  const outcome = `${state}: ${toOneLine(describeReason(instance))}`;
  return needsOwner(instance) ? `${outcome} ${describePossibleCommands(instance)}` : outcome;
}
