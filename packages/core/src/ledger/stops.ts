// Why a permitted message did not leave after all: what the re-check found in the last moment before it
// would have. Written to the ledger as `stop_message` about the message's id in the outbox; beside these a
// reason may be the policy's. Persisted: never rename one.
import type { OutboxId } from '../ids.ts';
import { REASONS, type ReasonCode } from '../policy/reasons.ts';
import type { LedgerDetail, LedgerRow } from './detail.ts';
import { clause } from './words.ts';

export const STOPS = {
  revoked: 'the permission for it was taken back before it was sent',
  altered: 'it was not the message that had been permitted',
  forged: 'its permit was not written by Relay',
  taken_over: 'you took the conversation over before it left',
  overtaken: 'the contact answered before this follow-up left',
  answered: 'the contact wrote before it was sent',
  conversation_over: 'the conversation ended before it was sent',
  unscheduled: 'the schedule was cancelled before it left',
  too_old: 'it would have come too long after you asked in the group',
  no_address: 'no address is known for the contact',
  restored: 'it had been queued for more than a day when an archive was restored',
} as const;

export type StopReason = keyof typeof STOPS | ReasonCode;

export const STOP_ACTION = 'stop_message';

export const stopRow = (id: OutboxId, reason: StopReason, detail: LedgerDetail): LedgerRow => ({
  actor: 'recheck',
  action: STOP_ACTION,
  subject: { kind: 'outbox', id },
  outcome: 'stopped',
  reason,
  detail,
});

export function stopClause(reason: string): string {
  if (Object.hasOwn(STOPS, reason)) return STOPS[reason as keyof typeof STOPS];
  if (Object.hasOwn(REASONS, reason)) return clause(REASONS[reason as ReasonCode].sentence);
  return `of the reason recorded as ${reason}`;
}
