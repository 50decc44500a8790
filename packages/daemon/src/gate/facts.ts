// What the gate knows when it decides, read in the transaction of the decision, so that a grant revoked a
// moment ago already counts. One query: this stands in the way of every message.
import type { Grant } from '@relay/core/contacts/grants';
import type { AccountId, ChatId, ContactId, GrantId } from '@relay/core/ids';
import { FREEZES } from '@relay/core/outbox/freeze';
import type { ChatFacts, ConversationFacts, Facts } from '@relay/core/policy/facts';
import { BARE_FACTS } from '@relay/core/policy/facts';
import type { Pacing } from '@relay/core/settings';
import { sql } from 'kysely';
import { CHAT_ADDRESS } from '../store/addresses.ts';
import type { Transaction } from '../store/database.ts';
import { ownChat } from '../store/own.ts';
import { type Registration, registrationOf } from '../store/registration.ts';
import type { AskingOptions } from './asked.ts';

/** What keeps this account from writing to new people. */
const LOCKS = Object.entries(FREEZES)
  .filter(([, freeze]) => freeze.stops === 'first_contacts')
  .map(([cause]) => cause);

interface Row {
  kind: 'direct' | 'group' | 'own';
  contact_id: ContactId | null;
  hold: boolean;
  observed: boolean;
  written: boolean;
  locked: boolean;
  registration: Registration;
  address: string | null;
  grant_id: GrantId | null;
  can_read: boolean;
  can_reply: boolean;
  can_initiate: boolean;
  reply_mode: 'auto' | 'draft';
}

export interface ChatKnowledge {
  readonly facts: Facts;
  /** A direct chat in which neither side has written. */
  readonly firstContact: boolean;
  /** The standing grant there is for the chat, whether it allows this or not. */
  readonly grant: GrantId | null;
  /** The number to ask WhatsApp about before the first message; null where there is none or nothing to ask. */
  readonly uncheckedNumber: string | null;
}

export interface KnowOptions extends AskingOptions {
  readonly pacing: Pacing;
  /** The owner's other numbers, in digits. */
  readonly admins?: readonly string[];
}

export async function knowChat(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  conversation: ConversationFacts | null,
  { pacing, admins = [], now = () => new Date() }: KnowOptions,
): Promise<ChatKnowledge> {
  const { rows } = await sql<Row>`
    SELECT c.contact_id, CASE WHEN ${ownChat(sql.ref('c'), admins)} IS NULL THEN c.kind ELSE 'own' END AS kind,
      EXISTS (SELECT FROM holds h WHERE h.account_id = c.account_id) AS hold,
      EXISTS (SELECT FROM observed_groups o WHERE o.account_id = c.account_id AND o.chat_id = c.id) AS observed,
      c.kind = 'group' OR EXISTS (SELECT FROM outbox o WHERE o.account_id = c.account_id AND o.chat_id = c.id
          AND (o.state <> 'failed' OR o.in_doubt))
        OR EXISTS (SELECT FROM message_keys k WHERE k.account_id = c.account_id AND k.chat_id = c.id) AS written,
      EXISTS (SELECT FROM freezes f WHERE f.account_id = c.account_id
        AND f.cause = ANY(${LOCKS}) AND f.until > ${now()}) AS locked,
      ${registrationOf(sql.ref('c'), now())} AS registration, ${CHAT_ADDRESS} AS address,
      g.id AS grant_id, g.can_read, g.can_reply, g.can_initiate, g.reply_mode
    FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id
      AND ((c.kind = 'direct' AND g.contact_id = c.contact_id) OR (c.kind = 'group' AND g.chat_id = c.id))
    WHERE c.account_id = ${account} AND c.id = ${chat}`.execute(tx);
  const row = rows[0];
  if (row === undefined) {
    const facts = { ...BARE_FACTS, conversation };
    return { facts, firstContact: true, grant: null, uncheckedNumber: null };
  }
  const grant: Grant | null =
    row.grant_id === null
      ? null
      : {
          canRead: row.can_read,
          canReply: row.can_reply,
          canInitiate: row.can_initiate,
          replyMode: row.reply_mode,
        };
  const facts: Facts = {
    ...BARE_FACTS,
    hold: row.hold,
    timeLocked: row.locked,
    firstContactsOff: pacing.enabled && pacing.first_contacts_per_day === 0,
    unregistered: row.kind === 'direct' && row.registration === 'unregistered',
    conversation,
    chat: chatFacts(chat, row),
    contactGrant: row.kind === 'direct' ? grant : null,
    groupGrant: row.kind === 'group' ? grant : null,
  };
  const asks = row.kind === 'direct' && !row.written && row.registration === 'unknown';
  return {
    facts,
    firstContact: !row.written,
    grant: row.grant_id,
    uncheckedNumber: asks ? row.address : null,
  };
}

function chatFacts(id: ChatId, { kind, contact_id, observed }: Row): ChatFacts {
  switch (kind) {
    case 'own':
      return { kind, id };
    case 'direct':
      return { kind, id, contact: contact_id };
    case 'group':
      return { kind, id, observed };
  }
}
