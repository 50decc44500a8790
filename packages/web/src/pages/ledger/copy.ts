// Texts of the ledger page beyond the daemon's own sentences. Pure.
import type { LedgerLine } from '@relay/contract/api/ledger';
import { ANSWER_SENTENCES } from '../../parts/approval-copy.ts';
import { formatMoment, formatTimeOfDay, groupDigits } from '../../parts/format.ts';

export function ledgerSentence(rows: number | undefined): string {
  if (rows === undefined) return 'Why it answered, and why it did not.';
  if (rows === 0) return 'Nothing was decided yet.';
  return rows === 1
    ? 'One decision so far, with its reason.'
    : `${groupDigits(rows)} decisions, each with its reason.`;
}

const seconds = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** Rows follow closely, so seconds are shown; the day only if it is not today. */
export function rowTime(at: string, now: number): { readonly day: string | null; time: string } {
  const day = formatMoment(at, now);
  const time = seconds.format(new Date(at));
  return { day: day === formatTimeOfDay(at) ? null : day.replace(/ \d\d:\d\d$/, ''), time };
}

/** The daemon's sentences end with a terminal command; the page has its own controls instead. */
export function withoutCommands(sentence: string): string {
  const kept = sentence.split(/(?<=\.) /).filter((part) => !part.includes('`'));
  return kept.length === 0 ? sentence.replaceAll('`', '') : kept.join(' ');
}

/** The reason as the page shows it: for an answer of the owner, the answer. */
export function decisionReason({ action, detail, sentence }: LedgerLine): string {
  const answer = action === 'answer_approval' ? ANSWER_SENTENCES[String(detail.answer)] : undefined;
  return answer ?? withoutCommands(sentence);
}

/** Outcome and reason without repetition, such as `Answered. It was answered.` */
export function decisionStepText(word: string, row: LedgerLine): string {
  const why = decisionReason(row);
  return why === `It was ${word.toLowerCase()}.` ? `${word}.` : `${word}. ${why}`;
}

/** The direction: in from somebody, out to somebody, or neither. */
export function decisionDirection({ action }: Pick<LedgerLine, 'action'>): 'in' | 'out' | null {
  if (action === 'route_message') return 'in';
  return /^(send|stop|schedule|answer)_message$|^create_conversation$/.test(action) ? 'out' : null;
}

export const capitalize = (words: string): string =>
  words.slice(0, 1).toUpperCase() + words.slice(1);

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

const LABELS: Readonly<Record<string, string>> = {
  answer: 'Your answer',
  approval: 'Approval',
  change: 'Change',
  chat: 'Chat',
  contact: 'Person',
  grant: 'Grant',
  hash: 'Hash of recipient and text',
  instance: 'Conversation',
  message: 'Message it answers',
  number: 'Relay’s number of it',
  outbox: 'Message to send',
  permit: 'Permit',
  refusal: 'Why the gate refused',
  run: 'Run of the model',
  schedule: 'Schedule',
  session: 'Session',
  taint: 'Read before',
  until: 'Looked at again',
};

interface Field {
  readonly label: string;
  readonly value: string;
  /** An id or a hash: shown short, in full on demand. */
  readonly isId: boolean;
}

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$|^[0-9a-f]{64}$/;

/** The details of a row as a list. */
export const rowFields = ({ detail }: Pick<LedgerLine, 'detail'>): Field[] =>
  Object.entries(detail)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => {
      const text = fieldText(value);
      return {
        label: LABELS[name] ?? capitalize(name.replaceAll('_', ' ')),
        value: text,
        isId: ID.test(text),
      };
    });

function fieldText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(fieldText).join(', ');
  if (typeof value !== 'object' || value === null) return String(value).replaceAll('_', ' ');
  return Object.entries(value)
    .map(([name, part]) => `${name.replaceAll('_', ' ')}: ${fieldText(part)}`)
    .join(', ');
}

/** Characters of an id or a hash that distinguish it from others on a page. */
export const shortenId = (id: string): string =>
  id.length > 40 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id.slice(0, 8);
