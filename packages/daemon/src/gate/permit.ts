// The gate's yes to one message, written down: the permit with what its re-check will need, signed, and the
// message in the outbox under it.
import type {
  AccountId,
  ApprovalId,
  InstanceId,
  PermitId,
  RunId,
  ScheduleId,
} from '@relay/core/ids';
import { mintPermit } from '@relay/core/policy/permit';
import { sql } from 'kysely';
import type { PutMessage } from '../outbox/outbox.ts';
import { newMessageIds, putMessage } from '../outbox/outbox.ts';
import { sealOf, type Transaction } from '../store/database.ts';
import { contentHash } from '../store/intent-hash.ts';
import type { AddedRow } from '../store/ledger.ts';
import { permitFacts } from '../store/seal.ts';
import type { MessageToSend } from './proposals.ts';

/** Where the conversation stands that the message is said in. */
export interface InstanceNow {
  readonly instance_epoch: number | null;
  /** The last line of its transcript. */
  readonly last_line: number | null;
}

/** Read along with the row of the ledger. */
export const instanceNow = (account: AccountId, instance: InstanceId | null) => sql`
  (SELECT epoch FROM instances WHERE account_id = ${account} AND id = ${instance}::uuid) AS instance_epoch,
  (SELECT coalesce(max(id), 0) FROM instance_messages
    WHERE account_id = ${account} AND instance_id = ${instance}::uuid) AS last_line`;

export interface Given {
  readonly permit: PermitId;
  /** The ledger's row that says why; it is sealed here. */
  readonly row: AddedRow & { readonly also: InstanceNow };
  readonly actor: string;
  readonly instance: InstanceId | null;
  readonly approval: ApprovalId | null;
  readonly run: RunId | null;
  readonly schedule: ScheduleId | null;
  readonly firstContact: boolean;
}

export async function permitMessage(
  tx: Transaction,
  account: AccountId,
  message: MessageToSend,
  { permit: id, row, actor, instance, approval, run, schedule, firstContact }: Given,
): Promise<PutMessage> {
  const { kind: intent, chat, text: body, key = null } = message;
  const hash = contentHash(message);
  const { instance_epoch: epoch, last_line } = row.also;
  const after = message.followUp === true ? last_line : null;
  const put = newMessageIds();
  const mac = sealOf(tx).sign(
    'permit',
    permitFacts({
      account_id: account,
      id,
      ledger_seq: row.seq,
      actor,
      intent,
      chat_id: chat,
      hash,
      instance_id: instance,
      instance_epoch: epoch,
      follow_up_after: after,
      approval_id: approval,
      run_id: run,
      schedule_id: schedule,
      message_id: put.messageId,
    }),
  );
  const written = sql`
    INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, instance_id, content_hash,
      approval_id, run_id, schedule_id, instance_epoch, follow_up_after, mac)
    VALUES (${account}, ${id}, ${row.seq}, ${actor}, ${intent}, ${chat}, ${instance},
      ${Buffer.from(hash, 'hex')}, ${approval}, ${run}, ${schedule}, ${epoch}, ${after}, ${mac})`;
  const minted = mintPermit({ account, id, chat, instance, hash });
  return putMessage(tx, minted, [written, ...(row.sealing === null ? [] : [row.sealing])], {
    ...put,
    body,
    firstContact,
    key,
  });
}
