// The owner writes to somebody: the address is resolved, the gate decides, and the message waits in the
// outbox, all in one transaction. What the gate refuses stands in the ledger, and its reason is the answer.

import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId, MessageId, OutboxId } from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import { aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { refusalError } from '@relay/core/policy/reasons';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { loadChatAddress } from '../outbox/claim.ts';
import { findByKey } from '../outbox/outbox.ts';
import type { Gate } from './gate.ts';

interface OwnerSendDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
}

export interface MessageFromOwner {
  /** A number, or an address of a person or a group. */
  readonly to: string;
  readonly text: string;
  /** The same key with the same message again answers what became of the first. */
  readonly key?: string;
}

interface SentOwnerMessage {
  readonly id: OutboxId;
  readonly messageId: MessageId;
  readonly jid: string;
  readonly state: OutboxState;
}

export async function sendAsOwner(
  deps: OwnerSendDeps,
  message: MessageFromOwner,
): Promise<SentOwnerMessage> {
  const { lease } = deps;
  const { account } = lease;
  const { to, text, key } = message;
  const { decision, put, jid } = await deps.gate.checkingNumbers((check) =>
    transaction(deps, async ({ tx }) => {
      const chat = await findOrMakeChat(tx, account, to);
      const jid = await loadChatAddress(tx, account, chat);
      const known = key === undefined ? null : await findByKey(tx, account, key, { chat, text });
      if (known !== null) return { decision: null, put: known, jid };
      const submitted = await deps.gate.submit(
        tx,
        { kind: 'owner' },
        { kind: 'send_message', chat, text, ...(key === undefined ? {} : { key }) },
        check,
      );
      return { decision: submitted.decision, put: submitted.message, jid };
    }),
  );
  if (put === null || jid === null) throw refusalError(decision?.reason ?? 'unknown_chat');
  deps.gate.hint();
  return { ...put, jid };
}

// Whom an address means: a number as people write it, or an address of a person or a group as WhatsApp
// does. Contact and chat are found or made in the caller's transaction; two at once make one.

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
  const [chat] = [...made.ofGroup.values(), ...made.ofContact.values()];
  if (chat === undefined) throw new Error('an address without a chat');
  return chat;
}

function personAt(address: string) {
  const alias = aliasOfJid(address) ?? phoneAlias(address);
  if (alias === null) throw new RelayError('invalid_phone');
  return alias;
}
