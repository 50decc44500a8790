// What became of what was told, and telling it anew: a test, one delivery, or all that were given up on.
import { randomUUID } from 'node:crypto';
import type { WebhookDelivery } from '@relay/core/api/webhooks';
import { RelayError } from '@relay/core/errors';
import type { DeliveryId, WebhookId } from '@relay/core/ids';
import type { WebhookVerbs } from '@relay/core/ports/webhooks';
import { failureSentence } from '@relay/core/webhooks/failure';
import { PING } from '@relay/core/webhooks/kinds';
import { fenced } from '../store/fenced.ts';
import {
  findDeliveries,
  insertPing,
  type ListedDelivery,
  listDeliveries,
  reopen,
} from '../store/webhooks/deliveries.ts';
import { noteArrived } from '../store/webhooks/webhooks.ts';
import { enqueueDeliveries, lanesOf } from './lanes.ts';
import { attempt } from './request.ts';
import { oneWebhook } from './verbs.ts';
import type { WebhookWorld } from './world.ts';

type Verbs = Pick<WebhookVerbs, 'test' | 'deliveries' | 'replay' | 'replayDead'>;

export function deliveryVerbs(world: WebhookWorld): Verbs {
  const { db, lease, jobs } = world;
  const { account } = lease;
  const again = async (
    webhook: WebhookId,
    which: Parameters<typeof reopen>[3],
  ): Promise<number> => {
    const opened = await fenced(db, lease, async (tx) => {
      const queued = await reopen(tx, account, webhook, which, world.now());
      await enqueueDeliveries(jobs, tx, account, queued);
      return queued;
    });
    jobs.hint('webhook');
    return opened.length;
  };
  return {
    test: (given) => test(world, given),
    async deliveries(given, query) {
      const { id } = await oneWebhook(db, account, given);
      const rows = await listDeliveries(db, account, id, { ...query, limit: query.limit + 1 });
      const shown = rows.slice(0, query.limit);
      const cursor = rows.length > query.limit ? String(shown.at(-1)?.seq) : null;
      return { deliveries: shown.map(toApi), cursor };
    },
    async replay(given, delivery) {
      const { id } = await oneWebhook(db, account, given);
      const meant = await oneDelivery(world, id, delivery);
      await again(id, { id: meant.id });
      return toApi(await oneDelivery(world, id, meant.id));
    },
    async replayDead(given) {
      const { id } = await oneWebhook(db, account, given);
      return again(id, { state: 'dead' });
    },
  };
}

async function test(world: WebhookWorld, given: string): Promise<WebhookDelivery> {
  const { db, lease, jobs } = world;
  const { account } = lease;
  const webhook = await oneWebhook(db, account, given);
  const id = randomUUID() as DeliveryId;
  const at = world.now();
  const data = { webhook_id: webhook.id };
  const { status, failure } = await attempt(world, webhook, { id, type: PING, at, data });
  const state = failure === null ? ('delivered' as const) : ('dead' as const);
  const settled = { state, attempts: 1, status, failure, nextAt: null };
  await fenced(db, lease, async (tx) => {
    await insertPing(tx, account, { id, webhook: webhook.id, settled }, at);
    if (state !== 'delivered') return;
    const wasFailing = await noteArrived(tx, account, webhook.id, world.now());
    if (wasFailing) await jobs.hurry(tx, 'webhook', lanesOf(account, webhook.id));
  });
  jobs.hint('webhook');
  return toApi(await oneDelivery(world, webhook.id, id));
}

async function oneDelivery(
  { db, lease }: WebhookWorld,
  webhook: WebhookId,
  given: string,
): Promise<ListedDelivery> {
  const [only, another] = await findDeliveries(db, lease.account, webhook, given);
  if (only === undefined || another !== undefined) {
    throw new RelayError('delivery_not_found', { delivery: given.slice(0, 60) });
  }
  return only;
}

const toApi = (row: ListedDelivery): WebhookDelivery => ({
  id: row.id,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  next_at: row.next_at?.toISOString() ?? null,
  last_status: row.last_status,
  last_error: failureSentence(row.failure, row.last_status),
  event_at: row.event_at.toISOString(),
  settled_at: row.settled_at?.toISOString() ?? null,
});
