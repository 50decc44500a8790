// Everything that acts for the account, put together over the one gate: conversations, auto-reply, the
// assistant, schedules and search. What each offers to others are its verbs; nothing happens before `start`.
import { statusOf } from '@relay/core/connection/states';
import type { Log } from '@relay/core/log';
import type { ComposeReply } from '@relay/core/ports/reply';
import type { TakeTurn } from '@relay/core/ports/turn';
import type { MemorySettings } from '@relay/core/settings';
import { systemClock } from './agent/clock.ts';
import type { ModelSource } from './agent/model.ts';
import type { Config } from './config.ts';
import { openEgress } from './egress/egress.ts';
import { openEval } from './eval/open.ts';
import { openAssistant } from './flows/assistant/open.ts';
import { autoReplyAgent } from './flows/auto-reply/agent/agent.ts';
import { openAutoReply } from './flows/auto-reply/open.ts';
import { conversationAgent } from './flows/conversation/agent/agent.ts';
import { carryOutApproved } from './flows/conversation/approved.ts';
import { endAll } from './flows/conversation/end-all.ts';
import { FollowUpClock } from './flows/conversation/follow-up-clock.ts';
import { onRelease } from './flows/conversation/hold.ts';
import { RunningTurns } from './flows/conversation/running.ts';
import { onWake } from './flows/conversation/turn.ts';
import { conversationVerbs } from './flows/conversation/verbs.ts';
import type { ConversationWorld } from './flows/conversation/work.ts';
import { onGroupAnswer } from './flows/group-answer/answer.ts';
import { openDigests } from './flows/observer/digest/open.ts';
import { digestVerbs } from './flows/observer/digest/verbs.ts';
import { openObserver } from './flows/observer/open.ts';
import { expireApprovals, listApprovals } from './gate/approval-list.ts';
import { approvalVerbs } from './gate/approvals.ts';
import { eachOnRelease } from './gate/carry-out.ts';
import { grantVerbs, peopleVerbs } from './gate/grants.ts';
import { holdVerbs } from './gate/hold.ts';
import { observingVerbs } from './gate/observing.ts';
import { onRestored } from './gate/restored.ts';
import { sendAsOwner } from './gate/send.ts';
import { Gate } from './gate/submit.ts';
import { readBraveKey } from './home/brave-key.ts';
import type { DiskGuard } from './home/disk-guard.ts';
import { readMemory, saveMemory } from './home/memory.ts';
import { readModel } from './home/model.ts';
import { readOutsideMemory, saveOutsideMemory } from './home/outside-memory.ts';
import type { Vault } from './home/vault/open.ts';
import type { HttpDeps } from './http/deps.ts';
import { importVerbs } from './inbox/exports/import.ts';
import { ingestVerbs } from './inbox/notifications.ts';
import { TIMED, TimerClock, timerJobs } from './jobs/timers.ts';
import { type Engine, within } from './jobs/work.ts';
import { embedderSource, openEmbedder } from './llm/embed/source.ts';
import { modelSource } from './llm/source.ts';
import { isSendingBlocked } from './outbox/health.ts';
import { wakeConversations } from './outbox/wake-conversations.ts';
import { openOutside } from './outside/open.ts';
import { programsOver } from './programs.ts';
import { openRetention } from './retention/open.ts';
import type { RetentionWorld } from './retention/world.ts';
import { onRoute } from './router/router.ts';
import { scheduleForAgent } from './schedule/agent.ts';
import { cancelSchedule } from './schedule/cancel.ts';
import { openSchedules } from './schedule/open.ts';
import type { ScheduleWorld } from './schedule/world.ts';
import { openSearch } from './search/open.ts';
import { fenced } from './store/fenced.ts';
import { prune } from './store/prune.ts';
import { webSearch } from './tools/web-search/web-search.ts';
import { allowedPlaces } from './webhooks/allowed.ts';
import { openWebhooks } from './webhooks/open.ts';
import type { Wire } from './wire.ts';

const CONCURRENT_TURNS = 32;
const CONCURRENT_ROUTES = 4;
const CONCURRENT_SCHEDULES = 4;
const CONCURRENT_QUESTIONS = 8;
const CONCURRENT_GROUPS = 4;

export interface ActingOptions extends Engine {
  readonly config: Config;
  readonly vault: Vault;
  readonly wire: Wire;
  readonly log: Log;
  readonly status: HttpDeps['status'];
  readonly disk: DiskGuard;
  /** Whose PostgreSQL it is. */
  readonly server: RetentionWorld['server'];
  /** In the place of the agent of delegated conversations. */
  readonly takeTurn?: TakeTurn | undefined;
  /** In the place of the model that answers contacts. */
  readonly compose?: ComposeReply | undefined;
}

type Verbs =
  | 'conversations'
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
  | 'outsideMemory'
  | 'programTokens'
  | 'programs'
  | 'tokens'
  | 'retention'
  | 'webhooks';

export interface Acting {
  readonly verbs: Pick<HttpDeps, Verbs>;
  readonly models: ModelSource;
  /** For the transaction that restores an archive. */
  readonly onRestored: ReturnType<typeof onRestored>;
  /** From now on it works; gives back how each part is stopped, in the order they were started. */
  start(): Promise<readonly (() => Promise<void>)[]>;
}

export function openActing(options: ActingOptions): Acting {
  const { config, vault, wire, log, now, zone, db, lease, jobs, events, status } = options;
  const { settings } = config;
  const admins = settings.admin_phone_numbers;
  const gate = new Gate({
    account: lease.account,
    pacing: settings.pacing,
    admins,
    // Both may change while we run.
    get instructions() {
      return settings.agent.instructions;
    },
    get tellOwner() {
      return settings.tell_owner_on_whatsapp;
    },
    observer: settings.observer,
    now,
    hint: () => wire.wake(),
    askNumber: wire.askNumber,
  });
  const engine: Engine = { db, lease, jobs, events, log, now, zone };
  const world: ConversationWorld = { ...engine, gate, settings, running: new RunningTurns() };
  const gated = { db, lease, gate, changed: () => events.hint() };

  const autoReply = openAutoReply({ ...world, settings });
  const scheduling: ScheduleWorld = world;
  const schedules = openSchedules(scheduling);
  const embedders = embedderSource(() => readMemory(config.home, vault.sealer));
  const embeddings = {
    read: () => readMemory(config.home, vault.sealer),
    save: (memory: MemorySettings) => saveMemory(config.home, vault.sealer, memory),
    open: openEmbedder,
    current: embedders.current,
  };
  const search = openSearch({ ...world, admins, zone, embeddings });
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

  const models = modelSource(
    () => readModel(config.home, vault.sealer, config.model),
    settings.agent,
  );
  const egress = openEgress();
  const web = webSearch({
    egress,
    key: () => readBraveKey(config.home, vault.sealer, config.braveKey),
    log,
  });
  const digests = digestVerbs({
    db,
    account: lease.account,
    now,
    zone,
    dailyAt: settings.observer.daily_at,
  });
  const assistant = openAssistant({
    ...world,
    settings,
    models,
    clock: systemClock,
    search: search.search,
    digests,
    schedules: {
      add: (...asked) => scheduleForAgent(scheduling, ...asked),
      list: () => schedules.verbs.list('active'),
      cancel: (...asked) => cancelSchedule(scheduling, ...asked),
    },
    webSearch: web,
    verbs: { approvals, hold, conversations, schedules: schedules.verbs, status },
    connected: () => statusOf(wire.transport.link.state) === 'connected',
  });

  const outside = openOutside({
    ...engine,
    egress,
    settings: () => readOutsideMemory(config.home, vault.sealer),
    save: (changed) => saveOutsideMemory(config.home, vault.sealer, changed),
  });
  const digesting = openDigests({
    ...engine,
    settings,
    models,
    clock: systemClock,
    onDigest: outside.enqueue,
  });
  const observing = { ...engine, settings, admins, models, clock: systemClock };
  const observer = openObserver(observing);
  const answerInGroup = onGroupAnswer({ ...observing, gate, search: search.search });
  const retention = openRetention({
    ...engine,
    server: options.server,
    limits: settings.retention,
    outside: outside.copies,
    endConversations: endAll(world, conversations),
    logsWords: config.logLevel === 'debug',
  });

  const webhooks = openWebhooks({
    ...engine,
    egress: openEgress({ allow: allowedPlaces(settings.webhooks.allow) }),
    sealer: vault.sealer,
    approval: async (id) => (await listApprovals(db, lease.account, { id }))[0] ?? null,
  });

  const programs = programsOver({
    ...world,
    config,
    settings,
    transport: wire.transport,
    search: search.search,
    conversations,
    schedules: schedules.verbs,
    scheduling,
    digests,
    models,
    approvals,
    admins,
    zone,
  });

  const thinking = { models, limits: settings.agent, log, clock: systemClock };
  const canSend = async () => {
    const { state, replaying } = wire.transport.link;
    if (statusOf(state) !== 'connected' || replaying !== null) return false;
    return !(await isSendingBlocked(db, lease.account, settings.pacing, now()));
  };
  const followUps = new FollowUpClock({ db, lease, now, log, canSend });
  const clock = new TimerClock({
    db,
    now,
    beforeFiring: () => followUps.look(),
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

  return {
    models,
    onRestored: onRestored({
      lease,
      gate,
      now,
      settled: wakeConversations(jobs, lease.account).settled,
    }),
    verbs: {
      conversations,
      send: ({ to, text, key }) =>
        sendAsOwner({ db, lease, gate }, { to, text, ...(key === null ? {} : { key }) }),
      assistant: assistant.verbs,
      grants: grantVerbs(gated),
      people: peopleVerbs({ ...gated, admins }),
      approvals,
      hold,
      schedules: schedules.verbs,
      search: search.verbs,
      observing: observingVerbs({
        ...gated,
        settings,
        zone,
        now,
        begun: (tx, chat) => within(engine, tx, (work) => digesting.begin(work, chat)),
        erase: (chat) => retention.verbs.forget(chat),
      }),
      digests,
      memory: search.memory,
      evaluation: openEval({ ...engine, models, clock: systemClock, limits: settings.agent }),
      ingest: ingestVerbs(engine),
      imports: importVerbs({
        ...engine,
        home: config.home,
        refuseWhenFull: () => options.disk.refuseWhenLow(),
        stored: () => events.hint(),
      }),
      outsideMemory: outside.verbs,
      ...programs,
      retention: retention.verbs,
      webhooks: webhooks.verbs,
    },
    async start() {
      const takeTurn = options.takeTurn ?? conversationAgent(thinking);
      jobs.work('conversation', CONCURRENT_TURNS, onWake(world, takeTurn));
      await autoReply.start(options.compose ?? autoReplyAgent({ ...thinking, search: web }));
      jobs.work('route', CONCURRENT_ROUTES, onRoute(world, admins, observer.hear));
      jobs.work('trigger', CONCURRENT_GROUPS, observer.onTrigger);
      jobs.work('group_answer', CONCURRENT_GROUPS, answerInGroup);
      await outside.start();
      jobs.work('schedule', CONCURRENT_SCHEDULES, schedules.onDue);
      jobs.work('assistant', CONCURRENT_QUESTIONS, assistant.onQuestion);
      jobs.work('maintenance', 1, async () => {
        await fenced(db, lease, (tx) => expireApprovals(tx, lease.account));
        await autoReply.lookAgain();
        await digesting.lookAgain();
        await retention.nightly();
        await outside.sweep();
        await webhooks.lookAgain();
        await prune(db, log);
      });
      await jobs.every('maintenance', '17 4 * * *', zone, { task: 'prune' });
      await digesting.start();
      await schedules.settle();
      search.indexer.start();
      search.vectors.follower.start();
      const untold = await webhooks.start();
      clock.start();
      const enforced = retention.start();
      return [
        () => embedders.close(),
        () => search.vectors.follower.stop(),
        () => search.indexer.stop(),
        untold,
        () => clock.stop(),
        enforced,
      ];
    },
  };
}
