// One full transition (lock, log, row, permit, outbox, job, timer) through the engine, against the same statements sent
// bare over the same driver. Rounds alternate on two equal databases of one server.
import type { InstanceId } from '@relay/contract/ids';
import { lockInstance } from '@relay/daemon/features/conversations/sql';
import { applyEvents, evaluateText } from '@relay/daemon/features/conversations/transitions';
import type { ConnectionTarget } from '@relay/daemon/platform/db/database';
import { transaction } from '@relay/daemon/platform/db/transaction';
import pg from 'pg';
import { type Limit, median } from './figures.ts';
import {
  type BenchHarness,
  type BenchServer,
  benchServer,
  fillInstances,
  openBenchHarness,
} from './harness.ts';

const ROUNDS = 15;
const PER_ROUND = 200;

interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

export async function benchTransition(): Promise<readonly Limit[]> {
  const server = await benchServer();
  try {
    const engine = await openBenchHarness(server);
    await fillInstances(
      engine.database,
      engine.world.lease.account,
      ROUNDS * PER_ROUND + PER_ROUND,
      'ACTIVE',
    );
    await engine.close();
    const admin = new pg.Client({ ...server.target, database: 'template1' });
    await admin.connect();
    await admin.query('CREATE DATABASE bare TEMPLATE relay');
    await admin.query('CREATE DATABASE prepared TEMPLATE relay');
    await admin.end();
    return await compare(server);
  } finally {
    await server.close();
  }
}

async function compare({
  target,
  daemon,
}: Pick<BenchServer, 'target' | 'daemon'>): Promise<readonly Limit[]> {
  const recorder = new Recorder();
  const engine = await openBenchHarness({ target, daemon });
  const bare = await bareClient(target, 'bare', engine.world.lease.epoch);
  const prepared = await bareClient(target, 'prepared', engine.world.lease.epoch);
  const ids = await engine.database.pool.query<{ id: InstanceId }>(
    'SELECT id FROM instances ORDER BY queue_seq',
  );
  const rounds: { engine: number; bare: number; prepared: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const batch = ids.rows.slice(round * PER_ROUND, (round + 1) * PER_ROUND).map(({ id }) => id);
    const { ms, recorded } = await throughEngine(engine, recorder, batch);
    const bareMs = await timed(() =>
      replay(recorded, ({ text, values }) => bare.query(text, values)),
    );
    const preparedMs = await timed(() =>
      replay(recorded, (statement) => prepared.query(statement)),
    );
    // The first round is a warm-up.
    if (round > 0) rounds.push({ engine: ms, bare: bareMs, prepared: preparedMs });
  }
  await engine.close();
  await bare.end();
  await prepared.end();
  console.log(
    `${ROUNDS} alternating rounds of ${PER_ROUND}; ${statements} statements a transition`,
  );
  const each = (pick: (round: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  return [
    {
      name: 'a transition through the engine',
      measured: each((r) => r.engine) / PER_ROUND,
      unit: 'ms',
    },
    { name: 'its statements bare', measured: each((r) => r.bare) / PER_ROUND, unit: 'ms' },
    {
      name: 'its statements bare, prepared as the engine does',
      measured: each((r) => r.prepared) / PER_ROUND,
      unit: 'ms',
    },
    {
      name: 'rate through the engine ÷ bare',
      measured: each((r) => r.bare / r.engine),
      unit: '×',
      atLeast: 0.8,
    },
    {
      name: 'rate through the engine ÷ bare and prepared',
      measured: each((r) => r.prepared / r.engine),
      unit: '×',
    },
  ];
}

/** The copy has the earlier lease; the engine's statements name the one it has just taken. */
async function bareClient(
  target: ConnectionTarget,
  database: string,
  epoch: number,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...target,
    database,
    options: '-c search_path=relay -c timezone=UTC',
  });
  await client.connect();
  await client.query('UPDATE account_leases SET epoch = $1', [epoch]);
  return client;
}

async function replay(
  recorded: readonly Statement[][],
  send: (statement: Statement) => Promise<unknown>,
): Promise<void> {
  for (const transaction of recorded) for (const statement of transaction) await send(statement);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

let statements = 0;

async function throughEngine(
  { world }: BenchHarness,
  recorder: Recorder,
  batch: readonly InstanceId[],
) {
  const recorded: Statement[][] = [];
  const began = performance.now();
  for (const id of batch) {
    recorder.begin();
    await transaction(world, async (work) => {
      const row = await lockInstance(work.tx, world.lease, id);
      const text = 'Hello, are you there?';
      const speech = { role: 'agent', text, followUp: false } as const;
      const evaluated = [await evaluateText(world, work, row, speech)];
      await applyEvents(world, work, row, [{ type: 'message_sent', texts: [text] }], { evaluated });
    });
    recorded.push(recorder.end());
  }
  const ms = performance.now() - began;
  statements = recorded[0]?.length ?? 0;
  return { ms, recorded };
}

/** Records what the driver is asked to send while it is on. It only adds a push to an array. */
class Recorder {
  #current: Statement[] | null = null;

  /** Must be created before the first connection. */
  constructor() {
    const original = pg.Client.prototype.query;
    const note = (said: string | Statement) => {
      this.#current?.push(typeof said === 'string' ? { text: said, values: [] } : said);
    };
    pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]) {
      note(args[0] as string | Statement);
      return Reflect.apply(original, this, args);
    } as typeof original;
  }

  begin(): void {
    this.#current = [];
  }

  end(): Statement[] {
    const recorded = this.#current ?? [];
    this.#current = null;
    return recorded;
  }
}
