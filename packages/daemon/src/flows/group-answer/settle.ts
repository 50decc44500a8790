// What came of a request, written down: its row, the run's end, and last the ledger's row about the owner's
// message, so that `relay why` can tell.
import type { MessageId, RunId } from '@relay/core/ids';
import { type AnswerReason, answerRow } from '@relay/core/ledger/answers';
import type { LedgerDetail } from '@relay/core/ledger/detail';
import type { ReasonCode } from '@relay/core/policy/reasons';
import type { Work } from '../../jobs/work.ts';
import { appendLedger } from '../../store/ledger.ts';
import { changeRequest, messageOf, type RequestRow } from '../../store/observer/requests.ts';
import { endRun } from '../../store/runs.ts';
import type { GroupAnswerWorld } from './work.ts';

export interface Silence {
  readonly reason: AnswerReason;
  readonly run?: RunId;
  /** Why the gate refused it. */
  readonly refusal?: ReasonCode;
  /** Of the model, where it failed. */
  readonly failed?: boolean;
}

export async function settleSilent(
  world: GroupAnswerWorld,
  work: Work,
  request: RequestRow,
  { reason, run, refusal, failed = false }: Silence,
): Promise<void> {
  const { account } = world.lease;
  const said = refusal === undefined ? reason : (REFUSALS[refusal] ?? reason);
  if (run !== undefined) await endRun(work.tx, account, run, failed ? 'failed' : 'done');
  await changeRequest(work.tx, request, { state: 'silent', reason: said });
  const message = await messageOf(work.tx, request);
  if (message === null) return;
  await note(world, work, message, {
    reason: said,
    detail: {
      chat: request.chat_id,
      ...(run === undefined ? {} : { run }),
      ...(refusal === undefined ? {} : { refusal }),
    },
  });
}

/** Refusals that say enough themselves. */
const REFUSALS: Readonly<Partial<Record<ReasonCode, AnswerReason>>> = {
  hold: 'on_hold',
  group_rests: 'cadence',
  observed_group: 'taken_back',
};

export interface CameOf {
  readonly reason: AnswerReason;
  readonly detail: LedgerDetail & { readonly chat: RequestRow['chat_id'] };
}

export async function note(
  { lease: { account }, log }: GroupAnswerWorld,
  work: Work,
  message: MessageId,
  { reason, detail }: CameOf,
): Promise<void> {
  const actor = detail.run === undefined ? 'assistant' : `assistant:${detail.run}`;
  const row = answerRow({ actor, message, reason, detail });
  await appendLedger(work.tx, account, row);
  work.told.push(() =>
    log.info('asked in a group', { chat: detail.chat, message, state: row.outcome, reason }),
  );
}
