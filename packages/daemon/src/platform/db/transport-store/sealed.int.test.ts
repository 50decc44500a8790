import { createSecretKey, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TransportStore } from '@relay/core/ports/transport';
import { newDirectory, start } from '@relay/testing/private-server';
import { bytes, message } from '@relay/testing/wire-store-behaviour';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { aesSealer } from '../../home/vault/sealer.ts';
import { takeAccountLease } from '../account.ts';
import { databaseOf, openDatabase } from '../database.ts';
import type { Lease } from '../lease.ts';
import { migrate } from '../migrate.ts';
import { Committer } from './committer.ts';
import { openInboxContent } from './sealed.ts';
import { sealer, wireDatabase } from './testing/world.ts';
import { openTransportStore } from './transport-store.ts';

const database = await wireDatabase();
const { sql } = database;

const A = bytes('a'.repeat(32));
const B = bytes('b'.repeat(32));
let lease: Lease;
let other: Lease;

beforeEach(async () => {
  [lease, other] = [await database.lease(), await database.lease()];
  for (const [at, one] of [lease, other].entries()) {
    const store = await database.open(one);
    await store.submit({
      credentials: bytes(`me ${at}`),
      keys: ['a', 'b'].flatMap((id) =>
        [1, 2].map((kind) => ({ kind, id, value: bytes(`${kind} ${id} ${at}`) })),
      ),
      journal: [A, B].map((digest) => ({ digest, plain: digest })),
      inbox: [message('1'), message('2')],
    });
  }
});

const RECORDS = [
  ['whatsapp_credentials', 'value', 'true', (store: TransportStore) => store.credentials()],
  [
    'whatsapp_keys',
    'value',
    "kind = 1 AND id = 'a'",
    (store: TransportStore) => store.read(1, ['a']),
  ],
  [
    'decrypt_journal',
    'plain',
    `digest = '\\x${Buffer.from(A).toString('hex')}'`,
    (store: TransportStore) => store.journal(A),
  ],
] as const;

const DAMAGES = [
  ['cut short', (column: string) => `substring(${column} from 1 for length(${column}) - 1)`],
  ['cut to nothing', () => "'\\x'"],
  ['lengthened', (column: string) => `${column} || '\\x00'`],
  ['altered', (column: string) => `set_byte(${column}, 15, get_byte(${column}, 15) # 4)`],
  ['of an unknown version', (column: string) => `set_byte(${column}, 0, 9)`],
] as const;

const everything = async () =>
  JSON.stringify([
    await sql('SELECT * FROM whatsapp_credentials ORDER BY account_id'),
    await sql('SELECT * FROM whatsapp_keys ORDER BY account_id, kind, id'),
    await sql('SELECT * FROM decrypt_journal ORDER BY account_id, digest'),
    await sql('SELECT * FROM inbox ORDER BY account_id, seq'),
  ]);

async function refusesToRead(read: (store: TransportStore) => Promise<unknown>) {
  const before = await everything();
  const store = await database.open(lease);
  await expect(read(store)).rejects.toMatchObject({ name: 'WireFault', kind: 'unreadable' });
  await expect(store.submit({ credentials: bytes('new') })).rejects.toMatchObject({
    kind: 'unreadable',
  });
  expect(await everything()).toBe(before);
}

describe.each(RECORDS)('a row of %s', (table, column, where, read) => {
  test.each(DAMAGES)('%s is unreadable, and nothing is rewritten', async (_, damage) => {
    await sql(
      `UPDATE ${table} SET ${column} = ${damage(column)} WHERE account_id = $1 AND ${where}`,
      [lease.account],
    );
    await refusesToRead(read);
  });

  test('swapped with that of another account is unreadable', async () => {
    await exchange(table, column, where, where);
    await refusesToRead(read);
  });
});

test.each([
  ['another id', "kind = 1 AND id = 'b'"],
  ['another kind', "kind = 2 AND id = 'a'"],
])('a key swapped with that of %s is unreadable', async (_, where) => {
  await exchange('whatsapp_keys', 'value', "kind = 1 AND id = 'a'", where, lease);
  await refusesToRead((store) => store.read(1, ['a']));
});

test('with another key of the home everything is unreadable, and nothing is rewritten', async () => {
  const before = await everything();
  const store = await openTransportStore(database.committer, {
    lease,
    sealer: aesSealer(createSecretKey(randomBytes(32))),
    reader: databaseOf(database.database, lease.account).kysely,
  });
  await expect(store.credentials()).rejects.toMatchObject({ kind: 'unreadable' });
  expect(await everything()).toBe(before);
});

test('the content of a message can be read in its own row only', async () => {
  const rows = await sql<{ chat: string; sender: string; message_id: string; content: Buffer }>(
    'SELECT * FROM inbox WHERE account_id = $1 ORDER BY seq',
    [lease.account],
  );
  const [first, second] = rows;
  if (first === undefined || second === undefined) throw new Error('two were written');
  const open = (row: typeof first, account = lease.account) =>
    Buffer.from(openInboxContent(sealer, account, row)).toString();
  expect([open(first), open(second)]).toEqual(['1', '2']);
  const unreadable = expect.objectContaining({ kind: 'unreadable' });
  expect(() => open({ ...first, content: second.content })).toThrow(unreadable);
  expect(() => open({ ...first, chat: 'chat/sender', sender: '' })).toThrow(unreadable);
  expect(() => open(first, other.account)).toThrow(unreadable);
});

async function exchange(
  table: string,
  column: string,
  ours: string,
  theirs: string,
  of: Lease = other,
) {
  await sql(
    `WITH x AS (SELECT ${column} AS v FROM ${table} WHERE account_id = $1 AND ${ours}),
          y AS (SELECT ${column} AS v FROM ${table} WHERE account_id = $2 AND ${theirs}),
          one AS (UPDATE ${table} SET ${column} = y.v FROM y WHERE account_id = $1 AND ${ours})
     UPDATE ${table} SET ${column} = x.v FROM x WHERE account_id = $2 AND ${theirs}`,
    [lease.account, of.account],
  );
}

test('no server file contains a byte of a key, a credential or a message', async () => {
  const directory = await newDirectory();
  const server = await start(directory);
  const own = openDatabase(server.owner);
  await migrate(own.pool);
  const committer = new Committer(server.owner);
  onTestFinished(async () => {
    await committer.close();
    await own.close();
  });
  const store = await openTransportStore(committer, {
    lease: await takeAccountLease(own.allAccounts, '6f0f4a3e-7d5b-4a55-9d1c-000000000001'),
    sealer,
    reader: own.allAccounts,
  });
  const secrets = Array.from({ length: 40 }, () => randomBytes(64));
  const seen = randomBytes(32);
  for (const [index, secret] of secrets.entries()) {
    void store.submit({
      credentials: secret,
      keys: [{ kind: 1, id: `${index % 7}`, value: secret }],
      journal: [{ digest: randomBytes(32), plain: secret }],
      inbox: [{ ...message(`${index}`), stanza: seen, content: secret }],
    });
  }
  await store.submit({});
  await store.forget();
  await own.pool.query('CHECKPOINT');
  const files = await Promise.all((await filesOf(directory)).map((file) => readFile(file)));
  const found = (secret: Buffer) =>
    files.filter((file) =>
      [secret, secret.toString('hex'), secret.toString('base64')].some((form) =>
        file.includes(form),
      ),
    ).length;
  // Text that is not encrypted is found, so the search works.
  expect(found(seen)).toBeGreaterThan(0);
  expect(secrets.map((secret) => found(secret.subarray(0, 16)))).toEqual(secrets.map(() => 0));
  expect(files.length).toBeGreaterThan(100);
});

async function filesOf(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name));
}
