// Fixture: an account with contacts inserted by hand, and queries for what is stored about them afterwards.
import { randomInt, randomUUID } from 'node:crypto';
import { contactId } from '@relay/contract/ids';
import { type Alias, type Contact, lidAlias, phoneAlias } from '@relay/core/contacts/alias';
import type { Grant } from '@relay/core/contacts/grants';
import { freshStore, type TestStore } from '@relay/testing/store';
import { noteAliases, resolveSightings, type Sighting } from '../contacts.ts';
import { type Lease, takeLease } from '../lease.ts';

const alias = (made: Alias | null): Alias => {
  if (made === null) throw new Error('not an alias');
  return made;
};
export const phone = (n: number) => alias(phoneAlias(`1415555000${n}`));
export const lid = (n: number) => alias(lidAlias(`9000${n}`));
export const id = (n: number) =>
  contactId(`80000000-0000-4000-8000-${String(n).padStart(12, '0')}`);
export const ALL: Grant = { canRead: true, canReply: true, replyMode: 'auto', canInitiate: true };
export const READ: Grant = {
  canRead: true,
  canReply: false,
  replyMode: 'draft',
  canInitiate: false,
};

export interface KnownTwice {
  /** As WhatsApp writes them. */
  readonly phone: string;
  readonly lid: string;
  /** Reports the two addresses as one person. */
  merge(): Promise<void>;
}

/** One person stored as two contacts, by number and by LID, until they are merged into the one that is `kept`. */
export async function knownTwice(
  { account, database, sql }: Pick<TestStore, 'account' | 'database' | 'sql'>,
  lease: Lease,
  kept: 'phone' | 'lid',
): Promise<KnownTwice> {
  const digits = String(randomInt(10 ** 9, 10 ** 10));
  const known = { phone: `49${digits}`, lid: `7${digits}` };
  for (const kind of ['phone', 'lid'] as const) {
    // The lower id is kept.
    const contact = `${kind === kept ? '0' : 'f'}${randomUUID().slice(1)}`;
    await sql('INSERT INTO contacts (account_id, id) VALUES ($1, $2)', [account, contact]);
    await sql('INSERT INTO contact_aliases VALUES ($1, $2, $3, $4)', [
      account,
      kind,
      known[kind],
      contact,
    ]);
  }
  const jids = { phone: `${known.phone}@s.whatsapp.net`, lid: `${known.lid}@lid` };
  return {
    ...jids,
    merge: () => noteAliases(database.kysely, lease, [jids.phone, jids.lid]),
  };
}

export async function freshPeople() {
  const { account, database, sql } = await freshStore();
  const db = database.kysely;
  const lease = await takeLease(db, account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');

  const sight = (...sightings: Sighting[]) =>
    db.transaction().execute((tx) => resolveSightings(tx, account, sightings));

  async function put({ id: contact, aliases, grant }: Contact): Promise<void> {
    await sql('INSERT INTO contacts (account_id, id) VALUES ($1, $2)', [account, contact]);
    for (const { kind, value } of aliases) {
      await sql('INSERT INTO contact_aliases VALUES ($1, $2, $3, $4)', [
        account,
        kind,
        value,
        contact,
      ]);
    }
    if (grant === null) return;
    await sql(
      `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply, reply_mode, can_initiate)
       VALUES ($1, $2, 'x', $3, $4, $5, $6)`,
      [account, contact, grant.canRead, grant.canReply, grant.replyMode, grant.canInitiate],
    );
  }

  async function grantOf({ kind, value }: Alias): Promise<Grant | null> {
    const [row] = await sql<{ grant: Grant }>(
      `SELECT json_build_object('canRead', can_read, 'canReply', can_reply, 'replyMode', reply_mode,
         'canInitiate', can_initiate) AS grant
       FROM grants JOIN contact_aliases USING (account_id, contact_id) WHERE kind = $1 AND value = $2`,
      [kind, value],
    );
    return row?.grant ?? null;
  }

  async function wipe(): Promise<void> {
    await sql('DELETE FROM outbox');
    await sql('DELETE FROM contacts');
    await sql('DELETE FROM chats');
    await sql('DELETE FROM events');
    await sql('DELETE FROM messages');
    await sql('DELETE FROM message_keys');
  }

  return { account, db, grantOf, lease, put, sight, sql, wipe };
}
