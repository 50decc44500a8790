// The gate's yes to one message, written down: the permit with what its re-check will need, and the
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
import { putMessage } from '../outbox/outbox.ts';
import type { Transaction } from '../store/database.ts';
import { contentHash } from './content-hash.ts';
import type { MessageToSend } from './proposals.ts';

export interface Given {
  readonly permit: PermitId;
  /** The ledger's row that says why. */
  readonly seq: number;
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
  { permit, seq, actor, instance, approval, run, schedule, firstContact }: Given,
): Promise<PutMessage> {
  const hash = contentHash(message);
  await tx
    .insertInto('permits')
    .values({
      account_id: account,
      id: permit,
      ledger_seq: seq,
      actor,
      intent: message.kind,
      chat_id: message.chat,
      instance_id: instance,
      content_hash: Buffer.from(hash, 'hex'),
      approval_id: approval,
      run_id: run,
      schedule_id: schedule,
      instance_epoch: sql<number | null>`(SELECT epoch FROM instances
        WHERE account_id = ${account} AND id = ${instance}::uuid)`,
      follow_up_after:
        message.followUp === true
          ? sql<number>`(SELECT coalesce(max(id), 0) FROM instance_messages
              WHERE account_id = ${account} AND instance_id = ${instance}::uuid)`
          : null,
    })
    .execute();
  const minted = mintPermit({ account, id: permit, chat: message.chat, instance, hash });
  return putMessage(tx, minted, { body: message.text, firstContact, key: message.key ?? null });
}
