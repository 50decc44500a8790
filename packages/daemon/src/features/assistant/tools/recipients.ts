// Resolves the recipient that the model gives. Only a number or an id from get_chats is accepted, and only of somebody
// with a permission record; a name is refused with the chats it may mean, so that nobody is guessed.

import type { ChatId } from '@relay/contract/ids';
import { aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { foldName } from '@relay/core/contacts/match';
import { findOrMakeChats } from '../../../platform/db/chats.ts';
import type { Transaction } from '../../../platform/db/database.ts';
import {
  findPermittedChat,
  listPermittedChats,
  type PermittedChat,
} from '../../../platform/db/grants.ts';
import { type ToolOutput, type ToolRun, toolError } from './tool-run.ts';

const GROUP = /^\d+(-\d+)?@g\.us$/;
const MOST_LOOKED_AT = 1_000;
const MOST_CANDIDATES = 10;

export async function resolveToolRecipient(
  run: ToolRun,
  tx: Transaction,
  text: string,
): Promise<PermittedChat | { readonly refused: ToolOutput }> {
  const { admins } = run.deps;
  const given = text.trim();
  const who = parseRecipient(given);
  if (who === null) return { refused: await explainNoRecipient(run, tx, given) };
  const found = await findPermittedChat(tx, run.account, admins, who);
  return found ?? { refused: toolError(`${NOBODY} ${LOOK_UP}`, { candidates: [] }) };
}

/** The recipient's chat, created if there is none yet. */
export async function findOrMakeRecipientChat(
  run: ToolRun,
  tx: Transaction,
  { chat, contact }: PermittedChat,
): Promise<ChatId> {
  if (chat !== null) return chat;
  if (contact === null) throw new Error('a group without a chat');
  const { byContact } = await findOrMakeChats(tx, run.account, { contacts: [contact], groups: [] });
  const made = byContact.get(contact);
  if (made === undefined) throw new Error('a contact without a chat');
  return made;
}

function parseRecipient(given: string) {
  if (GROUP.test(given)) return { group: given };
  // Letters make it a name, even with digits in it; only an address may have letters, after its @.
  const alias = given.includes('@')
    ? aliasOfJid(given)
    : /\p{L}/u.test(given)
      ? null
      : phoneAlias(given);
  return alias === null ? null : { alias };
}

async function explainNoRecipient(
  run: ToolRun,
  tx: Transaction,
  given: string,
): Promise<ToolOutput> {
  const all = await listPermittedChats(tx, run.account, run.deps.admins, MOST_LOOKED_AT);
  const named = all.filter(({ name }) => isLike(name, given));
  // Profile names are used only if the owner's own names do not match, because anyone can choose a profile name.
  const fitting =
    named.length > 0 ? named : all.filter(({ callsItself }) => isLike(callsItself ?? '', given));
  const candidates = fitting
    .slice(0, MOST_CANDIDATES)
    .map(({ address, name }) => ({ id: address, name }));
  const error =
    candidates.length === 0
      ? `"${given.slice(0, 60)}" is neither a phone number nor an id, and no chat has such a name. ${LOOK_UP}`
      : `"${given.slice(0, 60)}" is a name. Use the id of the chat that is meant; if more than one fits, ask your owner which one.`;
  return toolError(error, { candidates });
}

const NOBODY = 'There is no permission for this number, so it cannot be reached.';
const LOOK_UP = 'get_chats lists whom you can reach.';

function isLike(name: string, given: string): boolean {
  const [a, b] = [foldName(name), foldName(given)];
  return (
    b !== '' && (a.includes(b) || a.split(/\s+/).some((word) => b.split(/\s+/).includes(word)))
  );
}
