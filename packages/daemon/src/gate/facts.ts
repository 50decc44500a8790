// What the gate knows when it decides, read in the transaction of the decision, so that a grant revoked a
// moment ago already counts. One query: this stands in the way of every message.
import type { Grant } from '@relay/core/contacts/grants';
import type { AccountId, ChatId, ContactId } from '@relay/core/ids';
import type { ConversationFacts, Facts } from '@relay/core/policy/facts';
import { BARE_FACTS } from '@relay/core/policy/facts';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';

interface Row {
  kind: 'direct' | 'group';
  contact_id: ContactId | null;
  hold: boolean;
  written: boolean;
  granted: boolean;
  can_read: boolean;
  can_reply: boolean;
  can_initiate: boolean;
  reply_mode: 'auto' | 'draft';
}

export interface ChatKnowledge {
  readonly facts: Facts;
  readonly firstContact: boolean;
}

export async function knowChat(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  conversation: ConversationFacts | null,
): Promise<ChatKnowledge> {
  const { rows } = await sql<Row>`
    SELECT c.kind, c.contact_id,
      EXISTS (SELECT FROM holds h WHERE h.account_id = c.account_id) AS hold,
      EXISTS (SELECT FROM outbox o WHERE o.account_id = c.account_id AND o.chat_id = c.id) AS written,
      g.id IS NOT NULL AS granted, g.can_read, g.can_reply, g.can_initiate, g.reply_mode
    FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id
      AND ((c.kind = 'direct' AND g.contact_id = c.contact_id) OR (c.kind = 'group' AND g.chat_id = c.id))
    WHERE c.account_id = ${account} AND c.id = ${chat}`.execute(tx);
  const row = rows[0];
  if (row === undefined) return { facts: { ...BARE_FACTS, conversation }, firstContact: true };
  const grant: Grant | null = row.granted
    ? {
        canRead: row.can_read,
        canReply: row.can_reply,
        canInitiate: row.can_initiate,
        replyMode: row.reply_mode,
      }
    : null;
  const facts: Facts = {
    ...BARE_FACTS,
    hold: row.hold,
    conversation,
    chat:
      row.kind === 'direct'
        ? { kind: 'direct', id: chat, contact: row.contact_id }
        : { kind: 'group', id: chat, observed: false },
    contactGrant: row.kind === 'direct' ? grant : null,
    groupGrant: row.kind === 'group' ? grant : null,
  };
  return { facts, firstContact: !row.written };
}
