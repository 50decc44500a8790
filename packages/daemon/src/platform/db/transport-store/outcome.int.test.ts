import { Socket } from 'node:net';
import type { TransportStore } from '@relay/core/ports/transport';
import { eventually } from '@relay/testing/store';
import { bytes, message, text } from '@relay/testing/wire-store-behaviour';
import { afterEach, expect, test } from 'vitest';
import { batchToQuery } from './committer.ts';
import { sealer, wireDatabase } from './testing/world.ts';

// A commit whose answer never came: it may have happened, may not have, or may still happen.

let socket: Socket;
let reachable = true;
const database = await wireDatabase({
  stream: () => {
    socket = new Socket();
    if (!reachable) socket.connect = () => socket.destroy(new Error('unreachable'));
    return socket;
  },
});
const { sql } = database;

const put = (value: string) => ({ keys: [{ kind: 1, id: 'a', value: bytes(value) }] });
const read = async (store: TransportStore) => text((await store.read(1, ['a'])).get('a'));

async function linked() {
  const lease = await database.lease();
  const store = await database.open(lease);
  await store.submit(put('1'));
  return { lease, store };
}

afterEach(() => sql('DROP TRIGGER IF EXISTS slow ON whatsapp_keys'));

test('a store faults when the answer to a commit is lost, and finds the commit when opened again', async () => {
  const { lease, store } = await linked();
  socket.pause();
  const unit = store.submit({ ...put('2'), inbox: [message('1')] });
  await eventually(async () => (await database.inbox(lease.account)).length === 1);
  socket.destroy();
  await expect(unit).rejects.toMatchObject({ kind: 'unavailable' });
  expect(store.durable).toBe(1);
  const again = await database.open(lease);
  expect(await read(again)).toBe('2');
  await again.submit({ inbox: [message('1')] });
  expect(await database.inbox(lease.account)).toHaveLength(1);
});

test('opening a store waits for a commit still running on a lost connection', async () => {
  const { lease, store } = await linked();
  await sql(`CREATE OR REPLACE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN PERFORM pg_sleep(1); RETURN NEW; END $$`);
  await sql(`CREATE TRIGGER slow BEFORE UPDATE ON whatsapp_keys
    FOR EACH ROW EXECUTE FUNCTION dawdle()`);
  const unit = store.submit(put('2'));
  const committing = () =>
    sql(`SELECT pid FROM pg_stat_activity
      WHERE wait_event = 'PgSleep' AND datname = current_database()`);
  await eventually(async () => (await committing()).length === 1);
  socket.destroy();
  await expect(unit).rejects.toMatchObject({ kind: 'unavailable' });
  const again = await database.open(lease);
  expect(await committing()).toEqual([]);
  expect(await read(again)).toBe('2');
});

test('a statement that reaches the server after the store was opened again writes nothing', async () => {
  const { lease } = await linked();
  const [row] = await sql<{ wire_epoch: number }>(
    'SELECT wire_epoch FROM account_leases WHERE account_id = $1',
    [lease.account],
  );
  const owner = { ...lease, sealer, wireEpoch: row?.wire_epoch ?? 0 };
  const late = batchToQuery([{ owner, work: { ...put('late'), inbox: [message('1')] } }]);
  const again = await database.open(lease);
  expect(await sql(late.text, late.values)).toEqual([]);
  expect(await read(again)).toBe('1');
  expect(await database.inbox(lease.account)).toEqual([]);
});

test('an unreachable database is reported as unavailable, and is tried again', async () => {
  const { lease, store } = await linked();
  reachable = false;
  await database.cut();
  await expect(store.submit(put('2'))).rejects.toMatchObject({ kind: 'unavailable' });
  await expect(database.open(lease)).rejects.toMatchObject({ kind: 'unavailable' });
  reachable = true;
  expect(await read(await database.open(lease))).toBe('1');
});
