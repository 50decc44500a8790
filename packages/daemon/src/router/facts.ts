// A message that was taken in, and what the router must know to place it: one query, in the transaction
// of the decision, so that a grant revoked a moment ago already counts.
import { isSigned } from '@relay/core/agent/signature';
import type { Grant } from '@relay/core/contacts/grants';
import { LATE_REPLY_WITHIN_MS } from '@relay/core/conversation/limits';
import type { AccountId, ChatId, ContactId, GrantId, InstanceId, MessageId } from '@relay/core/ids';
import type { MessageDetails } from '@relay/core/messages/message';
import { isByOthers } from '@relay/core/messages/said';
import type { ChatFacts } from '@relay/core/policy/facts';
import type { RouteFacts } from '@relay/core/router/route';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { ownChat } from '../store/own.ts';

/** Where a message stands in `messages`. */
export interface MessagePlace {
  readonly account: AccountId;
  readonly message: number;
  readonly sentAt: string;
}

export interface RoutedMessage {
  readonly id: MessageId;
  /** Its own in `messages`, where `id` is only its sender's. */
  readonly number: number;
  readonly chat: ChatId;
  readonly body: string;
  /** Of a reaction: the emoji, and the message that it is on. */
  readonly reaction: { readonly emoji: string; readonly on: MessageId } | null;
  /** Its sender did not write it: a forwarded message, a file's name, a contact card. */
  readonly untrusted: boolean;
  readonly sentAt: Date;
  /** Taken in long after it was written: it waited while Relay was away. */
  readonly late: boolean;
  /** The record of the contact or the group, whatever it allows. */
  readonly grant: GrantId | null;
  readonly facts: RouteFacts;
}

interface Row {
  message_id: MessageId;
  body: string;
  details: MessageDetails | null;
  quoted_id: MessageId | null;
  sent_at: Date;
  late: boolean;
  author: RouteFacts['author'];
  content_kind: string;
  chat_id: ChatId;
  kind: 'direct' | 'group';
  contact_id: ContactId | null;
  grant_id: GrantId | null;
  grant: Grant | null;
  instance_id: InstanceId | null;
  own: 'self' | 'admin' | null;
  observed: boolean;
  ended_id: InstanceId | null;
  dismissed: boolean | null;
}

/** Null when the message is gone: erased before anybody looked at it. */
export async function readMessage(
  tx: Transaction,
  { account, message, sentAt }: MessagePlace,
  admins: readonly string[],
  now: Date,
): Promise<RoutedMessage | null> {
  const { rows } = await sql<Row>`
    SELECT m.message_id, m.body, m.quoted_id, m.details, m.sent_at, m.late, m.chat_id, m.kind AS content_kind, c.kind, c.contact_id, i.id AS instance_id,
      e.id AS ended_id, e.dismissed,
      ${ownChat(sql.ref('c'), admins)} AS own,
      EXISTS (SELECT FROM observed_groups o WHERE o.account_id = c.account_id AND o.chat_id = c.id) AS observed,
      CASE WHEN NOT m.from_me THEN 'contact'
        WHEN EXISTS (SELECT FROM outbox o WHERE o.account_id = m.account_id AND o.message_id = m.message_id)
        THEN 'relay' ELSE 'owner' END AS author,
      g.id AS grant_id, CASE WHEN g.id IS NOT NULL THEN json_build_object('canRead', g.can_read, 'canReply', g.can_reply,
        'replyMode', g.reply_mode, 'canInitiate', g.can_initiate) END AS grant
    FROM messages m JOIN chats c ON c.account_id = m.account_id AND c.id = m.chat_id
      LEFT JOIN grants g ON g.account_id = c.account_id
        AND ((c.kind = 'direct' AND g.contact_id = c.contact_id) OR (c.kind = 'group' AND g.chat_id = c.id))
      LEFT JOIN instances i ON i.account_id = c.account_id AND i.contact_id = c.contact_id
        AND i.state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED') AND i.previous_state IS DISTINCT FROM 'QUEUED'
        -- What the owner typed before there was a conversation, and only now arrives, takes nothing over.
        AND NOT (m.from_me AND m.late AND m.sent_at < date_trunc('second', i.created_at))
      LEFT JOIN LATERAL (SELECT n.id, (SELECT t.trigger = 'cancel' FROM instance_transitions t
          WHERE t.account_id = n.account_id AND t.instance_id = n.id ORDER BY t.id DESC LIMIT 1) AS dismissed
        FROM instances n WHERE n.account_id = c.account_id AND n.contact_id = c.contact_id
          AND n.state IN ('COMPLETED', 'ABANDONED') AND n.updated_at > ${new Date(now.getTime() - LATE_REPLY_WITHIN_MS)}
        ORDER BY n.updated_at DESC LIMIT 1) e ON NOT m.from_me AND i.id IS NULL
    WHERE m.account_id = ${account} AND m.sent_at = ${sentAt} AND m.id = ${message}`.execute(tx);
  const row = rows[0];
  return row === undefined
    ? null
    : {
        id: row.message_id,
        number: message,
        chat: row.chat_id,
        body: row.body,
        reaction:
          row.content_kind === 'reactionMessage' && row.quoted_id !== null
            ? { emoji: row.details?.words ?? '', on: row.quoted_id }
            : null,
        untrusted: isByOthers({ kind: row.content_kind, details: row.details }),
        sentAt: row.sent_at,
        late: row.late,
        grant: row.grant_id,
        facts: factsOf(row),
      };
}

function factsOf(row: Row): RouteFacts {
  const { author, content_kind, chat_id, kind, contact_id, grant, instance_id, own } = row;
  const direct = kind === 'direct' && own === null;
  return {
    author,
    kind: content_kind,
    signed: isSigned(row.body),
    self: own === 'self',
    chat: chatOf(row),
    contactGrant: direct ? grant : null,
    groupGrant: kind === 'group' ? grant : null,
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
    ended:
      row.ended_id === null
        ? null
        : { instance: row.ended_id, isDismissed: row.dismissed === true },
  };
}

function chatOf({ own, kind, chat_id: id, contact_id: contact, observed }: Row): ChatFacts {
  if (own !== null) return { kind: 'own', id };
  return kind === 'direct' ? { kind, id, contact } : { kind, id, observed };
}
