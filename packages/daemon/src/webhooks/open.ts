// Webhooks, put together: who follows the log, who delivers, and how the owner sets them up.
import type { WebhookVerbs } from '@relay/core/ports/webhooks';
import { fenced } from '../store/fenced.ts';
import { strandedDeliveries } from '../store/webhooks/deliveries.ts';
import { onDelivery } from './deliver.ts';
import { Follower } from './follower.ts';
import { enqueueDeliveries } from './lanes.ts';
import { deliveryVerbs } from './replay.ts';
import { webhookVerbs } from './verbs.ts';
import type { WebhookWorld } from './world.ts';

export interface Webhooks {
  readonly verbs: WebhookVerbs;
  /** Gives back how it is stopped. */
  start(): Promise<() => Promise<void>>;
  /** Finds what has no job any more and gives it one. */
  lookAgain(): Promise<void>;
}

/** Of all webhooks together; one takes its few lanes of them. */
const CONCURRENT_DELIVERIES = 24;
const STRANDED_MS = 86_400_000;

export function openWebhooks(world: WebhookWorld): Webhooks {
  const { db, lease, jobs } = world;
  const follower = new Follower(world);
  const lookAgain = async () => {
    const before = new Date(+world.now() - STRANDED_MS);
    await fenced(db, lease, async (tx) => {
      const stranded = await strandedDeliveries(tx, lease.account, before);
      await enqueueDeliveries(jobs, tx, lease.account, stranded);
    });
  };
  const changed = () => {
    follower.look();
    world.events.hint();
  };
  return {
    verbs: { ...webhookVerbs(world, changed), ...deliveryVerbs(world) },
    async start() {
      await lookAgain();
      jobs.work('webhook', CONCURRENT_DELIVERIES, onDelivery(world));
      follower.start();
      return () => follower.stop();
    },
    lookAgain,
  };
}
