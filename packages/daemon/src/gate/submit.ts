// The only door. An intent is decided, the decision written to the ledger with its reason, and a permitted
// message put into the outbox, all in the transaction of the change that caused it.
import { randomUUID } from 'node:crypto';
import type { AccountId, ChatId } from '@relay/core/ids';
import { permitId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { decide } from '@relay/core/policy/decide';
import type { ConversationFacts } from '@relay/core/policy/facts';
import type { SendMessage } from '@relay/core/policy/intents';
import { mintPermit } from '@relay/core/policy/permit';
import type { Decision } from '@relay/core/policy/reasons';
import type { Pacing } from '@relay/core/settings';
import type { PutMessage } from '../outbox/outbox.ts';
import { putMessage } from '../outbox/outbox.ts';
import type { Transaction } from '../store/database.ts';
import { appendLedger } from '../store/ledger.ts';
import { actorName } from './actor-names.ts';
import { contentHash } from './content-hash.ts';
import { knowChat } from './facts.ts';

export interface MessageToSend {
  readonly chat: ChatId;
  readonly text: string;
  /** The sender's own name for it; to be looked up before it is submitted. */
  readonly key?: string;
}

export interface Submitted {
  readonly decision: Decision;
  /** There exactly if the decision was yes. */
  readonly message: PutMessage | null;
}

export interface GateOptions {
  readonly pacing: Pacing;
  /** After the commit: something waits in the outbox. Costs nothing when it is lost. */
  readonly hint: () => void;
}

export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  hint(): void {
    this.#options.hint();
  }

  async submit(
    tx: Transaction,
    account: AccountId,
    actor: Actor,
    message: MessageToSend,
    conversation: ConversationFacts | null,
  ): Promise<Submitted> {
    const known = await knowChat(tx, account, message.chat, conversation, this.#options.pacing);
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
    if (decision.outcome !== 'allow') return { decision, message: null };

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
    const put = await putMessage(tx, minted, {
      body: message.text,
      firstContact: known.firstContact,
      key: message.key ?? null,
    });
    return { decision, message: put };
  }
}
