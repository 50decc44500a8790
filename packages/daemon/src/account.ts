// One account of this process: its lease, its event log, its message pipeline, its features, and what the interfaces
// serve of it. A process may have many; they share what `ProcessContext` lists.

import type { AccountSettings } from '@relay/contract/api/accounts';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import type { ComposeReply, TakeTurn } from '@relay/core/ports/agent-turn';
import type { Sealer } from '@relay/core/ports/sealer';
import type { SocketGate } from '@relay/core/ports/transport';
import type { Config } from './config.ts';
import type { DatabaseServer } from './database-server.ts';
import {
  hasOwnModel,
  readAccountSettings,
  settingsOfAccount,
} from './features/accounts/settings.ts';
import { createActivityReader } from './features/activity/activity.ts';
import type { openBackups } from './features/backup/feature.ts';
import { createChatReader } from './features/chats/chat-reader.ts';
import { runDoctorChecks } from './features/health/checks.ts';
import { readStatus } from './features/health/status.ts';
import type { MediaDeps } from './features/media/deps.ts';
import { createMediaService, openStored } from './features/media/service.ts';
import type { MediaStore } from './features/media/store.ts';
import type { MediaStores } from './features/media/stores.ts';
import { createFiguresReader } from './features/metrics/metrics.ts';
import { describeDeviceTrouble } from './features/notifications/store.ts';
import { startTraces } from './features/traces/feature.ts';
import { describeWebhookTrouble } from './features/webhooks/webhooks.ts';
import { createFeatures, type Features } from './features.ts';
import type { AccountServices } from './interfaces/http/deps.ts';
import type { ClientDeps } from './interfaces/mcp/tool.ts';
import { type MessagePipeline, openMessagePipeline } from './message-pipeline.ts';
import { probeModel } from './models/model-check.ts';
import { countPendingApprovals } from './pipeline/gate/approval-store.ts';
import { readSendingHealth } from './pipeline/outbox/sending-health.ts';
import { isHostedAccount } from './platform/db/account.ts';
import { type Database, type Db, databaseOf, type SharedDatabase } from './platform/db/database.ts';
import { PostgresEventLog } from './platform/db/events.ts';
import { type Lease, sharedLease } from './platform/db/lease.ts';
import { createLedgerReader } from './platform/db/ledger-reader.ts';
import { PostgresMessageReader } from './platform/db/message-reader.ts';
import { lastRestartReport } from './platform/db/restart-report.ts';
import { createForwarderTokens } from './platform/db/tokens.ts';
import type { Committer } from './platform/db/transport-store/committer.ts';
import { resolvePublicHost } from './platform/egress/egress.ts';
import type { DiskGuard } from './platform/home/disk-guard.ts';
import type { Vault } from './platform/home/vault/vault.ts';
import type { Jobs } from './platform/jobs/jobs.ts';
import { hintTimerClock } from './platform/jobs/timers.ts';
import { createRemotePipeline, type PublishedLinks } from './remote-account.ts';
import { checkHomeOf } from './start-checks.ts';

/** What the accounts of a process share. */
export interface ProcessContext {
  readonly config: Config;
  readonly vault: Vault;
  readonly database: SharedDatabase;
  readonly server: DatabaseServer;
  readonly schemaVersion: number;
  readonly jobs: Jobs;
  readonly log: Log;
  readonly disk: DiskGuard;
  readonly backups: Pick<ReturnType<typeof openBackups>, 'status'>;
  readonly mediaStores: MediaStores;
  readonly now: () => Date;
  /** The owner's time zone, used wherever days and hours matter. */
  readonly zone: string;
  /** When the process began to start, in milliseconds. */
  readonly startedAt: number;
  readonly version: string;
  /** Decides when sockets may log in and be written to. */
  readonly gate: SocketGate;
  /** Whether other processes may use the database. */
  readonly isShared: boolean;
  /** Opens an account again that this process works for. */
  reopen(account: AccountId): void;
  /** Writes what the transports of all accounts store. */
  readonly committer: Committer;
  /** The accounts that a client's token is valid for, by name. */
  readonly accountsOf: NonNullable<ClientDeps['accountsOf']>;
  /** The console's address on this machine. */
  localUrl(): string;
  /** Replaces the agent of delegated conversations. */
  readonly takeTurn: TakeTurn | undefined;
  /** Replaces the model that answers contacts. */
  readonly compose: ComposeReply | undefined;
}

type FromFeatures = Pick<Features, 'clientDeps' | 'models' | 'onRestored'>;

export interface AccountRuntime extends FromFeatures {
  readonly lease: Lease;
  readonly services: AccountServices;
  /** Starts to serve the account, and connects it if a phone is linked. */
  start(): Promise<void>;
  /** A hint may have been lost: every loop of the account looks for work. */
  wake(): void;
  // A stop is these three in this order; running requests end after the first, running jobs after the second.
  stopFeatures(): Promise<void>;
  disconnect(): Promise<void>;
  release(): Promise<void>;
}

interface HeldLease {
  readonly lease: Lease;
  /** Called after everything else has stopped. */
  stop(): Promise<void>;
}

/** Takes over the account whose lease was just taken. Nothing runs before `start`. */
export async function openAccount(
  shared: ProcessContext,
  held: HeldLease,
): Promise<AccountRuntime> {
  const { vault, jobs, log, disk, now } = shared;
  const { lease } = held;
  const database = databaseOf(shared.database, lease.account);
  const sealer = vault.sealer.forAccount(lease.account);
  const ownership = await readOwnership(database.kysely, lease.account, sealer);
  const mine = withOwn(shared, ownership);
  const { config } = mine;
  const events = new PostgresEventLog(database.kysely, lease.account);
  const store = await shared.mediaStores.of(lease.account);
  await store.start();
  const files = mediaDeps(mine, { database, lease, events, store });
  const media = createMediaService(files);
  const wire = openMessagePipeline({
    config,
    vault,
    database,
    committer: shared.committer,
    lease,
    jobs,
    events,
    log,
    now,
    gate: shared.gate,
    isShared: shared.isShared,
    reopen: () => shared.reopen(lease.account),
    isDiskLow: () => disk.isLow,
    openFile: (id) => openStored(media, id),
    proxy: proxyOf(ownership),
  });
  await jobs.adoptLease(lease);
  return assembleAccount(mine, { database, lease, wire, events, files, release: held.stop });
}

/** The proxy of a hosted account must be on the public internet. */
const proxyOf = ({ own: { proxy: url }, isHosted }: Ownership) =>
  url === undefined ? undefined : { url, ...(isHosted ? { resolve: resolvePublicHost } : {}) };

/** An account that another process holds: its services work here, nothing runs. */
export function openRemoteAccount(
  shared: ProcessContext,
  links: PublishedLinks,
  { account, store, ...ownership }: RemoteAccount,
): AccountRuntime {
  const { vault, log, now } = shared;
  const database = databaseOf(shared.database, account);
  const db = database.kysely;
  const lease = sharedLease(account);
  const place = { db, account, sealer: vault.sealer.forAccount(account) };
  const wire = createRemotePipeline({ place, lease, links, log, now });
  const events = new PostgresEventLog(db, account);
  const mine = withOwn(shared, ownership);
  const files = mediaDeps(mine, { database, lease, events, store });
  const release = async () => {};
  return assembleAccount(mine, { database, lease, wire, events, files, release });
}

/** What has to be loaded before another process's account can be served here. */
export interface RemoteAccount extends Ownership {
  readonly account: AccountId;
  readonly store: MediaStore;
}

export async function loadRemoteAccount(
  { database, mediaStores, vault }: ProcessContext,
  account: AccountId,
): Promise<RemoteAccount> {
  const { kysely } = databaseOf(database, account);
  const ownership = await readOwnership(kysely, account, vault.sealer.forAccount(account));
  return { account, ...ownership, store: await mediaStores.of(account) };
}

interface Ownership {
  readonly own: AccountSettings;
  /** The account belongs to another person than the home. */
  readonly isHosted: boolean;
}

async function readOwnership(
  db: Db,
  account: AccountId,
  sealer: Pick<Sealer, 'open'>,
): Promise<Ownership> {
  const own = await readAccountSettings(db, account, sealer);
  return { own, isHosted: await isHostedAccount(db, account) };
}

/** What the process gives to all accounts, with what this one has of its own. */
interface AccountContext extends ProcessContext, Ownership {}

function withOwn(shared: ProcessContext, { own, isHosted }: Ownership): AccountContext {
  const settings = settingsOfAccount(shared.config.settings, own, isHosted);
  return {
    ...shared,
    own,
    isHosted,
    config: { ...shared.config, settings },
    zone: own.zone ?? shared.zone,
  };
}

function mediaDeps(
  { jobs, log, now, zone, config }: AccountContext,
  {
    database,
    ...parts
  }: Pick<AccountParts, 'database' | 'lease' | 'events'> & Pick<MediaDeps, 'store'>,
): MediaDeps {
  const { settings } = config;
  return {
    ...{ ...parts, db: database.kysely, jobs, log, now, zone },
    admins: settings.admin_phone_numbers,
    limits: () => settings.media,
  };
}

interface AccountParts {
  readonly database: Database;
  readonly lease: Lease;
  readonly wire: MessagePipeline;
  readonly events: PostgresEventLog;
  readonly files: MediaDeps;
  /** Called after everything else has stopped. */
  release(): Promise<void>;
}

function assembleAccount(
  shared: AccountContext,
  { database, lease, wire, events, files, release }: AccountParts,
): AccountRuntime {
  const { config, vault, server, schemaVersion, jobs, log, disk, backups } = shared;
  const { now, zone, startedAt, own, isHosted } = shared;
  const { account } = lease;
  const db = database.kysely;
  const { settings } = config;
  const admins = settings.admin_phone_numbers;
  const health = { db, lease, jobs, schemaVersion, database: server };
  const webhookTrouble = () => describeWebhookTrouble(db, account);
  const status = () =>
    readStatus({
      ...health,
      home: isHosted ? null : config.home,
      demo: wire.isSimulated,
      phonePage: config.phonePage,
      startedAt,
      connection: () => wire.transport.link,
      webhookTrouble,
      disk: () => (isHosted ? disk.hostedSentence : disk.sentence),
      backup: async () => (isHosted ? null : backups.status()),
      report: () => lastRestartReport(db, account),
      approvals: () => countPendingApprovals(db, account),
      hasModel: () =>
        features.models.open().then(
          () => true,
          () => false,
        ),
      sending: () => readSendingHealth(db, account, settings.pacing, now()),
    });
  const features = createFeatures({
    db,
    lease,
    jobs,
    events,
    log,
    now,
    zone,
    config,
    vault,
    wire,
    files,
    status,
    disk,
    localUrl: shared.localUrl,
    server: server.place,
    takeTurn: shared.takeTurn,
    compose: shared.compose,
    accountsOf: shared.accountsOf,
    own,
    isHosted,
  });
  const { call_timeout_ms: callTimeoutMs } = settings.agent;
  const probe = async (isOfAnother: boolean) =>
    probeModel(await features.modelSettings(), { callTimeoutMs }).catch((error: unknown) => {
      if (!isOfAnother) throw error;
      // The details name the address and the provider's answers to the home's owner.
      const what = 'the model of this Relay cannot be used';
      const action = 'Ask the person who runs this Relay.';
      throw new RelayError('agent_unavailable', { what }, { action, cause: error });
    });
  const services: AccountServices = {
    ...features.services,
    forwarderTokens: createForwarderTokens({ db, lease }),
    media: createMediaService(files),
    whatsapp: wire.transport,
    messages: new PostgresMessageReader(db, account),
    chats: createChatReader({ db, account, admins }),
    ledger: createLedgerReader({ db, account, admins, now, zone }),
    activity: createActivityReader({
      db,
      account,
      zone,
      tokensPerDay: settings.agent.tokens_per_day,
      now,
    }),
    status,
    figures: createFiguresReader({
      ...{ db, account, jobs, now, zone, startedAt },
      limits: settings.agent,
    }),
    checks: async ({ full }) => [
      ...(isHosted ? [] : await checkHomeOf(config)),
      ...(await runDoctorChecks({
        ...health,
        full,
        isHosted,
        memory: features.services.memory.status,
        transcription: features.transcription,
        link: () => wire.transport.link,
        probeModel: () => probe(isHosted && !hasOwnModel(own)),
        clockAhead: () => wire.transport.link.health.clockAheadS ?? null,
        webhookTrouble,
        notifications: async () => ({
          ...(await features.services.notifications.overview(null)),
          trouble: await describeDeviceTrouble(db, account),
        }),
        agent: settings.agent,
        provider: () =>
          features.models.open().then(
            ({ provider }) => provider,
            () => null,
          ),
        now,
        zone,
        backup: backups.status,
      })),
    ],
    events,
  };
  const stops: (() => Promise<void>)[] = [];
  return {
    lease,
    services,
    clientDeps: features.clientDeps,
    models: features.models,
    onRestored: features.onRestored,
    async start() {
      stops.push(...(await features.start()));
      const { version } = shared;
      stops.push(await startTraces({ db, lease, log, version, settings: settings.traces }));
      wire.start();
    },
    wake() {
      events.hint();
      features.wake();
      wire.lookAgain();
      jobs.wakeAll();
      hintTimerClock(account);
    },
    async stopFeatures() {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
    disconnect: () => wire.stop(),
    release,
  };
}
