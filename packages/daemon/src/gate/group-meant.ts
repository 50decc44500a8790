// Which group is meant by what somebody typed: its name or a part of it, its address, or its id. Where two fit,
// none is chosen.
import { choose } from '@relay/core/contacts/find';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ChatId } from '@relay/core/ids';
import { findOrMakeChats } from '../store/chats.ts';
import type { Reader, Transaction } from '../store/database.ts';
import { matchPeople } from '../store/people.ts';

export interface MeantGroup {
  /** Null for one of which nothing was heard yet. */
  readonly chat: ChatId | null;
  readonly address: string;
  readonly name: string;
}

const GROUP = /^\d+(-\d+)?@g\.us$/;
const NAMED = 5;

export async function groupMeant(
  db: Reader,
  account: AccountId,
  given: string,
): Promise<MeantGroup> {
  const query = given.trim();
  const { meant } = await matchPeople(db, account, { query, kind: 'group', limit: NAMED });
  const choice = choose(meant);
  if ('found' in choice) {
    const { id, jid, name } = choice.found;
    return { chat: id as ChatId, address: jid ?? '', name: name ?? jid ?? '' };
  }
  if ('ambiguous' in choice) {
    const names = choice.ambiguous.slice(0, NAMED).map(({ name, jid }) => `${name ?? ''} (${jid})`);
    const candidates = [...names, ...(choice.ambiguous.length > NAMED ? ['…'] : [])].join(', ');
    throw new RelayError('group_unclear', { group: query, candidates });
  }
  if (GROUP.test(query)) return { chat: null, address: query, name: query };
  throw new RelayError('group_unknown', { group: query });
}

/** It is known from now on. */
export async function newGroup(
  tx: Transaction,
  account: AccountId,
  address: string,
): Promise<ChatId> {
  const { ofGroup } = await findOrMakeChats(tx, account, { contacts: [], groups: [address] });
  const chat = ofGroup.get(address);
  if (chat === undefined) throw new Error('a group without a chat');
  return chat;
}
