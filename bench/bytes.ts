// What a received text message costs on disk, by table: from the transport's unit over intake, routing and search to
// what is left of it. Rows are written by the code that writes them in the daemon, sealed as there, and vacuumed as
// autovacuum does.
import { randomBytes } from 'node:crypto';
import { silentLog } from '@relay/core/log';
import { openSearch } from '@relay/daemon/features/search/feature';
import { noChoice } from '@relay/daemon/features/search/testing/chatter';
import { Intake } from '@relay/daemon/pipeline/intake/intake';
import { onRoute } from '@relay/daemon/pipeline/router/router';
import {
  type Database,
  openDatabase,
  type SharedDatabase,
} from '@relay/daemon/platform/db/database';
import { Committer } from '@relay/daemon/platform/db/transport-store/committer';
import { openInboxContent } from '@relay/daemon/platform/db/transport-store/sealed';
import { openTransportStore } from '@relay/daemon/platform/db/transport-store/transport-store';
import { readInboxRow } from '@relay/daemon/whatsapp/inbound/read-message';
import { testSealer } from '@relay/testing/sealer';
import { proto } from '@whiskeysockets/baileys';
import type { Limit } from './figures.ts';
import { benchServer, openBenchHarness } from './harness.ts';
import { madeUpEmbedder, text, word } from './memory/vocabulary.ts';

const PEOPLE = 100;
/** Units that reach the database together, and messages until autovacuum comes by. */
const BATCH = 50;
const VACUUM_EVERY = 1_000;
const OWN = ['4915100000000@s.whatsapp.net', '100000000000001@lid'];

export async function benchBytes(messages = 10_000): Promise<readonly Limit[]> {
  const server = await benchServer();
  const { database, world, close } = await openBenchHarness(server);
  // PostgreSQL vacuums a table only for its owner, and ignores others with a warning.
  const owner = openDatabase(server.target, { max: 1 });
  try {
    const account = await openAccount({ database, owner, world }, server.target);
    await account.receive(1_000);
    const before = await sizes(owner);
    await account.receive(messages);
    const after = await sizes(owner);
    await account.stop();
    return figures(before, after, messages);
  } finally {
    await owner.close();
    await close();
    await server.close();
  }
}

type BenchWorld = Awaited<ReturnType<typeof openBenchHarness>>['world'];

/** One account with a transport store, an intake, a router and a search, as the daemon has them. */
async function openAccount(
  {
    database,
    owner,
    world,
  }: { readonly database: Database; readonly owner: SharedDatabase; readonly world: BenchWorld },
  target: Awaited<ReturnType<typeof benchServer>>['target'],
) {
  const { db, lease, jobs } = world;
  const committer = new Committer(target);
  const transport = await openTransportStore(committer, {
    lease,
    sealer: testSealer,
    reader: database.kysely,
  });
  const intake = new Intake({
    db,
    lease,
    jobs,
    log: silentLog,
    unseal: (row) => openInboxContent(testSealer, lease.account, row),
    read: readInboxRow,
  });
  const search = openSearch({
    ...world,
    admins: [],
    events: { subscribe: () => () => {}, hint: () => {} },
    embeddings: noChoice(async () => embedder),
  });
  const embedder = madeUpEmbedder();
  jobs.work('route', 4, onRoute(world));
  intake.start();
  search.indexer.start();
  search.vectors.follower.start();
  let received = 0;
  const settle = async () => {
    await intake.waitUntilEmpty();
    jobs.wake('route');
    while (await hasOpenRoutes(database)) await new Promise((resolve) => setTimeout(resolve, 20));
    await search.indexer.caughtUp();
    await search.vectors.follower.caughtUp();
  };
  return {
    async receive(count: number): Promise<void> {
      for (let n = 0; n < count; n += BATCH) {
        const units = Array.from({ length: BATCH }, () => transport.submit(unit(received++)));
        await Promise.all(units);
        await settle();
        if (received === PEOPLE) await grantAll(database);
        if (received % VACUUM_EVERY === 0) await owner.pool.query('VACUUM ANALYZE');
      }
    },
    async stop(): Promise<void> {
      await search.vectors.follower.stop();
      await search.indexer.stop();
      await intake.stop();
      await transport.close();
      await committer.close();
    },
  };
}

/** What the transport submits for one message: the advanced session, the journal entry and the inbox row. */
function unit(n: number) {
  const lid = `${100_000_000_000_100 + (n % PEOPLE)}@lid`;
  const phone = `${4_915_110_000_000 + (n % PEOPLE)}@s.whatsapp.net`;
  const content = proto.Message.encode({ conversation: text() }).finish();
  const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
  const stanza = {
    from: lid,
    type: 'text',
    id,
    notify: `${word(n % PEOPLE)} ${word((n % PEOPLE) + 7)}`,
    sender_pn: phone,
    addressing_mode: 'lid',
    t: String(Math.floor(Date.now() / 1_000)),
    offline: 'live',
    own: OWN,
  };
  return {
    keys: [{ kind: 1, id: `${lid}.0`, value: randomBytes(1_500) }],
    journal: [{ digest: randomBytes(32), plain: null }],
    inbox: [
      {
        chat: lid,
        sender: lid,
        id,
        stanza: Buffer.from(JSON.stringify(stanza)),
        content,
      },
    ],
  };
}

async function grantAll({ pool }: Database): Promise<void> {
  await pool.query(
    `INSERT INTO grants (account_id, contact_id, can_read)
     SELECT account_id, contact_id, true FROM chats WHERE kind = 'direct' ON CONFLICT DO NOTHING`,
  );
}

async function hasOpenRoutes({ pool }: Database): Promise<boolean> {
  const { rows } = await pool.query(
    "SELECT FROM relay_jobs.job WHERE name = 'route' AND state < 'completed' LIMIT 1",
  );
  return rows.length > 0;
}

interface TableSize {
  readonly rows: number;
  readonly indexes: number;
}

/** The bytes of each table in files, with TOAST and indexes; partitions count as their table. */
async function sizes({ pool }: SharedDatabase): Promise<ReadonlyMap<string, TableSize>> {
  await pool.query('VACUUM ANALYZE');
  const { rows } = await pool.query<TableSize & { name: string }>(
    `SELECT r.relname AS name, sum(pg_table_size(c.oid))::float8 AS rows, sum(pg_indexes_size(c.oid))::float8 AS indexes
     FROM pg_class c JOIN pg_class r ON r.oid = coalesce(pg_partition_root(c.oid), c.oid)
     WHERE c.relnamespace IN ('relay'::regnamespace, 'relay_jobs'::regnamespace) AND c.relkind = 'r'
     GROUP BY 1`,
  );
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}

/** Tables whose rows are deleted after days, by `platform/db/prune.ts` or the queue. */
const PASSING = new Set(['inbox', 'decrypt_journal', 'events', 'job']);
/** Only where search by meaning is on. */
const OPTIONAL = new Set(['search_vectors']);
const SHOWN_BYTES = 5;

function figures(
  before: ReadonlyMap<string, TableSize>,
  after: ReadonlyMap<string, TableSize>,
  messages: number,
): readonly Limit[] {
  const grown = [...after].map(([name, { rows, indexes }]) => {
    const was = before.get(name) ?? { rows: 0, indexes: 0 };
    return {
      name,
      rows: (rows - was.rows) / messages,
      indexes: (indexes - was.indexes) / messages,
    };
  });
  const sum = (which: (name: string) => boolean) =>
    grown
      .filter(({ name }) => which(name))
      .reduce((total, { rows, indexes }) => total + rows + indexes, 0);
  const bytes = (name: string, measured: number): Limit => ({ name, measured, unit: 'B' });
  return [
    ...grown
      .filter(({ rows, indexes }) => rows + indexes > SHOWN_BYTES)
      .sort((a, b) => b.rows + b.indexes - a.rows - a.indexes)
      .flatMap(({ name, rows, indexes }) => [
        bytes(`  ${name}: rows`, rows),
        bytes(`  ${name}: indexes`, indexes),
      ]),
    {
      ...bytes(
        'a message, search by meaning off',
        sum((name) => !OPTIONAL.has(name)),
      ),
      atMost: 3_000,
    },
    bytes(
      'of it for good',
      sum((name) => !OPTIONAL.has(name) && !PASSING.has(name)),
    ),
    bytes(
      'a message, search by meaning on',
      sum(() => true),
    ),
  ];
}
