// Of what has changed, what one program may read at this moment, by each address it may be asked for under.
// Invariant: whether something may be read is asked in the statement that looks it up.
import type { Program } from '@relay/core/ports/tokens';
import { sql } from 'kysely';
import { jidOfAlias } from '../../store/addresses.ts';
import type { ProgramWorld } from '../world.ts';
import type { Changes } from './changes.ts';
import { chatsFor, mayRead, nameIn } from './listed.ts';
import type { Place } from './uris.ts';

type ReadingWorld = Pick<ProgramWorld, 'db' | 'lease' | 'admins'>;

interface ChatRow {
  readonly id: string;
  /** Every address that it has had. */
  readonly addresses: readonly string[];
}

export interface Found {
  readonly places: readonly Place[];
  /** The same things by their names in an outline. */
  readonly names: readonly string[];
}

export async function placesFor(
  world: ReadingWorld,
  program: Program,
  { chats, days, conversations }: Changes,
): Promise<Found> {
  const said = mayRead(program, 'chat') ? [...chats] : [];
  const digested = mayRead(program, 'digests') ? [...days.keys()] : [];
  const lines = mayRead(program, 'transcript') ? [...conversations] : [];
  const places: Place[] = [];
  const names: string[] = [];
  for (const { id, addresses } of await chatRows(world, program, [...said, ...digested])) {
    if (said.includes(id)) {
      names.push(nameIn('chat', id));
      for (const chat of addresses) places.push({ kind: 'chat', chat });
    }
    if (!digested.includes(id)) continue;
    names.push(nameIn('digests', id));
    for (const group of addresses) {
      places.push({ kind: 'digests', group });
      for (const day of days.get(id) ?? []) places.push({ kind: 'day', group, day });
    }
  }
  for (const conversation of await readableConversations(world, program, lines)) {
    names.push(nameIn('transcript', conversation));
    places.push({ kind: 'transcript', conversation });
  }
  return { places, names };
}

async function chatRows(
  world: ReadingWorld,
  program: Program,
  chats: readonly string[],
): Promise<readonly ChatRow[]> {
  if (chats.length === 0) return [];
  const { rows } = await sql<ChatRow>`
    SELECT c.id, array_remove(ARRAY[c.group_address, c.id::text] || ARRAY(
      SELECT ${jidOfAlias(sql.ref('a'))} FROM contact_aliases a
      WHERE a.account_id = c.account_id AND a.contact_id = c.contact_id), NULL) AS addresses
    FROM chats c WHERE c.account_id = ${world.lease.account} AND c.id = ANY(${chats}::uuid[])
      AND c.id IN (${chatsFor(world, program)})`.execute(world.db);
  return rows;
}

async function readableConversations(
  world: ReadingWorld,
  program: Program,
  conversations: readonly string[],
): Promise<readonly string[]> {
  if (conversations.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT i.id FROM instances i WHERE i.account_id = ${world.lease.account}
      AND i.id = ANY(${conversations}::uuid[]) AND i.chat_id IN (${chatsFor(world, program)})`.execute(
    world.db,
  );
  return rows.map(({ id }) => id);
}
