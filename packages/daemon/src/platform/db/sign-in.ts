// Stores login codes and browser sessions of owners, by their hashes only. A code is spent by the one UPDATE that finds
// it unspent.

import type { SignedInOwner, SignInStore } from '@relay/contract/api/credentials';
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** So that a busy page does not cause a write with every request. */
const USE_PRECISION_MS = 60_000;

export function createSignInStore(db: Db): SignInStore {
  const bytes = (hash: string) => Buffer.from(hash, 'utf8');
  const endSession = async (hash: string) => {
    await db.deleteFrom('browser_sessions').where('hash', '=', bytes(hash)).execute();
  };
  const sessionsAt = (hash: string, now: Date) =>
    db
      .selectFrom('browser_sessions')
      .innerJoin('owners', 'owners.id', 'browser_sessions.owner_id')
      .select(['owners.id', 'owners.role'])
      .where('hash', '=', bytes(hash))
      .where('expires_at', '>', now);
  return {
    async addCode(hash, expiresAt, owner) {
      await db
        .insertInto('login_codes')
        .values({ hash: bytes(hash), owner_id: owner, expires_at: expiresAt })
        .execute();
    },
    async spendCode(hash, now) {
      const spent = await db
        .updateTable('login_codes')
        .set({ used_at: now })
        .where('hash', '=', bytes(hash))
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .returning('owner_id')
        .executeTakeFirst();
      return spent?.owner_id ?? null;
    },
    async addSession(hash, expiresAt, owner, device) {
      await db
        .insertInto('browser_sessions')
        .values({
          hash: bytes(hash),
          owner_id: owner,
          created_at: new Date(),
          expires_at: expiresAt,
          ...(device === undefined ? {} : { device_id: device, used_at: new Date() }),
        })
        .execute();
    },
    async findSession(hash, now) {
      const found = await sessionsAt(hash, now).where('device_id', 'is', null).executeTakeFirst();
      return (found satisfies SignedInOwner | undefined) ?? null;
    },
    async findDeviceSession(hash, now, idleSince) {
      const found = await sessionsAt(hash, now)
        .where('device_id', 'is not', null)
        .where('used_at', '>', idleSince)
        .executeTakeFirst();
      return (found satisfies SignedInOwner | undefined) ?? null;
    },
    async noteDeviceSessionUse(hash, now) {
      await db
        .updateTable('browser_sessions')
        .set({ used_at: now })
        .where('hash', '=', bytes(hash))
        .where('used_at', '<', new Date(now.getTime() - USE_PRECISION_MS))
        .execute();
    },
    async isSessionSince(hash, since) {
      const row = await db
        .selectFrom('browser_sessions')
        .select('hash')
        .where('hash', '=', bytes(hash))
        .where('created_at', '>=', since)
        .executeTakeFirst();
      return row !== undefined;
    },
    endSession,
    async signOut(hash) {
      await sql`DELETE FROM push_devices p WHERE p.session_hash = ${bytes(hash)}
        OR p.paired_device = (SELECT s.device_id FROM browser_sessions s WHERE s.hash = ${bytes(hash)})`.execute(
        db,
      );
      await endSession(hash);
    },
    async endAll(owner) {
      await db.deleteFrom('browser_sessions').where('owner_id', '=', owner).execute();
      await sql`DELETE FROM push_devices p USING accounts a
        WHERE a.id = p.account_id AND a.owner_id = ${owner}`.execute(db);
      await db.deleteFrom('login_codes').where('owner_id', '=', owner).execute();
    },
  };
}
