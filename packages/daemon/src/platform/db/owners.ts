// Stores the owners: the people that accounts belong to. The token of each is kept by its hash only; that of the home's
// owner is a file of the home.
import { createHash, randomBytes } from 'node:crypto';
import type { ListedOwner, OwnerService } from '@relay/contract/api/accounts';
import { RelayError } from '@relay/contract/errors';
import { HOME_OWNER, type OwnerId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Db } from './database.ts';

export function createOwnerService(db: Db): OwnerService {
  return {
    list: () => listOwners(db, null),
    async add({ name, role }) {
      const token = newToken();
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('owners')
        .values({ name, role, token_hash: hashOf(token) })
        .onConflict((on) => on.doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows !== 1n) throw new RelayError('owner_exists', { owner: name });
      return { ...(await getOwner(db, name)), token };
    },
    async remove(name) {
      const found = await getOwner(db, name);
      const [account] = found.accounts;
      if (account !== undefined)
        throw new RelayError('owner_has_accounts', { owner: name, account });
      const { numDeletedRows } = await db
        .deleteFrom('owners')
        .where('name', '=', name)
        .where('id', '<>', HOME_OWNER)
        .executeTakeFirst();
      if (numDeletedRows !== 1n) throw new RelayError('owner_of_home');
      return found;
    },
    async findByToken(hash) {
      const found = await db
        .selectFrom('owners')
        .select(['id', 'role'])
        .where('token_hash', '=', Buffer.from(hash, 'hex'))
        .executeTakeFirst();
      return found ?? null;
    },
    async replaceToken(owner) {
      const token = newToken();
      await db
        .updateTable('owners')
        .set({ token_hash: hashOf(token) })
        .where('id', '=', owner)
        .execute();
      return token;
    },
  };
}

const newToken = (): string => `relay_${randomBytes(32).toString('base64url')}`;
const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

async function getOwner(db: Db, name: string): Promise<ListedOwner> {
  const [found] = await listOwners(db, name);
  if (found === undefined) throw new RelayError('owner_not_found', { owner: name });
  return found;
}

async function listOwners(db: Db, name: string | null): Promise<ListedOwner[]> {
  const { rows } = await sql<Omit<ListedOwner, 'created_at'> & { created_at: Date }>`
    SELECT o.name, o.role, o.created_at,
      ARRAY(SELECT a.name FROM accounts a WHERE a.owner_id = o.id ORDER BY a.id) AS accounts
    FROM owners o WHERE ${name}::text IS NULL OR o.name = ${name} ORDER BY o.id`.execute(db);
  return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString() }));
}

/** The owner of this name. */
export async function findOwner(db: Db, name: string): Promise<OwnerId> {
  const found = await db
    .selectFrom('owners')
    .select(['id', 'role'])
    .where('name', '=', name)
    .executeTakeFirst();
  if (found === undefined) throw new RelayError('owner_not_found', { owner: name });
  if (found.role === 'operator') throw new RelayError('owner_is_operator', { owner: name });
  return found.id;
}
