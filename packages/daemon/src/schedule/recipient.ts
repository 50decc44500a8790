// To whom: oneself (`me`), somebody by name, number or address, or a group. Where several fit nobody is
// chosen: the candidates are the answer.
import type { ListedContact } from '@relay/core/api/contacts';
import { choose } from '@relay/core/contacts/find';
import { recipientJid } from '@relay/core/contacts/recipient';
import { RelayError } from '@relay/core/errors';
import { type ChatId, chatId, contactId } from '@relay/core/ids';
import { ownersChat } from '../gate/owners-chat.ts';
import { findOrMakeChat } from '../gate/recipient.ts';
import { findOrMakeChats } from '../store/chats.ts';
import type { Transaction } from '../store/database.ts';
import { matchPeople } from '../store/people.ts';
import type { ScheduleWorld } from './world.ts';

const CANDIDATES = 5;

export async function chatFor(
  { lease: { account } }: ScheduleWorld,
  tx: Transaction,
  to: string,
): Promise<ChatId> {
  if (to.trim().toLowerCase() === 'me') return ownChat(tx, account);
  const asked = { query: to, kind: 'all', limit: 20 } as const;
  const { matches, number } = await matchPeople(tx, account, asked);
  const certain = matches.filter(({ rank }) => rank === 0);
  const address = number === null ? recipientJid(to) : `+${number}`;
  // A whole number that nobody is known by is a number, not a part of somebody else's.
  if (certain.length === 0 && address !== null) return findOrMakeChat(tx, account, address);
  const choice = choose(matches);
  if ('found' in choice) return chatOf(tx, account, choice.found);
  if ('nobody' in choice) throw new RelayError('contact_unknown', { who: to });
  const candidates = choice.ambiguous.slice(0, CANDIDATES).map(nameOf).join(', ');
  throw new RelayError('contact_ambiguous', { who: to, candidates });
}

type Account = ScheduleWorld['lease']['account'];

async function ownChat(tx: Transaction, account: Account): Promise<ChatId> {
  const own = await ownersChat(tx, account);
  if (own === null) throw new RelayError('no_own_chat');
  return own;
}

async function chatOf(tx: Transaction, account: Account, found: ListedContact): Promise<ChatId> {
  if (found.kind === 'group') return chatId(found.id);
  const contact = contactId(found.id);
  const made = await findOrMakeChats(tx, account, { contacts: [contact], groups: [] });
  const chat = made.ofContact.get(contact);
  if (chat === undefined) throw new Error('a contact without a chat');
  return chat;
}

const nameOf = ({ name, phone_number: phone, jid }: ListedContact): string => {
  const address = phone === null ? (jid ?? '') : `+${phone}`;
  return name === null ? address : `${name} (${address})`;
};
