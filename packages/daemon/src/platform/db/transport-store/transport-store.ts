// The transport's stored state of one account. Reads see what is durable; writes go through the process's committer.
// Opening a store fences writes that an earlier store may still have in flight, so that what is read afterwards is
// current.
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import {
  EMPTY_MESSAGE,
  type TransportStore,
  TransportStoreFault,
  type TransportUnit,
} from '@relay/core/ports/transport';
import { CompiledQuery, sql } from 'kysely';
import type { Db } from '../database.ts';
import type { Lease } from '../lease.ts';
import { transaction } from '../transaction.ts';
import { type Committer, type CommitterMember, storableId } from './committer.ts';
import {
  openSealedRecord,
  sealedCredentialsName,
  sealedJournalName,
  sealedKeyName,
} from './sealed.ts';

interface TransportStoreOptions {
  readonly lease: Lease;
  readonly sealer: Sealer;
  readonly reader: Db;
}

/** Waits for a write in flight, which holds the row FOR KEY SHARE; later ones carry the old number. */
const FENCE = `WITH mine AS (
    SELECT account_id FROM account_leases WHERE account_id = $1 AND epoch = $2 FOR UPDATE)
  UPDATE account_leases l SET wire_epoch = wire_epoch + 1 FROM mine
  WHERE l.account_id = mine.account_id RETURNING wire_epoch`;

/** Throws a `TransportStoreFault` if the database does not answer or the lease is not ours. */
export async function openTransportStore(
  committer: Committer,
  options: TransportStoreOptions,
): Promise<TransportStore> {
  const { account, epoch } = options.lease;
  await committer.connectFor(account);
  const [row] = await queryOrFault<{ wire_epoch: number }>(options.reader, FENCE, [account, epoch]);
  if (row === undefined) {
    throw new TransportStoreFault('lease_lost', 'another worker acts for this account');
  }
  const store = new PostgresTransportStore(committer, options, row.wire_epoch);
  committer.join(store);
  return store;
}

class PostgresTransportStore implements TransportStore, CommitterMember {
  readonly account: AccountId;
  readonly epoch: number;
  readonly wireEpoch: number;
  readonly sealer: Sealer;
  submitted = 0;
  durable = 0;
  fault: TransportStoreFault | null = null;
  readonly #committer: Committer;
  readonly #reader: Db;
  readonly #onDurable = new Set<() => void>();
  readonly #onFault = new Set<(fault: TransportStoreFault) => void>();
  #last: Promise<void> = Promise.resolve();

  constructor(committer: Committer, options: TransportStoreOptions, wireEpoch: number) {
    this.account = options.lease.account;
    this.epoch = options.lease.epoch;
    this.wireEpoch = wireEpoch;
    this.sealer = options.sealer;
    this.#committer = committer;
    this.#reader = options.reader;
  }

  async credentials(): Promise<Uint8Array | null> {
    const [value] = await this.#read(
      'SELECT value FROM whatsapp_credentials WHERE account_id = $1',
      [],
      () => sealedCredentialsName(this.account),
    );
    return value?.plain ?? null;
  }

  async read(kind: number, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const asked = new Map(ids.map((id) => [storableId(id), id]));
    const values = await this.#read(
      'SELECT id, value FROM whatsapp_keys WHERE account_id = $1 AND kind = $2 AND id = ANY ($3::text[])',
      [kind, [...asked.keys()]],
      (id) => sealedKeyName(this.account, kind, id),
    );
    return new Map(values.map(({ id, plain }) => [asked.get(id) ?? id, plain]));
  }

  async journal(digest: Uint8Array): Promise<Uint8Array | null> {
    const [value] = await this.#read(
      'SELECT plain AS value FROM decrypt_journal WHERE account_id = $1 AND digest = $2',
      [digest],
      () => sealedJournalName(this.account, digest),
    );
    return value?.plain ?? null;
  }

  submit(unit: TransportUnit): Promise<void> {
    if (this.fault === null) this.submitted++;
    this.#last = this.#committer.submit(this, unit);
    return this.#last;
  }

  forget(): Promise<void> {
    if (this.fault === null) this.submitted++;
    this.#last = this.#committer.submit(this, 'forget');
    return this.#last;
  }

  onDurable(listener: () => void): () => void {
    this.#onDurable.add(listener);
    return () => this.#onDurable.delete(listener);
  }

  onFault(listener: (fault: TransportStoreFault) => void): () => void {
    const { fault } = this;
    if (fault !== null) queueMicrotask(() => listener(fault));
    else this.#onFault.add(listener);
    return () => this.#onFault.delete(listener);
  }

  async close(): Promise<void> {
    await this.#last.catch(() => {});
    this.#onFault.clear();
    this.fail(new TransportStoreFault('unavailable', 'the store is closed'));
  }

  onCommitted(units: number): void {
    this.durable += units;
    for (const listener of this.#onDurable) guarded(listener);
  }

  fail(fault: TransportStoreFault): void {
    if (this.fault !== null) return;
    this.fault = fault;
    this.#committer.leave(this, fault);
    for (const listener of this.#onFault) guarded(() => listener(fault));
  }

  /** A failed read must not look like missing data: any failure ends this store. */
  async #read(
    text: string,
    values: readonly unknown[],
    nameOf: (id: string) => string,
  ): Promise<{ id: string; plain: Uint8Array }[]> {
    try {
      if (this.fault !== null) throw this.fault;
      const rows = await queryOrFault<{ id?: string; value: Buffer | null }>(this.#reader, text, [
        this.account,
        ...values,
      ]);
      if (this.fault !== null) throw this.fault;
      return rows.map(({ id = '', value }) => ({
        id,
        // Null only in the journal.
        plain: value === null ? EMPTY_MESSAGE : openSealedRecord(this.sealer, nameOf(id), value),
      }));
    } catch (error) {
      if (error instanceof TransportStoreFault) this.fail(error);
      throw error;
    }
  }
}

async function queryOrFault<Row extends object>(
  reader: Db,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return (await reader.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;
  } catch (cause) {
    throw new TransportStoreFault('unavailable', 'the database did not answer', { cause });
  }
}

/** An error in a listener belongs to the process; the accounts that share the committer continue. */
function guarded(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

// Checks whether an account's session can be stored: inserts a key and rolls back.

class ProbeRollback extends Error {}

export async function canStoreSession(db: Db, lease: Lease): Promise<boolean> {
  try {
    await transaction({ db, lease }, async ({ tx }) => {
      await sql`INSERT INTO whatsapp_keys (account_id, kind, id, value)
        VALUES (${lease.account}, 0, ${`probe ${lease.holder}`}, '\\x')`.execute(tx);
      throw new ProbeRollback();
    });
    return true;
  } catch (error) {
    return error instanceof ProbeRollback;
  }
}
