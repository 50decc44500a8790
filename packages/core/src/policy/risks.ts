// The risks of a send that the owner is asked to approve: what makes WhatsApp restrict an account, as codes with their
// facts. They are about people who have never written to this account; to anybody else there is nothing to warn of.
// Codes are part of the API: never rename one.

import type { SendRisk, SendRiskCode } from '@relay/contract/api/approvals';

/** Read in the database when an approval is shown. */
export interface RiskFacts {
  /** A direct chat with somebody other than the owner. */
  readonly direct: boolean;
  /** Either side has written in the chat. */
  readonly written: boolean;
  /** The other side has written in the chat. */
  readonly heard: boolean;
  readonly registration: 'registered' | 'unregistered' | 'unknown';
  readonly timeLocked: boolean;
  /** Messages sent in the last 24 hours, without those to the owner. */
  readonly sentToday: number;
  /** Of these, messages to people who have never written. */
  readonly coldToday: number;
  /** When the account was linked; null if that is not known. */
  readonly linkedAt: Date | null;
}

/** Fewer than this is a person writing to a few new people. */
const COLD_MESSAGES = 3;
/** From this share on, most of what an account sends is what WhatsApp looks for. */
const COLD_SHARE = 0.3;
const NEW_LINK_DAYS = 7;
const DAY_MS = 86_400_000;

/** The worst first. */
export function sendRisks(facts: RiskFacts, now: Date): SendRisk[] {
  const { direct, written, heard, registration, timeLocked, sentToday, coldToday, linkedAt } =
    facts;
  if (!direct || heard) return [];
  const days = linkedAt === null ? null : Math.floor((now.getTime() - linkedAt.getTime()) / DAY_MS);
  const isShareHigh = coldToday >= COLD_MESSAGES && coldToday >= COLD_SHARE * sentToday;
  return [
    ...(timeLocked && !written ? [risk('time_locked')] : []),
    ...(registration === 'unregistered' ? [risk('not_registered')] : []),
    risk(written ? 'no_message_from_them' : 'first_contact'),
    ...(registration === 'unknown' ? [risk('registration_unknown')] : []),
    ...(isShareHigh ? [risk('many_cold_messages', { cold: coldToday, sent: sentToday })] : []),
    ...(days !== null && days < NEW_LINK_DAYS ? [risk('new_link', { days })] : []),
  ];
}

const risk = (code: SendRiskCode, values: Readonly<Record<string, number>> = {}): SendRisk => ({
  code,
  sentence: SENTENCES[code](values),
  values,
});

type Values = Readonly<Record<string, number>>;

const SENTENCES: Readonly<Record<SendRiskCode, (values: Values) => string>> = {
  time_locked: () => 'WhatsApp currently blocks this account from writing to new people.',
  not_registered: () => 'WhatsApp says that this number is not registered.',
  first_contact: () => 'First message to this person, who has never written to you.',
  no_message_from_them: () => 'This person has never written to you.',
  registration_unknown: () => 'It is not known yet whether this number is on WhatsApp.',
  many_cold_messages: ({ cold = 0, sent = 0 }) =>
    `${cold} of ${sent} messages in the last 24 hours went to people who have never written to you.`,
  new_link: ({ days = 0 }) =>
    `This account was linked ${daysAgo(days)}. New links are restricted sooner for writing to new people.`,
};

const daysAgo = (days: number): string => {
  if (days <= 0) return 'today';
  return days === 1 ? 'yesterday' : `${days} days ago`;
};

/** What to do instead, if there is any risk. */
export const SAFER_ALTERNATIVE = 'Safer: ask them to write to you first.';

/** One line for each risk and one for the alternative; none without a risk. */
export const describeRisks = (risks: readonly SendRisk[]): string[] =>
  risks.length === 0
    ? []
    : [...risks.map(({ sentence }) => `Risk: ${sentence}`), SAFER_ALTERNATIVE];
