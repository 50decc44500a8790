// What the ledger keeps of a decision beside who, what and why: ids, hashes and figures, so that it can be
// told later under which grant, by which run and for which schedule. Never words that somebody wrote.
import type { GrantRecord } from '@relay/core/contacts/record';
import type { PermitId } from '@relay/core/ids';
import type { ReasonCode } from '@relay/core/policy/reasons';
import type { Circumstances, Considered } from './consider.ts';
import { type ApprovalToAnswer, hashOf, isAskable, type Proposal } from './proposals.ts';

/** Of these it is told what had been read. */
const TAINTED: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'read_then_send',
  'read_then_start',
  'read_then_schedule',
  'read_then_grant',
  'read_then_cancel',
]);

export function detailOf(
  proposal: Proposal,
  { approval, run, schedule, answers }: Circumstances,
  { decision, grant, change, taint }: Considered,
  permit: PermitId | null,
): Readonly<Record<string, unknown>> {
  return {
    ...(isAskable(proposal) ? { hash: hashOf(proposal) } : {}),
    ...(proposal.kind === 'send_message' ? { permit } : {}),
    ...(proposal.kind === 'answer_approval' ? answered(proposal) : {}),
    ...(approval === undefined ? {} : { approval }),
    ...(run === undefined ? {} : { run }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(answers === undefined ? {} : { message: answers }),
    ...(grant === null ? {} : { grant }),
    ...(TAINTED.has(decision.reason) ? { taint } : {}),
    ...(change === null
      ? {}
      : {
          grant: change.id,
          change: change.change,
          before: figuresOf(change.before),
          after: figuresOf(change.after),
        }),
  };
}

const answered = ({ answer, instead }: ApprovalToAnswer) => ({
  answer,
  ...(instead === undefined ? {} : { approval: instead }),
});

const figuresOf = (record: GrantRecord | null) => record?.grant ?? null;
