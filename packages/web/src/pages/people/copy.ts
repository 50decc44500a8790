// Texts of the people page: summaries from live counts, and the effect of each grant. Pure.
import type { ContactCounts, MessageRequest } from '@relay/contract/api/contacts';
import type { ErasedCounts } from '@relay/contract/api/retention';
import type { Scope } from '@relay/contract/policy/scopes';
import { foldName } from '@relay/core/contacts/match';
import { formatLocale, type TextId, t } from '../../i18n.ts';
import { formatMoment } from '../../parts/format.ts';
import type { GrantPatch } from './use-grant.tsx';

export function peopleSummary(counts: ContactCounts): string {
  const people = counts.people.open;
  const groups = counts.groups.open;
  if (people === 0 && groups === 0) return t('people.summary.none');
  if (groups === 0) return t('people.summary.people', { people });
  if (people === 0) return t('people.summary.groups', { groups });
  return t('people.summary.both', { people, groups });
}

type AccessLevel = 'known' | 'read' | 'reply' | 'auto' | 'start';
export interface AccessCount {
  readonly level: AccessLevel;
  readonly count: number;
  readonly label: string;
  readonly detail: string | null;
}

/** The levels of access: each is a subset of the one before. */
export function accessCounts({
  people,
  groups,
  in_conversations_only: inConversations,
}: ContactCounts): AccessCount[] {
  const total = (level: AccessLevel | 'open') => people[level] + groups[level];
  const toCount = (level: AccessLevel, detail: string | null): AccessCount => ({
    level,
    count: total(level),
    label: t(`people.access.${level}`),
    detail,
  });
  return [
    toCount('known', t('people.access.knownDetail', { count: total('known') - total('open') })),
    toCount(
      'read',
      inConversations === 0 ? null : t('people.access.readDetail', { count: inConversations }),
    ),
    toCount('reply', t('people.access.replyDetail', { count: total('reply') - total('auto') })),
    toCount('auto', t('people.access.autoDetail')),
    toCount('start', t('people.access.startDetail')),
  ];
}

export function messageRequestTimes(request: MessageRequest, now: number): string {
  const { count, first_at, last_at, not_stored: notStored } = request;
  const [first, last] = [formatMoment(first_at, now), formatMoment(last_at, now)];
  const received =
    first === last
      ? t('people.requests.receivedOnce', { count, last })
      : t('people.requests.receivedSince', { count, first, last });
  if (notStored === 0) return received;
  return `${received} · ${t('people.requests.notStored', { count: notStored })}`;
}

/** What is known of the sender of a message request, without any of its text. */
export function messageRequestSender(request: MessageRequest, number: string | null): string {
  const { name, calls_itself: isProfileName, groups } = request;
  const facts = [
    ...(name !== null && isProfileName ? [t('people.requests.profileName', { name })] : []),
    ...(name !== null && !isProfileName && number !== null ? [number] : []),
    ...(number === null ? [t('people.requests.numberHidden')] : []),
    ...(name === null || isProfileName ? [t('people.requests.notInContacts')] : []),
    ...(groups > 0 ? [t('people.requests.sharedGroups', { count: groups })] : []),
  ];
  return facts.join(' · ');
}

/** What a client may do with a contact, and whom its token covers. */
export const clientAccessText = (scopes: readonly Scope[], isNamed: boolean): string =>
  [
    ...scopes.map((scope) => t(`people.scope.${scope}`)),
    t(isNamed ? 'people.details.tokenForSelected' : 'people.details.tokenForGranted'),
  ].join(' · ');

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

export function confirmationFor(question: GrantQuestion, name: string): GrantConfirmation {
  switch (question) {
    case 'reply':
    case 'auto':
      return {
        title: t('people.confirm.auto.title', { name }),
        explanation: t('people.confirm.auto.explanation', { name }),
        confirmLabel: t('people.confirm.auto.action'),
        cancelLabel: t('common.action.cancel'),
        change: question === 'reply' ? { canReply: true } : { replyMode: 'auto' },
      };
    case 'start':
      return {
        title: t('people.confirm.start.title', { name }),
        explanation: t('people.confirm.start.explanation', { name }),
        confirmLabel: t('people.confirm.start.action'),
        cancelLabel: t('common.action.cancel'),
        change: { canInitiate: true },
      };
    case 'delete':
      return {
        title: t('people.confirm.delete.title', { name }),
        explanation: t('people.confirm.delete.explanation'),
        confirmLabel: t('common.action.delete'),
        cancelLabel: t('common.action.keep'),
        change: null,
      };
  }
}

// What erasing a contact deletes, as counts, and whether the name was typed to confirm. Pure.

const ERASED_TEXTS: Readonly<Record<keyof ErasedCounts, TextId>> = {
  messages: 'people.erased.messages',
  sent: 'people.erased.sent',
  conversations: 'people.erased.conversations',
  session_lines: 'people.erased.session_lines',
  schedules: 'people.erased.schedules',
  approvals: 'people.erased.approvals',
  grants: 'people.erased.grants',
  digests: 'people.erased.digests',
  assistant_answers: 'people.erased.assistant_answers',
  tool_calls: 'people.erased.tool_calls',
};

export function erasedText(counts: ErasedCounts): string {
  const items = (Object.keys(ERASED_TEXTS) as (keyof ErasedCounts)[])
    .filter((kind) => counts[kind] > 0)
    .map((kind) => t(ERASED_TEXTS[kind], { count: counts[kind] }));
  if (items.length === 0) return t('people.erased.entryOnly');
  return new Intl.ListFormat(formatLocale(), { type: 'conjunction' }).format(items);
}

/** Compares names without regard to case, accents and spaces. */
export const isNameTyped = (typed: string, name: string): boolean =>
  foldName(typed) !== '' && foldName(typed) === foldName(name);

const OFFERED_LIMITS = [7, 30, 90, 365];

/** The limits to choose from for one chat, with the present one; `null` is the general limit. */
export function messageLimitChoices(
  general: number,
  own: number | null,
): { value: string; label: string }[] {
  const days = [...new Set([...OFFERED_LIMITS, ...(own ? [own] : [])])].sort((a, b) => a - b);
  const limitText = (count: number) =>
    count === 0 ? t('people.retention.keep') : t('people.retention.days', { count });
  return [
    { value: 'null', label: t('people.retention.general', { limit: limitText(general) }) },
    { value: '0', label: limitText(0) },
    ...days.map((count) => ({ value: String(count), label: limitText(count) })),
  ];
}
