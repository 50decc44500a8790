// A message that was taken in, and what the router must know to place it: one query, in the transaction
// of the decision, so that a grant revoked a moment ago already counts.
import type { Grant } from '@relay/core/contacts/grants';
import type { AccountId, ChatId, ContactId, InstanceId, MessageId } from '@relay/core/ids';
import type { RouteFacts } from '@relay/core/router/route';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';

/** Where a message stands in `messages`. */
export interface MessagePlace {
  readonly account: AccountId;
  readonly message: number;
  readonly sentAt: string;
}

export interface RoutedMessage {
  readonly id: MessageId;
  readonly chat: ChatId;
  readonly body: string;
  readonly facts: RouteFacts;
}

interface Row {
  message_id: MessageId;
  body: string;
  author: RouteFacts['author'];
  content_kind: string;
  chat_id: ChatId;
  kind: 'direct' | 'group';
  contact_id: ContactId | null;
  grant: Grant | null;
  instance_id: InstanceId | null;
}

/** Null when the message is gone: erased before anybody looked at it. */
export async function readMessage(
  tx: Transaction,
  { account, message, sentAt }: MessagePlace,
): Promise<RoutedMessage | null> {
  const { rows } = await sql<Row>`
    SELECT m.message_id, m.body, m.chat_id, m.kind AS content_kind, c.kind, c.contact_id, i.id AS instance_id,
      CASE WHEN NOT m.from_me THEN 'contact'
        WHEN EXISTS (SELECT FROM outbox o WHERE o.account_id = m.account_id AND o.message_id = m.message_id)
        THEN 'relay' ELSE 'owner' END AS author,
      CASE WHEN g.id IS NOT NULL THEN json_build_object('canRead', g.can_read, 'canReply', g.can_reply,
        'replyMode', g.reply_mode, 'canInitiate', g.can_initiate) END AS grant
    FROM messages m JOIN chats c ON c.account_id = m.account_id AND c.id = m.chat_id
      LEFT JOIN grants g ON g.account_id = c.account_id
        AND ((c.kind = 'direct' AND g.contact_id = c.contact_id) OR (c.kind = 'group' AND g.chat_id = c.id))
      LEFT JOIN instances i ON i.account_id = c.account_id AND i.contact_id = c.contact_id
        AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED') AND i.previous_state IS DISTINCT FROM 'QUEUED'
        -- What the owner typed before there was a conversation, and only now arrives, takes nothing over.
        AND NOT (m.from_me AND m.late AND m.sent_at < date_trunc('second', i.created_at))
    WHERE m.account_id = ${account} AND m.sent_at = ${sentAt} AND m.id = ${message}`.execute(tx);
  const row = rows[0];
  return row === undefined
    ? null
    : { id: row.message_id, chat: row.chat_id, body: row.body, facts: factsOf(row) };
}

function factsOf(row: Row): RouteFacts {
  const { author, content_kind, chat_id, kind, contact_id, grant, instance_id } = row;
  const direct = kind === 'direct';
  return {
    author,
    kind: content_kind,
    chat: direct
      ? { kind: 'direct', id: chat_id, contact: contact_id }
      : { kind: 'group', id: chat_id, observed: false },
    contactGrant: direct ? grant : null,
    groupGrant: direct ? null : grant,
    conversation:
      instance_id === null || contact_id === null
        ? null
        : {
            instance: instance_id,
            chat: chat_id,
            contact: contact_id,
            ended: false,
            firstContactApproved: true,
          },
  };
}
