// What the address of the conversations says: the board or the list, which of them, and whether one is being created.
// Pure. Whatever an address holds that is not known here is left out, so that no link can break the page.
import { INSTANCE_STATES, type InstanceState } from '@relay/core/conversation/states';
import { TURNS, type Turn } from '@relay/core/conversation/turns';

export interface ConversationsSearch {
  readonly view?: 'list' | undefined;
  /** On a phone the board shows one turn at a time. */
  readonly turn?: Turn | undefined;
  readonly state?: InstanceState | undefined;
  /** A contact's id. */
  readonly person?: string | undefined;
  readonly words?: string | undefined;
  /** The template that a new one begins from. */
  readonly new?: string | undefined;
}

/** The router reads numbers as numbers, and somebody may look for one. */
const wordOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) : '';

const oneOf = <Value extends string>(known: readonly Value[], value: unknown) =>
  known.find((one) => one === value);

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function readConversationsSearch(
  raw: Readonly<Record<string, unknown>>,
): ConversationsSearch {
  const read = {
    view: oneOf(['list'], raw.view),
    turn: oneOf(TURNS, raw.turn),
    state: oneOf(INSTANCE_STATES, raw.state),
    person: UUID.test(wordOf(raw.person)) ? wordOf(raw.person) : undefined,
    words: wordOf(raw.words).trim() || undefined,
    new: wordOf(raw.new).trim() || undefined,
  };
  return known(read);
}

/** As the daemon is asked for them. */
export interface Filters {
  readonly turn?: Turn;
  readonly state?: InstanceState;
  readonly contact?: string;
  readonly words?: string;
}

export const filtersOf = ({ turn, state, person, words }: ConversationsSearch): Filters =>
  known({ turn, state, contact: person, words });

const known = (of: object) =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined));
