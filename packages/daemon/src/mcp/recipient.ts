// Whom a program means: a name, a number, an address, or the id of a chat as get_chats gives it.
// Invariant: only those exist whom the owner has a record for and the token may deal with, under the owner's
// names for them; where several fit nobody is chosen, and the candidates are the answer.
import { aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { folded } from '@relay/core/contacts/find';
import { readNumber } from '@relay/core/contacts/number';
import { RelayError } from '@relay/core/errors';
import type { ChatId } from '@relay/core/ids';
import { onContactList } from '@relay/core/policy/place';
import { findOrMakeChats } from '../store/chats.ts';
import type { Reader, Transaction } from '../store/database.ts';
import { findPermitted, listPermitted, type Permitted } from '../store/permitted.ts';
import type { Call } from './tool.ts';

const MOST_LOOKED_AT = 10_000;
const MOST_CANDIDATES = 10;
const GROUP = /^\d+(-\d+)?@g\.us$/;

type Of = Pick<Call, 'world' | 'actor'>;

/** Null for nobody; refused with the candidates where a name fits several. */
export async function findRecipient(call: Of, db: Reader, text: string): Promise<Permitted | null> {
  const { lease, admins, transport } = call.world;
  const given = text.trim();
  const address = addressIn(given, transport.link.phone);
  if (address !== null) {
    const found = await findPermitted(db, lease.account, admins, address);
    return found !== null && mayDealWith(call, found) ? found : null;
  }
  const all = await listPermitted(db, lease.account, admins, MOST_LOOKED_AT);
  const known = all.filter((each) => mayDealWith(call, each));
  const fitting = known.filter(({ chat }) => chat === given);
  return oneOf(fitting.length > 0 ? fitting : named(known, given), given);
}

/** Its chat, made if nobody has written there yet. */
export async function chatOf(
  { world }: Of,
  tx: Transaction,
  { chat, contact }: Permitted,
): Promise<ChatId> {
  if (chat !== null) return chat;
  if (contact === null) throw new Error('a group without a chat');
  const wanted = { contacts: [contact], groups: [] };
  const made = (await findOrMakeChats(tx, world.lease.account, wanted)).ofContact.get(contact);
  if (made === undefined) throw new Error('a contact without a chat');
  return made;
}

/** As people tell two of one name apart: `Ben (+4917…)`. */
export const whoItIs = ({ name, phone, address }: Permitted): string =>
  `${name} (${phone === null ? address : `+${phone}`})`;

/** Letters make it a name, whatever digits are in it; only an address may have them after its @. */
function addressIn(given: string, home: string | null) {
  if (GROUP.test(given)) return { group: given };
  const number = given.includes('@') ? null : readNumber(given, home);
  const alias = number === null ? aliasOfJid(given) : phoneAlias(number);
  return alias === null ? null : { alias };
}

const mayDealWith = ({ actor }: Of, { kind, contact }: Permitted): boolean =>
  kind !== 'own' && onContactList(actor, contact);

/** By the whole name, or else by whole words of it: `Ann` is never taken for `Anna`. */
function named(known: readonly Permitted[], given: string): readonly Permitted[] {
  const wanted = folded(given);
  if (wanted === '') return [];
  const whole = known.filter(({ name }) => folded(name) === wanted);
  if (whole.length > 0) return whole;
  const words = wanted.split(' ');
  return known.filter(({ name }) => {
    const has = folded(name).split(' ');
    return words.every((word) => has.includes(word));
  });
}

function oneOf(fitting: readonly Permitted[], given: string): Permitted | null {
  const [first = null] = fitting;
  if (fitting.length < 2) return first;
  throw new RelayError('contact_ambiguous', {
    who: given.slice(0, 60),
    candidates: fitting.slice(0, MOST_CANDIDATES).map(whoItIs).join(', '),
  });
}
