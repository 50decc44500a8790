// Sends a message as the owner: resolves the address, asks the gate and queues the message in one transaction. It
// becomes part of the open conversation with that contact. A refusal is recorded in the ledger, and its reason is
// returned.

import type { ContentRequest, OutgoingContent } from '@relay/contract/api/outgoing';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId, MessageId, OutboxId } from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import { aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { targetMessageId } from '@relay/core/messages/outgoing';
import { refusalError } from '@relay/core/policy/reasons';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import { loadChatAddress } from '../outbox/claim.ts';
import { findByKey } from '../outbox/outbox.ts';
import type { SubmitContext } from './evaluate.ts';
import type { Gate, GateResult } from './gate.ts';
import { resolveContent } from './outgoing-request.ts';
import { requireQuotable } from './quotable.ts';

interface OwnerSendDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  /** Without it, the message belongs to no conversation. */
  readonly sendInConversation?: SendInConversation;
}

/** Submits the message as part of the open conversation in its chat; null if there is none. */
export type SendInConversation = (
  work: UnitOfWork,
  message: OwnerTextInChat,
  context: Pick<SubmitContext, 'checksNumber'>,
) => Promise<Pick<GateResult, 'decision' | 'message'> | null>;

export interface OwnerTextInChat {
  readonly chat: ChatId;
  readonly text: string;
  readonly quotes?: MessageId;
  readonly content?: OutgoingContent;
  readonly key?: string;
}

export interface MessageFromOwner {
  /** A number, or the address of a person or a group. */
  readonly to: string;
  readonly text: string;
  /** What it is besides text. */
  readonly content?: ContentRequest;
  /** WhatsApp's id of the message in the same chat that it replies to. */
  readonly replyTo?: string;
  /** The same key with the same message returns the result of the first call. */
  readonly key?: string;
}

interface SentOwnerMessage {
  readonly id: OutboxId;
  readonly messageId: MessageId;
  readonly jid: string;
  readonly chatId: ChatId;
  readonly state: OutboxState;
}

export async function sendAsOwner(
  deps: OwnerSendDeps,
  message: MessageFromOwner,
): Promise<SentOwnerMessage> {
  const { lease } = deps;
  const { account } = lease;
  const { to, text, content: wanted, replyTo, key } = message;
  const { decision, put, jid, chat } = await deps.gate.withNumberCheck((check) =>
    transaction(deps, async (work) => {
      const { tx } = work;
      const chat = await findOrMakeChat(tx, account, to);
      const jid = await loadChatAddress(tx, account, chat);
      const quotes =
        replyTo === undefined ? {} : { quotes: await requireQuotable(tx, account, chat, replyTo) };
      const content = await resolveContent(tx, { account, chat }, wanted);
      const body = { chat, text, ...quotes, ...content };
      const known = key === undefined ? null : await findByKey(tx, account, key, body);
      if (known !== null) return { decision: null, put: known, jid, chat };
      const written = { ...body, ...(key === undefined ? {} : { key }) };
      // A reaction, an edit or a deletion is not a message of the conversation, as when it is made on the phone.
      const isMark = content.content !== undefined && targetMessageId(content.content) !== null;
      const submitted =
        (isMark ? null : await deps.sendInConversation?.(work, written, check)) ??
        (await deps.gate.submit(
          tx,
          { kind: 'owner' },
          { kind: 'send_message', ...written },
          check,
        ));
      return { decision: submitted.decision, put: submitted.message, jid, chat };
    }),
  );
  if (put === null || jid === null) throw refusalError(decision?.reason ?? 'unknown_chat');
  return { ...put, jid, chatId: chat };
}

// Resolves an address: a number as people write it, or WhatsApp's address of a person or a group. Contact and chat are
// found or created in the caller's transaction; concurrent calls create only one.

const GROUP = /^\d+(-\d+)?@g\.us$/;

export async function findOrMakeChat(
  tx: Transaction,
  account: AccountId,
  to: string,
): Promise<ChatId> {
  const address = to.trim();
  const group = GROUP.test(address);
  const contacts = group ? [] : await resolveSightings(tx, account, [[personAt(address)]]);
  const made = await findOrMakeChats(tx, account, { contacts, groups: group ? [address] : [] });
  const [chat] = [...made.byGroup.values(), ...made.byContact.values()];
  if (chat === undefined) throw new Error('an address without a chat');
  return chat;
}

function personAt(address: string) {
  const alias = aliasOfJid(address) ?? phoneAlias(address);
  if (alias === null) throw new RelayError('invalid_phone');
  return alias;
}
