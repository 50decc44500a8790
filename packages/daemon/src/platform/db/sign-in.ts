// Stores login codes and browser sessions, by their hashes only. A code is spent by the one UPDATE that finds it
// unspent.

import type { SignInStore } from '@relay/contract/api/credentials';
import type { AccountId } from '@relay/contract/ids';
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** So that a busy page does not cause a write with every request. */
const USE_PRECISION_MS = 60_000;

export function createSignInStore(db: Db, account: AccountId): SignInStore {
  const bytes = (hash: string) => Buffer.from(hash, 'utf8');
  const endSession = async (hash: string) => {
    await db
      .deleteFrom('browser_sessions')
      .where('account_id', '=', account)
      .where('hash', '=', bytes(hash))
      .execute();
  };
  return {
    async addCode(hash, expiresAt) {
      await db
        .insertInto('login_codes')
        .values({ account_id: account, hash: bytes(hash), expires_at: expiresAt })
        .execute();
    },
    async spendCode(hash, now) {
      const { numUpdatedRows } = await db
        .updateTable('login_codes')
        .set({ used_at: now })
        .where('account_id', '=', account)
        .where('hash', '=', bytes(hash))
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async addSession(hash, expiresAt, device) {
      await db
        .insertInto('browser_sessions')
        .values({
          account_id: account,
          hash: bytes(hash),
          created_at: new Date(),
          expires_at: expiresAt,
          ...(device === undefined ? {} : { device_id: device, used_at: new Date() }),
        })
        .execute();
    },
    async hasSession(hash, now) {
      const row = await db
        .selectFrom('browser_sessions')
        .select('hash')
        .where('account_id', '=', account)
        .where('hash', '=', bytes(hash))
        .where('expires_at', '>', now)
        .where('device_id', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },
    async hasDeviceSession(hash, now, idleSince) {
      const row = await db
        .selectFrom('browser_sessions')
        .select('hash')
        .where('account_id', '=', account)
        .where('hash', '=', bytes(hash))
        .where('expires_at', '>', now)
        .where('device_id', 'is not', null)
        .where('used_at', '>', idleSince)
        .executeTakeFirst();
      return row !== undefined;
    },
    async noteDeviceSessionUse(hash, now) {
      await db
        .updateTable('browser_sessions')
        .set({ used_at: now })
        .where('account_id', '=', account)
        .where('hash', '=', bytes(hash))
        .where('used_at', '<', new Date(now.getTime() - USE_PRECISION_MS))
        .execute();
    },
    async isSessionSince(hash, since) {
      const row = await db
        .selectFrom('browser_sessions')
        .select('hash')
        .where('account_id', '=', account)
        .where('hash', '=', bytes(hash))
        .where('created_at', '>=', since)
        .executeTakeFirst();
      return row !== undefined;
    },
    endSession,
    async signOut(hash) {
      await sql`DELETE FROM push_devices p WHERE p.account_id = ${account} AND (p.session_hash = ${bytes(hash)}
        OR p.paired_device = (SELECT s.device_id FROM browser_sessions s
          WHERE s.account_id = ${account} AND s.hash = ${bytes(hash)}))`.execute(db);
      await endSession(hash);
    },
    async endAll() {
      await db.deleteFrom('browser_sessions').where('account_id', '=', account).execute();
      await sql`DELETE FROM push_devices WHERE account_id = ${account}`.execute(db);
      await db.deleteFrom('login_codes').where('account_id', '=', account).execute();
    },
  };
}
