// Builds the daemon from its parts: what depends on what, and in which order it starts.
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import { VERSION } from '@relay/core/installation';
import type { Log } from '@relay/core/log';
import type { ComposeReply, TakeTurn } from '@relay/core/ports/agent-turn';
import { holdAccountLease } from './account-lease.ts';
import type { Config } from './config.ts';
import type { DatabaseServer } from './database-server.ts';
import { createActivityReader } from './features/activity/activity.ts';
import { exportArchive } from './features/backup/export.ts';
import { openBackups } from './features/backup/feature.ts';
import { restoreArchive, settleRestore } from './features/backup/restore.ts';
import { createChatReader } from './features/chats/chat-reader.ts';
import { createRemoteService } from './features/devices/service.ts';
import { runDoctorChecks } from './features/health/checks.ts';
import { readStatus } from './features/health/status.ts';
import { openMetrics, readStorageFigures } from './features/metrics/metrics.ts';
import { describeDeviceTrouble } from './features/notifications/store.ts';
import { startTraces } from './features/traces/feature.ts';
import { describeWebhookTrouble } from './features/webhooks/webhooks.ts';
import { createFeatures } from './features.ts';
import { listenHttp } from './http-port.ts';
import { createHttpServer } from './interfaces/http/server.ts';
import { openMessagePipeline } from './message-pipeline.ts';
import { preloadSdk } from './models/agent/model.ts';
import { checkModel, listModels, probeModel } from './models/model-check.ts';
import { countPendingApprovals } from './pipeline/gate/approval-store.ts';
import { readSendingHealth } from './pipeline/outbox/sending-health.ts';
import { openDatabase } from './platform/db/database.ts';
import { PostgresEventLog } from './platform/db/events.ts';
import { createLedgerReader } from './platform/db/ledger-reader.ts';
import { PostgresMessageReader } from './platform/db/message-reader.ts';
import { lastRestartReport } from './platform/db/restart-report.ts';
import { readModelUse } from './platform/db/runs.ts';
import { createSignInStore } from './platform/db/sign-in.ts';
import { createForwarderTokens } from './platform/db/tokens.ts';
import type { HomeClaim } from './platform/home/claim.ts';
import { DiskGuard, freeDiskBytes } from './platform/home/disk-guard.ts';
import { readBackupPassphrase, saveBackupPassphrase } from './platform/home/sealed-settings.ts';
import { createSettingsService, saveAllowedHosts } from './platform/home/settings-service.ts';
import {
  loadOwnerToken,
  noteLastBackup,
  noteLastExport,
  readLastBackup,
  replaceOwnerToken,
} from './platform/home/state-files.ts';
import { findFormerKey, type Vault, type VaultRecord } from './platform/home/vault/vault.ts';
import { prepareSchema } from './schema.ts';
import { checkHomeOf } from './start-checks.ts';

export interface DaemonOptions {
  readonly config: Config;
  /** Reports long steps of the start, as sentences. */
  progress?(sentence: string): void;
  /** Reports what the owner must know after the start, as a sentence. */
  notice?(sentence: string): void;
  /** Replaces the agent of delegated conversations. */
  readonly takeTurn?: TakeTurn;
  /** Replaces the model that answers contacts. */
  readonly compose?: ComposeReply;
  readonly webDirectory: string | null;
  /** The clock for everything that depends on the time. */
  readonly now?: () => Date;
  /** Also writes the log to standard output. */
  readonly logsToStdout?: boolean;
  /** Called when the daemon can no longer work and has to be stopped. */
  onFatal?(reason: RelayError): void;
}

export interface RunningDaemon {
  readonly port: number;
  readonly log: Log;
  /** Accepts no new work, finishes what is running, flushes everything and releases the home. */
  stop(): Promise<void>;
}

export type ShutdownStep = () => Promise<void> | void;

/** What exists before the other parts are created. */
export interface BootContext {
  readonly claim: HomeClaim;
  readonly log: Log;
  readonly vault: Vault;
  readonly server: DatabaseServer;
  /** When the start began, in milliseconds. */
  readonly startedAt: number;
}

const DRAIN_MS = 10_000;

export async function assemble(
  options: DaemonOptions,
  closers: ShutdownStep[],
  { claim, log, vault, server, startedAt }: BootContext,
): Promise<Omit<RunningDaemon, 'stop'>> {
  const { config, now = () => new Date() } = options;
  // The owner's time zone, used wherever days and hours matter.
  const zone = config.settings.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const database = openDatabase(server.target, {
    prepare: config.settings.prepared_statements,
    sealer: vault.sealer,
    ...(server.owner === null ? {} : { owner: server.owner }),
  });
  closers.push(() => database.close());
  const schema = await prepareSchema(database, server.owner, log);
  const schemaVersion = schema.version;
  const owner = server.owner ?? server.target;
  const settled = await settleRestore(config.home, database.kysely, owner);
  if (settled !== null) {
    log.warn('restore settled', { reason: settled });
    options.notice?.(settled);
  }
  // Taken before the jobs start, so that it is released only after they have ended.
  const serving = await holdAccountLease(database.kysely, config.home, log, () =>
    options.onFatal?.(new RelayError('lease_lost')),
  );
  closers.push(() => serving.stop());
  const { lease } = serving;
  const jobs = await schema.startJobs();
  closers.push(() => jobs.stop(DRAIN_MS));

  const events = new PostgresEventLog(database.kysely, lease.account);
  const { target } = server;
  const disk = new DiskGuard({ home: config.home, settings: config.settings.disk, log });
  closers.push(await disk.start());
  const isDiskLow = () => disk.isLow;
  const wire = openMessagePipeline({
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
  await jobs.adoptLease(lease);
  const health = { db: database.kysely, lease, jobs, schemaVersion, database: server };
  const archive = ({ isEncrypted }: { readonly isEncrypted: boolean }) => {
    const made = exportArchive({
      database,
      jobs,
      version: VERSION,
      schemaVersion,
      vault: vault.record,
      ...(isEncrypted ? { openSecrets: vault.sealer } : {}),
    });
    made.once('end', () => void noteLastExport(config.home, now()).catch(() => {}));
    return made;
  };
  const keys = {
    sealer: vault.sealer,
    vault: vault.record,
    findFormerKey: (record: VaultRecord) =>
      findFormerKey({ home: config.home, ...config.vault }, record),
  };
  const backups = openBackups({
    jobs,
    log,
    now,
    settings: config.settings.backup,
    defaultFolder: join(config.home, 'backups'),
    isDiskLow,
    zone,
    archive,
    readRecord: () => readLastBackup(config.home),
    writeRecord: (memory) => noteLastBackup(config.home, memory),
    readPassphrase: () => readBackupPassphrase(config.home, vault.sealer),
    savePassphrase: async (passphrase) => {
      const written = await saveBackupPassphrase(config.home, vault.sealer, passphrase);
      config.settings.backup.passphrase = written;
    },
  });
  const webhookTrouble = () => describeWebhookTrouble(database.kysely, lease.account);
  const status = () =>
    readStatus({
      ...health,
      home: config.home,
      demo: wire.isSimulated,
      phonePage: config.phonePage,
      startedAt,
      connection: () => wire.transport.link,
      webhookTrouble,
      disk: () => disk.sentence,
      backup: backups.status,
      report: () => lastRestartReport(database.kysely, lease.account),
      approvals: () => countPendingApprovals(database.kysely, lease.account),
      hasModel: () =>
        acting.models.open().then(
          () => true,
          () => false,
        ),
      sending: () =>
        readSendingHealth(database.kysely, lease.account, config.settings.pacing, now()),
    });
  let consolePort = config.port;
  const acting = createFeatures({
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
    localUrl: () => `http://127.0.0.1:${consolePort}`,
    server: server.place,
    takeTurn: options.takeTurn,
    compose: options.compose,
  });

  const metrics = openMetrics({
    status,
    readModelUse: () => readModelUse(database.kysely, lease.account, new Date(startedAt)),
    readStorage: () => readStorageFigures(database.kysely, lease.account, { jobs, now, zone }),
    freeDiskBytes: () => freeDiskBytes(config.home),
    agent: config.settings.agent,
    events,
    log,
  });
  closers.push(() => metrics.stop());

  let token = await loadOwnerToken(config.home);
  let stopping = false;
  const http = await createHttpServer({
    version: VERSION,
    port: config.port,
    log,
    ownerToken: () => token,
    rotateOwnerToken: async () => {
      token = await replaceOwnerToken(config.home);
      return token;
    },
    ...acting.services,
    whatsapp: wire.transport,
    messages: new PostgresMessageReader(database.kysely, lease.account),
    chats: createChatReader({
      db: database.kysely,
      account: lease.account,
      admins: config.settings.admin_phone_numbers,
    }),
    ledger: createLedgerReader({
      db: database.kysely,
      account: lease.account,
      admins: config.settings.admin_phone_numbers,
      now,
      zone,
    }),
    activity: createActivityReader({
      db: database.kysely,
      account: lease.account,
      zone,
      tokensPerDay: config.settings.agent.tokens_per_day,
      now,
    }),
    settings: createSettingsService({
      ...config,
      sealer: vault.sealer,
      openModel: () => acting.models.open(),
      checkModel: (model) =>
        checkModel(model, { callTimeoutMs: config.settings.agent.call_timeout_ms }),
      listModels,
      onChange: (names) => log.info('settings changed', { reason: names.join(', ') }),
    }),
    metrics,
    status,
    checks: async ({ full }) => [
      ...(await checkHomeOf(config)),
      ...(await runDoctorChecks({
        ...health,
        full,
        memory: acting.services.memory.status,
        link: () => wire.transport.link,
        probeModel: async () =>
          probeModel(await acting.modelSettings(), {
            callTimeoutMs: config.settings.agent.call_timeout_ms,
          }),
        clockAhead: () => wire.transport.link.health.clockAheadS ?? null,
        webhookTrouble,
        notifications: async () => ({
          ...(await acting.services.notifications.overview(null)),
          trouble: await describeDeviceTrouble(database.kysely, lease.account),
        }),
        agent: config.settings.agent,
        provider: () =>
          acting.models.open().then(
            ({ provider }) => provider,
            () => null,
          ),
        now,
        zone,
        backup: backups.status,
      })),
    ],
    events,
    archive: {
      export: async ({ asBackup }) =>
        asBackup
          ? backups.archive()
          : { stream: archive({ isEncrypted: false }), isEncrypted: false },
      import: async (stream, { passphrase }) => {
        disk.assertNotLow();
        const { onRestored } = acting;
        const own = await readBackupPassphrase(config.home, vault.sealer).catch(() => null);
        const passphrases = [passphrase, own].filter((one) => one !== null);
        const { home } = config;
        const given = { database, jobs, lease, schemaVersion, keys, owner, onRestored };
        return restoreArchive({ ...given, home, now, passphrases }, stream);
      },
    },
    backups: backups.service,
    forwarderTokens: createForwarderTokens({ db: database.kysely, lease }),
    signIn: createSignInStore(database.kysely, lease.account),
    remote: createRemoteService({
      db: database.kysely,
      lease,
      log,
      now,
      hosts: () => config.settings.http.allowed_hosts,
      saveHosts: (hosts) => saveAllowedHosts(config, hosts),
    }),
    webDirectory: options.webDirectory,
    stopping: () => stopping,
  });
  const port = await listenHttp(http, config);
  consolePort = port;
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
  const unwatch = claim.watch(() => {
    const gone = new RelayError('home_gone', { home: config.home });
    log.error('home deleted or replaced; stopping', { error: gone });
    options.onFatal?.(gone);
  });
  closers.push(unwatch);
  log.info('ready', { pid: process.pid, port, version: VERSION, ms: Date.now() - startedAt });
  closers.push(preloadSdk(acting.models));
  return { port, log };
}
