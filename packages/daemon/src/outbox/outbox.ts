// Permitted messages on their way. A row needs a permit, and its message id is chosen here, before any
// attempt, so that every attempt is the same message to its recipient.
import { randomBytes, randomUUID } from 'node:crypto';
import type { MessageId, OutboxId } from '@relay/core/ids';
import { outboxId } from '@relay/core/ids';
import type { Permit } from '@relay/core/policy/permit';
import type { Jobs } from '../jobs/jobs.ts';
import type { Transaction } from '../store/database.ts';

/** Inside the caller's transaction: the message, and the job that will carry it. */
export async function putMessage(
  tx: Transaction,
  jobs: Jobs,
  permit: Permit,
  body: string,
): Promise<OutboxId> {
  const id = outboxId(randomUUID());
  await tx
    .insertInto('outbox')
    .values({
      account_id: permit.account,
      id,
      permit_id: permit.id,
      chat_id: permit.chat,
      instance_id: permit.instance,
      message_id: newMessageId(),
      body,
    })
    .execute();
  await jobs.enqueue(tx, 'outbox', [
    { key: String(permit.account), data: { account: permit.account, subject: id } },
  ]);
  return id;
}

/** The form WhatsApp's own web client uses. */
const newMessageId = () => `3EB0${randomBytes(9).toString('hex').toUpperCase()}` as MessageId;
