// Moves an account into a home that has others.
import { createSecretKey, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { AccountId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import { accountSecretName, webhookSecretName } from '@relay/core/ports/sealer';
import { testSealer } from '@relay/testing/sealer';
import { freshStore } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { sql as statement } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { databaseOf } from '../../platform/db/database.ts';
import { takeLease } from '../../platform/db/lease.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import { verifyChain } from '../../platform/db/ledger-chain.ts';
import { loadMigrations } from '../../platform/db/migrate.ts';
import { openInboxContent } from '../../platform/db/transport-store/sealed.ts';
import { aesSealer } from '../../platform/home/vault/sealer.ts';
import type { VaultRecord } from '../../platform/home/vault/vault.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { MediaStore } from '../media/store.ts';
import { archivedFiles } from '../media/stores.ts';
import { type MediaFixture, openMediaFixture, PHOTO } from '../media/testing/fixture.ts';
import { exportArchive } from './export.ts';
import { importArchive } from './import.ts';

const SCHEMA = (await loadMigrations()).at(-1)?.number ?? 0;
const PHONE = '4915100000777';
const WEBHOOK = '11111111-2222-4333-8444-555555555599';
const INSTANCE = '11111111-2222-4333-8444-555555555511';
const record = (digit: number): VaultRecord => ({
  version: 1,
  id: `00000000-0000-4000-8000-00000000000${digit}`,
  check: 'AAAA',
  source: 'file',
});

/** A home with a chat, a photo, a conversation, a token for two accounts, a webhook and a proxy. */
async function formerHome() {
  const desk = await openMediaFixture();
  const { account, sql } = desk;
  await desk.receive({ kind: 'conversation', body: 'the text moves too', media: null });
  await desk.grantBob();
  await desk.start();
  const photo = await desk.receive();
  await desk.reaches(photo, 'stored');
  const sealed = testSealer.forAccount(account);
  const proxy = Buffer.from(
    sealed.seal(accountSecretName(account, 'proxy'), Buffer.from('socks5://proxy.example:1080')),
  ).toString('base64url');
  await sql('UPDATE accounts SET phone = $1, is_default = true, settings = $2', [
    PHONE,
    JSON.stringify({ proxy }),
  ]);
  await sql(
    `INSERT INTO tokens (account_id, name, hash, scopes, spans) VALUES ($1, 'crm', '\\x01', '{messages:read}', $2)`,
    [account, [account, account + 1]],
  );
  await sql(
    `INSERT INTO webhooks (account_id, id, name, url, secret, events, enabled)
     VALUES ($1, $2, 'n8n', 'https://example.com', $3, '{message.received}', true)`,
    [account, WEBHOOK, sealed.seal(webhookSecretName(WEBHOOK), Buffer.from('whsec_x'))],
  );
  await sql(
    `INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, state, interval_ms, max_followups)
     SELECT account_id, $2, contact_id, id, '+4915100000001', 'Get a quote', 'CREATED', 60000, 1 FROM chats WHERE account_id = $1 LIMIT 1`,
    [account, INSTANCE],
  );
  await desk.database.kysely.transaction().execute(async (tx) => {
    await appendLedger(tx, account, {
      ...{ actor: 'a', action: 'x', subject: { kind: 'k', id: 'i' }, outcome: 'allow' },
      ...{ reason: 'r', detail: { exact: 1.5 } },
    });
    await desk.deps.jobs.enqueue(tx, 'conversation', [
      {
        key: `${account}:${INSTANCE}`,
        data: { account, subject: INSTANCE as never, epoch: 0, wake: 'reply' as const },
      },
    ]);
  });
  return { desk };
}

const archiveOf = ({ database, deps }: MediaFixture) =>
  buffer(
    exportArchive({
      ...{ database, jobs: deps.jobs, version: 'test', schemaVersion: SCHEMA, vault: record(1) },
      files: archivedFiles({ of: async () => deps.store }),
    }),
  );

const own = aesSealer(createSecretKey(Buffer.alloc(32, 9)));

/** Another home with another key, and an account that has the number of the archive's. */
async function fullHome() {
  const store = await freshStore(onTestFinished);
  const home = await mkdtemp(join(tmpdir(), 'relay-added-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const stores = {
    of: async (account: AccountId) => new MediaStore({ home, account, sealer: own }),
  };
  const jobs = await Jobs.start(store.database, silentLog);
  onTestFinished(() => jobs.stop(100));
  const lease = await takeLease(store.database.kysely, store.account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  const add = (archive: Buffer, as = 'work') =>
    importArchive(
      {
        ...{ database: store.database, jobs, lease, schemaVersion: SCHEMA, as },
        keys: { sealer: own, vault: record(2), findFormerKey: async () => testSealer },
        owner: { connectionString: store.url },
        onRestored: async () => {},
        files: archivedFiles(stores),
      },
      Readable.from([archive]),
    );
  await store.sql(
    `INSERT INTO contacts (account_id, id, display_name) VALUES ($1, gen_random_uuid(), 'Ana')`,
    [store.account],
  );
  await store.sql(
    `INSERT INTO media_objects (account_id, sha256, object, bytes) VALUES ($1, '\\x01', 'mine', 1)`,
    [store.account],
  );
  return { ...store, stores, jobs, add };
}

test('adds an account with its chat, photo, conversation and keys, and leaves the other untouched', async () => {
  verifies('SCALE-ADD-ACCOUNT');
  const former = await formerHome();
  const archive = await archiveOf(former.desk);
  const home = await fullHome();
  const others = () =>
    home.sql(
      `SELECT (SELECT json_agg(c) FROM contacts c WHERE account_id = $1) AS contacts,
        (SELECT json_agg(o) FROM media_objects o WHERE account_id = $1) AS files,
        (SELECT json_agg(a) FROM accounts a WHERE id = $1) AS account`,
      [home.account],
    );
  const before = await others();
  const report = await home.add(archive);
  expect(await others()).toEqual(before);
  expect(report).toMatchObject({ suspended_tokens: ['crm'], disabled_webhooks: ['n8n'] });
  expect(report.webhooks_without_secret).toEqual([]);

  const [row] = await home.sql<{ id: AccountId; settings: { proxy: string } }>(
    `SELECT id, settings FROM accounts WHERE name = 'work' AND phone = $1 AND NOT is_default AND owner_id = 1`,
    [PHONE],
  );
  const added = row?.id as AccountId;
  expect(added).not.toBe(home.account);
  expect(former.desk.account).toBe(home.account);
  const sealer = own.forAccount(added);
  const proxy = Buffer.from(row?.settings.proxy ?? '', 'base64url');
  expect(Buffer.from(sealer.open(accountSecretName(added, 'proxy'), proxy)).toString()).toBe(
    'socks5://proxy.example:1080',
  );
  const { kysely } = databaseOf(home.database, added);
  const bodies = await statement<{ body: string }>`SELECT body FROM messages`.execute(kysely);
  expect(bodies.rows.map(({ body }) => body)).toContain('the text moves too');
  const [sealed] = await home.sql<{ content: Buffer; chat: string; sender: string; id: string }>(
    `SELECT content, chat_address AS chat, sender_address AS sender, message_id AS id FROM messages
     WHERE account_id = $1 AND content IS NOT NULL`,
    [added],
  );
  if (sealed === undefined) throw new Error('the photo has a content');
  const key = { ...sealed, message_id: sealed.id };
  expect(openInboxContent(sealer, added, key).length).toBeGreaterThan(0);
  const [file] = await home.sql<{ object: string; state: string }>(
    `SELECT o.object, m.state FROM media m JOIN media_objects o USING (account_id, sha256)
     WHERE account_id = $1`,
    [added],
  );
  const { stream } = await (await home.stores.of(added)).open(file?.object ?? '');
  expect((await buffer(stream)).equals(PHOTO)).toBe(true);
  expect(await home.sql('SELECT account_id, state FROM instances')).toEqual([
    { account_id: added, state: 'CREATED' },
  ]);
  expect(await home.sql('SELECT spans, suspended_at IS NULL AS works FROM tokens')).toEqual([
    { spans: null, works: false },
  ]);
  const [webhook] = await home.sql<{ secret: Buffer }>('SELECT secret FROM webhooks');
  const secret = sealer.open(webhookSecretName(WEBHOOK), webhook?.secret ?? Buffer.of());
  expect(Buffer.from(secret).toString()).toBe('whsec_x');
  expect(
    await home.sql(`SELECT singleton_key, data->>'account' AS account FROM relay_jobs.job
      WHERE name = 'conversation'`),
  ).toEqual([{ singleton_key: `${added}:${INSTANCE}`, account: `${added}` }]);
  expect(await verifyChain(kysely, added, { full: true })).toMatchObject({ whole: true, rows: 1 });

  // The same number cannot be linked twice.
  await expect(home.add(archive, 'again')).rejects.toMatchObject({
    code: 'account_phone_known',
    sentence: `The number +${PHONE} is already linked here, to the account work. Nothing was changed.`,
  });
  expect(await home.sql('SELECT FROM accounts')).toHaveLength(2);
});

test('refuses a name that is taken, and an archive of several accounts', async () => {
  verifies('SCALE-ADD-ACCOUNT');
  const { desk } = await formerHome();
  const home = await fullHome();
  await home.sql("UPDATE accounts SET name = 'work'");
  const one = await archiveOf(desk);
  await expect(home.add(one)).rejects.toMatchObject({ code: 'account_exists' });
  await desk.sql("INSERT INTO accounts (label) VALUES ('hers')");
  const several = await archiveOf(desk);
  await expect(home.add(several, 'other')).rejects.toMatchObject({ code: 'archive_of_several' });
  expect(await home.sql('SELECT FROM accounts')).toHaveLength(1);
  expect(await home.sql('SELECT FROM messages')).toEqual([]);
});
