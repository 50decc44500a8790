// Submits a client's action to the gate, after a confirmation where one is required:
//
//   submitAction(call, async (tx) => ({ question, submit: (tx, context) => … }))
//     → { status: 'done', done }                                  it has happened
//     → { status: 'waiting_for_approval', approval_id, reason }   the owner is asked; nothing has happened
//     ✗ RelayError `denied` (recorded in the ledger) or `declined` (the person at the client declined)
//
// Invariant: the person at the client is asked only about what the gate would allow, with no transaction open and
// nothing written. Their confirmation only lets it proceed, and the gate decides again.

import { createHash } from 'node:crypto';
import { RelayError } from '@relay/contract/errors';
import type { ApprovalId } from '@relay/contract/ids';
import {
  type Decision,
  decisionFor,
  reasonSentence,
  refusalError,
} from '@relay/core/policy/reasons';
import { z } from 'zod';
import { actorName } from '../../pipeline/gate/actors.ts';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import type { Transaction } from '../../platform/db/database.ts';
import {
  claimIdempotencyKey,
  type IdempotencyKey,
  keepIdempotentAnswer,
} from '../../platform/db/idempotency-keys.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { ClientCall } from './tool.ts';

export interface SubmitResult<Done> {
  readonly decision: Decision;
  /** Set exactly if the owner is asked. */
  readonly approval: ApprovalId | null;
  /** Set exactly if it was allowed. */
  readonly done: Done | null;
}

export interface PreparedAction<Done> {
  /** The exact text that is confirmed: the recipient and the content. */
  readonly question: string;
  submit(work: UnitOfWork, circumstances: SubmitContext): Promise<SubmitResult<Done>>;
}

/** Runs again in each transaction; an error rolls that transaction back. */
type PrepareAction<Done> = (tx: Transaction) => Promise<PreparedAction<Done>>;

interface PendingApproval {
  readonly status: 'waiting_for_approval';
  readonly approval_id: ApprovalId;
  readonly reason: string;
}

type SubmitOutcome<Done> = { readonly status: 'done'; readonly done: Done } | PendingApproval;

/** For the output of a tool whose action may wait for an approval. */
export const PENDING_APPROVAL_FIELDS = {
  approval_id: z
    .string()
    .optional()
    .describe('What the owner’s yes is waited for under; it has not happened before that.'),
  reason: z.string().optional().describe('Why it is as it is, in a sentence.'),
};

export async function submitAction<Done>(
  call: ClientCall,
  prepare: PrepareAction<Done>,
): Promise<SubmitOutcome<Done>> {
  if (!call.program.confirm) return attemptSubmit(call, prepare, 'go_on');
  try {
    return await attemptSubmit(call, prepare, 'ask_here');
  } catch (error) {
    if (!(error instanceof ConfirmationRequired)) throw error;
    const said = await call.confirm(error.question);
    if (said === 'no') throw new RelayError('declined');
    return attemptSubmit(call, prepare, said === 'yes' ? 'go_on' : 'ask_owner');
  }
}

/** Rolls back the transaction in which the gate would allow the action but a confirmation is required. */
class ConfirmationRequired extends Error {
  readonly question: string;

  constructor(question: string) {
    super('somebody is asked first');
    this.question = question;
  }
}

async function attemptSubmit<Done>(
  call: ClientCall,
  prepare: PrepareAction<Done>,
  how: 'go_on' | 'ask_here' | 'ask_owner',
): Promise<SubmitOutcome<Done>> {
  const { gate, changed } = call.world;
  const went = await call.inTurn(() =>
    gate.checkingNumbers((check) =>
      transaction(call.world, async (work) => {
        const act = await prepare(work.tx);
        const went = await act.submit(work, {
          confirm: how !== 'go_on',
          confirmsHere: how === 'ask_here',
          ...check,
        });
        const unasked = how === 'ask_here' && went.decision.reason === 'confirm';
        if (unasked) throw new ConfirmationRequired(act.question);
        // The caller was told that the call is over, so nothing may happen afterwards.
        call.signal.throwIfAborted();
        return went;
      }),
    ),
  );
  changed();
  return toSubmitOutcome(went);
}

function toSubmitOutcome<Done>({
  decision,
  approval,
  done,
}: SubmitResult<Done>): SubmitOutcome<Done> {
  if (done !== null) return { status: 'done', done };
  if (approval === null) throw refusalError(decision.reason);
  return {
    status: 'waiting_for_approval',
    approval_id: approval,
    reason: reasonSentence(decision.reason),
  };
}

// Makes an action with a client's own key happen once: a repeated call gets the first call's result before anybody is
// asked. Keys belong to the token.

/** `input` is the whole request, as parsed by the tool's schema. */
export const onceByKey =
  <Done extends object>(
    call: ClientCall,
    tool: string,
    input: object,
    prepare: PrepareAction<Done>,
  ): PrepareAction<Done | PendingApproval> =>
  async (tx) => {
    const asked = actionKey(call, tool, input);
    if (asked === null) return prepare(tx);
    const before = (await claimIdempotencyKey(tx, asked)) as Done | PendingApproval | null;
    if (before !== null) {
      const went = { decision: decisionFor('token_scope'), approval: null, done: before };
      return { question: '', submit: async () => went };
    }
    const act = await prepare(tx);
    return {
      get question() {
        return act.question;
      },
      async submit(work, circumstances) {
        const went = await act.submit(work, circumstances);
        const refused = went.done === null && went.approval === null;
        await keepIdempotentAnswer(
          work.tx,
          asked,
          refused ? null : (went.done ?? toSubmitOutcome(went)),
        );
        return went;
      },
    };
  };

function actionKey(
  { key, world: deps, actor }: ClientCall,
  tool: string,
  input: object,
): IdempotencyKey | null {
  if (key === null) return null;
  const hash = createHash('sha256')
    .update(`${tool}\n${JSON.stringify(input)}`)
    .digest();
  return { account: deps.lease.account, actor: actorName(actor), key, hash };
}
