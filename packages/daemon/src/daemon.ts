// The daemon, put together: what needs what, and in which order. Whatever was started is stopped in
// reverse, when the daemon stops and when a later step of the start fails.
import { join } from 'node:path';
import { statusOf } from '@relay/core/connection/states';
import type { Log } from '@relay/core/log';
import type { ComposeReply } from '@relay/core/ports/reply';
import type { TakeTurn } from '@relay/core/ports/turn';
import { VERSION } from '@relay/core/version';
import { systemClock } from './agent/clock.ts';
import { loadSoon } from './agent/sdk.ts';
import { exportArchive } from './backup/export.ts';
import { importArchive } from './backup/import.ts';
import type { Config } from './config.ts';
import { findServer } from './database-server.ts';
import { openEgress } from './egress/egress.ts';
import { openAssistant } from './flows/assistant/open.ts';
import { autoReplyAgent } from './flows/auto-reply/agent/agent.ts';
import { openAutoReply } from './flows/auto-reply/open.ts';
import { conversationAgent } from './flows/conversation/agent/agent.ts';
import { carryOutApproved } from './flows/conversation/approved.ts';
import { onRelease } from './flows/conversation/hold.ts';
import { RunningTurns } from './flows/conversation/running.ts';
import { onWake } from './flows/conversation/turn.ts';
import { conversationVerbs } from './flows/conversation/verbs.ts';
import type { ConversationWorld } from './flows/conversation/work.ts';
import { countWaiting, expireApprovals } from './gate/approval-list.ts';
import { approvalVerbs } from './gate/approvals.ts';
import { eachOnRelease } from './gate/carry-out.ts';
import { grantVerbs, peopleVerbs } from './gate/grants.ts';
import { holdVerbs } from './gate/hold.ts';
import { sendAsOwner } from './gate/send.ts';
import { Gate } from './gate/submit.ts';
import { runChecks } from './health/checks.ts';
import { readStatus } from './health/status.ts';
import { readBraveKey } from './home/brave-key.ts';
import { claimHome, type HomeClaim } from './home/claim.ts';
import { readModel } from './home/model.ts';
import { saveOwnersSettings } from './home/owners-settings.ts';
import { ownerToken, rotateToken } from './home/token.ts';
import { openVault } from './home/vault/open.ts';
import { createHttpServer } from './http/server.ts';
import { Jobs } from './jobs/jobs.ts';
import { TIMED, TimerClock, timerJobs } from './jobs/timers.ts';
import { listen, refuseTakenPort } from './listening.ts';
import { modelSource } from './llm/source.ts';
import { openLog } from './log/log.ts';
import { sendingHealth } from './outbox/health.ts';
import { onRoute } from './router/router.ts';
import { scheduleForAgent } from './schedule/agent.ts';
import { cancelSchedule } from './schedule/cancel.ts';
import { openSchedules } from './schedule/open.ts';
import type { ScheduleWorld } from './schedule/world.ts';
import { openSearch } from './search/open.ts';
import { serve } from './serving.ts';
import { openDatabase } from './store/database.ts';
import { PostgresEventLog } from './store/events.ts';
import { fenced } from './store/fenced.ts';
import { ledgerReader } from './store/ledger-reader.ts';
import { PostgresMessageReader } from './store/message-reader.ts';
import { migrate } from './store/migrate.ts';
import { prune } from './store/prune.ts';
import { lastReport } from './store/report.ts';
import { postgresSignIn } from './store/sign-in.ts';
import { webSearch } from './tools/web-search/web-search.ts';

export interface DaemonOptions {
  readonly config: Config;
  /** Long steps of the start, as sentences. */
  progress?(sentence: string): void;
  /** In the place of the agent of delegated conversations. */
  readonly takeTurn?: TakeTurn;
  /** In the place of the model that answers contacts. */
  readonly compose?: ComposeReply;
  readonly webDirectory: string | null;
  /** What time it is, for everything that happens by the clock. */
  readonly now?: () => Date;
  /** The daemon can no longer do its work and wants to be stopped. */
  onFatal?(): void;
}

export interface RunningDaemon {
  readonly port: number;
  readonly log: Log;
  /** Takes nothing new, finishes what runs, flushes everything, lets go of the home. */
  stop(): Promise<void>;
}

type Closer = () => Promise<void> | void;

const CONCURRENT_TURNS = 32;
const CONCURRENT_ROUTES = 4;
const CONCURRENT_SCHEDULES = 4;
const CONCURRENT_QUESTIONS = 8;
const DRAIN_MS = 10_000;

export async function startDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  const closers: Closer[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (const close of closers.splice(0).reverse()) {
      // What cannot be closed must not keep the rest open.
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'not everything could be closed');
  };
  try {
    return { ...(await start(options, closers)), stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

async function start(
  options: DaemonOptions,
  closers: Closer[],
): Promise<Omit<RunningDaemon, 'stop'>> {
  const { config } = options;
  const claim = await claimHome(config.home);
  closers.push(() => claim.release());
  const log = openLog(join(config.home, 'relay.log'), config.logLevel);
  closers.push(async () => {
    await log.flush();
    log.close();
  });
  for (const sentence of claim.mended) log.warn('home mended', { reason: sentence });
  if (claim.stalePid !== null) {
    log.warn('the last daemon did not stop cleanly', { pid: claim.stalePid });
  }
  try {
    return await assemble(options, closers, claim, log);
  } catch (error) {
    log.error('the start failed', { error });
    throw error;
  }
}

async function assemble(
  options: DaemonOptions,
  closers: Closer[],
  claim: HomeClaim,
  log: Log,
): Promise<Omit<RunningDaemon, 'stop'>> {
  const { config, progress, now = () => new Date() } = options;
  const startedAt = Date.now();
  await refuseTakenPort(config);
  const vault = await openVault({ home: config.home, ...config.vault });
  // What speaks WhatsApp takes a while to load, and the start of the database leaves time for it.
  const loading = import('./wire.ts');

  const server = await findServer(config, log, progress, closers);
  const database = openDatabase(server.target, { prepare: config.settings.prepared_statements });
  closers.push(() => database.close());
  const schemaVersion = await migrate(database.pool);
  // Before the jobs, so that it is let go of only when they have ended.
  const serving = await serve(database.kysely, config.home, log, () => options.onFatal?.());
  closers.push(() => serving.stop());
  const { lease } = serving;
  const jobs = await Jobs.start(database, log);
  closers.push(() => jobs.stop(DRAIN_MS));

  const events = new PostgresEventLog(database.kysely, lease.account);
  const { target } = server;
  const { openWire } = await loading;
  const wire = openWire({ config, vault, database, target, lease, jobs, events, log, now });
  closers.push(() => wire.stop());
  const gate = new Gate({
    account: lease.account,
    pacing: config.settings.pacing,
    admins: config.settings.admin_phone_numbers,
    instructions: config.settings.agent.instructions,
    tellOwner: config.settings.tell_owner_on_whatsapp,
    hint: () => wire.wake(),
  });
  const world: ConversationWorld = {
    db: database.kysely,
    lease,
    jobs,
    gate,
    events,
    log,
    settings: config.settings,
    running: new RunningTurns(),
    now,
  };
  const zone = config.settings.zone ?? localZone();
  const autoReply = openAutoReply({ ...world, settings: config.settings, zone });
  const scheduling: ScheduleWorld = { ...world, zone };
  const schedules = openSchedules(scheduling);
  const admins = config.settings.admin_phone_numbers;
  const search = openSearch({ ...world, admins, zone });
  const models = modelSource(() => readModel(config.home, vault.sealer, config.model));
  const gated = { db: database.kysely, lease, gate, changed: () => events.hint() };
  await jobs.adopt(lease.account);
  const health = { db: database.kysely, lease, jobs, schemaVersion, database: server };

  const conversations = conversationVerbs(world);
  const approvals = approvalVerbs({
    ...gated,
    carryOut: { ...carryOutApproved(world), ...schedules.carryOut },
  });
  const hold = holdVerbs({
    ...gated,
    onRelease: eachOnRelease(onRelease(world), autoReply.onRelease, schedules.onRelease, (tx) =>
      assistant.onRelease(tx),
    ),
  });
  const status = () =>
    readStatus({
      ...health,
      home: config.home,
      startedAt,
      connection: () => wire.transport.link,
      report: () => lastReport(database.kysely, lease.account),
      approvals: () => countWaiting(database.kysely, lease.account),
      sending: () => sendingHealth(database.kysely, lease.account, config.settings.pacing),
    });
  const web = webSearch({
    egress: openEgress(),
    key: () => readBraveKey(config.home, vault.sealer, config.braveKey),
    log,
  });
  const assistant = openAssistant({
    ...world,
    settings: config.settings,
    models,
    clock: systemClock,
    zone,
    search: search.search,
    schedules: {
      add: (...asked) => scheduleForAgent(scheduling, ...asked),
      list: () => schedules.verbs.list('active'),
      cancel: (...asked) => cancelSchedule(scheduling, ...asked),
    },
    webSearch: web,
    verbs: { approvals, hold, conversations, schedules: schedules.verbs, status },
    connected: () => statusOf(wire.transport.link.state) === 'connected',
  });

  let token = await ownerToken(config.home);
  let stopping = false;
  const http = await createHttpServer({
    version: VERSION,
    port: config.port,
    log,
    ownerToken: () => token,
    rotateOwnerToken: async () => {
      token = await rotateToken(config.home);
      return token;
    },
    conversations,
    whatsapp: wire.transport,
    messages: new PostgresMessageReader(database.kysely, lease.account),
    ledger: ledgerReader({
      db: database.kysely,
      account: lease.account,
      admins: config.settings.admin_phone_numbers,
      now,
      zone: localZone(),
    }),
    send: ({ to, text, key }) =>
      sendAsOwner(
        { db: database.kysely, lease, gate },
        { to, text, ...(key === null ? {} : { key }) },
      ),
    assistant: assistant.verbs,
    grants: grantVerbs(gated),
    people: peopleVerbs(gated),
    approvals,
    hold,
    schedules: schedules.verbs,
    search: search.verbs,
    configure: (changed) => saveOwnersSettings(config.home, vault.sealer, changed),
    status,
    checks: ({ full }) => runChecks({ ...health, full }),
    events,
    archive: {
      export: () => exportArchive({ database, jobs, version: VERSION, schemaVersion }),
      import: (stream) => importArchive({ database, jobs, lease, schemaVersion }, stream),
    },
    signIn: postgresSignIn(database.kysely, lease.account),
    webDirectory: options.webDirectory,
    stopping: () => stopping,
  });
  const port = await listen(http, config);
  closers.push(() => http.close());

  const thinking = { models, limits: config.settings.agent, log, clock: systemClock };
  const takeTurn = options.takeTurn ?? conversationAgent(thinking);
  jobs.work('conversation', CONCURRENT_TURNS, onWake(world, takeTurn));
  await autoReply.start(options.compose ?? autoReplyAgent({ ...thinking, search: web }));
  jobs.work('route', CONCURRENT_ROUTES, onRoute(world, admins));
  jobs.work('schedule', CONCURRENT_SCHEDULES, schedules.onDue);
  jobs.work('assistant', CONCURRENT_QUESTIONS, assistant.onQuestion);
  jobs.work('maintenance', 1, async () => {
    await fenced(database.kysely, lease, (tx) => expireApprovals(tx, lease.account));
    await autoReply.lookAgain();
    await prune(database.kysely, log);
  });
  await jobs.every('maintenance', '17 4 * * *', localZone(), { task: 'prune' });
  const clock = new TimerClock({
    db: database.kysely,
    now,
    onDue: timerJobs(jobs),
    afterCommit: () => {
      for (const queue of TIMED) jobs.hint(queue);
    },
    onPutBack: async () => {
      await jobs.bringForward();
      await schedules.settle();
    },
    log,
  });
  await schedules.settle();
  search.indexer.start();
  closers.push(() => search.indexer.stop());
  clock.start();
  closers.push(() => clock.stop());
  wire.start();
  closers.push(() => {
    stopping = true;
    log.info('stopping', { pid: process.pid });
  });

  await claim.announce(port);
  log.info('ready', { pid: process.pid, port, version: VERSION, ms: Date.now() - startedAt });
  closers.push(loadSoon(models));
  return { port, log };
}

const localZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
