// One full transition (lock, log, row, permit, outbox, job, timer) through the engine, against the very same
// statements sent bare over the same driver. Rounds alternate on two equal databases of one server.
import type { InstanceId } from '@relay/core/ids';
import { apply } from '@relay/daemon/flows/conversation/apply';
import { lockInstance } from '@relay/daemon/flows/conversation/rows';
import { inOneTransaction } from '@relay/daemon/flows/conversation/work';
import pg from 'pg';
import { median, report } from './figures.ts';
import { type BenchWorld, benchServer, fillInstances, openWorld } from './world.ts';

const ROUNDS = 15;
const PER_ROUND = 200;

interface Statement {
  readonly text: string;
  readonly values: unknown[];
}

export async function benchTransition(): Promise<boolean> {
  const server = await benchServer();
  try {
    const engine = await openWorld(server.target);
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
    await admin.end();
    return await compare(server.target);
  } finally {
    await server.close();
  }
}

async function compare(target: Parameters<typeof openWorld>[0]): Promise<boolean> {
  const engine = await openWorld(target);
  const bare = new pg.Client({
    ...target,
    database: 'bare',
    options: '-c search_path=relay -c timezone=UTC',
  });
  await bare.connect();
  // The copy has the lease of before; the engine's statements name the one it took just now.
  await bare.query('UPDATE account_leases SET epoch = $1', [engine.world.lease.epoch]);
  const ids = await engine.database.pool.query<{ id: InstanceId }>(
    'SELECT id FROM instances ORDER BY queue_seq',
  );
  const ratios: number[] = [];
  const times: { engine: number; bare: number }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const batch = ids.rows.slice(round * PER_ROUND, (round + 1) * PER_ROUND).map(({ id }) => id);
    const { ms, recorded } = await throughEngine(engine, batch);
    const began = performance.now();
    for (const transaction of recorded)
      for (const { text, values } of transaction) await bare.query(text, values);
    const bareMs = performance.now() - began;
    if (round === 0) continue; // warm-up of both
    ratios.push(bareMs / ms);
    times.push({ engine: ms / PER_ROUND, bare: bareMs / PER_ROUND });
  }
  await engine.close();
  await bare.end();
  console.log(
    `${ROUNDS} alternating rounds of ${PER_ROUND}; ${statements} statements a transition`,
  );
  return report([
    {
      name: 'a transition through the engine, median round',
      measured: median(times.map((t) => t.engine)),
      unit: 'ms',
    },
    {
      name: 'its statements bare, median round',
      measured: median(times.map((t) => t.bare)),
      unit: 'ms',
    },
    {
      name: 'rate through the engine ÷ bare, median round',
      measured: median(ratios),
      unit: '×',
      atLeast: 0.8,
    },
  ]);
}

let statements = 0;

async function throughEngine({ database, world }: BenchWorld, batch: readonly InstanceId[]) {
  const recorded: Statement[][] = [];
  const recorder = new Recorder(database.pool);
  const began = performance.now();
  for (const id of batch) {
    recorder.begin();
    await inOneTransaction(world, async (work) => {
      const row = await lockInstance(work.tx, world.lease, id);
      await apply(world, work, row, [{ type: 'message_sent', texts: ['Hello, are you there?'] }]);
    });
    recorded.push(recorder.end());
  }
  const ms = performance.now() - began;
  recorder.stop();
  statements = recorded[0]?.length ?? 0;
  return { ms, recorded };
}

/** Notes what goes over the wire, as it goes. A push to an array is all it adds. */
class Recorder {
  #current: Statement[] = [];
  readonly #original = pg.Client.prototype.query;

  constructor(_pool: pg.Pool) {
    const original = this.#original;
    const note = (text: unknown, values: unknown) => {
      if (typeof text === 'string')
        this.#current.push({ text, values: Array.isArray(values) ? values : [] });
    };
    pg.Client.prototype.query = function query(this: pg.Client, ...args: unknown[]) {
      note(args[0], args[1]);
      return Reflect.apply(original, this, args);
    } as typeof original;
  }

  begin(): void {
    this.#current = [];
  }

  end(): Statement[] {
    return this.#current;
  }

  stop(): void {
    pg.Client.prototype.query = this.#original;
  }
}
