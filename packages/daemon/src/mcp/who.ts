// Which chat a program means by `chat_id`: the whole name in the owner's records, a number, an address, or an
// id. Only those the owner has a record for and the token may deal with; whoever is not among them does not
// exist for it. A part of a name chooses nobody: it is answered with those it may mean.
//
//   whoIs(call, given, db?)     → { found } | { ambiguous } | { nobody }; what that is, each tool decides
//   someone(call, given, db?)   → the one that is found, or a RelayError with the candidates
//   readable(call, given, db?)  → the same, with a chat that may be read
//   reachable(call)             → everybody the program may deal with
//   reachedByIds(call, ids)     → of these chats or contacts, those
import { aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { type Choice, type Rank, rankOf } from '@relay/core/contacts/find';
import { readNumber } from '@relay/core/contacts/number';
import { RelayError } from '@relay/core/errors';
import type { ChatId } from '@relay/core/ids';
import { reasonSentence } from '@relay/core/policy/reasons';
import type { Reader } from '../store/database.ts';
import { linkedNumber } from '../store/people.ts';
import { listReachable, type Permitted } from '../store/permitted.ts';
import type { Call } from './tool.ts';

/** `chat` is null while nobody has written there; `address` is the id that get_chats gives. */
export type Reached = Permitted;
export type Meant = Choice<Reached>;
type Asking = Pick<Call, 'world' | 'program'>;

const GROUP = /^\d+(-\d+)?@g\.us$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MOST_NAMED = 5;

export async function whoIs(
  call: Asking,
  given: string,
  db: Reader = call.world.db,
): Promise<Meant> {
  const query = given.trim();
  const who = await addressIn(call, db, query);
  const [found] = who === null ? [] : await reached(call, db, who);
  if (found !== undefined) return { found };
  return byName(query, await reached(call, db, 'everybody'));
}

export async function someone(call: Asking, given: string, db?: Reader): Promise<Reached> {
  const meant = await whoIs(call, given, db);
  if ('found' in meant) return meant.found;
  const chat = given.trim().slice(0, 60);
  if ('nobody' in meant) throw new RelayError('chat_unknown', { chat });
  throw new RelayError('chat_unclear', { chat, candidates: candidates(meant.ambiguous) });
}

export async function readable(
  call: Asking,
  given: string,
  db?: Reader,
): Promise<Reached & { readonly chat: ChatId }> {
  const { chat, ...who } = await someone(call, given, db);
  if (!who.canRead) throw new RelayError('denied', { reason: reasonSentence('no_read_grant') });
  if (chat === null) throw new RelayError('chat_silent', { chat: who.name });
  return { ...who, chat };
}

export const reachable = (call: Asking): Promise<Reached[]> =>
  reached(call, call.world.db, 'everybody');

export const reachedByIds = (call: Asking, ids: readonly string[]): Promise<Reached[]> =>
  reached(call, call.world.db, { ids: [...new Set(ids)] });

/** For a refusal: names as the owner has them, with the ids to choose by. */
export const candidates = (of: readonly Reached[]): string =>
  [
    ...of.slice(0, MOST_NAMED).map(({ name, address }) => `${name} (${address})`),
    ...(of.length > MOST_NAMED ? ['…'] : []),
  ].join(', ');

function reached({ world, program }: Asking, db: Reader, who: Parameters<typeof listReachable>[3]) {
  const { lease, admins } = world;
  return listReachable(db, lease.account, { admins, contacts: program.contacts }, who);
}

/** Letters make it a name, whatever digits are in it; only an address may have them after its @. */
async function addressIn({ world }: Asking, db: Reader, query: string) {
  if (GROUP.test(query)) return { group: query };
  if (ID.test(query)) return { ids: [query] };
  if (query.includes('@')) {
    const alias = aliasOfJid(query);
    return alias === null ? null : { alias };
  }
  if (!/\d/.test(query) || /\p{L}/u.test(query)) return null;
  const number = readNumber(query, await linkedNumber(db, world.lease.account));
  const alias = number === null ? null : phoneAlias(number);
  return alias === null ? null : { alias };
}

function byName(query: string, everybody: readonly Reached[]): Meant {
  const ranked = everybody
    .flatMap((of) => {
      const rank = rankOf(query, { id: of.address, names: [of.name], addresses: [] });
      return rank === null ? [] : [{ rank, of }];
    })
    .sort((a, b) => a.rank - b.rank);
  const whole = ranked.filter(({ rank }) => rank === WHOLE).map(({ of }) => of);
  const [only] = whole;
  if (only !== undefined && whole.length === 1) return { found: only };
  const fitting = whole.length > 0 ? whole : ranked.map(({ of }) => of);
  return fitting.length === 0 ? { nobody: true } : { ambiguous: fitting };
}

const WHOLE: Rank = 0;
