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
  const epoch = sql`(SELECT epoch FROM instances WHERE account_id = ${account} AND id = ${instance}::uuid)`;
  const lastLine = sql`(SELECT coalesce(max(id), 0) FROM instance_messages
    WHERE account_id = ${account} AND instance_id = ${instance}::uuid)`;
  const written = sql`
    INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, instance_id, content_hash,
      approval_id, run_id, schedule_id, instance_epoch, follow_up_after)
    VALUES (${account}, ${permit}, ${seq}, ${actor}, ${message.kind}, ${message.chat}, ${instance},
      ${Buffer.from(hash, 'hex')}, ${approval}, ${run}, ${schedule}, ${epoch},
      ${message.followUp === true ? lastLine : null})`;
  const minted = mintPermit({ account, id: permit, chat: message.chat, instance, hash });
  const { text: body, key = null } = message;
  return putMessage(tx, minted, written, { body, firstContact, key });
}
