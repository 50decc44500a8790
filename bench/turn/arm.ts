// Both sides of the comparison in one process: a turn through jobs, flow, agent and gate on a real database, and
// `generateText` with the same prompt, the same tools and the same answers of the model.
import { randomUUID } from 'node:crypto';
import type { InstanceId, MessageId } from '@relay/contract/ids';
import { settingsSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import type { TakeTurn } from '@relay/core/ports/agent-turn';
import { createConversationAgent } from '@relay/daemon/features/conversations/agent';
import { onConversationMessage } from '@relay/daemon/features/conversations/on-message';
import { onConversationJob } from '@relay/daemon/features/conversations/turn';
import { systemClock } from '@relay/daemon/models/agent/clock';
import { openModel } from '@relay/daemon/models/providers';
import { transaction } from '@relay/daemon/platform/db/transaction';
import { conversationRequest } from '@relay/testing/dialogue/script';
import {
  type BenchHarness,
  type BenchServer,
  fillInstances,
  openBenchHarness,
} from '../harness.ts';
import { serve } from '../worker.ts';
import { bareCall } from './bare.ts';

/** In milliseconds, one after the other. */
export interface TurnTimes {
  readonly total: number;
  readonly fetched: number;
  readonly began: number;
  readonly thought: number;
  readonly noted: number;
  readonly finished: number;
  /** Model calls. */
  readonly calls: number;
}

interface Opened {
  readonly bench: BenchHarness;
  readonly ids: InstanceId[];
  readonly model: Awaited<ReturnType<typeof openModel>>;
}

let opened: Opened | null = null;
let turns = 0;
/** Times of the events in the current turn. */
const at = { stored: 0, fetched: 0, asked: 0, answered: 0, noted: 0, calls: 0 };
let sent: PromiseWithResolvers<number> = Promise.withResolvers();

const methods = {
  open: async ({ target, daemon, model, turns: count }: Opening): Promise<void> => {
    const bench = await openBenchHarness({ target, daemon }, () => sent.resolve(performance.now()));
    const ids = await fill(bench, count);
    const settings = settingsSchema.parse({ model_base_url: model, model_name: 'scripted' });
    const chosen = await openModel(settings);
    const agent = createConversationAgent({
      models: { open: async () => chosen },
      limits: settings.agent,
      log: silentLog,
      clock: systemClock,
    });
    const wake = onConversationJob(bench.world, watched(agent));
    bench.world.jobs.work('conversation', 32, (job, signal) => {
      at.fetched = performance.now();
      return wake(job, signal);
    });
    opened = { bench, ids, model: chosen };
  },

  turn: async (): Promise<TurnTimes> => {
    const { bench, ids } = use();
    const id = ids[turns] as InstanceId;
    turns += 1;
    Object.assign(at, { noted: 0, calls: 0 });
    sent = Promise.withResolvers();
    await transaction(bench.world, async (work) => {
      await onConversationMessage(bench.world, work, id, {
        id: messageId(),
        body: `c${turns} line 1`,
      });
      work.afterCommit.push(() => {
        at.stored = performance.now();
      });
    });
    const done = await sent.promise;
    return {
      total: done - at.stored,
      fetched: at.fetched - at.stored,
      began: at.asked - at.fetched,
      thought: at.answered - at.asked,
      noted: at.noted,
      finished: done - at.answered,
      calls: at.calls,
    };
  },

  bare: ({ like }: { like: unknown }): Promise<number> => bareCall(use().model, like),
};

interface Opening {
  readonly target: BenchServer['target'];
  readonly daemon: BenchServer['daemon'];
  readonly model: string;
  readonly turns: number;
}

const watched =
  (agent: TakeTurn): TakeTurn =>
  async (context, hooks) => {
    at.asked = performance.now();
    const outcome = await agent(context, {
      signal: hooks.signal,
      beforeReading: (taint) => hooks.beforeReading(taint),
      async onUsage(usage) {
        const began = performance.now();
        await hooks.onUsage(usage);
        at.noted += performance.now() - began;
        at.calls += 1;
      },
    });
    at.answered = performance.now();
    return outcome;
  };

/** Conversations in progress: some lines were said, and the contact answers next. */
async function fill({ database, world }: BenchHarness, count: number): Promise<InstanceId[]> {
  const { account } = world.lease;
  await fillInstances(database, account, count, 'WAITING_FOR_REPLY');
  const { rows } = await database.pool.query<{ id: InstanceId }>(
    'SELECT id FROM instances ORDER BY queue_seq',
  );
  for (const [n, { id }] of rows.entries()) {
    const dialogue = { name: `c${n + 1}`, manner: 'talks', atOnce: false } as const;
    const { objective, todos } = conversationRequest(dialogue, '');
    const numbered = todos.map(({ text }, i) => ({ id: String(i + 1), text, status: 'pending' }));
    await database.pool.query('UPDATE instances SET objective = $2, todos = $3 WHERE id = $1', [
      id,
      objective,
      JSON.stringify(numbered),
    ]);
  }
  await database.pool.query(
    `INSERT INTO instance_messages (account_id, instance_id, role, content)
     SELECT account_id, id, CASE WHEN n % 2 = 0 THEN 'contact' ELSE 'agent' END,
       'Thank you, that is good to know; let us see which of these days would suit us both. ' || n
     FROM instances, generate_series(1, 10) AS n ORDER BY id, n`,
  );
  return rows.map(({ id }) => id);
}

function use(): Opened {
  if (opened === null) throw new Error('not opened yet');
  return opened;
}

const messageId = () => randomUUID() as unknown as MessageId;

export type TurnArm = typeof methods;
serve(methods);
