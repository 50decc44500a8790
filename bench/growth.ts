// Many accounts in one database: what taking in a message, a page of a list and a search cost, divided by the same with
// one account of 10,000 messages. Both databases are on one server and are measured in turn, so that a busy machine is
// busy for both. `--messages 10000000` is the full size; each account has 10,000.
import type { AccountId, ChatId } from '@relay/contract/ids';
import { silentLog } from '@relay/core/log';
import { createChatReader } from '@relay/daemon/features/chats/chat-reader';
import { openChatter } from '@relay/daemon/features/search/testing/chatter';
import { takeInBatch } from '@relay/daemon/pipeline/intake/intake';
import {
  incoming,
  openPlain,
  readJson,
  receive,
} from '@relay/daemon/pipeline/intake/testing/inbox';
import {
  type Db,
  databaseOf,
  openDatabase,
  type SharedDatabase,
} from '@relay/daemon/platform/db/database';
import type { Lease } from '@relay/daemon/platform/db/lease';
import { PostgresMessageReader } from '@relay/daemon/platform/db/message-reader';
import type { Jobs } from '@relay/daemon/platform/jobs/jobs';
import { prepareSchema } from '@relay/daemon/schema';
import { testSealer } from '@relay/testing/sealer';
import { type Limit, loadFigure, median } from './figures.ts';
import { fillAccounts, listAccounts, PEOPLE, phoneOf, printSizes } from './growth/fill.ts';
import { type BenchServer, benchServer } from './harness.ts';
import { question } from './memory/vocabulary.ts';

const PER_ACCOUNT = 10_000;
const ROUNDS = 15;
const TAKEN_IN = 20;
const INDEXED = 100;
const PAGES = 20;
const QUESTIONS = 20;
const AT_MOST = 1.3;

export async function benchGrowth(messages: number): Promise<readonly Limit[]> {
  const accounts = Math.max(2, Math.round(messages / PER_ACCOUNT));
  const server = await benchServer();
  try {
    const few = await openSide(server, 'few', 1);
    const many = await openSide(server, 'many', accounts);
    for (const side of [few, many]) {
      console.log(`${side.name}: ${side.accounts.length} accounts, ${side.seconds.toFixed(0)} s`);
    }
    await measure(few, 0);
    await measure(many, 0);
    const samples = { few: [] as Costs[], many: [] as Costs[] };
    for (let round = 1; round <= ROUNDS; round++) {
      const sides = round % 2 === 0 ? [few, many] : [many, few];
      for (const side of sides) samples[side.name].push(await measure(side, round));
    }
    await printSizes(many.owner);
    for (const side of [few, many]) await side.close();
    return [
      { name: 'accounts', measured: accounts, unit: '' },
      { name: 'messages', measured: accounts * PER_ACCOUNT, unit: '' },
      ...KINDS.flatMap((kind) => compared(kind, samples)),
      loadFigure(),
    ];
  } finally {
    await server.close();
  }
}

const KINDS = [
  'taking in a message',
  'indexing a message',
  'a page of chats',
  'a page of messages',
  'the last 20 messages',
  'a search',
] as const;
/** Milliseconds for one of each. */
type Costs = Readonly<Record<(typeof KINDS)[number], number>>;

function compared(
  kind: (typeof KINDS)[number],
  { few, many }: { readonly few: readonly Costs[]; readonly many: readonly Costs[] },
): readonly Limit[] {
  const [one, all] = [few, many].map((costs) => median(costs.map((cost) => cost[kind])));
  return [
    { name: `${kind}, one account`, measured: one ?? Number.NaN, unit: 'ms' },
    { name: `${kind}, all accounts`, measured: all ?? Number.NaN, unit: 'ms' },
    { name: `${kind}: growth`, measured: (all ?? 0) / (one ?? 0), unit: '×', atMost: AT_MOST },
  ];
}

interface Side {
  readonly name: 'few' | 'many';
  /** As the daemon's role, under row-level security. */
  readonly shared: SharedDatabase;
  /** As the owner of the tables. */
  readonly owner: SharedDatabase;
  readonly jobs: Jobs;
  readonly accounts: readonly AccountId[];
  readonly seconds: number;
  close(): Promise<void>;
}

async function openSide(server: BenchServer, name: Side['name'], count: number): Promise<Side> {
  const began = performance.now();
  const admin = openDatabase(server.target, { max: 1 });
  await admin.pool.query(`CREATE DATABASE ${name}`);
  await admin.close();
  const own = { ...server.target, database: name };
  const shared = openDatabase(
    { ...server.daemon, database: name },
    { sealer: testSealer, owner: own },
  );
  const owner = openDatabase(own, { max: 2 });
  const schema = await prepareSchema(shared, own, silentLog);
  const jobs = await schema.startJobs();
  await fillAccounts(owner, { accounts: count, messages: PER_ACCOUNT });
  return {
    name,
    shared,
    owner,
    jobs,
    accounts: await listAccounts(owner),
    seconds: (performance.now() - began) / 1_000,
    async close() {
      await jobs.stop(0);
      await shared.close();
      await owner.close();
    },
  };
}

/** Each round works for another account, so that nothing stays in memory because it was just used. */
async function measure(side: Side, round: number): Promise<Costs> {
  const { shared, owner, accounts } = side;
  const account = accounts[(round * 37) % accounts.length] as AccountId;
  const database = { ...shared, ...databaseOf(shared, account) };
  const { kysely: db } = database;
  const sql = async (text: string, values: readonly unknown[] = []) =>
    (await owner.pool.query(text, [...values])).rows;
  const chatter = await openChatter({ database, account, sql: sql as never });
  const { lease } = chatter;
  const chats = createChatReader({ db, account, admins: [] });
  const reader = new PostgresMessageReader(db, account);
  const page = (await chats.list({ limit: PAGES })).chats;
  return {
    'taking in a message': await takeIn({ ...side, db }, lease, sql as never, round),
    'indexing a message': await index(chatter),
    'a page of chats': await each(PAGES, () => chats.list({ limit: 50 })),
    'a page of messages': await each(PAGES, (n) =>
      chats.messages((page[n % page.length]?.id ?? '') as ChatId, { limit: 50 }),
    ),
    'the last 20 messages': await each(PAGES, () => reader.recent({ limit: 20 })),
    'a search': await each(QUESTIONS, () => chatter.search.search({ kind: 'owner' }, question())),
  };
}

/** The middle of some calls, in milliseconds. */
async function each(times: number, run: (n: number) => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await run(n);
    taken.push(performance.now() - start);
  }
  return median(taken);
}

/** One at a time, as they arrive: with contact, chat, event and job, until the commit. */
async function takeIn(
  { db, jobs }: Side & { readonly db: Db },
  lease: Lease,
  sql: Parameters<typeof receive>[0]['sql'],
  round: number,
): Promise<number> {
  const messages = Array.from({ length: TAKEN_IN }, (_, n) =>
    incoming({
      chat: `${phoneOf((n * 7) % PEOPLE)}@s.whatsapp.net`,
      sentAt: new Date(),
      body: `${question()} ${round}`,
    }),
  );
  await receive({ sql }, lease.account, messages);
  const intake = { db, lease, jobs, unseal: openPlain, read: readJson };
  return each(TAKEN_IN, () => takeInBatch(intake, 1));
}

/** A batch of messages that arrived together; the time of gathering them is not counted. */
async function index({ indexer, say, person }: Awaited<ReturnType<typeof openChatter>>) {
  const { chat, contact } = await person('somebody');
  indexer.start();
  await indexer.caughtUp();
  await say(...Array.from({ length: INDEXED }, () => ({ chat, by: contact, text: question() })));
  const start = performance.now();
  await indexer.caughtUp();
  const taken = performance.now() - start;
  await indexer.stop();
  return taken / INDEXED;
}
