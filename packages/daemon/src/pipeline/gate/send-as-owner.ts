// Sends a message as the owner: resolves the address, asks the gate and queues the message in one transaction. It
// becomes part of the open conversation with that contact. A refusal is recorded in the ledger, and its reason is
// returned.

import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId, MessageId, OutboxId } from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import { aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { refusalError } from '@relay/core/policy/reasons';
import { sql } from 'kysely';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import { loadChatAddress } from '../outbox/claim.ts';
import { findByKey } from '../outbox/outbox.ts';
import type { SubmitContext } from './evaluate.ts';
import type { Gate, GateResult } from './gate.ts';

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
  readonly key?: string;
}

export interface MessageFromOwner {
  /** A number, or the address of a person or a group. */
  readonly to: string;
  readonly text: string;
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
  const { to, text, replyTo, key } = message;
  const { decision, put, jid, chat } = await deps.gate.withNumberCheck((check) =>
    transaction(deps, async (work) => {
      const { tx } = work;
      const chat = await findOrMakeChat(tx, account, to);
      const jid = await loadChatAddress(tx, account, chat);
      const quotes =
        replyTo === undefined ? {} : { quotes: await requireQuotable(tx, account, chat, replyTo) };
      const known =
        key === undefined ? null : await findByKey(tx, account, key, { chat, text, ...quotes });
      if (known !== null) return { decision: null, put: known, jid, chat };
      const written = { chat, text, ...quotes, ...(key === undefined ? {} : { key }) };
      const submitted =
        (await deps.sendInConversation?.(work, written, check)) ??
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
  deps.gate.wakeOutbox();
  return { ...put, jid, chatId: chat };
}

/** A reply can quote only a stored message of the chat that it is sent to, by its id or the only one that begins so. */
export async function requireQuotable(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  id: string,
): Promise<MessageId> {
  const { rows } = await sql<{ id: MessageId }>`SELECT message_id AS id FROM message_keys
    WHERE account_id = ${account} AND chat_id = ${chat} AND message_id LIKE ${`${escapeLike(id)}%`}
    GROUP BY message_id ORDER BY message_id <> ${id} LIMIT 2`.execute(tx);
  const [found, other] = rows;
  if (found === undefined || (other !== undefined && found.id !== id))
    throw new RelayError('reply_to_unknown', { id });
  return found.id;
}

const escapeLike = (text: string): string => text.replaceAll(/[\\%_]/g, '\\$&');

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
