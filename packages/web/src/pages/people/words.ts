// The sentences of the page, built of live counts, and what opening somebody means. Pure.
import type { ContactCounts, ContactsShown, Knock } from '@relay/core/api/contacts';
import type { Scope } from '@relay/core/policy/actors';
import { SCOPE_WORDS } from '@relay/core/policy/scopes';
import { counted, grouped, plural } from '../../parts/numbers.ts';
import { moment } from '../../parts/times.ts';

export function peopleSentence({ people, groups }: ContactCounts): string {
  if (people.open + groups.open === 0) return 'Everyone is closed.';
  const open = [
    ...(people.open === 0 ? [] : [counted(people.open, 'person', 'people')]),
    ...(groups.open === 0 ? [] : [counted(groups.open, 'group')]),
  ];
  const are = people.open + groups.open === 1 ? 'is' : 'are';
  const [first = '', second] = open;
  const who = second === undefined ? first : `${first} and ${second.toLowerCase()}`;
  return `${who} ${are} open. Everyone else is closed.`;
}

export const LEAD =
  'Closed means no agent reads it, no model sees it, nothing is answered. Only you can open someone.';

type Rung = 'known' | 'read' | 'reply' | 'auto' | 'start';
export interface RungWords {
  readonly rung: Rung;
  readonly n: number;
  readonly says: string;
  readonly more: string;
}

/** How far it is open: each within the one before it. */
export function ladder({ people, groups, in_conversations_only }: ContactCounts): RungWords[] {
  const of = (rung: Rung) => people[rung] + groups[rung];
  const closed = people.known + groups.known - people.open - groups.open;
  const inside =
    in_conversations_only === 0 ? 'by your grants' : `${in_conversations_only} more inside talks`;
  return [
    { rung: 'known', n: of('known'), says: 'known', more: `${grouped(closed)} closed` },
    { rung: 'read', n: of('read'), says: 'may be read', more: inside },
    {
      rung: 'reply',
      n: of('reply'),
      says: 'may be answered',
      more: `${of('reply') - of('auto')} as drafts`,
    },
    { rung: 'auto', n: of('auto'), says: 'are answered', more: 'without asking you' },
    { rung: 'start', n: of('start'), says: 'may be written first', more: 'still paced' },
  ];
}

export function knockedWhen(knock: Knock, now: number): string {
  const { count, first_at, last_at, not_stored } = knock;
  const [first, last] = [moment(first_at, now), moment(last_at, now)];
  const messages = plural(count, 'message');
  const when = first === last ? `${messages}, ${last}` : `${messages} since ${first}, last ${last}`;
  return not_stored === 0 ? when : `${when}; ${grouped(not_stored)} not stored`;
}

/** What is known of whoever knocked, without a word of theirs. */
export function knockedWho(knock: Knock, number: string | null): string {
  const { name, calls_itself: itself, groups } = knock;
  const known = [
    ...(name !== null && itself ? [`calls itself “${name}”`] : []),
    ...(name !== null && !itself && number !== null ? [number] : []),
    ...(number === null ? ['hidden number'] : []),
    ...(name === null || itself ? ['not in your contacts'] : []),
    ...(groups > 0 ? [`in ${plural(groups, 'group')} with you`] : []),
  ];
  return known.join(' · ');
}

/** What the table shows, as its filter says it. */
export const SHOWN_WORDS: Readonly<Record<ContactsShown, string>> = {
  open: 'Open',
  closed: 'Closed',
  all: 'All',
  recorded: 'With a record',
  read: 'May be read',
  reply: 'May be answered',
  auto: 'Answered without asking',
  start: 'May be written first',
  conversation: 'Inside a conversation',
};

const MAY: Partial<Record<Scope, string>> = SCOPE_WORDS;

/** What a program may do about somebody, and why about them. */
export const programMay = (scopes: readonly Scope[], isNamed: boolean): string =>
  `May ${scopes.map((scope) => MAY[scope] ?? 'do whatever you may').join('; ')}. ${isNamed ? 'It was made for them by name.' : 'Only as far as your grants go.'}`;
