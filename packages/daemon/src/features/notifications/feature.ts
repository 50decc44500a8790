// Assembles notifications: the log's follower, the delivery jobs, the look at the model, and the owner's settings.
import type { NotificationService } from '@relay/contract/api/notifications';
import { MODEL_ERRORS } from '@relay/contract/errors/features';
import type { AgentSettings } from '@relay/contract/settings';
import { type DayUse, dayBudgetError, ZERO_DAY_USE } from '@relay/core/agent/budget';
import { dayIn } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import { EventFollower } from '../../platform/db/event-follower.ts';
import { spentTodaySql } from '../../platform/db/runs.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { PollLoop } from '../../platform/poll-loop.ts';
import {
  createNotificationHandler,
  enqueueNotifications,
  type NotificationDeps,
} from './delivery.ts';
import { notificationSource, notifyModelTrouble } from './follower.ts';
import { createNotificationService } from './service.ts';
import { findModelOutage, findStrandedNotifications } from './store.ts';

interface NotificationOptions extends Omit<NotificationDeps, 'modelTrouble'> {
  readonly agent: AgentSettings;
  ownChat(): boolean;
}

interface Notifications {
  readonly service: NotificationService;
  /** Returns a function that stops it. */
  start(): Promise<() => Promise<void>>;
  /** Finds deliveries that have lost their job and queues them again. */
  requeueStranded(): Promise<void>;
  /** Another process may have registered a device. */
  wake(): void;
}

const CONCURRENT_DELIVERIES = 8;
const STRANDED_MS = 86_400_000;
/** How long after something happened the model is checked. */
const LOOK_AT_MODEL_MS = 60_000;

/** The sentences that runs keep of a model that does not answer, as LIKE patterns. */
const MODEL_FAILURES = [MODEL_ERRORS.model_unreachable, MODEL_ERRORS.model_refused].map(
  ({ sentence }) => `${sentence.replace(/\{\w+\}/g, '%')}%`,
);

export function openNotifications(options: NotificationOptions): Notifications {
  const { db, lease, jobs, agent, log } = options;
  const { account } = lease;
  const deps = {
    ...options,
    async modelTrouble() {
      const { rows } = await sql<{ day: DayUse }>`
        SELECT ${spentTodaySql(account, options)} AS day`.execute(db);
      if (dayBudgetError(agent, rows[0]?.day ?? ZERO_DAY_USE) !== null) {
        return { code: 'budget', key: `budget:${dayIn(options.zone, options.now())}` };
      }
      const outage = await findModelOutage(db, account, MODEL_FAILURES);
      return outage === null ? null : { code: 'unreachable', ...outage };
    },
  };
  const follower = new EventFollower(notificationSource(deps));
  const model = new PollLoop({
    look: async () => {
      await notifyModelTrouble(deps);
      return Number.POSITIVE_INFINITY;
    },
    failed: (error) => {
      log.warn('could not look for trouble with the model', { error });
      return LOOK_AT_MODEL_MS;
    },
    gatherMs: LOOK_AT_MODEL_MS,
  });
  const requeueStranded = async () => {
    const before = new Date(+options.now() - STRANDED_MS);
    await transaction(options, async ({ tx }) => {
      const stranded = await findStrandedNotifications(tx, account, before);
      await enqueueNotifications(jobs, tx, account, stranded);
    });
  };
  return {
    service: createNotificationService(deps, () => {
      follower.resume();
      void model.caughtUp();
    }),
    async start() {
      await requeueStranded();
      jobs.work(
        'notification',
        CONCURRENT_DELIVERIES,
        createNotificationHandler(deps),
        lease.account,
      );
      follower.start();
      model.start();
      const unsubscribe = options.events.subscribe(() => model.hint());
      return async () => {
        unsubscribe();
        await Promise.all([follower.stop(), model.stop()]);
      };
    },
    requeueStranded,
    wake: () => follower.resume(),
  };
}
