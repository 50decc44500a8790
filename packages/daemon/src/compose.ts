// Builds the process: the database, the jobs, the accounts and the HTTP server, in the order in which they start.
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import { type AccountId, HOME_OWNER } from '@relay/contract/ids';
import { VERSION } from '@relay/core/installation';
import type { Log } from '@relay/core/log';
import type { ComposeReply, TakeTurn } from '@relay/core/ports/agent-turn';
import type { SocketGate } from '@relay/core/ports/transport';
import type { ProcessContext } from './account.ts';
import { openHomeRecord, readWorkerId } from './account-lease.ts';
import { AccountSet } from './accounts.ts';
import type { Config } from './config.ts';
import type { DatabaseServer } from './database-server.ts';
import { createAccountService } from './features/accounts/service.ts';
import { exportArchive } from './features/backup/export.ts';
import { openBackups } from './features/backup/feature.ts';
import type { ImportOptions } from './features/backup/import.ts';
import { restoreArchive, settleRestore } from './features/backup/restore.ts';
import { createRemoteService } from './features/devices/service.ts';
import { archivedFiles, MediaStores } from './features/media/stores.ts';
import { openMetrics } from './features/metrics/metrics.ts';
import { listenHealth, listenHttp } from './http-port.ts';
import { withServicesOfRequest } from './interfaces/http/account-scope.ts';
import { createHttpServer } from './interfaces/http/server.ts';
import { preloadSdk } from './models/agent/model.ts';
import { checkModel, listModels } from './models/model-check.ts';
import { Gate } from './pipeline/gate/gate.ts';
import { onRestored } from './pipeline/gate/withdrawals.ts';
import { wakeConversations } from './pipeline/outbox/delivery-updates.ts';
import { findAccountByName, listAccountIds } from './platform/db/account.ts';
import { databaseOf, openDatabase } from './platform/db/database.ts';
import { sharedLease } from './platform/db/lease.ts';
import { watchForLostHints } from './platform/db/lost-hints.ts';
import { createOwnerService } from './platform/db/owners.ts';
import { pruneOldRows } from './platform/db/prune.ts';
import { checkSharedKey } from './platform/db/shared-key.ts';
import { createSignInStore } from './platform/db/sign-in.ts';
import { createHostedClientTokens, findForwardedAccount } from './platform/db/tokens.ts';
import { Committer } from './platform/db/transport-store/committer.ts';
import { listWorkers, pruneWorkers, sessionNames } from './platform/db/workers.ts';
import type { HomeClaim } from './platform/home/claim.ts';
import { DiskGuard, freeDiskBytes, isDiskFull } from './platform/home/disk-guard.ts';
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
import { PollLoop } from './platform/poll-loop.ts';
import { PublishedLinks } from './remote-account.ts';
import { prepareSchema } from './schema.ts';
import { Worker, type WorkerOptions } from './worker.ts';

/**
 * What a process does: everything for a home, hold accounts and nothing else, or serve the API and hold no account.
 */
export type ProcessRole =
  | { readonly kind: 'all' }
  | { readonly kind: 'worker'; readonly capacity: number }
  | { readonly kind: 'api' };

export interface DaemonOptions {
  readonly config: Config;
  /** `all` by default. */
  readonly role?: ProcessRole;
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
  /** How often to look for work whose hint was lost. */
  readonly lostHintsEveryMs?: number | undefined;
  /** Also writes the log to standard output. */
  readonly logsToStdout?: boolean;
  /** Called when the daemon can no longer work and has to be stopped. */
  onFatal?(reason: RelayError): void;
}

export interface RunningDaemon {
  readonly port: number;
  readonly log: Log;
  /** Where other processes of this machine reach the database. */
  readonly databaseUrl: string;
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
/** How often a process without accounts of its own looks for new ones. */
const LIST_MS = 2_000;
/** A process without a worker opens no socket. */
const SHUT_GATE: SocketGate = {
  turn: () => new Promise(() => {}),
  mayWrite: () => false,
  onShut: () => () => {},
};
/** The one process of a home serves every account. */
const UNLIMITED = 100_000;

export async function assemble(
  options: DaemonOptions,
  closers: ShutdownStep[],
  { claim, log, vault, server, startedAt }: BootContext,
): Promise<Omit<RunningDaemon, 'stop'>> {
  const { config, now = () => new Date(), role = { kind: 'all' } } = options;
  if (role.kind === 'worker' && config.databaseUrl === null) {
    throw new RelayError('worker_needs_database');
  }
  // The owner's time zone, used wherever days and hours matter.
  const zone = config.settings.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const workerId = await readWorkerId(config.home);
  const database = openDatabase(server.target, {
    sessionName: sessionNames(workerId).pool,
    prepare: config.settings.prepared_statements,
    sealer: vault.sealer,
    ...(server.owner === null ? {} : { owner: server.owner }),
  });
  closers.push(() => database.close());
  const { allAccounts } = database;
  const schema = await prepareSchema(database, server.owner, log);
  const schemaVersion = schema.version;
  const owner = server.owner ?? server.target;
  const settled = await settleRestore(config.home, allAccounts, owner);
  if (settled !== null) {
    log.warn('restore settled', { reason: settled });
    options.notice?.(settled);
  }
  const record = await openHomeRecord(allAccounts, workerId);
  closers.push(() => record.stop());
  const jobs = await schema.startJobs();
  closers.push(() => jobs.stop(DRAIN_MS));
  await checkSharedKey(database.pool, vault.sealer, { isRefused: role.kind !== 'all' });
  await listAccountIds(allAccounts);
  const isShared = role.kind !== 'all' || config.databaseUrl !== null;
  const links = isShared ? new PublishedLinks(allAccounts, vault.sealer, log) : null;
  const accounts = new AccountSet({ database, home: config.home, log, record, links });
  const committer = new Committer(server.target, {
    prepare: config.settings.prepared_statements,
    sessionName: sessionNames(workerId).writer,
  });
  closers.push(() => committer.close());
  let worker: Worker | null = null;
  const health =
    role.kind === 'worker' ? await listenHealth(config.port, () => worker?.isReady === true) : null;
  closers.push(() => health?.close());
  if (role.kind !== 'api') {
    worker = new Worker({
      id: workerId,
      target: server.target,
      db: allAccounts,
      log,
      open: (lease, before) => accounts.run(lease, before),
      onCutOff: () => {
        database.cut();
        committer.cut();
      },
      ...workerSettings(options, role),
      address: health === null ? null : `127.0.0.1:${health.port}`,
    });
  }
  closers.push(() => worker?.stop());
  await worker?.join();

  const disk = new DiskGuard({ home: config.home, settings: config.settings.disk, log });
  closers.push(await disk.start());
  const isDiskLow = () => disk.isLow;
  const mediaStores = new MediaStores(config, vault.sealer);
  const archive = ({ isEncrypted, accounts }: ArchiveScope) => {
    const made = exportArchive({
      database,
      jobs,
      version: VERSION,
      schemaVersion,
      vault: vault.record,
      ...(accounts === undefined ? {} : { accounts }),
      ...(config.settings.backup.media ? { files: archivedFiles(mediaStores) } : {}),
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
  const clientTokens = createHostedClientTokens(allAccounts);
  let consolePort = config.port;
  const shared: ProcessContext = {
    config,
    vault,
    database,
    server,
    schemaVersion,
    jobs,
    log,
    disk,
    backups,
    mediaStores,
    now,
    zone,
    startedAt,
    version: VERSION,
    gate: worker?.gate ?? SHUT_GATE,
    isShared,
    reopen: (account) => worker?.reopen(account),
    committer,
    accountsOf: async (hash) => accounts.clientsOf(await clientTokens.findClient(hash)),
    localUrl: () => `http://127.0.0.1:${consolePort}`,
    takeTurn: options.takeTurn,
    compose: options.compose,
  };
  await accounts.assemble(shared, worker);
  if (worker !== null) {
    closers.push(
      watchForLostHints({
        db: allAccounts,
        log,
        accounts: () => accounts.all.map(({ lease }) => lease.account),
        wake: (id) => accounts.all.find(({ lease }) => lease.account === id)?.wake(),
        everyMs: options.lostHintsEveryMs,
      }),
    );
  }
  const keepHouseNightly = async () => {
    jobs.work('maintenance', 1, () => keepHouse({ database, jobs, log }));
    await jobs.every('maintenance', '17 4 * * *', zone, { task: 'prune' });
  };
  if (health !== null) {
    await keepHouseNightly();
    await accounts.start();
    await record.start();
    await worker?.serve();
    await announce({ claim, log, startedAt }, health.port);
    closers.push(watchHome(options, claim, log));
    return { port: health.port, log, databaseUrl: server.url };
  }
  await links?.start();
  if (links !== null) closers.push(() => links.stop());
  await worker?.serve();
  await record.start();
  // Metrics and the devices of the home's owner use the main account, which may be restarted.
  const { account } = accounts.main.lease;
  const main = () => accounts.all.find(({ lease }) => lease.account === account) ?? accounts.main;
  const db = databaseOf(database, account).kysely;

  const accountService = createAccountService({
    db: allAccounts,
    log,
    home: config.settings,
    sealer: vault.sealer,
    hosting: accounts,
  });
  const metrics = openMetrics({
    listAccounts: () => accountService.list({ id: HOME_OWNER, role: 'operator' }),
    freeDiskBytes: () => freeDiskBytes(config.home),
    events: main().services.events,
    log,
  });
  closers.push(() => metrics.stop());

  let token = await loadOwnerToken(config.home);
  let stopping = false;
  const http = await createHttpServer(
    withServicesOfRequest({
      version: VERSION,
      port: config.port,
      log,
      accounts,
      ownerToken: () => token,
      rotateOwnerToken: async () => {
        token = await replaceOwnerToken(config.home);
        return token;
      },
      settings: createSettingsService({
        ...config,
        sealer: vault.sealer,
        openModel: () => main().models.open(),
        checkModel: (model) =>
          checkModel(model, { callTimeoutMs: config.settings.agent.call_timeout_ms }),
        listModels,
        onChange: (names) => log.info('settings changed', { reason: names.join(', ') }),
      }),
      metrics,
      archive: {
        export: async ({ asBackup, account: name }) => {
          // An export contains only the caller's accounts; backups in the home's folder contain all of them.
          const which =
            name === null
              ? accounts.ofOwner(HOME_OWNER)
              : [await findAccountByName(allAccounts, name)];
          return asBackup
            ? backups.archive(name === null ? undefined : which)
            : { stream: archive({ isEncrypted: false, accounts: which }), isEncrypted: false };
        },
        import: async (stream, { passphrase, as }) => {
          disk.assertNotLow();
          if (role.kind !== 'all') throw new RelayError('import_needs_start');
          const { lease } = main();
          const own = await readBackupPassphrase(config.home, vault.sealer).catch(() => null);
          const passphrases = [passphrase, own].filter((one) => one !== null);
          const { home } = config;
          const onRestored: ImportOptions['onRestored'] = (tx, madeAt, restored) =>
            restored === account
              ? main().onRestored(tx, madeAt)
              : settleRestored({ config, jobs, now }, restored)(tx, madeAt);
          const given = { database, jobs, lease, schemaVersion, keys, owner, onRestored, as };
          const files = archivedFiles(mediaStores);
          const report = await restoreArchive({ ...given, files, home, now, passphrases }, stream);
          await accounts.addMissing();
          return report;
        },
      },
      backups: backups.service,
      listWorkers: () => listWorkers(allAccounts),
      accountService,
      owners: createOwnerService(allAccounts),
      findForwardedAccount: (hash) => findForwardedAccount(allAccounts, hash),
      clientTokens,
      signIn: createSignInStore(allAccounts),
      remote: createRemoteService({
        db,
        lease: sharedLease(account),
        log,
        now,
        hosts: () => config.settings.http.allowed_hosts,
        saveHosts: (hosts) => saveAllowedHosts(config, hosts),
      }),
      webDirectory: options.webDirectory,
      stopping: () => stopping,
      // An external server tells by itself when its disk is full; the private one ends.
      isDatabaseDiskFull: async () => config.databaseUrl === null && isDiskFull(config.home),
    }),
  );
  const port = await listenHttp(http, config);
  consolePort = port;
  closers.push(() => http.close());

  closers.push(() => accounts.stopFeatures());
  await accounts.start();
  if (role.kind === 'all') {
    await keepHouseNightly();
    closers.push(await backups.start());
  } else closers.push(keepListed(accounts, log));
  closers.push(() => {
    stopping = true;
    log.info('stopping', { pid: process.pid });
  });

  await announce({ claim, log, startedAt }, port);
  closers.push(watchHome(options, claim, log));
  closers.push(preloadSdk(main().models));
  return { port, log, databaseUrl: server.url };
}

/** The one process of a home ends when another one takes over; a worker then starts again. */
function workerSettings(
  { onFatal }: DaemonOptions,
  role: Exclude<ProcessRole, { kind: 'api' }>,
): Pick<WorkerOptions, 'capacity' | 'onLost' | 'onStuck'> {
  const end = () => onFatal?.(new RelayError('lease_lost'));
  return {
    onStuck: end,
    ...(role.kind === 'worker'
      ? { capacity: role.capacity }
      : { capacity: UNLIMITED, onLost: end }),
  };
}

async function announce(
  { claim, log, startedAt }: Pick<BootContext, 'claim' | 'log' | 'startedAt'>,
  port: number,
): Promise<void> {
  await claim.announce(port);
  log.info('ready', { pid: process.pid, port, version: VERSION, ms: Date.now() - startedAt });
}

function watchHome({ config, onFatal }: DaemonOptions, claim: HomeClaim, log: Log): () => void {
  return claim.watch(() => {
    const gone = new RelayError('home_gone', { home: config.home });
    log.error('home deleted or replaced; stopping', { error: gone });
    onFatal?.(gone);
  });
}

/** Follows the accounts that other processes add, rename or remove. Returns a function that stops it. */
function keepListed(accounts: AccountSet, log: Log): () => Promise<void> {
  const loop = new PollLoop({
    look: async () => {
      await accounts.refresh();
      return LIST_MS;
    },
    failed: (error) => {
      log.warn('reading the list of accounts failed', { error });
      return LIST_MS;
    },
  });
  loop.start();
  return () => loop.stop();
}

interface ArchiveScope {
  readonly isEncrypted: boolean;
  /** Undefined for all. */
  readonly accounts?: readonly AccountId[] | undefined;
}

/** For a restored account that no process works for yet. */
function settleRestored(
  { config, jobs, now }: Pick<ProcessContext, 'config' | 'jobs' | 'now'>,
  account: AccountId,
) {
  const gate = new Gate({ account, pacing: config.settings.pacing, wakeOutbox: () => {} });
  const lease = { account, holder: '', epoch: 0 };
  const settled = wakeConversations(jobs, account).onSettled;
  return onRestored({ lease, gate, now, settled });
}

/** Deletes old rows of all accounts, and queues each account's own housekeeping for the process that works for it. */
async function keepHouse({
  database,
  jobs,
  log,
}: Pick<ProcessContext, 'database' | 'jobs' | 'log'>) {
  const all = await listAccountIds(database.allAccounts);
  await database.allAccounts.transaction().execute((tx) =>
    jobs.enqueue(
      tx,
      'maintenance',
      all.map((account) => ({ key: `${account}`, data: { task: 'nightly', account } })),
    ),
  );
  await pruneWorkers(database.allAccounts);
  for (const account of all) await pruneOldRows(databaseOf(database, account).kysely, log);
}
