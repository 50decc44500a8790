// Webhooks, put together: who follows the log, who delivers, and how the owner sets them up.
import type { WebhookService } from '@relay/contract/api/webhooks';
import { transaction } from '../../platform/db/transaction.ts';
import { findStrandedDeliveries } from './deliveries.ts';
import { createDeliveryHandler, enqueueDeliveries, type WebhookDeps } from './delivery.ts';
import { WebhookFollower } from './follower.ts';
import { createDeliveryLog, createWebhookSetup } from './service.ts';

interface Webhooks {
  readonly verbs: WebhookService;
  /** Gives back how it is stopped. */
  start(): Promise<() => Promise<void>>;
  /** Finds what has no job any more and gives it one. */
  lookAgain(): Promise<void>;
}

/** Of all webhooks together; one takes its few lanes of them. */
const CONCURRENT_DELIVERIES = 24;
const STRANDED_MS = 86_400_000;

export function openWebhooks(deps: WebhookDeps): Webhooks {
  const { lease, jobs } = deps;
  const follower = new WebhookFollower(deps);
  const lookAgain = async () => {
    const before = new Date(+deps.now() - STRANDED_MS);
    await transaction(deps, async ({ tx }) => {
      const stranded = await findStrandedDeliveries(tx, lease.account, before);
      await enqueueDeliveries(jobs, tx, lease.account, stranded);
    });
  };
  const changed = () => {
    follower.look();
    deps.events.hint();
  };
  return {
    verbs: { ...createWebhookSetup(deps, changed), ...createDeliveryLog(deps) },
    async start() {
      await lookAgain();
      jobs.work('webhook', CONCURRENT_DELIVERIES, createDeliveryHandler(deps));
      follower.start();
      return () => follower.stop();
    },
    lookAgain,
  };
}

// Places of the owner's own network that webhooks may lead to, as the egress guard writes addresses: a name
// never lets anything in, except this machine's own.

export const allowedWebhookHosts = (written: readonly string[]): string[] =>
  written.flatMap((place) => {
    const [, port] = /^localhost:(\d+)$/i.exec(place) ?? [];
    if (port !== undefined) return [`127.0.0.1:${port}`, `::1:${port}`];
    return [place.replace(/^\[(.+)\]:/, '$1:').toLowerCase()];
  });
