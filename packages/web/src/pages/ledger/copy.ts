// Texts of the ledger page beyond the daemon's own sentences.
import type { LedgerLine } from '@relay/contract/api/ledger';
import { OUTBOX_STATES } from '@relay/contract/outbox/states';
import { formatLocale, type TextId, t } from '../../i18n.ts';
import { approvalAnswerText } from '../../parts/approval-copy.ts';
import { capitalize, formatMomentParts } from '../../parts/format.ts';
import { grantSentence } from '../../parts/grant-copy.ts';
import { approvalAnswer } from '../../parts/outcomes.ts';
import { decisionSentence } from '../../parts/sentences.ts';

/** Undefined if the number of decisions is not known. */
export const ledgerSummary = (rows: number | undefined): string =>
  rows === undefined ? t('ledger.summary.filtered') : t('ledger.summary', { count: rows });

let timeFormat: Intl.DateTimeFormat | undefined;

interface RowTime {
  /** Null for today. */
  readonly day: string | null;
  readonly time: string;
}

/** Rows follow closely, so seconds are shown; the day only if it is not today. */
export function rowTime(at: string, now: number): RowTime {
  timeFormat ??= new Intl.DateTimeFormat(formatLocale(), { timeStyle: 'medium' });
  const { day } = formatMomentParts(at, now);
  return { day, time: timeFormat.format(new Date(at)) };
}

/** Day and time in one text. */
export function rowDayTime(at: string, now: number): string {
  const { day, time } = rowTime(at, now);
  return day === null ? time : t('common.time.dayAndTime', { day, time });
}

// Actors and actions by their codes. Codes of a newer daemon are shown as the daemon describes them.

export const ACTORS = [
  'owner',
  'router',
  'auto_reply',
  'assistant',
  'conversation',
  'token',
  'scheduler',
  'observer',
  'recheck',
  'relay',
  'notifier',
] as const;
type Actor = (typeof ACTORS)[number];

const isActor = (kind: string): kind is Actor => (ACTORS as readonly string[]).includes(kind);

export function actorLabel({ actor, who }: Pick<LedgerLine, 'actor' | 'who'>): string {
  const [kind = ''] = actor.split(':');
  // The daemon's text is the kind and the quoted name.
  const name = who.slice(who.indexOf(' ') + 1);
  return isActor(kind) ? t(`ledger.actor.${kind}`, { name }) : capitalize(who);
}

/** For the filter: all actors of a kind. */
export const actorKindLabel = (kind: Actor): string =>
  kind === 'conversation' || kind === 'token'
    ? t(`ledger.actors.${kind}`)
    : t(`ledger.actor.${kind}`);

/** The actions that can be filtered by. */
export const FILTER_ACTIONS = [
  'route_message',
  'answer_message',
  'send_message',
  'stop_message',
  'schedule_message',
  'create_conversation',
  'manage_grant',
  'answer_approval',
  'set_hold',
  'cancel_schedule',
  'observe_group',
  'merge_contacts',
  'forget',
  'enforce_retention',
] as const;
const ACTIONS = [
  ...FILTER_ACTIONS,
  'pause_conversation',
  'resume_conversation',
  'cancel_conversation',
  'unobserve_group',
  'react',
  'mark_read',
] as const;
type Action = (typeof ACTIONS)[number];

const isAction = (action: string): action is Action =>
  (ACTIONS as readonly string[]).includes(action);

export const actionLabel = ({ action, what }: Pick<LedgerLine, 'action' | 'what'>): string =>
  isAction(action) ? t(`ledger.action.${action}`) : capitalize(what);

type DeliveryState = (typeof OUTBOX_STATES)[number];

const isDeliveryState = (state: string): state is DeliveryState =>
  (OUTBOX_STATES as readonly string[]).includes(state);

export const deliveryWord = (state: string): string =>
  isDeliveryState(state) ? t(`common.delivery.${state}`) : state;

/** The reason as the page shows it: for an answer of the owner, the answer. */
export function decisionReason(row: LedgerLine): string {
  const answer = approvalAnswerText(approvalAnswer(row));
  return answer ?? decisionSentence(row);
}

/** Outcome and reason without repetition, such as `Answered. It was answered.` */
export function decisionStepText(outcome: string, row: LedgerLine): string {
  if (approvalAnswer(row) !== null) return decisionReason(row);
  return row.reason === 'replied'
    ? t('ledger.steps.outcome', { outcome })
    : t('ledger.steps.outcomeReason', { outcome, reason: decisionReason(row) });
}

/** The direction: in from somebody, out to somebody, or neither. */
export function decisionDirection({ action }: Pick<LedgerLine, 'action'>): 'in' | 'out' | null {
  if (action === 'route_message') return 'in';
  return /^(send|stop|schedule|answer)_message$|^create_conversation$/.test(action) ? 'out' : null;
}

/** The message of a row, by an id that `why` accepts. */
export function rowMessageId({ subject, detail }: LedgerLine): string | null {
  if (subject.kind === 'message' || subject.kind === 'outbox') return subject.id;
  const named = detail.outbox ?? detail.message;
  return typeof named === 'string' ? named : null;
}

export const rowChatId = ({ subject, detail }: LedgerLine): string | null =>
  subject.kind === 'chat' ? subject.id : idIn(detail.chat);

export const rowContactId = ({ subject, detail }: LedgerLine): string | null =>
  subject.kind === 'contact' ? subject.id : idIn(detail.contact);

export const rowApprovalId = ({ subject, detail }: LedgerLine): string | null =>
  subject.kind === 'approval' ? subject.id : idIn(detail.approval);

export function rowConversationId({ actor, subject, detail }: LedgerLine): string | null {
  if (subject.kind === 'instance') return subject.id;
  const [kind, id] = actor.split(':');
  return kind === 'conversation' ? (id ?? null) : idIn(detail.instance);
}

const idIn = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const FIELD_LABELS: Readonly<Record<string, TextId>> = {
  after: 'ledger.field.after',
  answer: 'ledger.field.answer',
  approval: 'ledger.field.approval',
  before: 'ledger.field.before',
  change: 'ledger.field.change',
  chat: 'ledger.field.chat',
  contact: 'ledger.field.contact',
  grant: 'ledger.field.grant',
  hash: 'ledger.field.hash',
  instance: 'ledger.field.instance',
  message: 'ledger.field.message',
  number: 'ledger.field.number',
  outbox: 'ledger.field.outbox',
  permit: 'ledger.field.permit',
  refusal: 'ledger.field.refusal',
  run: 'ledger.field.run',
  schedule: 'ledger.field.schedule',
  session: 'ledger.field.session',
  taint: 'ledger.field.taint',
  until: 'ledger.field.until',
};

interface Field {
  readonly label: string;
  readonly value: string;
  /** An id or a hash: shown short, in full on demand. */
  readonly isId: boolean;
}

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$|^[0-9a-f]{64}$/;

/** The details of a row as a list. */
export function rowFields(
  row: Pick<LedgerLine, 'about' | 'action' | 'outcome' | 'detail'>,
): Field[] {
  return Object.entries(row.detail)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const text = knownText(row, name, value) ?? fieldText(value);
      const label = FIELD_LABELS[name];
      return {
        label: label === undefined ? capitalize(name.replaceAll('_', ' ')) : t(label),
        value: text,
        isId: ID.test(text),
      };
    });
}

/** Null for a value without a text of its own. */
function knownText(
  row: Pick<LedgerLine, 'about' | 'action' | 'outcome' | 'detail'>,
  name: string,
  value: unknown,
): string | null {
  const answer = approvalAnswer(row);
  if (name === 'answer' && answer !== null) return t(`common.decision.${answer}`);
  if (name === 'change' && (value === 'widen' || value === 'narrow'))
    return t(`ledger.value.${value}`);
  if ((name === 'before' || name === 'after') && isGrant(value))
    return grantSentence({ displayName: row.about ?? t('common.unknownPerson'), ...value });
  return null;
}

const isGrant = (
  value: unknown,
): value is Omit<Parameters<typeof grantSentence>[0], 'displayName'> =>
  typeof value === 'object' && value !== null && 'canRead' in value && 'replyMode' in value;

function fieldText(value: unknown): string {
  if (typeof value === 'boolean') return t(value ? 'ledger.value.yes' : 'ledger.value.no');
  if (Array.isArray(value))
    return value.length === 0 ? t('ledger.value.none') : value.map(fieldText).join(', ');
  if (typeof value !== 'object' || value === null) return String(value).replaceAll('_', ' ');
  return Object.entries(value)
    .map(([name, part]) => `${name.replaceAll('_', ' ')}: ${fieldText(part)}`)
    .join(', ');
}

/** Characters of an id or a hash that distinguish it from others on a page. */
export const shortenId = (id: string): string =>
  id.length > 40 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id.slice(0, 8);
