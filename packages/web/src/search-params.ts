// Search parameters of Home: the period of its charts. Pure; anything invalid means one day.

import type { ApprovalState } from '@relay/contract/api/approvals';
import type { ActivityHours } from '@relay/contract/api/constants';
import type { ContactFilter } from '@relay/contract/api/contacts';
import {
  INSTANCE_STATES,
  type InstanceState,
  TURNS,
  type WhoseTurn,
} from '@relay/contract/conversation/states';
import type { TextId } from './i18n.ts';

interface HomeSearch {
  readonly hours?: ActivityHours;
}

export const ACTIVITY_SPANS: readonly { readonly hours: ActivityHours }[] = [
  { hours: 24 },
  { hours: 168 },
  { hours: 720 },
];

export function readHomeSearch(raw: Readonly<Record<string, unknown>>): HomeSearch {
  const hours = ACTIVITY_SPANS.find((span) => span.hours === Number(raw.hours))?.hours;
  return hours === undefined || hours === 24 ? {} : { hours };
}

// Search parameters of the approvals: which are listed. Pure; anything else is ignored.

export interface ApprovalsSearch {
  /** Undefined for the pending ones. */
  readonly state?: DecidedState;
}

type DecidedState = Exclude<ApprovalState, 'pending'>;

const DECIDED_STATES: readonly string[] = [
  'approved',
  'rejected',
  'expired',
] satisfies readonly DecidedState[];

export const readApprovalsSearch = ({
  state,
}: Readonly<Record<string, unknown>>): ApprovalsSearch =>
  DECIDED_STATES.includes(String(state)) ? { state: state as DecidedState } : {};

// Search parameters of the conversations: board or list, filters, and the open form. Pure. Unknown parameters are
// ignored, so that no link can break the page.

export interface ConversationsSearch {
  readonly view?: 'list' | undefined;
  /** On a phone the board shows one turn at a time. */
  readonly turn?: WhoseTurn | undefined;
  readonly state?: InstanceState | undefined;
  /** A contact's id. */
  readonly person?: string | undefined;
  readonly words?: string | undefined;
  /** The template for a new conversation. */
  readonly new?: string | undefined;
}

/** The router parses digits as numbers, but they may be search text. */
const readConversationsText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : '';

const oneOf = <Value extends string>(known: readonly Value[], value: unknown) =>
  known.find((one) => one === value);

const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readConversationsSearch(
  raw: Readonly<Record<string, unknown>>,
): ConversationsSearch {
  const read = {
    view: oneOf(['list'], raw.view),
    turn: oneOf(TURNS, raw.turn),
    state: oneOf(INSTANCE_STATES, raw.state),
    person: UUID_PATTERN.test(readConversationsText(raw.person))
      ? readConversationsText(raw.person)
      : undefined,
    words: readConversationsText(raw.words).trim() || undefined,
    new: readConversationsText(raw.new).trim() || undefined,
  };
  return withoutUndefined(read);
}

/** As the API takes them. */
export interface ConversationFilters {
  readonly turn?: WhoseTurn;
  readonly state?: InstanceState;
  readonly contact?: string;
  readonly words?: string;
}

export const toConversationFilters = ({
  turn,
  state,
  person,
  words,
}: ConversationsSearch): ConversationFilters =>
  withoutUndefined({ turn, state, contact: person, words });

const withoutUndefined = (of: object) =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));

// Search parameter of a conversation: the part that a phone shows. Pure.

export const CONVERSATION_TAB_LABELS = {
  transcript: 'common.conversation.tab.transcript',
  plan: 'common.conversation.tab.plan',
  history: 'common.conversation.tab.history',
} as const satisfies Readonly<Record<string, TextId>>;
export type ConversationTab = keyof typeof CONVERSATION_TAB_LABELS;

interface ConversationSearch {
  /** The transcript if missing. */
  readonly tab?: Exclude<ConversationTab, 'transcript'>;
}

export function readConversationSearch(raw: Readonly<Record<string, unknown>>): ConversationSearch {
  return raw.tab === 'plan' || raw.tab === 'history' ? { tab: raw.tab } : {};
}

// Search parameters of the chats: the list's filter and the message to open at. Pure. Unknown parameters are ignored,
// so that no link can break the page.

interface ChatsSearch {
  /** A name or a number. */
  readonly q?: string;
  /** WhatsApp's id of the message to start at. */
  readonly message?: string;
}

/** The router parses digits as numbers. */
const readChatsText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, 128) : '';

export function readChatsSearch(raw: Readonly<Record<string, unknown>>): ChatsSearch {
  const q = readChatsText(raw.q);
  const message = readChatsText(raw.message);
  return { ...(q === '' ? {} : { q }), ...(message === '' ? {} : { message }) };
}

// Search parameter of the assistant: a question from another page, put into the field but not asked. Pure.

interface AssistantSearch {
  readonly ask?: string | undefined;
}

export const readAssistantSearch = ({ ask }: Readonly<Record<string, unknown>>): AssistantSearch =>
  ['string', 'number'].includes(typeof ask) ? { ask: String(ask).slice(0, 2_000) } : {};

// Search parameters of the schedules: upcoming or past, and the page. Pure.

interface SchedulesSearch {
  readonly show?: 'past' | undefined;
  /** From 1, which is omitted. */
  readonly page?: number | undefined;
}

export function readSchedulesSearch(raw: Readonly<Record<string, unknown>>): SchedulesSearch {
  const page = Number(raw.page);
  return {
    ...(raw.show === 'past' ? { show: 'past' as const } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}

// Search parameters of the people page: the filter and whose details are open. Pure. Unknown parameters are ignored, so
// that no link can break the page.

export interface PeopleSearch {
  readonly show?: ContactFilter | undefined;
  readonly q?: string | undefined;
  /** From 1, which is omitted. */
  readonly page?: number | undefined;
  /** Whose details are open. */
  readonly who?: string | undefined;
}

/** The default filter: those with a grant. */
export const DEFAULT_CONTACTS_SHOWN: ContactFilter = 'open';
// Repeated here, because the schemas would enlarge the first load; the type checks that the values match.
const CONTACTS_SHOWN: readonly ContactFilter[] = [
  ...(['all', 'closed', 'recorded'] as const),
  ...(['read', 'reply', 'auto', 'start', 'conversation'] as const),
];
const LONGEST_PEOPLE_QUERY = 200;

export function readPeopleSearch(raw: Readonly<Record<string, unknown>>): PeopleSearch {
  const show = CONTACTS_SHOWN.find((shown) => shown === raw.show);
  // The router parses digits as numbers, but people search for numbers.
  const q = isTextParam(raw.q) ? String(raw.q).slice(0, LONGEST_PEOPLE_QUERY) : '';
  const page = Number(raw.page);
  const who = isTextParam(raw.who) ? String(raw.who) : '';
  return {
    ...(show === undefined ? {} : { show }),
    ...(q === '' ? {} : { q }),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
    ...(/^[0-9a-f-]{36}$/i.test(who) ? { who } : {}),
  };
}

const isTextParam = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number';

// Search parameters of the groups: the day, and whether by hour or as a whole. Pure.

export interface GroupsSearch {
  /** `YYYY-MM-DD`; the last day with content if missing. */
  readonly day?: string;
  readonly by?: 'hour' | 'day';
}

/** Invalid values are ignored. */
export function readGroupsSearch({ day, by }: Record<string, unknown>): GroupsSearch {
  const isDay =
    typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  return { ...(isDay ? { day } : {}), ...(by === 'hour' || by === 'day' ? { by } : {}) };
}

// Search parameters of the search: the query, filters, and whose access is used. Pure. Unknown parameters are ignored,
// so that no link can break the page.

export const SEARCH_KINDS = ['message', 'digest', 'fact'] as const;
type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchAddress {
  readonly q?: string | undefined;
  /** A name, a number or an id, as for `person` and in the fields. */
  readonly chat?: string | undefined;
  readonly person?: string | undefined;
  /** Days: `2026-03-01`, or words such as `yesterday`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly kind?: SearchKind | undefined;
  /** `assistant`, or the id of a client's token; without it, the owner. */
  readonly as?: string | undefined;
  /** Shows the maximum number of results instead of only the best. */
  readonly all?: true | undefined;
}

const SEARCH_TEXT_LIMITS = { q: 2_000, chat: 128, person: 128, from: 64, to: 64, as: 64 } as const;

/** The router parses digits as numbers, but people search for those too. */
const readSearchText = (value: unknown, most: number): string =>
  ['string', 'number', 'boolean'].includes(typeof value) ? String(value).slice(0, most) : '';

export function readSearchAddress(raw: Readonly<Record<string, unknown>>): SearchAddress {
  const words = Object.entries(SEARCH_TEXT_LIMITS).map(([name, most]) => [
    name,
    readSearchText(raw[name], most),
  ]);
  const kind = SEARCH_KINDS.find((each) => each === raw.kind);
  return {
    ...Object.fromEntries(words.filter(([, word]) => word?.trim() !== '')),
    ...(kind === undefined ? {} : { kind }),
    ...(raw.all === true ? { all: true } : {}),
  };
}

/** Whether any filter is set. */
export const isNarrowed = ({ chat, person, from, to }: SearchAddress): boolean =>
  [chat, person, from, to].some((each) => each !== undefined);

export const UNNARROWED = {
  chat: undefined,
  person: undefined,
  from: undefined,
  to: undefined,
} as const;

// Search parameters of the ledger: filters, or the message to explain. Pure. Unknown parameters are ignored, so that no
// link can break the page.

export interface LedgerSearch {
  /** The message to explain, by WhatsApp's id or Relay's. */
  readonly message?: string;
  /** The chat of that message, if several contain this id. */
  readonly chat?: string;
  readonly actor?: string;
  readonly action?: string;
  /** A group of `OUTCOMES`, or one outcome of the ledger. */
  readonly outcome?: string;
  /** The id of a message, a chat, a contact or an approval. */
  readonly subject?: string;
  readonly since?: Since;
}

export const LEDGER_SINCE = {
  hour: { label: 'common.since.hour', ms: 3_600_000 },
  day: { label: 'common.since.day', ms: 86_400_000 },
  week: { label: 'common.since.week', ms: 7 * 86_400_000 },
} as const satisfies Readonly<Record<string, { readonly label: TextId; readonly ms: number }>>;
type Since = keyof typeof LEDGER_SINCE;

/** Outcomes grouped as the owner sees them; the ledger has more kinds of ignoring a message. */
export const OUTCOME_GROUPS = {
  answered: { label: 'common.outcomeGroup.answered', of: ['answered'] },
  allowed: { label: 'common.outcomeGroup.allowed', of: ['allow'] },
  asked: { label: 'common.outcomeGroup.asked', of: ['needs_approval', 'waiting'] },
  left: { label: 'common.outcomeGroup.left', of: ['stored', 'ignored', 'unanswered', 'skipped'] },
  refused: { label: 'common.outcomeGroup.refused', of: ['deny', 'stopped'] },
} as const satisfies Readonly<
  Record<string, { readonly label: TextId; readonly of: readonly string[] }>
>;

/** As the API takes it: several, separated. */
export const expandOutcomeGroup = (outcome: string): string =>
  Object.hasOwn(OUTCOME_GROUPS, outcome)
    ? OUTCOME_GROUPS[outcome as keyof typeof OUTCOME_GROUPS].of.join(',')
    : outcome;

const LEDGER_TEXT_PARAMS = ['message', 'chat', 'actor', 'action', 'outcome', 'subject'] as const;

/** The router parses digits as numbers, but an id may consist of digits alone. */
const readLedgerText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, 100) : '';

export function readLedgerSearch(raw: Readonly<Record<string, unknown>>): LedgerSearch {
  const words = LEDGER_TEXT_PARAMS.map((name) => [name, readLedgerText(raw[name])] as const);
  const since = readLedgerText(raw.since);
  return {
    ...Object.fromEntries(words.filter(([, word]) => word !== '')),
    ...(Object.hasOwn(LEDGER_SINCE, since) ? { since: since as Since } : {}),
  };
}

export const isLedgerFiltered = ({
  actor,
  action,
  outcome,
  subject,
  since,
}: LedgerSearch): boolean =>
  [actor, action, outcome, subject, since].some((part) => part !== undefined);

/** The filters only: a row is selected in a list, not together with a message's history. */
export const pickLedgerFilters = ({
  message: _,
  chat: __,
  ...filters
}: LedgerSearch): LedgerSearch => filters;
