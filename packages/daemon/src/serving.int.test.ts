import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pacingSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { removeFolder } from '@relay/testing/remove-folder';
import { testSealer } from '@relay/testing/sealer';
import { freshStore } from '@relay/testing/store';
import { expect, onTestFinished, test } from 'vitest';
import { adoptLease } from './account-lease.ts';
import { Gate } from './pipeline/gate/gate.ts';
import { sendAsOwner } from './pipeline/gate/send-as-owner.ts';
import { takeAccountLease } from './platform/db/account.ts';
import { databaseOf, openDatabase } from './platform/db/database.ts';
import { verifyChain } from './platform/db/ledger-chain.ts';

const HOLDER = '6f0f4a3e-7d5b-4a55-9d1c-000000000002';

/** A home, and daemons that start and stop in it. */
async function freshHome() {
  const { url, sql, account } = await freshStore(onTestFinished);
  const home = await mkdtemp(join(tmpdir(), 'relay-serving-'));
  onTestFinished(() => removeFolder(home));
  /** From the start of a daemon to its stop. */
  async function whileServing<T>(
    run: (daemon: {
      send(text: string): Promise<unknown>;
      check(): Promise<{ whole: boolean }>;
    }) => Promise<T>,
  ): Promise<T> {
    const database = openDatabase({ connectionString: url }, { max: 4, sealer: testSealer });
    const db = databaseOf(database, account).kysely;
    const lease = await takeAccountLease(db, HOLDER, account);
    const release = await adoptLease({ db, home, log: silentLog, lease, unservedSince: null });
    const pacing = pacingSchema.parse({ enabled: false });
    const gate = new Gate({ account, pacing, wakeOutbox: () => {} });
    try {
      return await run({
        send: (text) => sendAsOwner({ db, lease, gate }, { to: '+4915170000001', text }),
        check: () => verifyChain(db, account, { full: true }),
      });
    } finally {
      await release();
      await database.close();
    }
  }
  const macs = async () =>
    (
      await sql('SELECT p.mac FROM outbox o JOIN permits p ON p.id = o.permit_id ORDER BY o.seq')
    ).map(({ mac }) => mac !== null);
  return { sql, home, whileServing, macs, file: join(home, 'ledger-head.json') };
}

/** As before the schema that added MACs. */
const UNSIGNED = ['UPDATE ledger_heads SET mac = NULL', 'UPDATE permits SET mac = NULL'];

test('only the first start after an upgrade signs the ledger and the queued messages', async () => {
  const { sql, whileServing, macs, file } = await freshHome();
  await whileServing(async ({ send }) => {
    await send('sent before');
    await sql("UPDATE outbox SET state = 'read'");
    await send('waits');
  });
  for (const statement of UNSIGNED) await sql(statement);
  await rm(file);
  await whileServing(async ({ check }) => expect(await check()).toMatchObject({ whole: true }));
  expect(await macs()).toEqual([false, true]);

  for (const statement of UNSIGNED) await sql(statement);
  await whileServing(async ({ check }) => expect(await check()).toMatchObject({ whole: false }));
  expect(await macs()).toEqual([false, false]);
});

test('a ledger that was set back while no daemon ran is detected by the next daemon', async () => {
  const { sql, whileServing } = await freshHome();
  await whileServing(({ send }) => send('one'));
  const [earlier] = await sql('SELECT seq, hash, mac FROM ledger_heads');
  await whileServing(({ send }) => send('two'));
  await sql('DELETE FROM outbox');
  await sql('DELETE FROM permits');
  await sql('DELETE FROM ledger WHERE seq > $1', [earlier?.seq]);
  await sql('UPDATE ledger_heads SET seq = $1, hash = $2, mac = $3', [
    ...[earlier?.seq, earlier?.hash, earlier?.mac],
  ]);
  await whileServing(async ({ check, send }) => {
    expect(await check()).toMatchObject({ whole: false, fault: { kind: 'cut' } });
    await send('three');
    await send('four');
    expect(await check()).toMatchObject({ whole: false });
  });
});

test('an altered ledger-head.json does not make the daemon sign anything again', async () => {
  const { sql, whileServing, file } = await freshHome();
  await whileServing(({ send }) => send('one'));
  await sql('UPDATE ledger_heads SET mac = NULL');
  await writeFile(file, JSON.stringify({ seq: 1, hash: 'ab', mac: 'cd' }));
  await whileServing(async ({ check }) => expect(await check()).toMatchObject({ whole: false }));
});

test('ledger-head.json contains the head of the ledger when the daemon stopped', async () => {
  const { sql, whileServing, file } = await freshHome();
  await whileServing(({ send }) => send('one'));
  const [head] = await sql("SELECT seq, encode(hash, 'hex') AS hash FROM ledger_heads");
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ ...head });
});
