// Test harness for a daemon without HTTP and WhatsApp: database, lease, jobs, gate, events, clock and conversations,
// with an agent that the test scripts.
import { randomUUID } from 'node:crypto';
import type { ApprovalService } from '@relay/contract/api/approvals';
import type { ConversationService } from '@relay/contract/api/instances';
import { type InstanceId, instanceId, type MessageId } from '@relay/contract/ids';
import {
  deliverySchema,
  type PacingSettings,
  type Settings,
  settingsSchema,
} from '@relay/contract/settings';
import type { Log, LogFields } from '@relay/core/log';
import type { TurnContext, TurnHooks, TurnOutcome } from '@relay/core/ports/agent-turn';
import type { Transport } from '@relay/core/ports/transport';
import { FollowUpClock } from '@relay/daemon/features/conversations/follow-up-clock';
import {
  onConversationMessage,
  onOwnerTakeover,
} from '@relay/daemon/features/conversations/on-message';
import {
  carryOutApproved,
  createConversationService,
} from '@relay/daemon/features/conversations/service';
import {
  type ConversationDeps,
  RunningTurns,
} from '@relay/daemon/features/conversations/transitions';
import { onConversationJob, resumeTurnsOnRelease } from '@relay/daemon/features/conversations/turn';
import { openSchedules, type SchedulesFeature } from '@relay/daemon/features/schedules/feature';
import { combineOnRelease, createApprovalService } from '@relay/daemon/pipeline/gate/approvals';
import { Gate } from '@relay/daemon/pipeline/gate/gate';
import { createHoldService } from '@relay/daemon/pipeline/gate/hold';
import { recheckPermits } from '@relay/daemon/pipeline/gate/recheck';
import {
  checkNumber,
  Deliverer,
  type DelivererOptions,
} from '@relay/daemon/pipeline/outbox/deliverer';
import {
  applyDeliveryReports,
  wakeConversations,
} from '@relay/daemon/pipeline/outbox/delivery-updates';
import { isSendingBlocked } from '@relay/daemon/pipeline/outbox/sending-health';
import { PostgresEventLog } from '@relay/daemon/platform/db/events';
import { takeLease } from '@relay/daemon/platform/db/lease';
import { recordSent } from '@relay/daemon/platform/db/messages';
import { transaction } from '@relay/daemon/platform/db/transaction';
import { Jobs } from '@relay/daemon/platform/jobs/jobs';
import type { QueueName } from '@relay/daemon/platform/jobs/queues';
import {
  enqueueDueTimers,
  hintTimerClock,
  TIMER_QUEUES,
  TimerClock,
} from '@relay/daemon/platform/jobs/timers';
import { afterAll } from 'vitest';
import type { ScriptedTransport } from './scripted-transport.ts';
import { type CleanupHook, eventually, freshStore, type TestStore } from './store.ts';

type Agent = (context: TurnContext, hooks: TurnHooks) => TurnOutcome | Promise<TurnOutcome>;

export interface LogLine {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

export interface DaemonHarness extends TestStore {
  readonly conversations: ConversationDeps;
  readonly service: ConversationService;
  readonly jobs: Jobs;
  /** The settings in use; a test may change them. */
  readonly settings: Writable<Pick<Settings, 'agent' | 'pacing' | 'tell_owner_on_whatsapp'>>;
  /** All log lines, oldest first. */
  readonly logged: LogLine[];
  /** Replaces the agent. */
  agent(act: Agent): void;
  /** Every turn the agent was asked for. */
  readonly turns: TurnContext[];
  create(
    phone?: string,
    heartbeat?: { interval_ms?: number; max_followups?: number },
    objective?: string,
  ): Promise<InstanceId>;
  reply(id: InstanceId, text: string): Promise<void>;
  /** The owner writes to the contact on their phone. */
  takeover(id: InstanceId, text: string): Promise<void>;
  /** Puts all sending on hold, until it is released. */
  hold(): Promise<void>;
  release(): Promise<void>;
  readonly approvals: ApprovalService;
  readonly schedules: SchedulesFeature;
  state(id: InstanceId): Promise<string>;
  reaches(id: InstanceId, state: string): Promise<void>;
  /** Fires the conversation's follow-up timer. */
  heartbeat(id: InstanceId): Promise<void>;
  lines(id: InstanceId): Promise<string[]>;
  steps(id: InstanceId): Promise<string[]>;
  /** Whether WhatsApp acknowledges what conversations queue; if not, the account seems offline. */
  acknowledges(on: boolean): Promise<void>;
  /**
   * Waits until no turn runs or is queued, no message waits for an acknowledgement that will come, no timer is due, and
   * these queues are empty too.
   */
  quiet(...queues: readonly QueueName[]): Promise<void>;
  /** Stops like a daemon: another harness may continue on the same store. */
  close(): Promise<void>;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function keepingLog(): { log: Log; logged: LogLine[] } {
  const logged: LogLine[] = [];
  const at =
    (level: keyof Log) =>
    (message: string, fields: LogFields = {}) => {
      logged.push({ level, message, fields });
    };
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { log, logged };
}

let phones = 0;
export const newPhone = () => `+4915100${String(++phones).padStart(6, '0')}`;

const newMessageId = () => randomUUID() as unknown as MessageId;

export interface DaemonHarnessOptions {
  /** The clock of all its parts. */
  readonly now?: () => Date;
  /** The owner's time zone. */
  readonly zone?: string;
  /** Messages are sent over this transport with this pacing; without it, each is acknowledged at once. */
  readonly sendsOver?: { readonly transport: ScriptedTransport; readonly pacing: PacingSettings };
  /** Answers whether numbers are registered; without it none is. */
  readonly network?: Pick<Transport, 'link' | 'capabilities'>;
}

export async function freshDaemonHarness(
  after: CleanupHook = afterAll,
  options: DaemonHarnessOptions = {},
): Promise<DaemonHarness> {
  const store = await freshStore(after);
  const harness = await openDaemonHarness(store, options);
  after(() => harness.close());
  return harness;
}

const ANSWER_MS = 1_000;

/** All harnesses share one name, so that the next takes over the lease of the one before. */
const HOLDER = randomUUID();

/** Opens a harness on an existing store; the caller closes the store. */
export async function openDaemonHarness(
  store: TestStore,
  {
    now = () => new Date(),
    zone = 'Europe/Berlin',
    sendsOver,
    network: transport,
  }: DaemonHarnessOptions = {},
): Promise<DaemonHarness> {
  const { database, account, sql } = store;
  const lease = await takeLease(database.kysely, account, HOLDER);
  if (lease === null) throw new Error('somebody else serves this account');
  const { log, logged } = keepingLog();
  const jobs = await Jobs.start(database, log);
  await jobs.adoptLease(lease);
  const settings = settingsSchema.parse({
    pacing: sendsOver?.pacing ?? { enabled: false },
    // Notices are messages too: only the tests of notices count with them.
    tell_owner_on_whatsapp: false,
  });
  const conversations: ConversationDeps = {
    db: database.kysely,
    lease,
    jobs,
    gate: new Gate({
      account,
      pacing: settings.pacing,
      now,
      wakeOutbox: () => (sending === null ? void acknowledgeSoon() : sending.deliverer.wake()),
      ...(transport && {
        checkNumber: (address) =>
          checkNumber({ db: database.kysely, lease, transport, log, now }, address, ANSWER_MS),
      }),
    }),
    events: new PostgresEventLog(database.kysely, account),
    log,
    settings,
    running: new RunningTurns(),
    now,
    zone,
  };
  let acknowledging = sendsOver === undefined;
  const deliveryHooks: DelivererOptions['hooks'] = {
    recordSent: async () => {},
    ...wakeConversations(jobs, account),
  };
  const acknowledge = async () => {
    if (!acknowledging) return;
    await database.kysely.transaction().execute(async (tx) => {
      const queued = await tx
        .selectFrom('outbox')
        .select('id')
        .where('account_id', '=', account)
        .where('instance_id', 'is not', null)
        .where('state', '=', 'pending')
        .execute();
      const apply = () => ({ event: { type: 'accepted' }, at: now() }) as const;
      await applyDeliveryReports(
        tx,
        account,
        queued.map(({ id }) => ({ target: { id }, apply })),
        deliveryHooks,
      );
    });
    jobs.wake('conversation');
  };
  let isBusy = false;
  /** One at a time; callers poll for its effect. */
  const acknowledgeSoon = async () => {
    if (isBusy) return;
    isBusy = true;
    await acknowledge().catch(() => {});
    isBusy = false;
  };
  const record: DelivererOptions['hooks']['recordSent'] = (tx, sent) =>
    recordSent(
      tx,
      account,
      sent.map(({ row, at }) => ({
        chat: row.chat_id,
        id: row.message_id,
        body: row.body,
        sentAt: at,
      })),
    );
  const sending =
    sendsOver === undefined
      ? null
      : sendOver(sendsOver, { ...conversations, hooks: { ...deliveryHooks, recordSent: record } });
  const service = createConversationService(conversations);
  const turns: TurnContext[] = [];
  let act: Agent = () => ({ messages: ['Hello'] });
  const takeTurn = async (context: TurnContext, hooks: TurnHooks) => {
    turns.push(context);
    return act(context, hooks);
  };
  const schedules = openSchedules(conversations);
  jobs.work('schedule', 4, schedules.onDue);
  jobs.work('conversation', 16, onConversationJob(conversations, takeTurn));
  const clock = new TimerClock({
    db: database.kysely,
    lease,
    now,
    events: conversations.events,
    beforeFiring: async () => (await sending?.followUps.update()) ?? true,
    onDue: enqueueDueTimers(jobs),
    onFired: () => {
      for (const queue of TIMER_QUEUES) jobs.wake(queue);
    },
    onPutBack: () => schedules.recompute(),
    log,
  });
  await schedules.recompute();
  clock.start();
  sendsOver?.transport.subscribe(() => clock.hint());

  const gated = {
    db: database.kysely,
    lease,
    gate: conversations.gate,
    onChange: () => conversations.events.hint(),
  };
  const actions = { ...carryOutApproved(conversations), ...schedules.carryOut };
  const holding = createHoldService({
    ...gated,
    onRelease: combineOnRelease(resumeTurnsOnRelease(conversations), schedules.onRelease),
  });
  const state = async (id: InstanceId) => (await service.get(id)).state;
  return {
    ...store,
    conversations,
    service,
    jobs,
    turns,
    agent: (next) => {
      act = next;
    },
    create: async (phone = newPhone(), heartbeat_config = {}, objective = 'Get a quote') => {
      const { id } = await service.create({
        objective,
        target_contact: phone,
        todos: [{ text: 'Ask' }, { text: 'Agree' }],
        heartbeat_config,
      });
      return instanceId(id);
    },
    settings,
    logged,
    reply: (id, body) =>
      transaction(conversations, (work) =>
        onConversationMessage(conversations, work, id, { id: newMessageId(), body }),
      ),
    takeover: (id, body) =>
      transaction(conversations, (work) =>
        onOwnerTakeover(conversations, work, id, { id: newMessageId(), body }),
      ),
    hold: async () => {
      await holding.hold('test');
    },
    release: async () => {
      await holding.release();
    },
    approvals: createApprovalService({ ...gated, actions }),
    schedules,
    state,
    reaches: (id, wanted) =>
      eventually(async () => {
        const instance = await service.get(id);
        const waits = wanted === 'WAITING_FOR_REPLY' && acknowledging;
        if (!waits || instance.next_follow_up_at !== null) return instance.state === wanted;
        void acknowledgeSoon();
        return false;
      }),
    acknowledges: async (on) => {
      acknowledging = on;
      await acknowledge();
    },
    heartbeat: (id) =>
      eventually(async () => {
        const due = 'UPDATE timers SET due_at = $2 WHERE subject_id = $1 RETURNING 1';
        if ((await sql(due, [id, now()])).length > 0) {
          // The clock may have read the timer's former time already.
          hintTimerClock(account);
          return true;
        }
        // Its follow-up clock may be about to start.
        return !acknowledging || (await state(id)) !== 'WAITING_FOR_REPLY';
      }),
    lines: async (id) =>
      (await service.transcript(id)).map(({ role, content }) => `${role}: ${content}`),
    steps: async (id) =>
      (
        await sql(
          'SELECT from_state, to_state FROM instance_transitions WHERE instance_id = $1 ORDER BY id',
          [id],
        )
      ).map((row) => `${row.from_state} → ${row.to_state}`),
    quiet: (...queues) =>
      eventually(async () => {
        const active = "SELECT FROM relay_jobs.job WHERE state = 'active' LIMIT 1";
        if ((await sql(active)).length > 0) return false;
        await sql("UPDATE relay_jobs.job SET start_after = now() WHERE state = 'retry'");
        await acknowledge();
        await sending?.followUps.update();
        await clock.fire();
        for (const queue of [...TIMER_QUEUES, ...queues]) jobs.wake(queue);
        const canSend = (await sending?.wakeIfAble()) ?? false;
        // One statement, so one snapshot: a timer, a job and a message become each other within one transaction.
        const open = await sql(
          `SELECT 1 FROM relay_jobs.job WHERE name = ANY($4) AND state < 'completed'
           UNION ALL SELECT 1 FROM timers JOIN accounts ON id = account_id WHERE due_at <= $1
             AND (kind <> 'heartbeat' OR follow_ups_suspended_since IS NULL)
           UNION ALL SELECT 1 FROM outbox WHERE $2 AND instance_id IS NOT NULL AND state = 'pending'
           UNION ALL SELECT 1 FROM outbox o LEFT JOIN instances i
             ON i.account_id = o.account_id AND i.id = o.instance_id
             WHERE $3 AND o.state IN ('pending', 'unknown') AND o.told_at IS NULL
               AND i.state IS DISTINCT FROM 'PAUSED' LIMIT 1`,
          [now(), acknowledging, canSend, ['conversation', 'schedule', ...queues]],
        );
        if (open.length > 0) return false;
        if (sending === null) return true;
        // The last messages may have reached a limit, which suspends the clock before time continues.
        await sending.followUps.update();
        return true;
      }),
    close: async () => {
      await sending?.stop();
      await clock.stop();
      await jobs.stop(1_000);
    },
  };
}

/** The real outbox over the test's transport. */
function sendOver(
  { transport, pacing }: NonNullable<DaemonHarnessOptions['sendsOver']>,
  { db, lease, now, log, hooks }: ConversationDeps & Pick<DelivererOptions, 'hooks'>,
) {
  const { account } = lease;
  const isConnected = () => {
    const { state, replaying } = transport.link;
    return state === 'connected' && replaying === null;
  };
  const isBlocked = () => isSendingBlocked(db, account, pacing, now());
  const deliverer = new Deliverer({
    db,
    lease,
    transport,
    builder: transport.builder(account),
    log,
    pacing,
    delivery: deliverySchema.parse({ grace_ms: 0 }),
    recheck: recheckPermits(account, { pacing, now }),
    hooks,
    onChange: () => {},
    now,
  });
  const unsubscribe = transport.subscribe((event) => deliverer.onTransportEvent(event));
  deliverer.start();
  return {
    deliverer,
    followUps: new FollowUpClock({ db, lease, now, log, isConnected, isBlocked }),
    /** Looks for messages to send. Returns whether they can be sent now. */
    wakeIfAble: async () => {
      if (!isConnected() || (await isBlocked())) return false;
      deliverer.wake();
      return true;
    },
    stop: async () => {
      unsubscribe();
      await deliverer.stop(1_000);
    },
  };
}

/** An agent that waits in the middle of its turn until the test continues it. */
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
