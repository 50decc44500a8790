// Texts of the people page: summaries from live counts, and the effect of each grant. Pure.
import type { ContactCounts, ContactFilter, MessageRequest } from '@relay/contract/api/contacts';
import type { ErasedCounts } from '@relay/contract/api/retention';
import { SCOPE_DESCRIPTIONS, type Scope } from '@relay/contract/policy/scopes';
import { foldName } from '@relay/core/contacts/match';
import { countInWords, formatMoment, groupDigits, plural } from '../../parts/format.ts';
import type { GrantPatch } from './use-grant.tsx';

export function peopleSentence({ people, groups }: ContactCounts): string {
  if (people.open + groups.open === 0) return 'Everyone is closed.';
  const open = [
    ...(people.open === 0 ? [] : [countInWords(people.open, 'person', 'people')]),
    ...(groups.open === 0 ? [] : [countInWords(groups.open, 'group')]),
  ];
  const are = people.open + groups.open === 1 ? 'is' : 'are';
  const [first = '', second] = open;
  const who = second === undefined ? first : `${first} and ${second.toLowerCase()}`;
  return `${who} ${are} open. Everyone else is closed.`;
}

export const PEOPLE_LEAD =
  'Closed means no agent reads it, no model sees it, nothing is answered. Only you can open someone.';

type Rung = 'known' | 'read' | 'reply' | 'auto' | 'start';
export interface LadderRung {
  readonly rung: Rung;
  readonly n: number;
  readonly label: string;
  readonly detail: string;
}

/** The steps of access: each is a subset of the one before. */
export function grantLadder({
  people,
  groups,
  in_conversations_only,
}: ContactCounts): LadderRung[] {
  const of = (rung: Rung) => people[rung] + groups[rung];
  const closed = people.known + groups.known - people.open - groups.open;
  const inside =
    in_conversations_only === 0 ? 'by your grants' : `${in_conversations_only} more inside talks`;
  return [
    { rung: 'known', n: of('known'), label: 'known', detail: `${groupDigits(closed)} closed` },
    { rung: 'read', n: of('read'), label: 'may be read', detail: inside },
    {
      rung: 'reply',
      n: of('reply'),
      label: 'may be answered',
      detail: `${of('reply') - of('auto')} as drafts`,
    },
    { rung: 'auto', n: of('auto'), label: 'are answered', detail: 'without asking you' },
    { rung: 'start', n: of('start'), label: 'may be written first', detail: 'still paced' },
  ];
}

export function messageRequestTimes(knock: MessageRequest, now: number): string {
  const { count, first_at, last_at, not_stored } = knock;
  const [first, last] = [formatMoment(first_at, now), formatMoment(last_at, now)];
  const messages = plural(count, 'message');
  const when = first === last ? `${messages}, ${last}` : `${messages} since ${first}, last ${last}`;
  return not_stored === 0 ? when : `${when}; ${groupDigits(not_stored)} not stored`;
}

/** What is known of the sender of a message request, without any of its text. */
export function messageRequestSender(knock: MessageRequest, number: string | null): string {
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

/** What the table shows, by filter. */
export const CONTACTS_SHOWN_LABELS: Readonly<Record<ContactFilter, string>> = {
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

const SCOPE_TEXTS: Partial<Record<Scope, string>> = SCOPE_DESCRIPTIONS;

/** What a client may do with a contact, and why. */
export const clientAccessText = (scopes: readonly Scope[], isNamed: boolean): string =>
  `May ${scopes.map((scope) => SCOPE_TEXTS[scope] ?? 'do whatever you may').join('; ')}. ${isNamed ? 'It was made for them by name.' : 'Only as far as your grants go.'}`;

// Confirmations before a far-reaching change, and what confirming does. Pure.

export type GrantQuestion = 'reply' | 'auto' | 'start' | 'delete';

export interface GrantConfirmation {
  readonly title: string;
  readonly explanation: string;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  /** The flags that confirming sets; null when it deletes. */
  readonly change: GrantPatch | null;
}

const WITHOUT_ASKING =
  'answers by itself, without showing you first. Pacing, quiet hours and the hold still apply, and each reply stands in the ledger.';

export function confirmationFor(question: GrantQuestion, name: string): GrantConfirmation {
  switch (question) {
    case 'reply':
    case 'auto':
      return {
        title: `Let replies to ${name} leave without asking you?`,
        explanation: `Relay then reads what ${name} writes and ${WITHOUT_ASKING}`,
        confirmLabel: 'Answer without asking',
        cancelLabel: 'Keep asking me',
        change: question === 'reply' ? { canReply: true } : { replyMode: 'auto' },
      };
    case 'start':
      return {
        title: `May agents write to ${name} first?`,
        explanation: `Agents may then begin a conversation with ${name} without asking you. It is still paced, and the first message ever still waits for your yes.`,
        confirmLabel: 'Allow',
        cancelLabel: 'Keep it closed',
        change: { canInitiate: true },
      };
    case 'delete':
      return {
        title: `Delete ${name}?`,
        explanation: 'Nothing stays open for them, and what waits is not sent.',
        confirmLabel: 'Delete',
        cancelLabel: 'Keep',
        change: null,
      };
  }
}

// What forgetting erases, as counts, and whether the name was typed to confirm. Pure.

const ERASED_WORDS: Readonly<Record<keyof ErasedCounts, readonly [one: string, many: string]>> = {
  messages: ['message', 'messages'],
  sent: ['message that Relay sent', 'messages that Relay sent'],
  conversations: ['conversation', 'conversations'],
  session_lines: ['line of auto-reply', 'lines of auto-reply'],
  schedules: ['schedule', 'schedules'],
  approvals: ['approval', 'approvals'],
  grants: ['grant', 'grants'],
  digests: ['digest', 'digests'],
  assistant_answers: ['answer of the assistant', 'answers of the assistant'],
  tool_calls: ['lookup of the assistant', 'lookups of the assistant'],
};

export function erasedText(counts: ErasedCounts): string {
  const counted = (Object.keys(ERASED_WORDS) as (keyof ErasedCounts)[])
    .filter((what) => counts[what] > 0)
    .map((what) => plural(counts[what], ...ERASED_WORDS[what]));
  const last = counted.pop();
  if (last === undefined) return 'nothing but the entry itself';
  return counted.length === 0 ? last : `${counted.join(', ')} and ${last}`;
}

/** Compares names without regard to case, accents and spaces. */
export const isNameTyped = (typed: string, name: string): boolean =>
  foldName(typed) !== '' && foldName(typed) === foldName(name);
