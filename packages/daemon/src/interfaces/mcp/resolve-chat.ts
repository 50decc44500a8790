// Finds the chat that a client means by `chat_id`: a name in the owner's records, a number, an address or an id. It
// finds only chats that the owner has a record for and that the token may use; all others do not exist for the client.
// If several chats match, or only a part of a name does, none is chosen and the candidates are returned.
//
//   matchChat(call, given, db?)            → { found } | { ambiguous } | { nobody }; the tool decides what follows
//   resolveChat(call, given, db?)          → the chat that was found, or a RelayError with the candidates
//   resolveReadableChat(call, given, db?)  → the same, for a chat that may be read
//   listClientChats(call)                  → all chats that the client may use
//   findReachableByIds(call, ids)          → those of the given chats or contacts that the client may use
//   findOrMakeChatFor(call, tx, reached)   → its chat, created if there are no messages yet

import { boundedText } from '@relay/contract/api/common';
import { RelayError } from '@relay/contract/errors';
import type { ChatId } from '@relay/contract/ids';
import { aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { foldName, type MatchChoice } from '@relay/core/contacts/match';
import { readPhoneNumber } from '@relay/core/contacts/phone-number';
import { refusalError } from '@relay/core/policy/reasons';
import { z } from 'zod';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { type PermittedChat, readReachableChats } from '../../platform/db/grants.ts';
import type { ClientCall } from './tool.ts';

/** `chat` is null while it has no messages; `address` is the id that get_chats returns. */
export type ReachableChat = PermittedChat;
type ChatMatch = MatchChoice<ReachableChat>;
type ChatLookup = Pick<ClientCall, 'deps' | 'client'>;

const GROUP = /^\d+(-\d+)?@g\.us$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOST_NAMED = 5;

export async function matchChat(
  call: ChatLookup,
  given: string,
  db: Db = call.deps.db,
): Promise<ChatMatch> {
  const query = given.trim();
  const who = addressIn(call, query);
  const [found] = who === null ? [] : await loadReachable(call, db, who);
  if (found !== undefined) return { found };
  return byName(query, await loadReachable(call, db, 'everybody'));
}

export async function resolveChat(
  call: ChatLookup,
  given: string,
  db?: Db,
): Promise<ReachableChat> {
  const meant = await matchChat(call, given, db);
  if ('found' in meant) return meant.found;
  const chat = given.trim().slice(0, 60);
  if ('nobody' in meant) throw new RelayError('chat_unknown', { chat });
  throw new RelayError('chat_unclear', { chat, candidates: formatCandidates(meant.ambiguous) });
}

export async function resolveReadableChat(
  call: ChatLookup,
  given: string,
  db?: Db,
): Promise<ReachableChat & { readonly chat: ChatId }> {
  const { chat, ...who } = await resolveChat(call, given, db);
  if (!who.canRead) throw refusalError('no_read_grant');
  if (chat === null) throw new RelayError('chat_silent', { chat: who.name });
  return { ...who, chat };
}

export const listClientChats = (call: ChatLookup): Promise<ReachableChat[]> =>
  loadReachable(call, call.deps.db, 'everybody');

export const findReachableByIds = (
  call: ChatLookup,
  ids: readonly string[],
): Promise<ReachableChat[]> => loadReachable(call, call.deps.db, { ids: [...new Set(ids)] });

export async function findOrMakeChatFor(
  { deps }: ChatLookup,
  tx: Transaction,
  { chat, contact }: ReachableChat,
): Promise<ChatId> {
  if (chat !== null) return chat;
  if (contact === null) throw new Error('a group without a chat');
  const wanted = { contacts: [contact], groups: [] };
  const made = (await findOrMakeChats(tx, deps.lease.account, wanted)).byContact.get(contact);
  if (made === undefined) throw new Error('a contact without a chat');
  return made;
}

/** Distinguishes two contacts with the same name: `Ben (+4917…)`. */
export const formatRecipient = ({ name, phone, address }: ReachableChat): string =>
  `${name} (${phone === null ? address : `+${phone}`})`;

/** For an error: the owner's names, with the ids to choose from. */
const formatCandidates = (of: readonly ReachableChat[]): string =>
  [
    ...of.slice(0, MOST_NAMED).map(({ name, address }) => `${name} (${address})`),
    ...(of.length > MOST_NAMED ? ['…'] : []),
  ].join(', ');

function loadReachable(
  { deps, client }: ChatLookup,
  db: Db,
  who: Parameters<typeof readReachableChats>[3],
) {
  const { lease, admins } = deps;
  return readReachableChats(db, lease.account, { admins, contacts: client.contacts }, who);
}

/** Text with letters is a name, whatever digits it contains; only an address may have letters after its @. */
function addressIn({ deps }: ChatLookup, query: string) {
  if (GROUP.test(query)) return { group: query };
  if (ID.test(query)) return { ids: [query] };
  const number = query.includes('@') ? null : readPhoneNumber(query, deps.transport.link.phone);
  const alias = number === null ? aliasOfJid(query) : phoneAlias(number);
  return alias === null ? null : { alias };
}

/** Matches the whole name, or else whole words of it: `Ann` never resolves to `Anna`, which is only a candidate. */
function byName(query: string, everybody: readonly ReachableChat[]): ChatMatch {
  const wanted = foldName(query);
  if (wanted === '') return { nobody: true };
  const words = wanted.split(' ');
  const like = (fits: (name: string) => boolean) =>
    everybody.filter(({ name }) => fits(foldName(name)));
  const whole = like((name) => name === wanted);
  const named =
    whole.length > 0
      ? whole
      : like((name) => words.every((word) => name.split(' ').includes(word)));
  const [only] = named;
  if (only !== undefined && named.length === 1) return { found: only };
  const candidates = named.length > 0 ? named : like((name) => name.includes(wanted));
  return candidates.length === 0 ? { nobody: true } : { ambiguous: candidates };
}

// Schemas for a chat in the input and the output of tools.

export const chatInput = boundedText(128).describe(
  'The chat: its id from get_chats, a phone number, or the complete name that the owner gave it.',
);

export const chatRefSchema = z.object({
  id: z.string().describe('Id of the chat, for all tools.'),
  name: z.string().describe('The owner’s name for the chat.'),
});

/** The schema of a tool's limit: how many of `what` to return. */
export const limitInput = (what: string, usual: number, most: number) =>
  z
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .describe(`Maximum number of ${what}, up to ${most} (default: ${usual}).`);
