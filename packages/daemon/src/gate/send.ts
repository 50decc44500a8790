// The owner writes to somebody: the address is resolved, the gate decides, and the message waits in the
// outbox, all in one transaction. What the gate refuses stands in the ledger, and its reason is the answer.
import type { MessageId, OutboxId } from '@relay/core/ids';
import type { OutboxState } from '@relay/core/outbox/progress';
import { refusalOf } from '@relay/core/policy/reasons';
import { findByKey } from '../outbox/outbox.ts';
import { addressOf } from '../outbox/ready.ts';
import type { Reader } from '../store/database.ts';
import { fenced } from '../store/fenced.ts';
import type { Lease } from '../store/lease.ts';
import { findOrMakeChat } from './recipient.ts';
import type { Gate } from './submit.ts';

export interface SendWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly gate: Gate;
}

export interface OwnersMessage {
  /** A number, or an address of a person or a group. */
  readonly to: string;
  readonly text: string;
  /** The same key with the same message again answers what became of the first. */
  readonly key?: string;
}

export interface Sending {
  readonly id: OutboxId;
  readonly messageId: MessageId;
  readonly jid: string;
  readonly state: OutboxState;
}

export async function sendAsOwner(world: SendWorld, message: OwnersMessage): Promise<Sending> {
  const { db, lease } = world;
  const { account } = lease;
  const { to, text, key } = message;
  const { decision, put, jid } = await world.gate.checkingNumbers((check) =>
    fenced(db, lease, async (tx) => {
      const chat = await findOrMakeChat(tx, account, to);
      const jid = await addressOf(tx, account, chat);
      const known = key === undefined ? null : await findByKey(tx, account, key, { chat, text });
      if (known !== null) return { decision: null, put: known, jid };
      const submitted = await world.gate.submit(
        tx,
        { kind: 'owner' },
        { kind: 'send_message', chat, text, ...(key === undefined ? {} : { key }) },
        check,
      );
      return { decision: submitted.decision, put: submitted.message, jid };
    }),
  );
  if (put === null || jid === null) throw refusalOf(decision?.reason ?? 'unknown_chat');
  world.gate.hint();
  return { ...put, jid };
}
