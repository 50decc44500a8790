// Fixture: a database with accounts whose transport stores can be opened, broken and inspected from outside.
import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { AccountId } from '@relay/contract/ids';
import type { TransportStore } from '@relay/core/ports/transport';
import { freshStore, type TestStore } from '@relay/testing/store';
import { afterAll } from 'vitest';
import { aesSealer } from '../../../home/vault/sealer.ts';
import { databaseOf } from '../../database.ts';
import { type Lease, takeLease } from '../../lease.ts';
import { Committer, type CommitterOptions } from '../committer.ts';
import { openInboxContent } from '../sealed.ts';
import { openTransportStore } from '../transport-store.ts';

export interface WireDatabase extends TestStore {
  readonly committer: Committer;
  lease(): Promise<Lease>;
  open(lease: Lease): Promise<TransportStore>;
  inbox(account: AccountId): Promise<string[]>;
  /** Ends the connections that write, as an administrator or a server crash would. */
  cut(): Promise<void>;
}

export const sealer = aesSealer(createSecretKey(randomBytes(32)));

export interface WireDatabaseOptions extends CommitterOptions {
  /** Creates the sockets of the connection that writes. */
  readonly stream?: () => Socket;
}

export async function wireDatabase(options: WireDatabaseOptions = {}): Promise<WireDatabase> {
  const store = await freshStore();
  const { stream, ...rest } = options;
  const target = { connectionString: store.daemonUrl, ...(stream ? { stream } : {}) };
  const committer = new Committer(target, rest);
  afterAll(() => committer.close());
  const { allAccounts } = store.database;
  return {
    ...store,
    committer,
    async lease() {
      const { id } = await allAccounts
        .insertInto('accounts')
        .values({ label: 'x' })
        .returning('id')
        .executeTakeFirstOrThrow();
      const lease = await takeLease(allAccounts, id, randomUUID());
      if (lease === null) throw new Error('a fresh account is free');
      return lease;
    },
    open: (lease) => {
      const reader = databaseOf(store.database, lease.account).kysely;
      return openTransportStore(committer, { lease, sealer, reader });
    },
    async inbox(account) {
      const rows = await store.sql<{
        chat: string;
        sender: string;
        message_id: string;
        content: Buffer;
      }>('SELECT * FROM inbox WHERE account_id = $1 ORDER BY seq', [account]);
      return rows.map((row) => {
        const content = Buffer.from(openInboxContent(sealer, account, row)).toString();
        return `${row.chat} ${row.sender} ${row.message_id} ${content}`;
      });
    },
    async cut() {
      await store.sql(
        `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
         WHERE application_name = 'relay wire' AND datname = current_database()`,
      );
    },
  };
}
