// The daemon, put together: what needs what, and in which order.
import { join } from 'node:path';
import type { Log } from '@relay/core/log';
import type { ComposeReply } from '@relay/core/ports/reply';
import type { TakeTurn } from '@relay/core/ports/turn';
import { VERSION } from '@relay/core/version';
import { openActing } from './acting.ts';
import { systemClock } from './agent/clock.ts';
import { loadSoon } from './agent/sdk.ts';
import { tryModel } from './agent/trial.ts';
import { exportArchive } from './backup/export.ts';
import { importArchive } from './backup/import.ts';
import { openBackups } from './backup/open.ts';
import type { Config } from './config.ts';
import type { DatabaseServer } from './database-server.ts';
import { countWaiting } from './gate/approval-list.ts';
import { runChecks } from './health/checks.ts';
import { readStatus } from './health/status.ts';
import type { HomeClaim } from './home/claim.ts';
import { DiskGuard } from './home/disk-guard.ts';
import { noteExport } from './home/exports.ts';
import { noteLastBackup, readLastBackup } from './home/last-backup.ts';
import { ownersSettings } from './home/owners-settings.ts';
import { ownerToken, rotateToken } from './home/token.ts';
import type { Vault } from './home/vault/open.ts';
import { createHttpServer } from './http/server.ts';
import { listen } from './listening.ts';
import { openMetrics } from './metrics/metrics.ts';
import { sendingHealth } from './outbox/health.ts';
import { prepareSchema } from './schema.ts';
import { serve } from './serving.ts';
import { activityReader } from './store/activity/activity.ts';
import { openDatabase } from './store/database.ts';
import { PostgresEventLog } from './store/events.ts';
import { postgresForwarderTokens } from './store/forwarder-token.ts';
import { ledgerReader } from './store/ledger-reader.ts';
import { PostgresMessageReader } from './store/message-reader.ts';
import { modelUse } from './store/model-use.ts';
import { chatReader } from './store/reading/reader.ts';
import { lastReport } from './store/report.ts';
import { postgresSignIn } from './store/sign-in.ts';
import { webhookTrouble } from './store/webhooks/trouble.ts';
import { startTraces } from './traces/open.ts';
import { openWire } from './wire.ts';

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

export type Closer = () => Promise<void> | void;

/** What is there before anything else is read. */
export interface Ground {
  readonly claim: HomeClaim;
  readonly log: Log;
  readonly vault: Vault;
  readonly server: DatabaseServer;
  /** When it began. */
  readonly startedAt: number;
}

const DRAIN_MS = 10_000;

export async function assemble(
  options: DaemonOptions,
  closers: Closer[],
  { claim, log, vault, server, startedAt }: Ground,
): Promise<Omit<RunningDaemon, 'stop'>> {
  const { config, now = () => new Date() } = options;
  // Everything that goes by the owner's days and hours goes by this one.
  const zone = config.settings.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const database = openDatabase(server.target, {
    prepare: config.settings.prepared_statements,
    sealer: vault.sealer,
    ...(server.owner === null ? {} : { owner: server.owner }),
  });
  closers.push(() => database.close());
  const schema = await prepareSchema(database, server.owner, log);
  const schemaVersion = schema.version;
  // Before the jobs, so that it is let go of only when they have ended.
  const serving = await serve(database.kysely, config.home, log, () => options.onFatal?.());
  closers.push(() => serving.stop());
  const { lease } = serving;
  const jobs = await schema.startJobs();
  closers.push(() => jobs.stop(DRAIN_MS));

  const events = new PostgresEventLog(database.kysely, lease.account);
  const { target } = server;
  const disk = new DiskGuard({ home: config.home, settings: config.settings.disk, log });
  closers.push(await disk.start());
  const isDiskLow = () => disk.isLow;
  const wire = openWire({
    config,
    vault,
    database,
    target,
    lease,
    jobs,
    events,
    log,
    now,
    isDiskLow,
  });
  closers.push(() => wire.stop());
  await jobs.adopt(lease);
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
    isDiskLow,
    zone,
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
      disk: () => disk.sentence,
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
    zone,
    config,
    vault,
    wire,
    status,
    disk,
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
      zone,
    }),
    activity: activityReader({
      db: database.kysely,
      account: lease.account,
      zone,
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
        disk: () => disk.sentence,
        agent: config.settings.agent,
        provider: () =>
          acting.models.open().then(
            ({ provider }) => provider,
            () => null,
          ),
        now,
        zone,
        backup: backups.standing,
      }),
    events,
    archive: {
      export: archive,
      import: (stream) => {
        disk.refuseWhenLow();
        const { onRestored } = acting;
        return importArchive({ database, jobs, lease, schemaVersion, onRestored }, stream);
      },
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
