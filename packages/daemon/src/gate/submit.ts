// The only door. An intent is decided, the decision written to the ledger with its reason, and a permitted
// message put into the outbox, all in the transaction of the change that caused it.
import { createHash, randomUUID } from 'node:crypto';
import type { AccountId, ChatId, OutboxId } from '@relay/core/ids';
import { permitId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { decide } from '@relay/core/policy/decide';
import type { ConversationFacts } from '@relay/core/policy/facts';
import type { SendMessage } from '@relay/core/policy/intents';
import { mintPermit } from '@relay/core/policy/permit';
import type { Decision } from '@relay/core/policy/reasons';
import type { Jobs } from '../jobs/jobs.ts';
import { putMessage } from '../outbox/outbox.ts';
import type { Transaction } from '../store/database.ts';
import { appendLedger } from '../store/ledger.ts';
import { knowChat } from './facts.ts';

export interface MessageToSend {
  readonly chat: ChatId;
  readonly text: string;
}

export interface Submitted {
  readonly decision: Decision;
  /** There exactly if the decision was yes. */
  readonly outbox: OutboxId | null;
}

export class Gate {
  readonly #jobs: Jobs;

  constructor(jobs: Jobs) {
    this.#jobs = jobs;
  }

  async submit(
    tx: Transaction,
    account: AccountId,
    actor: Actor,
    message: MessageToSend,
    conversation: ConversationFacts | null,
  ): Promise<Submitted> {
    const known = await knowChat(tx, account, message.chat, conversation);
    const hash = contentHash(message);
    const intent: SendMessage = {
      kind: 'send_message',
      chat: message.chat,
      hash,
      firstContact: known.firstContact,
    };
    const decision = decide(actor, intent, known.facts);
    const permit = permitId(randomUUID());
    const seq = await appendLedger(tx, account, {
      actor: actorName(actor),
      action: intent.kind,
      subject: { kind: 'chat', id: message.chat },
      outcome: decision.outcome,
      reason: decision.reason,
      detail: { hash, permit: decision.outcome === 'allow' ? permit : null },
    });
    if (decision.outcome !== 'allow') return { decision, outbox: null };

    const instance = conversation?.instance ?? null;
    await tx
      .insertInto('permits')
      .values({
        account_id: account,
        id: permit,
        ledger_seq: seq,
        actor: actorName(actor),
        intent: intent.kind,
        chat_id: message.chat,
        instance_id: instance,
        content_hash: Buffer.from(hash, 'hex'),
      })
      .execute();
    const minted = mintPermit({ account, id: permit, chat: message.chat, instance, hash });
    return { decision, outbox: await putMessage(tx, this.#jobs, minted, message.text) };
  }
}

/** Recipient and content together: a permit for one is none for the other. */
function contentHash(message: MessageToSend): string {
  return createHash('sha256').update(`${message.chat}\n${message.text}`).digest('hex');
}

/** Who, as the ledger names them. */
function actorName(actor: Actor): string {
  switch (actor.kind) {
    case 'conversation':
      return `conversation:${actor.instance}`;
    case 'token':
      return `token:${actor.token}`;
    case 'assistant':
      return `assistant:${actor.run}`;
    case 'auto_reply':
    case 'observer':
      return `${actor.kind}:${actor.chat}`;
    case 'owner':
    case 'scheduler':
      return actor.kind;
  }
}
