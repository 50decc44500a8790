// Whether the session of an account can be kept: a key is written where keys are, and taken back.
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import { fence, type Lease } from '../lease.ts';

class TakenBack extends Error {}

export async function keepsSession(db: Reader, lease: Lease): Promise<boolean> {
  try {
    await db.transaction().execute(async (tx) => {
      await fence(tx, lease);
      await sql`INSERT INTO whatsapp_keys (account_id, kind, id, value)
        VALUES (${lease.account}, 0, ${`probe ${lease.holder}`}, '\\x')`.execute(tx);
      throw new TakenBack();
    });
    return true;
  } catch (error) {
    return error instanceof TakenBack;
  }
}
