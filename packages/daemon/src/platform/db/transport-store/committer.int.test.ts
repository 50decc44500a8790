import { randomUUID } from 'node:crypto';
import type { TransportStore, TransportStoreFault } from '@relay/core/ports/transport';
import { eventually, times } from '@relay/testing/store';
import { bytes, message, text } from '@relay/testing/wire-store-behaviour';
import { beforeEach, describe, expect, test } from 'vitest';
import { takeLease } from '../lease.ts';
import { wireDatabase } from './testing/world.ts';

const database = await wireDatabase();
const { sql } = database;

const put = (id: string, value: string) => ({ keys: [{ kind: 1, id, value: bytes(value) }] });
const faulty = { keys: [{ kind: 70_000, id: 'x', value: bytes('no smallint') }] };

async function newStore() {
  const lease = await database.lease();
  const store = await database.open(lease);
  return { lease, store, faults: faultsOf(store), reopen: () => database.open(lease) };
}

function faultsOf(store: TransportStore): TransportStoreFault['kind'][] {
  const kinds: TransportStoreFault['kind'][] = [];
  store.onFault(({ kind }) => kinds.push(kind));
  return kinds;
}

const keyOf = async (store: TransportStore, id: string) =>
  text((await store.read(1, [id])).get(id));
const outcomes = async (units: Promise<void>[]) =>
  (await Promise.allSettled(units)).map(({ status }) => status === 'fulfilled');

describe('several accounts in one transaction', () => {
  test('units that wait together are written together', async () => {
    const stores = await Promise.all(times(8, newStore));
    const before = await commits();
    await Promise.all(
      stores.flatMap(({ store }) => times(50, (i) => store.submit(put('a', `${i}`)))),
    );
    expect((await commits()) - before).toBeLessThan(20);
    for (const { store } of stores) expect(await keyOf(store, 'a')).toBe('49');
  });

  test('an account that lost its lease writes nothing and reports it; the others continue', async () => {
    const [lost, kept] = [await newStore(), await newStore()];
    await lost.store.submit(put('a', 'before'));
    await sql("UPDATE account_leases SET until = now() - interval '1 s' WHERE account_id = $1", [
      lost.lease.account,
    ]);
    const taken = await takeLease(database.database.allAccounts, lost.lease.account, randomUUID());
    if (taken === null) throw new Error('it had run out');
    const late = [
      lost.store.submit({ ...put('a', 'late'), inbox: [message('1')], credentials: bytes('x') }),
      lost.store.submit(put('b', 'late')),
    ];
    await kept.store.submit(put('a', 'kept'));
    for (const unit of late) await expect(unit).rejects.toMatchObject({ kind: 'lease_lost' });
    expect(lost.faults).toEqual(['lease_lost']);
    expect(kept.faults).toEqual([]);
    expect(lost.store.durable).toBe(1);
    await expect(lost.reopen()).rejects.toMatchObject({ kind: 'lease_lost' });
    const successor = await database.open(taken);
    expect(await keyOf(successor, 'a')).toBe('before');
    expect(await keyOf(successor, 'b')).toBeNull();
    expect(await successor.credentials()).toBeNull();
    expect(await database.inbox(taken.account)).toEqual([]);
  });

  test('forgetting without the lease deletes nothing', async () => {
    const { lease, store } = await newStore();
    await store.submit({ ...put('a', '1'), credentials: bytes('me') });
    await sql('UPDATE account_leases SET epoch = epoch + 1 WHERE account_id = $1', [lease.account]);
    await expect(store.forget()).rejects.toMatchObject({ kind: 'lease_lost' });
    const successor = await database.open({ ...lease, epoch: lease.epoch + 1 });
    expect(text(await successor.credentials())).toBe('me');
    expect(await keyOf(successor, 'a')).toBe('1');
  });

  test('a unit that the database refuses stops only its own account', async () => {
    const [bad, good] = [await newStore(), await newStore()];
    const ofBad = [
      bad.store.submit(put('a', '1')),
      bad.store.submit(faulty),
      bad.store.submit(put('a', '3')),
    ];
    const ofGood = times(3, (i) => good.store.submit(put('a', `${i}`)));
    expect(await outcomes(ofBad)).toEqual([true, false, false]);
    expect(await outcomes(ofGood)).toEqual([true, true, true]);
    expect([bad.faults, good.faults]).toEqual([['unavailable'], []]);
    expect(bad.store.durable).toBe(1);
    expect(await keyOf(await bad.reopen(), 'a')).toBe('1');
    expect(await keyOf(good.store, 'a')).toBe('2');
    await good.store.submit(put('a', 'still well'));
  });

  test('a listener that throws does not affect any account', async () => {
    const [one, other] = [await newStore(), await newStore()];
    const thrown: unknown[] = [];
    const catchIt = (error: unknown) => void thrown.push(error);
    const before = process.listeners('uncaughtException');
    process.removeAllListeners('uncaughtException').on('uncaughtException', catchIt);
    one.store.onDurable(() => {
      throw new Error('a bug of the listener');
    });
    await Promise.all([one.store.submit(put('a', '1')), other.store.submit(put('a', '1'))]);
    await eventually(() => thrown.length === 1);
    process.removeAllListeners('uncaughtException');
    for (const listener of before) process.on('uncaughtException', listener);
    expect([one.store.durable, other.store.durable]).toEqual([1, 1]);
  });
});

describe('a failing database', () => {
  const WRITES = [
    ['whatsapp_keys', put('a', '2')],
    ['whatsapp_credentials', { credentials: bytes('2') }],
    ['decrypt_journal', { journal: [{ digest: bytes('d'.repeat(32)), plain: bytes('2') }] }],
    ['inbox', { inbox: [message('2')] }],
  ] as const;
  const everything = Object.assign({}, ...WRITES.map(([, unit]) => unit));

  /** Fires once for each row written to the table, at the statement or at the commit. */
  async function trap(table: string, when: 'now' | 'at commit', deed: string) {
    await sql(`CREATE OR REPLACE FUNCTION spring() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN ${deed}; RETURN NEW; END $$`);
    await sql(
      when === 'now'
        ? `CREATE TRIGGER trap BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION spring()`
        : `CREATE CONSTRAINT TRIGGER trap AFTER INSERT OR UPDATE ON ${table}
           DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION spring()`,
    );
  }
  const disarm = () =>
    Promise.all(WRITES.map(([table]) => sql(`DROP TRIGGER IF EXISTS trap ON ${table}`)));
  beforeEach(disarm);

  const FULL = "RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'";
  const CUT = 'PERFORM pg_terminate_backend(pg_backend_pid())';

  test.each(
    WRITES.flatMap(([table]) => [
      { what: 'the disk is full', table, when: 'now', deed: FULL } as const,
      { what: 'the disk is full', table, when: 'at commit', deed: FULL } as const,
      { what: 'the connection ends', table, when: 'now', deed: CUT } as const,
      { what: 'the connection ends', table, when: 'at commit', deed: CUT } as const,
    ]),
  )(
    '$what $when of a write to $table: no part of the unit is stored, and nothing else is lost',
    async ({ table, when, deed }) => {
      const [one, other] = [await newStore(), await newStore()];
      await one.store.submit({ ...put('a', '1'), credentials: bytes('1'), inbox: [message('1')] });
      await trap(table, when, deed);
      const unit = one.store.submit(everything);
      await expect(unit).rejects.toMatchObject({ kind: 'unavailable' });
      // They share the connection, so neither may trust its memory.
      await eventually(() => other.faults.length > 0);
      expect([one.faults, other.faults]).toEqual([['unavailable'], ['unavailable']]);
      expect(one.store.durable).toBe(1);

      const still = await one.reopen();
      expect(text(await still.credentials())).toBe('1');
      expect(await keyOf(still, 'a')).toBe('1');
      expect(await still.journal(bytes('d'.repeat(32)))).toBeNull();
      expect(await database.inbox(one.lease.account)).toHaveLength(1);

      await disarm();
      await still.submit(everything);
      expect(text(await still.credentials())).toBe('2');
      expect(await database.inbox(one.lease.account)).toHaveLength(2);
    },
  );
});

/** How many transactions wrote the existing rows. */
async function commits(): Promise<number> {
  const rows = await sql<{ n: number }>(
    'SELECT count(DISTINCT xmin::text)::int AS n FROM whatsapp_keys',
  );
  return rows[0]?.n ?? 0;
}
