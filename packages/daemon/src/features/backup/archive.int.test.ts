import { createHash, createSecretKey, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { AccountId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import type { Sealer } from '@relay/core/ports/sealer';
import { freshDatabase } from '@relay/testing/postgres';
import { removeFolder } from '@relay/testing/remove-folder';
import { testSealer } from '@relay/testing/sealer';
import { type CleanupHook, eventually, freshStore, type TestStore } from '@relay/testing/store';
import { INSTANCE, past as pastRows, readPast, writePast } from '@relay/testing/upgrade/past';
import { verifies } from '@relay/testing/verifies';
import { sql as statement } from 'kysely';
import { packTar, unpackTar } from 'modern-tar';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createHoldService } from '../../pipeline/gate/hold.ts';
import { createTokenService } from '../../pipeline/gate/tokens.ts';
import { onRestored } from '../../pipeline/gate/withdrawals.ts';
import { takeInBatch } from '../../pipeline/intake/intake.ts';
import { incoming, openPlain, readJson, receive } from '../../pipeline/intake/testing/inbox.ts';
import { freshPost } from '../../pipeline/outbox/testing/post.ts';
import { databaseOf, openDatabase, sealOf } from '../../platform/db/database.ts';
import { takeLease } from '../../platform/db/lease.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import { verifyChain, verifyLedger } from '../../platform/db/ledger-chain.ts';
import { loadMigrations, migrate } from '../../platform/db/migrate.ts';
import { beginRestartReport } from '../../platform/db/restart-report.ts';
import { createClientTokens, createForwarderTokens } from '../../platform/db/tokens.ts';
import { noteRestoreBegan } from '../../platform/home/state-files.ts';
import { aesSealer } from '../../platform/home/vault/sealer.ts';
import type { VaultRecord } from '../../platform/home/vault/vault.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { eraseAllMessages } from '../retention/erase.ts';
import { EXCLUDED_TABLES, listArchivedTables } from './archive.ts';
import { exportArchive } from './export.ts';
import { type ImportOptions, importArchive } from './import.ts';
import { settleRestore } from './restore.ts';
import type { RestoreKeys } from './secrets.ts';

const SCHEMA = (await loadMigrations()).at(-1)?.number ?? 0;

async function open(store: TestStore) {
  const jobs = await Jobs.start(store.database, silentLog);
  const lease = await takeLease(store.database.kysely, store.account, randomUUID());
  if (lease === null) throw new Error('free');
  return {
    ...store,
    jobs,
    options: {
      database: store.database,
      jobs,
      lease,
      schemaVersion: SCHEMA,
      keys: KEYS,
      owner: { connectionString: store.url },
      onRestored: async () => {},
    },
  };
}

const KEYS: RestoreKeys = { sealer: testSealer, vault: null, findFormerKey: async () => null };

const source = await open(await freshStore());
const { account, sql, database } = source;
const db = database.kysely;

const archiveOf = (
  { database, jobs }: Pick<ImportOptions, 'database' | 'jobs'>,
  more: {
    vault?: VaultRecord;
    openSecrets?: Pick<Sealer, 'forAccount'>;
    accounts?: readonly AccountId[];
  } = {},
) => {
  const options = { database, jobs, version: 'test', schemaVersion: SCHEMA, vault: null, ...more };
  return buffer(exportArchive(options));
};
const exported = () => archiveOf(source);

async function target(after: CleanupHook = onTestFinished) {
  const other = await open(await freshStore(after));
  after(() => other.jobs.stop(100));
  return other;
}

const contents = async ({ database: { kysely }, sql: ask }: TestStore) => {
  const tables: Record<string, unknown> = {};
  for (const name of await listArchivedTables(kysely))
    tables[name] = (await ask(`SELECT t::text AS row FROM ${name} t ORDER BY 1`)).map((r) => r.row);
  return tables;
};

/** Rows of tables that no archive has. */
const NOT_IN_ARCHIVES = new Set([
  'settings',
  'devices with notifications',
  'notifications of the owner',
]);

const ODD = 'é\u202e\u0301\ufeff 👩‍👩‍👧‍👦 \\ "quote" \n\t\u0001 \u2028 end';

/** Inserts at least one row into every table, with unusual values of each type. */
async function fill() {
  for (const name of await listArchivedTables(db)) {
    if (['accounts', 'ledger', 'ledger_heads'].includes(name)) continue;
    const columns = await sql<{ name: string; type: string; checks: string; nullable: boolean }>(
      `SELECT a.attname AS name, format_type(a.atttypid, null) AS type, NOT a.attnotnull AS nullable,
        coalesce((SELECT string_agg(pg_get_constraintdef(k.oid), ' ') FROM pg_constraint k
          WHERE k.conrelid = a.attrelid AND k.contype = 'c' AND a.attnum = ANY(k.conkey)), '') AS checks
      FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`,
      [name],
    );
    const values = columns.map((column) => oddValue(name, column));
    await sql(
      `INSERT INTO ${name} (${columns.map((c) => c.name).join(', ')}) OVERRIDING SYSTEM VALUE
      VALUES (${values.map((_, i) => `$${i + 1}`).join(', ')})`,
      values,
    );
  }
}

const ID = '11111111-2222-4333-8444-555555555555';
const SPECIAL: Record<string, unknown> = {
  account_id: account,
  ledger_seq: 1,
  previous_state: null,
  group_address: null,
  max_followups: 2_147_483_000,
  follow_up_count: -5,
  retention_days: 2_147_483_000,
  result_status: 'valid',
  document_id: 9_007_199_254_740_991,
};

function oddValue(
  table: string,
  { name, type, checks }: { name: string; type: string; checks: string },
) {
  if (table === 'grants' && name === 'chat_id') return null;
  if (table === 'permits' && name === 'outcome') return 'allow';
  // The only state with a hash.
  if (table === 'media' && name === 'state') return 'stored';
  if (name in SPECIAL) return SPECIAL[name];
  const choices = /ANY \(ARRAY\['(\w+)'/.exec(checks)?.[1];
  if (choices !== undefined && !type.startsWith('json')) return choices;
  switch (type) {
    case 'uuid':
      return ID;
    case 'uuid[]':
      return [ID, randomUUID()];
    case 'text[]':
      return [ODD, '', 'NULL', '{}', ','];
    case 'bytea':
      return Buffer.from([0, 255, 92, 120, 10]);
    case 'json':
    case 'jsonb':
      return name === 'value'
        ? 'null'
        : `{"a": [1e30, -0.1, null, "\\u2028"], "": ${JSON.stringify(ODD)}}`;
    case 'bigint[]':
      return [1, 9_007_199_254_740_991];
    case 'bigint':
      return 9_007_199_254_740_991;
    case 'integer':
      return -2_147_483_648;
    case 'double precision':
      return -0.1;
    case 'smallint':
      return -32_768;
    case 'boolean':
      return true;
    case 'date':
      return '2024-02-29';
    case 'tsvector':
      return "'it''s':1A 'b\\\\c':2";
    case 'timestamp with time zone':
      return '2026-07-01 12:34:56.123456+00';
    default:
      return ODD;
  }
}

beforeAll(async () => {
  await sql("SELECT ensure_message_month('2026-07-01')");
  await db.transaction().execute((tx) =>
    appendLedger(tx, account, {
      actor: ODD,
      action: 'x',
      subject: { kind: 'k', id: 'i' },
      outcome: 'allow',
      reason: 'r',
      detail: { a: 1 },
    }),
  );
  await fill();
  await sql("UPDATE timers SET due_at = '2020-01-01'");
  await sql('UPDATE webhooks SET enabled = false');
  await db.transaction().execute((tx) =>
    source.jobs.enqueue(
      tx,
      'conversation',
      [1, 2, 3].map((epoch) => ({
        key: 'k',
        data: { account, subject: ID as never, epoch, wake: 'reply' as const },
      })),
    ),
  );
  return () => source.jobs.stop(100);
});

test('restores every table unchanged, and Relay continues from there', async () => {
  const other = await target();
  const { tables } = await importArchive(other.options, Readable.from([await exported()]));
  expect(Object.values(tables).every((count) => count > 0)).toBe(true);
  expect(await contents(other)).toEqual(await contents(source));
  expect(Object.keys(EXCLUDED_TABLES).filter((name) => name in tables)).toEqual([]);

  expect(await verifyLedger(other.database.kysely, other.account)).toBeNull();
  const ran: number[] = [];
  other.jobs.work('conversation', 4, async (job) => {
    ran.push(job.data.epoch);
  });
  await eventually(() => ran.length === 3);
  expect(ran).toEqual([1, 2, 3]);
  const next = await other.database.kysely.transaction().execute((tx) =>
    appendLedger(tx, other.account, {
      actor: 'a',
      action: 'x',
      subject: { kind: 'k', id: 'i' },
      outcome: 'allow',
      reason: 'r',
    }),
  );
  expect(next).toBe(2);
  const made = await other.sql<{ id: number }>(
    "INSERT INTO accounts (label) VALUES ('b') RETURNING id",
  );
  expect(made[0]?.id).toBeGreaterThan(account);
});

test('exports one account of several with its owner, and nothing of the others', async () => {
  verifies('SCALE-ONE-ACCOUNT');
  const shared = await target();
  await receive(shared, shared.account, [incoming({ body: 'only mine' })]);
  const [added] = await shared.sql<{ id: AccountId }>(
    "WITH o AS (INSERT INTO owners (name) VALUES ('her') RETURNING id) INSERT INTO accounts (label, owner_id) SELECT 'hers', id FROM o RETURNING id",
  );
  const hers = added?.id ?? (0 as AccountId);
  await receive(shared, hers, [incoming({ body: 'only hers' })]);
  await shared.database.kysely
    .transaction()
    .execute((tx) =>
      shared.jobs.enqueue(tx, 'conversation', [
        { key: 'hers', data: { account: hers, instance: ID, epoch: 9, cause: 'first' } as never },
      ]),
    );
  const archive = await archiveOf(shared, { accounts: [hers] });
  const files = await unpackTar(gunzipSync(archive));
  const text = files.map(({ data }) => Buffer.from(data ?? []).toString()).join('\n');
  expect(text).toContain('"label":"hers"');
  expect(text).toContain(`"account_id":${hers},`);
  expect(text).not.toContain(`"account_id":${shared.account},`);
  expect(text).toMatch(/"key" ?: ?"hers"/);
});

test('signs the archive of another home with the key of the home it is restored into', async () => {
  const macs = async (store: TestStore) =>
    store.sql('SELECT h.mac AS head, p.mac AS permit FROM ledger_heads h, permits p');
  const [own] = await macs(source);
  await sql("UPDATE ledger_heads SET mac = 'theirs'");
  await sql("UPDATE permits SET mac = 'theirs'");
  const archive = await exported();
  await sql('UPDATE ledger_heads SET mac = $1', [own?.head]);
  const other = await target();
  await importArchive(other.options, Readable.from([archive]));
  const [signed] = await macs(other);
  expect(signed?.head).toEqual(own?.head);
  expect(signed?.permit).not.toEqual(Buffer.from('theirs'));
  const verdict = await verifyChain(other.database.kysely, other.account, { full: true });
  expect(verdict).toMatchObject({ whole: true });
});

test('restores an archive that is older than the home’s lost ledger, and continues from there', async () => {
  const other = await target();
  const { kysely } = other.database;
  const seal = sealOf(kysely);
  const lost = { seq: 99, hash: 'ab' };
  expect(seal.acceptHead(other.account, lost, seal.signHead(other.account, lost))).toBe(true);
  await importArchive(other.options, Readable.from([await exported()]));
  expect(await verifyChain(kysely, other.account, { full: true })).toMatchObject({ whole: true });
});

test('does not reuse the numbers of erased messages after a restore', async () => {
  const first = await target();
  /** The number that the next message gets. */
  const takeOne = async ({ options, account, sql: ask }: typeof first) => {
    const { database, lease, jobs } = options;
    await receive({ sql: ask }, account, [incoming()]);
    await takeInBatch({ db: database.kysely, lease, jobs, unseal: openPlain, read: readJson }, 1);
    return (await ask<{ id: number }>('SELECT max(id) AS id FROM messages'))[0]?.id ?? 0;
  };
  await takeOne(first);
  const erased = await takeOne(first);
  await eraseAllMessages(first.database.kysely, first.options.lease, statement`m.id = ${erased}`);

  const second = await target();
  await importArchive(second.options, Readable.from([await archiveOf(first)]));
  expect(await takeOne(second)).toBeGreaterThan(erased);
});

test('restores a delayed job with its delay', async () => {
  const first = await target();
  const at = async ({ sql: ask }: TestStore) =>
    (await ask<{ at: Date }>('SELECT start_after AS at FROM relay_jobs.job'))[0]?.at.getTime() ?? 0;
  await first.database.kysely.transaction().execute((tx) =>
    first.jobs.enqueue(tx, 'webhook', [
      {
        key: 'k',
        data: { account: first.account, subject: ID as never },
        delaySeconds: 12 * 3_600,
      },
    ]),
  );
  const second = await target();
  await importArchive(second.options, Readable.from([await archiveOf(first)]));
  expect(Math.abs((await at(second)) - (await at(first)))).toBeLessThan(2_000);
});

test('sends nothing after a restore until the owner releases the hold, and nothing queued for over a day', async () => {
  const first = await freshPost(onTestFinished);
  await first.send('two days ago');
  await first.sql("UPDATE outbox SET created_at = now() - interval '2 days'");
  await first.send('just now');
  const jobs = await Jobs.start(first.database, silentLog);
  onTestFinished(() => jobs.stop(100));
  const archive = await archiveOf({ database: first.database, jobs });

  const second = await freshPost(onTestFinished);
  const { lease, gate, database, network, sql: ask } = second;
  const kysely = database.kysely;
  const deps = { lease, gate, now: () => new Date() };
  second.start();
  await importArchive(
    {
      database,
      jobs,
      lease,
      schemaVersion: SCHEMA,
      keys: KEYS,
      owner: { connectionString: second.url },
      onRestored: onRestored({ ...deps, settled: async () => {} }),
    },
    Readable.from([archive]),
  );
  await second.looked();
  expect(network.asked).toEqual([]);
  expect(await second.states()).toEqual(['failed', 'pending']);
  const [withdrawn] = await ask('SELECT id, failure FROM outbox ORDER BY seq');
  expect(withdrawn?.failure).toContain('Send it again if you still want it.');
  expect(
    await ask('SELECT reason FROM ledger WHERE subject_id = $1', [withdrawn?.id]),
  ).toContainEqual({ reason: 'restored' });
  expect(await verifyChain(kysely, lease.account, { full: true })).toMatchObject({ whole: true });

  const hold = createHoldService({
    ...second.world,
    onRelease: async () => {},
    onChange: () => {},
  });
  await hold.release();
  await second.becomes('failed', 'sent');
  expect(network.wire.map(({ text }) => text)).toEqual(['just now']);
});

test('refuses an archive in a home that is not empty', async () => {
  const other = await target();
  await other.sql("INSERT INTO erased_messages (account_id, mark) VALUES ($1, 'x')", [
    other.account,
  ]);
  await expect(
    importArchive(other.options, Readable.from([await exported()])),
  ).rejects.toMatchObject({
    code: 'import_not_empty',
    message: expect.stringContaining('This home already contains data: erased messages.'),
  });
});

test('restores into a home that was restarted and checked by doctor', async () => {
  const other = await target();
  const { database, lease } = other.options;
  await verifyChain(database.kysely, other.account, { full: true });
  await beginRestartReport(database.kysely, lease, { cause: 'daemon', since: new Date() });
  expect(await other.sql('SELECT FROM settings')).toHaveLength(2);
  const { tables } = await importArchive(other.options, Readable.from([await exported()]));
  expect(tables.grants).toBe(1);
  expect(await verifyChain(database.kysely, other.account, { full: true })).toMatchObject({
    whole: true,
  });
});

test('accepts no restored token until the owner resumes or rotates it', async () => {
  const first = await target();
  const service = ({ database, lease }: ImportOptions) =>
    createTokenService({
      db: databaseOf(database, lease.account).kysely,
      lease,
      changed: () => {},
    });
  const request = { scopes: ['messages:read'] as const, confirm: true };
  const make = (name: string) =>
    service(first.options).create({ ...request, scopes: [...request.scopes], name });
  const [kept, leaked, rotated] = [await make('kept'), await make('leaked'), await make('rotated')];
  const { lease } = first.options;
  await createForwarderTokens({ db: first.database.kysely, lease }).replace('hash');
  const archive = await archiveOf(first);
  await service(first.options).revoke('leaked');

  const second = await target();
  const { kysely } = second.database;
  const report = await importArchive(second.options, Readable.from([archive]));
  expect(report.suspended_tokens).toEqual(['kept', 'leaked', 'rotated']);
  const find = (secret: string) =>
    createClientTokens(kysely, second.account).findClient(
      createHash('sha256').update(secret).digest('hex'),
    );
  for (const { secret } of [kept, leaked, rotated]) expect(await find(secret)).toBeNull();
  const forwarder = createForwarderTokens({ db: kysely, lease: second.options.lease });
  expect(await forwarder.isValid('hash')).toBe(false);

  const resumed = await service(second.options).resume('kept');
  expect(resumed.suspended_at).toBeNull();
  expect(await find(kept.secret)).toMatchObject({ name: 'kept' });
  const { secret } = await service(second.options).rotate('rotated');
  expect(await find(secret)).toMatchObject({ name: 'rotated' });
  expect(await find(rotated.secret)).toBeNull();
  expect(await find(leaked.secret)).toBeNull();
  // Its name is free for another client.
  expect((await make('other')).name).toBe('other');
  expect(
    await service(second.options).create({ ...request, scopes: ['messages:read'], name: 'leaked' }),
  ).toMatchObject({ name: 'leaked', suspended_at: null });
});

describe('the secret of a webhook', () => {
  const id = '11111111-2222-4333-8444-555555555599';
  const sealerOf = (byte: number) => aesSealer(createSecretKey(Buffer.alloc(32, byte)));
  const recordOf = (digit: number): VaultRecord => ({
    version: 1,
    id: `00000000-0000-4000-8000-00000000000${digit}`,
    check: 'AAAA',
    source: 'file',
  });
  const former = sealerOf(1);
  const own = sealerOf(2);

  async function homeWithWebhook() {
    const home = await target();
    const sealed = former.seal(`webhook/${id}`, Buffer.from('whsec_x'));
    await home.sql(
      `INSERT INTO webhooks (account_id, id, name, url, secret, events, enabled)
        VALUES ($1, $2, 'n8n', 'https://example.com', $3, '{message.received}', true)`,
      [home.account, id, sealed],
    );
    return home;
  }

  async function restored(archive: Buffer, findFormerKey: RestoreKeys['findFormerKey']) {
    const home = await target();
    const keys = { sealer: own, vault: recordOf(2), findFormerKey };
    const report = await importArchive({ ...home.options, keys }, Readable.from([archive]));
    const [row] = await home.sql<{ secret: Buffer; enabled: boolean; note: string }>(
      'SELECT secret, enabled, note FROM webhooks',
    );
    // A webhook that was deleted since the backup must not send again.
    expect(row).toMatchObject({ enabled: false, note: 'restored' });
    expect(report.disabled_webhooks).toEqual(['n8n']);
    const open = () =>
      Buffer.from(
        own.forAccount(home.account).open(`webhook/${id}`, row?.secret ?? Buffer.of()),
      ).toString();
    return { report, open };
  }

  test('opens in another home that finds the former key', async () => {
    const archive = await archiveOf(await homeWithWebhook(), { vault: recordOf(1) });
    expect(archive.includes('whsec_x')).toBe(false);
    const { report, open } = await restored(archive, async ({ id: asked }) =>
      asked === recordOf(1).id ? former : null,
    );
    expect(open()).toBe('whsec_x');
    expect(report.webhooks_without_secret).toEqual([]);
  });

  test('opens in another home from an archive that is encrypted as a whole', async () => {
    const options = { vault: recordOf(1), openSecrets: former };
    const archive = await archiveOf(await homeWithWebhook(), options);
    const { report, open } = await restored(archive, async () => null);
    expect(open()).toBe('whsec_x');
    expect(report.webhooks_without_secret).toEqual([]);
  });

  test('is reported when the former key is not found, and everything else is restored', async () => {
    const archive = await archiveOf(await homeWithWebhook(), { vault: recordOf(1) });
    const { report, open } = await restored(archive, async () => null);
    expect(open).toThrow();
    expect(report.webhooks_without_secret).toEqual(['n8n']);
  });
});

test.each([0, 2, 8])('upgrades an archive of %i schemas before this one', async (back) => {
  const schema = SCHEMA - back;
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  const past = openDatabase({ connectionString: url }, { sealer: testSealer });
  await past.pool.query('DROP SCHEMA relay CASCADE');
  const known = await loadMigrations();
  await migrate(
    past.pool,
    known.filter(({ number }) => number <= schema),
  );
  const client = await past.pool.connect();
  const written = (await writePast(client, schema)).filter((name) => !NOT_IN_ARCHIVES.has(name));
  await client.query("SELECT setval('relay.message_ids', 4711)");
  client.release();
  const jobs = JSON.stringify({
    queue: 'conversation',
    key: 'k',
    data: { account: 1, subject: INSTANCE, epoch: 1, wake: 'reply' },
  });
  const archive = await buffer(
    exportArchive({
      database: past,
      jobs: {
        async *exportWaiting() {
          yield jobs;
        },
      },
      version: 'old',
      schemaVersion: schema,
      vault: null,
    }),
  );
  await past.close();

  const other = await target();
  const report = await importArchive(other.options, Readable.from([archive]));
  expect(report.upgraded_from).toBe(back === 0 ? null : schema);
  const now = openDatabase({ connectionString: other.url });
  const reader = await now.pool.connect();
  expect(await readPast(reader, written)).toEqual(pastRows(written));
  reader.release();
  await now.close();
  expect(await verifyLedger(other.database.kysely, 1 as never)).toBeNull();
  expect(await other.jobs.counts(1 as never)).toMatchObject({ waiting: 1 });
  const [next] = await other.sql<{ id: number }>("SELECT nextval('message_ids')::int AS id");
  expect(next?.id).toBe(4712);
  const left = await other.sql("SELECT FROM pg_database WHERE datname LIKE '%_restore'");
  expect(left).toEqual([]);
});

test('says what became of a restore during which Relay was killed', async () => {
  const home = await mkdtemp(join(tmpdir(), 'relay restore '));
  onTestFinished(() => removeFolder(home));
  const other = await target();
  const { kysely } = other.database;
  const settle = () => settleRestore(home, kysely, { connectionString: other.url });
  expect(await settle()).toBeNull();
  const id = randomUUID();
  await noteRestoreBegan(home, id, new Date('2026-11-18T01:02:03Z'));
  expect(await settle()).toBe(
    'The restore of 2026-11-18 01:02 UTC was interrupted. Nothing was changed: run `relay import` again.',
  );
  await noteRestoreBegan(home, id, new Date('2026-11-18T01:02:03Z'));
  await writeFile(join(home, 'ledger-head.json'), '{}');
  await importArchive({ ...other.options, id }, Readable.from([await exported()]));
  expect(await settle()).toContain('was completed before Relay was stopped.');
  // The head of the former ledger does not apply to the restored one.
  expect(existsSync(join(home, 'ledger-head.json'))).toBe(false);
  expect(await settle()).toBeNull();
});

test('exports one consistent snapshot while others write', async () => {
  let writing = true;
  let written = 0;
  const writer = (async () => {
    for (let n = 0; writing; n++, written++)
      await db.transaction().execute(async (tx) => {
        await tx.insertInto('contacts').values({ account_id: account }).execute();
        await statement`INSERT INTO erased_messages (account_id, mark)
          VALUES (${account}, ${Buffer.from(`n${n}`)})`.execute(tx);
      });
  })();
  await eventually(async () => written > 5);
  const archive = await exported();
  writing = false;
  await writer;
  const rows = (name: string) =>
    entriesOf(archive).then(
      (all) => all.find((e) => e.name.startsWith(`${name}/`))?.text.split('\n').length ?? 0,
    );
  expect(await rows('contacts')).toBe(await rows('erased_messages'));
  expect(await rows('contacts')).toBeGreaterThan(3);
});

test('leaves no transaction open when the reader disconnects', async () => {
  const stream = exportArchive({
    database,
    jobs: source.jobs,
    version: 'test',
    schemaVersion: SCHEMA,
    vault: null,
  });
  stream.once('data', () => stream.destroy());
  await eventually(async () => stream.destroyed);
  await eventually(
    async () =>
      (
        await sql(
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'",
        )
      ).length === 0,
  );
});

interface Entry {
  name: string;
  text: string;
}

async function entriesOf(archive: Buffer): Promise<Entry[]> {
  const entries = await unpackTar(gunzipSync(archive));
  return entries.map(({ header, data }) => ({
    name: header.name,
    text: Buffer.from(data ?? []).toString(),
  }));
}

async function packed(entries: readonly Entry[]): Promise<Buffer> {
  const tar = await packTar(
    entries.map(({ name, text }) => ({
      header: { name, size: Buffer.byteLength(text) },
      body: text,
    })),
  );
  return gzipSync(tar);
}

describe('an archive that', async () => {
  const home = await target(afterAll);
  const change = (name: RegExp, to: (entry: Entry) => Entry[]) => async (archive: Buffer) =>
    packed((await entriesOf(archive)).flatMap((e) => (name.test(e.name) ? to(e) : [e])));
  const other = (from: string, to: string) => (e: Entry) => [
    { ...e, text: e.text.replace(from, to) },
  ];

  test.each<[string, (archive: Buffer) => Buffer | Promise<Buffer>, string]>([
    ['is none', () => Buffer.from('hello'), 'it is damaged'],
    ['is truncated', (a) => a.subarray(0, a.length / 2), 'it is damaged'],
    [
      'had a value changed',
      change(/^grants/, other('"can_read":true', '"can_read":false')),
      'grants/00001.jsonl was changed',
    ],
    ['lacks a part', change(/^grants/, () => []), 'grants/00001.jsonl is missing'],
    [
      'has a part too many',
      change(/^webhook_deliveries/, (e) => [e, { name: 'grants/00002.jsonl', text: '' }]),
      'it contains more than its manifest lists',
    ],
    [
      'has a part twice',
      change(/^jobs/, (e) => [e, e]),
      'it contains more than its manifest lists',
    ],
    ['has no manifest', change(/^manifest/, () => []), 'it has no manifest, so it is incomplete'],
    [
      'has a manifest of something else',
      change(/^manifest/, (e) => [{ ...e, text: '{}' }]),
      'manifest.json is not from this version of Relay',
    ],
    ['has no description', change(/^archive/, () => []), 'it does not begin with archive.json'],
    [
      'holds a table nobody knows',
      change(/^grants/, (e) => [e, { name: 'magic/1.jsonl', text: '{}\n' }]),
      'it contains magic, which this version does not know',
    ],
    [
      'was made with a newer schema',
      change(/^archive/, other(`"schema_version": ${SCHEMA}`, '"schema_version": 99')),
      `it was made by a newer Relay (relay test, schema 99; this version knows ${SCHEMA}). Upgrade Relay, then import it again`,
    ],
    [
      'had its description changed',
      change(/^archive/, other('"made_by": "relay test"', '"made_by": "relay 0"')),
      'archive.json was changed',
    ],
  ])('%s is refused with its sentence, without changing anything', async (_, damage, what) => {
    const before = await contents(home);
    const damaged = await damage(await exported());
    await expect(importArchive(home.options, Readable.from([damaged]))).rejects.toMatchObject({
      code: 'archive_invalid',
      message: `The archive cannot be used: ${what}. Nothing was changed.`,
    });
    expect(await contents(home)).toEqual(before);
    expect(await home.jobs.counts(home.account)).toMatchObject({ waiting: 0 });
  });
});

test('restores all accounts, and settles each', async () => {
  verifies('ACCOUNT-ARCHIVE');
  const first = await open(await freshStore(onTestFinished));
  await first.sql("INSERT INTO owners (name) VALUES ('Ana')");
  const [row] = await first.sql<{ id: AccountId }>(
    `INSERT INTO accounts (name, label, owner_id) SELECT 'sales', 'me', id FROM owners WHERE name = 'Ana'
     RETURNING id`,
  );
  const sales = row?.id as AccountId;
  await first.sql(
    `INSERT INTO tokens (account_id, name, hash, scopes) VALUES ($1, 'crm', '\\x01', '{messages:read}')`,
    [sales],
  );
  const archive = await archiveOf(first);
  const second = await target();
  const settled: AccountId[] = [];
  const onRestored = async (_tx: unknown, _at: Date, restored: AccountId) => {
    settled.push(restored);
  };
  const report = await importArchive({ ...second.options, onRestored }, Readable.from(archive));
  expect(settled).toEqual([first.account, sales]);
  expect(report.suspended_tokens).toEqual(['crm']);
  expect(
    await second.sql(
      'SELECT a.name, o.name AS owner FROM accounts a JOIN owners o ON o.id = a.owner_id ORDER BY a.id',
    ),
  ).toMatchObject([{}, { name: 'sales', owner: 'Ana' }]);
  // An owner who exports only their own accounts gets nothing of another's.
  const own = await buffer(
    exportArchive({
      ...{ database: first.database, jobs: first.jobs, version: 'test', schemaVersion: SCHEMA },
      vault: null,
      accounts: [first.account],
    }),
  );
  const third = await target();
  await importArchive({ ...third.options, onRestored }, Readable.from(own));
  expect(await third.sql("SELECT FROM accounts WHERE name = 'sales'")).toEqual([]);
  expect(await third.sql('SELECT FROM tokens')).toEqual([]);
});
