// Submits a client's action to the gate, after a confirmation where one is required:
//
//   submitAction(call, async (tx) => ({ confirmationText, submit: (work, context) => … }))
//     → { status: 'done', done }                                  it has happened
//     → { status: 'waiting_for_approval', approval_id, reason }   the owner is asked; nothing has happened
//     ✗ RelayError `denied` (recorded in the ledger) or `declined` (the person at the client declined)
//
// Invariant: the person at the client is asked only about what the gate would allow, with no transaction open and
// nothing written. Their confirmation only lets it proceed, and the gate decides again.

import { createHash } from 'node:crypto';
import { RelayError } from '@relay/contract/errors';
import type { ApprovalId } from '@relay/contract/ids';
import { type Decision, decisionFor, reasonText, refusalError } from '@relay/core/policy/reasons';
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
  readonly output: Done | null;
}

export interface PreparedAction<Done> {
  /** The exact text that is confirmed: the recipient and the content. */
  readonly confirmationText: string;
  submit(work: UnitOfWork, context: SubmitContext): Promise<SubmitResult<Done>>;
}

/** Runs again in each transaction; an error rolls that transaction back. */
type PrepareAction<Done> = (tx: Transaction) => Promise<PreparedAction<Done>>;

interface PendingApproval {
  readonly status: 'waiting_for_approval';
  readonly approval_id: ApprovalId;
  readonly reason: string;
  /** The reason as a code; tools answer with the sentence only. */
  readonly code: string;
}

type SubmitOutcome<Done> = { readonly status: 'done'; readonly done: Done } | PendingApproval;

/** For the output of a tool whose action may wait for an approval. */
export const PENDING_APPROVAL_FIELDS = {
  approval_id: z
    .string()
    .optional()
    .describe('Id of the pending approval; nothing happens until the owner approves it.'),
  reason: z.string().optional().describe('The reason, as a sentence.'),
};

export async function submitAction<Done>(
  call: ClientCall,
  prepare: PrepareAction<Done>,
): Promise<SubmitOutcome<Done>> {
  if (!call.client.confirm) return attemptSubmit(call, prepare, 'go_on');
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
    super('confirmation required');
    this.question = question;
  }
}

async function attemptSubmit<Done>(
  call: ClientCall,
  prepare: PrepareAction<Done>,
  how: 'go_on' | 'ask_here' | 'ask_owner',
): Promise<SubmitOutcome<Done>> {
  const { gate, onChange } = call.deps;
  const result = await call.inTurn(() =>
    gate.withNumberCheck((check) =>
      transaction(call.deps, async (work) => {
        const act = await prepare(work.tx);
        const result = await act.submit(work, {
          needsConfirmation: how !== 'go_on',
          confirmsAtClient: how === 'ask_here',
          ...check,
        });
        const mustConfirm = how === 'ask_here' && result.decision.reason === 'confirm';
        if (mustConfirm) throw new ConfirmationRequired(act.confirmationText);
        // The caller has received the end of the call, so nothing may happen afterwards.
        call.signal.throwIfAborted();
        return result;
      }),
    ),
  );
  onChange();
  return toSubmitOutcome(result);
}

function toSubmitOutcome<Done>({
  decision,
  approval,
  output,
}: SubmitResult<Done>): SubmitOutcome<Done> {
  if (output !== null) return { status: 'done', done: output };
  if (approval === null) throw refusalError(decision.reason);
  return {
    status: 'waiting_for_approval',
    approval_id: approval,
    reason: reasonText(decision.reason),
    code: decision.reason,
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
      const result = { decision: decisionFor('token_scope'), approval: null, output: before };
      return { confirmationText: '', submit: async () => result };
    }
    const act = await prepare(tx);
    return {
      get confirmationText() {
        return act.confirmationText;
      },
      async submit(work, context) {
        const result = await act.submit(work, context);
        const refused = result.output === null && result.approval === null;
        await keepIdempotentAnswer(
          work.tx,
          asked,
          refused ? null : (result.output ?? toSubmitOutcome(result)),
        );
        return result;
      },
    };
  };

function actionKey(
  { key, deps, actor }: ClientCall,
  tool: string,
  input: object,
): IdempotencyKey | null {
  if (key === null) return null;
  const hash = createHash('sha256')
    .update(`${tool}\n${JSON.stringify(input)}`)
    .digest();
  return { account: deps.lease.account, actor: actorName(actor), key, hash };
}
