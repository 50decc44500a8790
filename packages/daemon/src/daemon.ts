// The daemon, put together: what needs what, and in which order. Whatever was started is stopped in
// reverse, when the daemon stops and when a later step of the start fails.
import { join } from 'node:path';
import type { Log } from '@relay/core/log';
import type { ComposeReply } from '@relay/core/ports/reply';
import type { TakeTurn } from '@relay/core/ports/turn';
import { VERSION } from '@relay/core/version';
import { localZone, openActing } from './acting.ts';
import { systemClock } from './agent/clock.ts';
import { loadSoon } from './agent/sdk.ts';
import { tryModel } from './agent/trial.ts';
import { exportArchive } from './backup/export.ts';
import { importArchive } from './backup/import.ts';
import { openBackups } from './backup/open.ts';
import type { Config } from './config.ts';
import { findServer } from './database-server.ts';
import { countWaiting } from './gate/approval-list.ts';
import { runChecks } from './health/checks.ts';
import { readStatus } from './health/status.ts';
import { claimHome, type HomeClaim } from './home/claim.ts';
import { noteExport } from './home/exports.ts';
import { noteLastBackup, readLastBackup } from './home/last-backup.ts';
import { ownersSettings } from './home/owners-settings.ts';
import { ownerToken, rotateToken } from './home/token.ts';
import { openVault } from './home/vault/open.ts';
import { createHttpServer } from './http/server.ts';
import { Jobs } from './jobs/jobs.ts';
import { listen, refuseTakenPort } from './listening.ts';
import { openLog } from './log/log.ts';
import { openMetrics } from './metrics/metrics.ts';
import { sendingHealth } from './outbox/health.ts';
import { serve } from './serving.ts';
import { activityReader } from './store/activity/activity.ts';
import { openDatabase } from './store/database.ts';
import { PostgresEventLog } from './store/events.ts';
import { postgresForwarderTokens } from './store/forwarder-token.ts';
import { ledgerReader } from './store/ledger-reader.ts';
import { PostgresMessageReader } from './store/message-reader.ts';
import { migrate } from './store/migrate.ts';
import { modelUse } from './store/model-use.ts';
import { chatReader } from './store/reading/reader.ts';
import { lastReport } from './store/report.ts';
import { postgresSignIn } from './store/sign-in.ts';
import { webhookTrouble } from './store/webhooks/trouble.ts';
import { startTraces } from './traces/open.ts';

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
  await jobs.adopt(lease.account);
  const health = { db: database.kysely, lease, jobs, schemaVersion, database: server };
  const archive = () => {
    const made = exportArchive({ database, jobs, version: VERSION, schemaVersion });
    made.once('end', () => void noteExport(config.home, now()).catch(() => {}));
    return made;
  };
  const backups = openBackups({
    jobs,
    log,
    now,
    settings: config.settings.backup,
    usualFolder: join(config.home, 'backups'),
    zone: config.settings.zone ?? localZone(),
    archive,
    remembered: () => readLastBackup(config.home),
    remember: (memory) => noteLastBackup(config.home, memory),
  });
  const webhooks = () => webhookTrouble(database.kysely, lease.account);
  const status = () =>
    readStatus({
      ...health,
      home: config.home,
      demo: wire.isSimulated,
      phonePage: config.phonePage,
      startedAt,
      connection: () => wire.transport.link,
      webhooks,
      backup: backups.standing,
      report: () => lastReport(database.kysely, lease.account),
      approvals: () => countWaiting(database.kysely, lease.account),
      sending: () => sendingHealth(database.kysely, lease.account, config.settings.pacing),
    });
  const acting = openActing({
    db: database.kysely,
    lease,
    jobs,
    events,
    log,
    now,
    config,
    vault,
    wire,
    status,
    server: server.place,
    takeTurn: options.takeTurn,
    compose: options.compose,
  });

  const metrics = openMetrics({
    status,
    modelUse: () => modelUse(database.kysely, lease.account, new Date(startedAt)),
    events,
    log,
  });
  closers.push(() => metrics.stop());

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
    ...acting.verbs,
    whatsapp: wire.transport,
    messages: new PostgresMessageReader(database.kysely, lease.account),
    chats: chatReader({
      db: database.kysely,
      account: lease.account,
      admins: config.settings.admin_phone_numbers,
    }),
    ledger: ledgerReader({
      db: database.kysely,
      account: lease.account,
      admins: config.settings.admin_phone_numbers,
      now,
      zone: config.settings.zone ?? localZone(),
    }),
    activity: activityReader({
      db: database.kysely,
      account: lease.account,
      zone: config.settings.zone ?? localZone(),
      tokensPerDay: config.settings.agent.tokens_per_day,
      now,
    }),
    settings: ownersSettings({
      ...config,
      sealer: vault.sealer,
      openModel: () => acting.models.open(),
      tryModel: () => tryModel(acting.models, systemClock),
      onChange: (names) => log.info('settings changed', { reason: names.join(', ') }),
    }),
    metrics,
    status,
    checks: ({ full }) =>
      runChecks({
        ...health,
        full,
        memory: acting.verbs.memory.status,
        clockAhead: () => wire.transport.link.health.clockAheadS ?? null,
        webhooks,
        backup: backups.standing,
      }),
    events,
    archive: {
      export: archive,
      import: (stream) => importArchive({ database, jobs, lease, schemaVersion }, stream),
    },
    backups: backups.verbs,
    forwarderTokens: postgresForwarderTokens(database.kysely, lease.account),
    signIn: postgresSignIn(database.kysely, lease.account),
    webDirectory: options.webDirectory,
    stopping: () => stopping,
  });
  const port = await listen(http, config);
  closers.push(() => http.close());

  closers.push(...(await acting.start()));
  closers.push(await backups.start());
  const { traces } = config.settings;
  closers.push(
    await startTraces({ db: database.kysely, lease, log, version: VERSION, settings: traces }),
  );
  wire.start();
  closers.push(() => {
    stopping = true;
    log.info('stopping', { pid: process.pid });
  });

  await claim.announce(port);
  log.info('ready', { pid: process.pid, port, version: VERSION, ms: Date.now() - startedAt });
  closers.push(loadSoon(acting.models));
  return { port, log };
}
