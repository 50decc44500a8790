// What Home's address says: over which time its charts look back. Pure; anything else is a day.

import type { ApprovalState } from '@relay/contract/api/approvals';
import type { ActivityHours } from '@relay/contract/api/constants';
import type { ContactFilter } from '@relay/contract/api/contacts';
import {
  INSTANCE_STATES,
  type InstanceState,
  TURNS,
  type WhoseTurn,
} from '@relay/contract/conversation/states';

interface HomeSearch {
  readonly hours?: ActivityHours;
}

export const ACTIVITY_SPANS: readonly { readonly hours: ActivityHours; readonly word: string }[] = [
  { hours: 24, word: '24 h' },
  { hours: 168, word: '7 days' },
  { hours: 720, word: '30 days' },
];

export function readHomeSearch(raw: Readonly<Record<string, unknown>>): HomeSearch {
  const hours = ACTIVITY_SPANS.find((span) => span.hours === Number(raw.hours))?.hours;
  return hours === undefined || hours === 24 ? {} : { hours };
}

// What the address of the approvals says: which of them are listed. Pure; whatever else stands there is left out.

export interface ApprovalsSearch {
  /** Left out, those that wait. */
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

// What the address of the conversations says: the board or the list, which of them, and whether one is being created.
// Pure. Whatever an address holds that is not known here is left out, so that no link can break the page.

export interface ConversationsSearch {
  readonly view?: 'list' | undefined;
  /** On a phone the board shows one turn at a time. */
  readonly turn?: WhoseTurn | undefined;
  readonly state?: InstanceState | undefined;
  /** A contact's id. */
  readonly person?: string | undefined;
  readonly words?: string | undefined;
  /** The template that a new one begins from. */
  readonly new?: string | undefined;
}

/** The router reads numbers as numbers, and somebody may look for one. */
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

/** As the daemon is asked for them. */
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

// Which part of a conversation a phone shows: it stands in the address. Pure.

export const CONVERSATION_TABS = {
  transcript: 'Transcript',
  plan: 'Plan',
  history: 'History',
} as const;
export type ConversationTab = keyof typeof CONVERSATION_TABS;

interface ConversationSearch {
  /** The transcript unless given. */
  readonly tab?: Exclude<ConversationTab, 'transcript'>;
}

export function readConversationSearch(raw: Readonly<Record<string, unknown>>): ConversationSearch {
  return raw.tab === 'plan' || raw.tab === 'history' ? { tab: raw.tab } : {};
}

// What the address of the chats says: which are listed, and at which message one is opened. Pure. What is not known
// here is left out, so that no link can break the page.

interface ChatsSearch {
  /** A name or a number. */
  readonly q?: string;
  /** WhatsApp's id of a message to begin at. */
  readonly message?: string;
}

/** The router reads digits as numbers. */
const readChatsText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim().slice(0, 128) : '';

export function readChatsSearch(raw: Readonly<Record<string, unknown>>): ChatsSearch {
  const q = readChatsText(raw.q);
  const message = readChatsText(raw.message);
  return { ...(q === '' ? {} : { q }), ...(message === '' ? {} : { message }) };
}

// What the address of the assistant may bring along: a question from another page, put into the field and not asked.
// Pure.

interface AssistantSearch {
  readonly ask?: string | undefined;
}

export const readAssistantSearch = ({ ask }: Readonly<Record<string, unknown>>): AssistantSearch =>
  ['string', 'number'].includes(typeof ask) ? { ask: String(ask).slice(0, 2_000) } : {};

// What the page's address says: those to come or those that are over, and which page of them. Pure.

interface SchedulesSearch {
  readonly show?: 'past' | undefined;
  /** From 1, which is left out. */
  readonly page?: number | undefined;
}

export function readSchedulesSearch(raw: Readonly<Record<string, unknown>>): SchedulesSearch {
  const page = Number(raw.page);
  return {
    ...(raw.show === 'past' ? { show: 'past' as const } : {}),
    ...(Number.isInteger(page) && page > 1 ? { page } : {}),
  };
}

// What the page's address says: whom the table shows, and whose details are open. Pure. Whatever an address holds that
// is not known here is left out, so that no link can break the page.

export interface PeopleSearch {
  readonly show?: ContactFilter | undefined;
  readonly q?: string | undefined;
  /** From 1, which is left out. */
  readonly page?: number | undefined;
  /** Whose details are open. */
  readonly who?: string | undefined;
}

/** What the table shows when the address does not say: those who are open. */
export const DEFAULT_CONTACTS_SHOWN: ContactFilter = 'open';
// Said again, because the schemas would come with the first load; the type sees to it that these are some of theirs.
const CONTACTS_SHOWN: readonly ContactFilter[] = [
  ...(['all', 'closed', 'recorded'] as const),
  ...(['read', 'reply', 'auto', 'start', 'conversation'] as const),
];
const LONGEST_PEOPLE_QUERY = 200;

export function readPeopleSearch(raw: Readonly<Record<string, unknown>>): PeopleSearch {
  const show = CONTACTS_SHOWN.find((shown) => shown === raw.show);
  // The router reads numbers as numbers, and people look for numbers.
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

// What of the page stands in its address: the day that is looked at, and whether by hours or as a whole. Pure.

export interface GroupsSearch {
  /** `YYYY-MM-DD`; the last day that has something unless given. */
  readonly day?: string;
  readonly by?: 'hour' | 'day';
}

/** What is not understood is left out. */
export function readGroupsSearch({ day, by }: Record<string, unknown>): GroupsSearch {
  const isDay =
    typeof day === 'string' && /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  return { ...(isDay ? { day } : {}), ...(by === 'hour' || by === 'day' ? { by } : {}) };
}

// What the address of Search says: the question, what narrows it, and through whose eyes. Pure. What is not known
// here is left out, so that no link can break the page.

export const SEARCH_KINDS = ['message', 'digest', 'fact'] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchAddress {
  readonly q?: string | undefined;
  /** A name, a number or an id, as are `person` and what stands in the fields. */
  readonly chat?: string | undefined;
  readonly person?: string | undefined;
  /** Days: `2026-03-01`, or words as `yesterday`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly kind?: SearchKind | undefined;
  /** `assistant`, or the id of a program's token; without it, the owner. */
  readonly as?: string | undefined;
  /** As many as there may be, and not only the best. */
  readonly all?: true | undefined;
}

const SEARCH_TEXT_LIMITS = { q: 2_000, chat: 128, person: 128, from: 64, to: 64, as: 64 } as const;

/** The router reads numbers as numbers, and people search for those too. */
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

/** Whatever narrows the question, and whether anything does. */
export const isNarrowed = ({ chat, person, from, to }: SearchAddress): boolean =>
  [chat, person, from, to].some((each) => each !== undefined);

export const UNNARROWED = {
  chat: undefined,
  person: undefined,
  from: undefined,
  to: undefined,
} as const;

// What the ledger's address says: which decisions are shown, or which message is told about. Pure. Whatever an
// address holds that is not known here is left out, so that no link can break the page.

export interface LedgerSearch {
  /** A message whose story is told, by WhatsApp's id or by Relay's. */
  readonly message?: string;
  /** The chat of that message, where several hold one of this id. */
  readonly chat?: string;
  readonly actor?: string;
  readonly action?: string;
  /** A group of `OUTCOMES`, or one outcome as the ledger has it. */
  readonly outcome?: string;
  /** An id: of a message, a chat, a contact, an approval. */
  readonly subject?: string;
  readonly since?: Since;
}

export const LEDGER_SINCE = {
  hour: { word: 'Last hour', ms: 3_600_000 },
  day: { word: 'Last 24 hours', ms: 86_400_000 },
  week: { word: 'Last 7 days', ms: 7 * 86_400_000 },
} as const;
type Since = keyof typeof LEDGER_SINCE;

/** As the owner tells them apart; the ledger knows more kinds of leaving something alone. */
export const OUTCOME_GROUPS = {
  answered: { word: 'Answered', of: ['answered'] },
  allowed: { word: 'Allowed', of: ['allow'] },
  asked: { word: 'Asked you', of: ['needs_approval', 'waiting'] },
  left: { word: 'Left alone', of: ['stored', 'ignored', 'unanswered', 'skipped'] },
  refused: { word: 'Refused', of: ['deny', 'stopped'] },
} as const;

/** As the API takes it: several in a row. */
export const expandOutcomeGroup = (outcome: string): string =>
  Object.hasOwn(OUTCOME_GROUPS, outcome)
    ? OUTCOME_GROUPS[outcome as keyof typeof OUTCOME_GROUPS].of.join(',')
    : outcome;

const LEDGER_TEXT_PARAMS = ['message', 'chat', 'actor', 'action', 'outcome', 'subject'] as const;

/** The router reads numbers as numbers, and an id may consist of digits alone. */
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

/** The list's part of it: a row is chosen from a list, and not together with a message's story. */
export const pickLedgerFilters = ({
  message: _,
  chat: __,
  ...filters
}: LedgerSearch): LedgerSearch => filters;
