// Routes each stored message to a feature and records the decision in the ledger. Decision, effect and the end of the
// job are one transaction: a message is handed over exactly once, whatever restarts in between.

import { LATE_REPLY_WITHIN_MS } from '@relay/contract/api/constants';
import type {
  AccountId,
  ChatId,
  ContactId,
  GrantId,
  InstanceId,
  MessageId,
} from '@relay/contract/ids';
import type { Grant } from '@relay/core/contacts/grants';
import type { LedgerRow } from '@relay/core/ledger/rows';
import { isOthersText, type MessageDetails } from '@relay/core/messages/message';
import { isSignedText } from '@relay/core/messages/text';
import type { ChatFacts } from '@relay/core/policy/facts';
import { type Route, type RouteFacts, route } from '@relay/core/router/route';
import { sql } from 'kysely';
import { onAssistantMessage, onAssistantReaction } from '../../features/assistant/on-message.ts';
import { onAutoReplyMessage } from '../../features/auto-reply/on-message.ts';
import {
  onConversationMessage,
  onLateReply,
  onOwnerTakeover,
} from '../../features/conversations/on-message.ts';
import type { ConversationDeps } from '../../features/conversations/transitions.ts';
import { type GroupMessageDeps, onGroupMessage } from '../../features/observer/on-message.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import { recordMessageRequests } from '../../platform/db/message-requests.ts';
import { ownChatKindSql } from '../../platform/db/names-and-addresses.ts';
import { dedupeNotifications } from '../../platform/db/notification-dedupe.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';

/** The part of a `route` job that the router needs. */
interface RouteJob {
  readonly data: StoredMessageRef;
  complete(tx: Transaction): Promise<void>;
}

/** `admins` are the owner's other numbers, in digits. */
export function onRoute(deps: ConversationDeps, admins: readonly string[] = []) {
  return (job: RouteJob): Promise<void> =>
    transaction(deps, async (work) => {
      // First, because a merge of the sender locks the job: the message is read after the merge.
      await job.complete(work.tx);
      const message = await loadRoutedMessage(work.tx, job.data, admins, deps.now());
      // Routing comes last, because it ends with a ledger row, and the ledger stays locked from there to the commit.
      if (message === null || (await isDuplicateNotification(work.tx, deps.lease.account, message)))
        return;
      await routeMessage({ ...deps, admins }, work, message);
    });
}

/**
 * True for a notification of a message that the account has received: that message is routed, and this row is deleted.
 */
async function isDuplicateNotification(
  tx: Transaction,
  account: AccountId,
  message: RoutedMessage,
): Promise<boolean> {
  const { chat } = message.facts;
  if (chat.kind !== 'group' || !chat.observed) return false;
  return (await dedupeNotifications(tx, account, message)).includes(message.number);
}

async function routeMessage(
  deps: ConversationDeps & GroupMessageDeps,
  work: UnitOfWork,
  message: RoutedMessage,
): Promise<void> {
  const { account } = deps.lease;
  const decision = route(message.facts);
  const furtherRows = await handOver(deps, work, message, decision);
  await appendLedger(work.tx, account, {
    actor: 'router',
    action: 'route_message',
    subject: { kind: 'message', id: message.id },
    outcome: decision.outcome,
    reason: decision.reason,
    detail: {
      chat: message.chat,
      number: message.number,
      ...(decision.to === 'auto_reply' ? { grant: message.grant } : {}),
      ...('instance' in decision ? { instance: decision.instance } : {}),
    },
  });
  for (const row of furtherRows) await appendLedger(work.tx, account, row);
  const { outcome: to, reason } = decision;
  work.afterCommit.push(() =>
    deps.log.debug('message routed', { chat: message.chat, message: message.id, to, reason }),
  );
}

/** Hands the message to its feature. The returned rows are added to the ledger after the route. */
async function handOver(
  deps: ConversationDeps & GroupMessageDeps,
  work: UnitOfWork,
  message: RoutedMessage,
  decision: Route,
): Promise<readonly LedgerRow[]> {
  switch (decision.to) {
    case 'conversation':
      await onConversationMessage(deps, work, decision.instance, message);
      break;
    case 'late_reply':
      await onLateReply(deps, work, decision.instance, message);
      break;
    case 'takeover':
      await onOwnerTakeover(deps, work, decision.instance, message);
      break;
    case 'knock':
      await recordMessageRequests(work.tx, deps.lease.account, new Map([[decision.contact, 1]]));
      break;
    case 'assistant':
      await onAssistantMessage(deps, work, { ...message, self: message.facts.self });
      break;
    case 'reaction':
      await onAssistantReaction(deps, work, { ...message, self: message.facts.self });
      break;
    case 'auto_reply':
      await onAutoReplyMessage(deps, work, { ...message, contact: decision.contact });
      break;
    case 'observer':
      return onGroupMessage(deps, work, message);
    case 'nobody':
  }
  return [];
}

// Loads a stored message with the facts for routing it: one query, in the transaction of the decision, so that a grant
// revoked a moment ago already counts.

/** The position of a message in `messages`. */
export interface StoredMessageRef {
  readonly account: AccountId;
  readonly message: number;
  readonly sentAt: string;
}

interface RoutedMessage {
  readonly id: MessageId;
  /** Its number in `messages`; `id` is unique only per sender. */
  readonly number: number;
  readonly chat: ChatId;
  readonly body: string;
  /** For a reaction: the emoji, and the message that it is on. */
  readonly reaction: { readonly emoji: string; readonly on: MessageId } | null;
  /** Content that its sender did not write: a forwarded message, a file name, a contact card. */
  readonly untrusted: boolean;
  readonly sentAt: Date;
  /** Stored long after it was written, because Relay was offline. */
  readonly late: boolean;
  /** The grant of the contact or group, whatever it allows. */
  readonly grant: GrantId | null;
  readonly facts: RouteFacts;
}

interface RouteRow {
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

/** Null if the message was erased before it was routed. */
async function loadRoutedMessage(
  tx: Transaction,
  { account, message, sentAt }: StoredMessageRef,
  admins: readonly string[],
  now: Date,
): Promise<RoutedMessage | null> {
  const { rows } = await sql<RouteRow>`
    SELECT m.message_id, m.body, m.quoted_id, m.details, m.sent_at, m.late, m.chat_id, m.kind AS content_kind, c.kind, c.contact_id, i.id AS instance_id,
      e.id AS ended_id, e.dismissed,
      ${ownChatKindSql(sql.ref('c'), admins)} AS own,
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
        untrusted: isOthersText({ kind: row.content_kind, details: row.details }),
        sentAt: row.sent_at,
        late: row.late,
        grant: row.grant_id,
        facts: routeFactsOf(row),
      };
}

function routeFactsOf(row: RouteRow): RouteFacts {
  const { author, content_kind, chat_id, kind, contact_id, grant, instance_id, own } = row;
  const direct = kind === 'direct' && own === null;
  return {
    author,
    kind: content_kind,
    signed: isSignedText(row.body),
    self: own === 'self',
    chat: chatFactsOf(row),
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

function chatFactsOf({
  own,
  kind,
  chat_id: id,
  contact_id: contact,
  observed,
}: RouteRow): ChatFacts {
  if (own !== null) return { kind: 'own', id };
  return kind === 'direct' ? { kind, id, contact } : { kind, id, observed };
}
