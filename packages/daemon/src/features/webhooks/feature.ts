// Assembles webhooks: the log's follower, the delivery jobs, and the owner's settings.
import type { TypedEvents } from '@relay/contract/api/events';
import type { WebhookService } from '@relay/contract/api/webhooks';
import type { TokenId } from '@relay/contract/ids';
import { EventFollower } from '../../platform/db/event-follower.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import { createDeliveryHandler, enqueueDeliveries, type WebhookDeps } from './delivery.ts';
import { findStrandedDeliveries } from './delivery-store.ts';
import { webhookSource } from './follower.ts';
import { createDeliveryLog, createWebhookSetup } from './service.ts';
import { createTypedEvents } from './typed-events.ts';
import { deleteWebhooksOf } from './webhooks.ts';

interface Webhooks {
  readonly service: WebhookService;
  readonly typedEvents: TypedEvents;
  /** In the transaction that revokes the token. */
  endOf(work: UnitOfWork, token: TokenId): Promise<void>;
  /** Returns a function that stops it. */
  start(): Promise<() => Promise<void>>;
  /** Finds deliveries that have lost their job and queues them again. */
  requeueStranded(): Promise<void>;
  /** Another process may have created a webhook. */
  wake(): void;
}

/** For all webhooks together; each uses a few lanes of them. */
const CONCURRENT_DELIVERIES = 24;
const STRANDED_MS = 86_400_000;

export function openWebhooks(deps: WebhookDeps): Webhooks {
  const { lease, jobs } = deps;
  const follower = new EventFollower(webhookSource(deps));
  const requeueStranded = async () => {
    const before = new Date(+deps.now() - STRANDED_MS);
    await transaction(deps, async ({ tx }) => {
      const stranded = await findStrandedDeliveries(tx, lease.account, before);
      await enqueueDeliveries(jobs, tx, lease.account, stranded);
    });
  };
  const changed = () => {
    follower.resume();
    deps.events.hint();
  };
  return {
    service: { ...createWebhookSetup(deps, changed), ...createDeliveryLog(deps) },
    typedEvents: createTypedEvents(deps),
    endOf: ({ tx }, token) => deleteWebhooksOf(tx, lease.account, token),
    async start() {
      await requeueStranded();
      jobs.work('webhook', CONCURRENT_DELIVERIES, createDeliveryHandler(deps), lease.account);
      follower.start();
      return () => follower.stop();
    },
    requeueStranded,
    wake: () => follower.resume(),
  };
}

// Addresses in the owner's own network that webhooks may use, in the form of the egress guard: a host name is never
// allowed, except localhost.

export const allowedWebhookHosts = (written: readonly string[]): string[] =>
  written.flatMap((place) => {
    const [, port] = /^localhost:(\d+)$/i.exec(place) ?? [];
    if (port !== undefined) return [`127.0.0.1:${port}`, `::1:${port}`];
    return [place.replace(/^\[(.+)\]:/, '$1:').toLowerCase()];
  });
