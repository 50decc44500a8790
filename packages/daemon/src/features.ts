// Creates the features that act for the account (conversations, auto-reply, the assistant, schedules, search) around
// one gate. Each offers a service to the others; nothing runs before `start`.

import { setTimeout as sleep } from 'node:timers/promises';
import type { AccountSettings } from '@relay/contract/api/accounts';
import { whatsappStatusOf } from '@relay/contract/connection/states';
import type { TokenId } from '@relay/contract/ids';
import type { AccountModel, MemorySettings, Settings } from '@relay/contract/settings';
import { DEFAULT_SETTINGS } from '@relay/contract/settings-catalog';
import type { Log } from '@relay/core/log';
import type { ComposeReply, TakeTurn } from '@relay/core/ports/agent-turn';
import type { Config } from './config.ts';
import { modelOfAccount, transcriptionOfAccount } from './features/accounts/settings.ts';
import { openAssistant } from './features/assistant/feature.ts';
import { createChatSummaryService } from './features/assistant/service.ts';
import { createAutoReplyAgent } from './features/auto-reply/agent.ts';
import { createChatDraftService } from './features/auto-reply/drafts.ts';
import { openAutoReply } from './features/auto-reply/feature.ts';
import { createImportService } from './features/chat-import/import.ts';
import { createConversationAgent } from './features/conversations/agent.ts';
import { FollowUpClock } from './features/conversations/follow-up-clock.ts';
import {
  cancelAllWithContact,
  carryOutApproved,
  createClientConversations,
  createConversationService,
  sendInOpenConversation,
} from './features/conversations/service.ts';
import { type ConversationDeps, RunningTurns } from './features/conversations/transitions.ts';
import { onConversationJob, resumeTurnsOnRelease } from './features/conversations/turn.ts';
import { openDigestExport } from './features/digest-export/feature.ts';
import { createEvalService } from './features/eval/service.ts';
import { onGroupAnswer } from './features/group-answers/turn.ts';
import type { MediaDeps } from './features/media/deps.ts';
import { openMedia } from './features/media/feature.ts';
import { createMediaService, readWholeFile } from './features/media/service.ts';
import { describeTranscription, openTranscription } from './features/media/transcription.ts';
import {
  CONCURRENT_UNDERSTANDING,
  enqueueUnderstanding,
  onUnderstandJob,
  type UnderstandDeps,
} from './features/media/understand.ts';
import { openNotifications } from './features/notifications/feature.ts';
import { createDigestService } from './features/observer/digest/service.ts';
import { openDigests } from './features/observer/feature.ts';
import { onMediaUnderstood } from './features/observer/on-message.ts';
import { onTriggerJob } from './features/observer/trigger.ts';
import type { RetentionDeps } from './features/retention/enforce.ts';
import { openRetention } from './features/retention/feature.ts';
import { openSchedules } from './features/schedules/feature.ts';
import {
  cancelSchedule,
  type ScheduleDeps,
  scheduleForAgent,
} from './features/schedules/service.ts';
import { openSearch } from './features/search/feature.ts';
import { indexMedia } from './features/search/indexer.ts';
import { createWebSearch } from './features/web-search/web-search.ts';
import { allowedWebhookHosts, openWebhooks } from './features/webhooks/feature.ts';
import type { AccountServices } from './interfaces/http/deps.ts';
import { createQrPicture } from './interfaces/http/linking.ts';
import { CallOrder } from './interfaces/mcp/call.ts';
import { openClientApi } from './interfaces/mcp/client-api.ts';
import type { ClientDeps } from './interfaces/mcp/tool.ts';
import type { MessagePipeline } from './message-pipeline.ts';
import { systemClock } from './models/agent/clock.ts';
import type { ModelSource } from './models/agent/model.ts';
import type { PhotoReader } from './models/agent/session.ts';
import { createEmbedderSource, openEmbedder } from './models/embed/embedders.ts';
import { createModelSource } from './models/providers.ts';
import {
  countPendingApprovals,
  expireApprovals,
  loadApprovals,
} from './pipeline/gate/approval-store.ts';
import { combineOnRelease, createApprovalService } from './pipeline/gate/approvals.ts';
import { Gate } from './pipeline/gate/gate.ts';
import { createGrantService, createPeopleService } from './pipeline/gate/grants.ts';
import { createHoldService } from './pipeline/gate/hold.ts';
import { createObservedGroupService } from './pipeline/gate/observed-groups.ts';
import { sendAsOwner } from './pipeline/gate/send-as-owner.ts';
import { createTokenService } from './pipeline/gate/tokens.ts';
import { onRestored } from './pipeline/gate/withdrawals.ts';
import { createIngestService } from './pipeline/intake/notifications.ts';
import { wakeConversations } from './pipeline/outbox/delivery-updates.ts';
import { isSendingBlocked } from './pipeline/outbox/sending-health.ts';
import { onRoute } from './pipeline/router/router.ts';
import { createKeptResponses } from './platform/db/idempotency-keys.ts';
import { createLedgerReader } from './platform/db/ledger-reader.ts';
import { createClientTokens } from './platform/db/tokens.ts';
import { transaction, type UnitOfWork } from './platform/db/transaction.ts';
import { openInboxContent } from './platform/db/transport-store/sealed.ts';
import { canStoreSession } from './platform/db/transport-store/transport-store.ts';
import { findInsideAddresses, openEgress } from './platform/egress/egress.ts';
import type { DiskGuard } from './platform/home/disk-guard.ts';
import {
  readBraveKey,
  readDigestExportSettings,
  readMemorySettings,
  readModelSettings,
  readNotificationChannel,
  readNotificationSettings,
  readTranscriptionSettings,
  readWrittenTranscription,
  saveDigestExportSettings,
  saveMemorySettings,
  saveNotificationChannel,
  withKeyOfModel,
} from './platform/home/sealed-settings.ts';
import type { Vault } from './platform/home/vault/vault.ts';
import type { Engine } from './platform/jobs/engine.ts';
import { enqueueDueTimers, TIMER_QUEUES, TimerClock } from './platform/jobs/timers.ts';

const CONCURRENT_TURNS = 32;
const CONCURRENT_ROUTES = 4;
const CONCURRENT_SCHEDULES = 4;
const CONCURRENT_QUESTIONS = 8;
const CONCURRENT_GROUPS = 4;

interface FeatureOptions extends Engine {
  readonly config: Config;
  readonly vault: Vault;
  readonly wire: MessagePipeline;
  readonly files: MediaDeps;
  readonly log: Log;
  readonly status: AccountServices['status'];
  readonly disk: DiskGuard;
  /** The console's address on this machine. */
  readonly localUrl: () => string;
  /** Whether Relay or the owner runs the PostgreSQL server. */
  readonly server: RetentionDeps['server'];
  /** Replaces the agent of delegated conversations. */
  readonly takeTurn?: TakeTurn | undefined;
  /** Replaces the model that answers contacts. */
  readonly compose?: ComposeReply | undefined;
  /** The account's own settings, over those of the home in `config`. */
  readonly own: AccountSettings;
  /** The account belongs to another person than the home: the home's addresses get nothing of it. */
  readonly isHosted: boolean;
  readonly accountsOf: NonNullable<ClientDeps['accountsOf']>;
}

type ServiceName =
  | 'conversations'
  | 'drafts'
  | 'send'
  | 'assistant'
  | 'grants'
  | 'people'
  | 'approvals'
  | 'hold'
  | 'schedules'
  | 'observing'
  | 'digests'
  | 'search'
  | 'memory'
  | 'evaluation'
  | 'ingest'
  | 'imports'
  | 'digestExport'
  | 'clients'
  | 'tokens'
  | 'retention'
  | 'webhooks'
  | 'typedEvents'
  | 'keptResponses'
  | 'notifications';

export interface Features {
  readonly services: Pick<AccountServices, ServiceName>;
  /** What the tools of clients use. */
  readonly clientDeps: ClientDeps;
  readonly models: ModelSource;
  modelSettings(): Promise<AccountModel>;
  /** Transcribes voice messages; null while transcription is off. */
  transcription(): ReturnType<typeof describeTranscription>;
  /** Called inside the transaction that restores an archive. */
  readonly onRestored: ReturnType<typeof onRestored>;
  /** Starts every part. Returns the functions that stop them, in the order they were started. */
  start(): Promise<readonly (() => Promise<void>)[]>;
  /** Another process may have changed what is wanted: features that are idle look again. */
  wake(): void;
}

export function createFeatures(options: FeatureOptions): Features {
  const { config, vault, wire, log, now, zone, db, lease, jobs, events, status } = options;
  const { settings } = config;
  const { isHosted } = options;
  const admins = settings.admin_phone_numbers;
  const gate = new Gate({
    account: lease.account,
    pacing: settings.pacing,
    admins,
    // Getters, because both may change while the daemon runs.
    get instructions() {
      return settings.agent.instructions;
    },
    get notifyOwner() {
      return settings.tell_owner_on_whatsapp;
    },
    observer: settings.observer,
    now,
    wakeOutbox: () => wire.wake(),
    checkNumber: wire.checkNumber,
  });
  const engine: Engine = { db, lease, jobs, events, log, now, zone };
  const deps: ConversationDeps = { ...engine, gate, settings, running: new RunningTurns() };
  const gated = { db, lease, gate, onChange: () => events.hint() };

  const autoReply = openAutoReply({ ...deps, settings });
  const scheduling: ScheduleDeps = deps;
  const schedules = openSchedules(scheduling);
  const readHomeModel = () => readModelSettings(config.home, vault.sealer, config.model);
  const readModel = async () => modelOfAccount(await readHomeModel(), options.own, isHosted);
  const readTranscription = async () =>
    transcriptionOfAccount(
      await readTranscriptionSettings(config.home, vault.sealer),
      await readHomeModel(),
      options.own,
    );
  const readMemory = () => readMemorySettings(config.home, vault.sealer);
  const withModelKey = async (memory: MemorySettings) =>
    memory.embeddings === 'endpoint' ? withKeyOfModel(memory, await readModel()) : memory;
  const embedders = createEmbedderSource(async () => withModelKey(await readMemory()));
  const embeddings = {
    read: readMemory,
    save: (memory: MemorySettings) => saveMemorySettings(config.home, vault.sealer, memory),
    open: async (memory: MemorySettings) => openEmbedder(await withModelKey(memory)),
    current: embedders.current,
  };
  const search = openSearch({ ...deps, admins, zone, embeddings });
  const conversations = createConversationService(deps);
  const approvals = createApprovalService({
    ...gated,
    actions: { ...carryOutApproved(deps), ...schedules.carryOut },
  });
  const hold = createHoldService({
    ...gated,
    onRelease: combineOnRelease(
      resumeTurnsOnRelease(deps),
      autoReply.onRelease,
      schedules.onRelease,
      (tx) => assistant.onRelease(tx),
    ),
  });

  const models = createModelSource(readModel, settings.agent);
  const egress = openEgress();
  const web = createWebSearch({
    egress,
    key: () => readBraveKey(config.home, vault.sealer, config.braveKey),
    log,
  });
  const digests = createDigestService({
    db,
    account: lease.account,
    now,
    zone,
    dailyAt: settings.observer.daily_at,
  });
  const files = createMediaService(options.files);
  const readPhoto: PhotoReader = (object) => readWholeFile(options.files, object);
  const assistant = openAssistant({
    ...deps,
    readPhoto,
    settings,
    models,
    clock: systemClock,
    search: search.search,
    digests,
    schedules: {
      add: (...asked) => scheduleForAgent(scheduling, ...asked),
      list: () => schedules.service.list('active'),
      cancel: (...asked) => cancelSchedule(scheduling, ...asked),
    },
    webSearch: web,
    services: { approvals, hold, conversations, schedules: schedules.service, status },
    connected: () => whatsappStatusOf(wire.transport.link.state) === 'connected',
  });

  const outside = openDigestExport({
    ...engine,
    egress,
    settings: async () =>
      isHosted
        ? DEFAULT_SETTINGS.outside_memory
        : readDigestExportSettings(config.home, vault.sealer),
    save: (changed) => saveDigestExportSettings(config.home, vault.sealer, changed),
  });
  const digesting = openDigests({
    ...engine,
    settings,
    models,
    clock: systemClock,
    onDigest: outside.enqueue,
  });
  const observing = { ...engine, settings, admins, models, clock: systemClock };
  const answerInGroup = onGroupAnswer({ ...observing, gate, search: search.search });
  const retention = openRetention({
    ...engine,
    server: options.server,
    limits: settings.retention,
    exportedCopies: outside.copies,
    endConversations: cancelAllWithContact(deps, conversations),
    logsMessageText: config.logLevel === 'debug',
    removeUnusedMedia: () => media.removeUnused(),
  });

  const media = openMedia({
    ...options.files,
    transport: wire.transport,
    openContent: (row) =>
      openInboxContent(vault.sealer.forAccount(lease.account), lease.account, row),
    isDiskLow: () => options.disk.isLow,
    onStored: (work, stored) => enqueueUnderstanding(understanding, work, stored),
  });
  const understanding: UnderstandDeps = {
    ...engine,
    transcription: () => readWrittenTranscription(config.home),
    openTranscription: async () => openTranscription(await readTranscription(), await readModel()),
    budget: settings.agent,
    openMedia: (row) => files.open(row),
    async onUnderstood(work, message) {
      await indexMedia(work.tx, lease.account, message.number);
      await onMediaUnderstood(observing, work, message);
    },
  };
  const allowedAddresses = allowedWebhookHosts(settings.webhooks.allow);
  const webhooks = openWebhooks({
    ...engine,
    egress: openEgress({ allowedAddresses }),
    insideAddresses: (url) => findInsideAddresses(url, { allowedAddresses }),
    allowedAddresses: settings.webhooks.allow,
    admins,
    sealer: vault.sealer.forAccount(lease.account),
    approval: async (id) => (await loadApprovals(db, lease.account, { id }))[0] ?? null,
  });

  const { home } = config;
  const { sealer } = vault;
  const ownSealer = sealer.forAccount(lease.account);
  const notifications = openNotifications({
    ...engine,
    sealer: ownSealer,
    settings: async () => {
      const ofHome = await readNotificationSettings(home);
      return isHosted ? { ...ofHome, ntfy_url: null, webhook_url: null } : ofHome;
    },
    channel: async (channel) => (isHosted ? null : readNotificationChannel(home, sealer, channel)),
    saveChannel: (channel, set) => saveNotificationChannel(home, sealer, channel, set),
    egress: openEgress({ allowedAddresses: allowedWebhookHosts(settings.notifications.allow) }),
    agent: settings.agent,
    approval: async (id) => (await loadApprovals(db, lease.account, { id }))[0] ?? null,
    countApprovals: () => countPendingApprovals(db, lease.account),
    localUrl: options.localUrl,
    ownChat: () => settings.tell_owner_on_whatsapp,
  });

  const { clientDeps, ...clients } = createClientServices({
    ...deps,
    accountsOf: options.accountsOf,
    config,
    settings,
    transport: wire.transport,
    search: search.search,
    conversations,
    schedules: schedules.service,
    scheduling,
    digests,
    models,
    approvals,
    admins,
    zone,
    endWebhooks: webhooks.endOf,
  });

  const thinking = { models, limits: settings.agent, log, clock: systemClock, readPhoto };
  const isConnected = () => {
    const { state, replaying } = wire.transport.link;
    return whatsappStatusOf(state) === 'connected' && replaying === null;
  };
  const isBlocked = () => isSendingBlocked(db, lease.account, settings.pacing, now());
  const followUps = new FollowUpClock({ db, lease, now, log, isConnected, isBlocked });
  const clock = new TimerClock({
    db,
    lease,
    now,
    events,
    beforeFiring: () => followUps.update(),
    onDue: enqueueDueTimers(jobs),
    onFired: () => {
      for (const queue of TIMER_QUEUES) jobs.wake(queue);
    },
    onPutBack: async () => {
      await jobs.makeDelayedReady();
      await schedules.recompute();
    },
    log,
  });

  const nightly = async () => {
    await transaction(options, ({ tx }) => expireApprovals(tx, lease.account));
    await autoReply.enqueueForgotten();
    await digesting.enqueueForgotten();
    await retention.nightly();
    await media.nightly();
    await outside.removeOrphanedCopies();
    await webhooks.requeueStranded();
    await notifications.requeueStranded();
  };

  return {
    clientDeps,
    models,
    modelSettings: readModel,
    transcription: async () =>
      describeTranscription(engine, await readTranscription(), await readModel()),
    onRestored: onRestored({
      lease,
      gate,
      now,
      settled: wakeConversations(jobs, lease.account).onSettled,
    }),
    services: {
      conversations,
      drafts: createChatDraftService({
        ...deps,
        facts: { pacing: settings.pacing, admins, observer: settings.observer, now },
        compose: options.compose ?? createAutoReplyAgent(thinking),
      }),
      send: (message) =>
        sendAsOwner({ db, lease, gate, sendInConversation: sendInOpenConversation(deps) }, message),
      assistant: assistant.service,
      grants: createGrantService(gated),
      people: createPeopleService({ ...gated, admins }),
      approvals,
      hold,
      schedules: schedules.service,
      search: search.service,
      observing: createObservedGroupService({
        ...gated,
        settings,
        zone,
        now,
        onObserved: digesting.onGroupObserved,
        erase: (chat) => retention.service.forget(chat),
      }),
      digests,
      memory: search.memoryService,
      evaluation: createEvalService({
        ...engine,
        models,
        clock: systemClock,
        limits: settings.agent,
      }),
      ingest: createIngestService(engine),
      imports: createImportService({
        ...engine,
        home: config.home,
        assertDiskSpace: () => options.disk.assertNotLow(),
        onStored: () => events.hint(),
      }),
      digestExport: outside.service,
      ...clients,
      retention: retention.service,
      webhooks: webhooks.service,
      typedEvents: webhooks.typedEvents,
      keptResponses: createKeptResponses({ db, lease }),
      notifications: notifications.service,
    },
    async start() {
      const { account } = lease;
      const takeTurn = options.takeTurn ?? createConversationAgent(thinking);
      jobs.work('conversation', CONCURRENT_TURNS, onConversationJob(deps, takeTurn), account);
      await autoReply.start(options.compose ?? createAutoReplyAgent({ ...thinking, search: web }));
      jobs.work('route', CONCURRENT_ROUTES, onRoute(deps, admins), account);
      jobs.work('understand', CONCURRENT_UNDERSTANDING, onUnderstandJob(understanding), account);
      jobs.work('trigger', CONCURRENT_GROUPS, onTriggerJob(observing), account);
      jobs.work('group_answer', CONCURRENT_GROUPS, answerInGroup, account);
      await outside.start();
      jobs.work('schedule', CONCURRENT_SCHEDULES, schedules.onDue, account);
      jobs.work('assistant', CONCURRENT_QUESTIONS, assistant.onQuestion, account);
      jobs.work('maintenance', 1, nightly, account);
      await digesting.start();
      await schedules.recompute();
      search.indexer.start();
      search.vectors.follower.start();
      const untold = await webhooks.start();
      const unnotified = await notifications.start();
      const downloading = await media.start();
      clock.start();
      const unfollowLink = wire.transport.subscribe(({ type }) => {
        if (type === 'link' || type === 'replayed') clock.hint();
      });
      const enforced = retention.start();
      return [
        () => embedders.close(),
        () => search.vectors.follower.stop(),
        () => search.indexer.stop(),
        downloading,
        untold,
        unnotified,
        async () => unfollowLink(),
        () => clock.stop(),
        enforced,
      ];
    },
    wake() {
      webhooks.wake();
      notifications.wake();
      search.vectors.follower.hint();
    },
  };
}

// For clients: their tokens, and MCP and REST over one registry of tools.

type SharedClientDeps =
  | 'transport'
  | 'search'
  | 'conversations'
  | 'schedules'
  | 'digests'
  | 'approvals'
  | 'admins'
  | 'accountsOf'
  | 'zone';

interface ClientServiceDeps extends ConversationDeps, Pick<ClientDeps, SharedClientDeps> {
  readonly config: Pick<Config, 'pollMs'>;
  readonly settings: Settings;
  readonly scheduling: ScheduleDeps;
  readonly models: ModelSource;
  /** Ends the webhooks of a token, in the transaction that revokes it. */
  endWebhooks(work: UnitOfWork, token: TokenId): Promise<void>;
}

function createClientServices(
  parts: ClientServiceDeps,
): Pick<AccountServices, 'clients' | 'tokens'> & Pick<Features, 'clientDeps'> {
  const { db, lease, gate, events, now, admins, zone, scheduling } = parts;
  const changed = () => events.hint();
  const tokens = createClientTokens(db, lease.account);
  const begun = createClientConversations(parts);
  const picture = createQrPicture();
  const clientDeps: ClientDeps = {
    ...parts,
    tokens,
    actions: {
      createConversation: begun.create,
      controlConversation: begun.control,
      scheduleMessage: (...asked) => scheduleForAgent(scheduling, ...asked),
      cancelSchedule: (...asked) => cancelSchedule(scheduling, ...asked),
    },
    summaries: createChatSummaryService({ ...parts, clock: systemClock }),
    ledger: createLedgerReader({ db, account: lease.account, admins, now, zone }),
    callOrder: new CallOrder(),
    wait: async (ms, signal) => sleep(ms, undefined, { signal }),
    keepsSession: () => canStoreSession(db, lease),
    renderQr: async (qr) => (await picture(qr)).replace(/^data:image\/png;base64,/, ''),
    pollMs: parts.config.pollMs,
    onChange: () => {
      gate.wakeOutbox();
      changed();
    },
  };
  return {
    clientDeps,
    clients: openClientApi(clientDeps),
    tokens: createTokenService({
      db,
      lease,
      changed,
      onRevoke: async (work, token) => {
        await begun.pauseStartedBy(work, token);
        await parts.endWebhooks(work, token);
      },
    }),
  };
}
