// A daemon's inside without its edges, for one test file: database, lease, jobs, gate, events, clock and
// the verbs of conversations, with an agent that does what the test says.
import { randomUUID } from 'node:crypto';
import type { InstanceId, MessageId } from '@relay/core/ids';
import { instanceId } from '@relay/core/ids';
import { silentLog } from '@relay/core/log';
import type { ConversationVerbs } from '@relay/core/ports/conversations';
import type { TurnContext, TurnOutcome } from '@relay/core/ports/turn';
import { pacingSchema } from '@relay/core/settings';
import { hearContact, onWake } from '@relay/daemon/flows/conversation/turn';
import { conversationVerbs } from '@relay/daemon/flows/conversation/verbs';
import type { ConversationWorld } from '@relay/daemon/flows/conversation/work';
import { inOneTransaction } from '@relay/daemon/flows/conversation/work';
import { Gate } from '@relay/daemon/gate/submit';
import { Jobs } from '@relay/daemon/jobs/jobs';
import { heartbeatJobs, TimerClock } from '@relay/daemon/jobs/timers';
import { PostgresEventLog } from '@relay/daemon/store/events';
import { takeLease } from '@relay/daemon/store/lease';
import { afterAll } from 'vitest';
import type { After, TestStore } from './store.ts';
import { eventually, freshStore } from './store.ts';

type Agent = (context: TurnContext) => TurnOutcome | Promise<TurnOutcome>;

export interface World extends TestStore {
  readonly conversations: ConversationWorld;
  readonly verbs: ConversationVerbs;
  readonly jobs: Jobs;
  /** From now on the agent does this. */
  agent(act: Agent): void;
  /** Every turn the agent was asked for. */
  readonly turns: TurnContext[];
  create(
    phone?: string,
    heartbeat?: { interval_ms?: number; max_followups?: number },
  ): Promise<InstanceId>;
  reply(id: InstanceId, text: string): Promise<void>;
  state(id: InstanceId): Promise<string>;
  reaches(id: InstanceId, state: string): Promise<void>;
  /** As if its timer were due. */
  heartbeat(id: InstanceId): Promise<void>;
  lines(id: InstanceId): Promise<string[]>;
  steps(id: InstanceId): Promise<string[]>;
  /** No turn runs, none waits and no timer is due. */
  quiet(): Promise<void>;
  /** As a daemon that stops: another world may go on over the same store. */
  close(): Promise<void>;
}

let phones = 0;
export const newPhone = () => `+4915100${String(++phones).padStart(6, '0')}`;

export interface WorldOptions {
  /** The clock of everything in it. */
  readonly now?: () => Date;
}

export async function freshWorld(
  after: After = afterAll,
  options: WorldOptions = {},
): Promise<World> {
  const store = await freshStore(after);
  const world = await openWorld(store, options);
  after(() => world.close());
  return world;
}

/** One name for all of them, so that the next takes the lease of the one before. */
const HOLDER = randomUUID();

/** A daemon's inside over a store that is there; whoever opens it closes it. */
export async function openWorld(
  store: TestStore,
  { now = () => new Date() }: WorldOptions = {},
): Promise<World> {
  const { database, account, sql } = store;
  const lease = await takeLease(database.kysely, account, HOLDER);
  if (lease === null) throw new Error('somebody else serves this account');
  const jobs = await Jobs.start(database, silentLog);
  await jobs.adopt(account);
  const conversations: ConversationWorld = {
    db: database.kysely,
    lease,
    jobs,
    gate: new Gate({ pacing: pacingSchema.parse({ enabled: false }), hint: () => {} }),
    events: new PostgresEventLog(database.kysely, account),
    log: silentLog,
    now,
  };
  const verbs = conversationVerbs(conversations);
  const turns: TurnContext[] = [];
  let act: Agent = () => ({ messages: ['Hello'] });
  const takeTurn = async (context: TurnContext) => {
    turns.push(context);
    return act(context);
  };
  jobs.work('conversation', 16, onWake(conversations, takeTurn));
  const clock = new TimerClock({
    db: database.kysely,
    now,
    onDue: heartbeatJobs(jobs),
    afterCommit: () => jobs.hint('conversation'),
    log: silentLog,
  });
  clock.start();

  const state = async (id: InstanceId) => (await verbs.get(id)).state;
  return {
    ...store,
    conversations,
    verbs,
    jobs,
    turns,
    agent: (next) => {
      act = next;
    },
    create: async (phone = newPhone(), heartbeat_config = {}) => {
      const { id } = await verbs.create({
        objective: 'Get a quote',
        target_contact: phone,
        todos: [{ text: 'Ask' }, { text: 'Agree' }],
        heartbeat_config,
      });
      return instanceId(id);
    },
    reply: (id, text) =>
      inOneTransaction(conversations, (work) =>
        hearContact(conversations, work, id, text, randomUUID() as unknown as MessageId),
      ),
    state,
    reaches: (id, wanted) => eventually(async () => (await state(id)) === wanted),
    heartbeat: async (id) => {
      await sql('UPDATE timers SET due_at = $2 WHERE subject_id = $1', [id, now()]);
    },
    lines: async (id) =>
      (await verbs.transcript(id)).map(({ role, content }) => `${role}: ${content}`),
    steps: async (id) =>
      (
        await sql(
          'SELECT from_state, to_state FROM instance_transitions WHERE instance_id = $1 ORDER BY id',
          [id],
        )
      ).map((row) => `${row.from_state} → ${row.to_state}`),
    quiet: () =>
      eventually(async () => {
        await sql("UPDATE relay_jobs.job SET start_after = now() WHERE state = 'retry'");
        await clock.fire();
        jobs.hint('conversation');
        // One statement, one moment: a timer that is due becomes a job within one transaction.
        const open = await sql(
          `SELECT 1 FROM relay_jobs.job WHERE name = 'conversation' AND state < 'completed'
           UNION ALL SELECT 1 FROM timers WHERE due_at <= $1 LIMIT 1`,
          [now()],
        );
        return open.length === 0;
      }),
    close: async () => {
      await clock.stop();
      await jobs.stop(1_000);
    },
  };
}

/** An agent that waits, in the middle of its turn, until the test has done something else. */
export function heldTurn(outcome: TurnOutcome = { messages: ['Hello'] }) {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let held = true;
  return {
    begun: begun.promise,
    release: () => gate.resolve(),
    act: async (): Promise<TurnOutcome> => {
      if (!held) return { messages: ['Next'] };
      held = false;
      begun.resolve();
      await gate.promise;
      return outcome;
    },
  };
}
