// The next events of the log become deliveries: rows and jobs in one transaction with how far the log was read.
// Invariant: each event is told to each webhook that wants it, once, whatever is killed when.
import type { ContactId } from '@relay/core/ids';
import type { StreamEvent } from '@relay/core/ports/event-log';
import { isWanted } from '@relay/core/webhooks/filter';
import { happeningsOf } from '@relay/core/webhooks/told';
import type { Transaction } from '../store/database.ts';
import { PostgresEventLog } from '../store/events.ts';
import { fenced } from '../store/fenced.ts';
import { insertDeliveries, type NewDelivery } from '../store/webhooks/deliveries.ts';
import { placed } from '../store/webhooks/places.ts';
import { beginNow, lockProgress, saveProgress } from '../store/webhooks/progress.ts';
import { enabledWebhooks, followMerge, type WebhookRow } from '../store/webhooks/webhooks.ts';
import { enqueueDeliveries } from './lanes.ts';
import type { WebhookWorld } from './world.ts';

export interface Followed {
  /** Whether anybody listens. */
  readonly webhooks: number;
  readonly events: number;
  readonly deliveries: number;
}

export async function followNext(world: WebhookWorld, limit: number): Promise<Followed> {
  const { db, lease, jobs, now } = world;
  const { account } = lease;
  return fenced(db, lease, async (tx) => {
    const webhooks = await enabledWebhooks(tx, account);
    if (webhooks.length === 0) return { webhooks: 0, events: 0, deliveries: 0 };
    const from = await lockProgress(tx, account);
    if (from === null) {
      await beginNow(tx, account);
      return { webhooks: webhooks.length, events: 0, deliveries: 0 };
    }
    const events = await new PostgresEventLog(tx, account).read(from, limit);
    await followMerges(world, tx, events);
    const wanted = await deliveriesOf(world, tx, webhooks, events);
    const made = await insertDeliveries(tx, account, wanted, now());
    await enqueueDeliveries(jobs, tx, account, made);
    const last = events.at(-1);
    if (last !== undefined) await saveProgress(tx, account, last.cursor);
    return { webhooks: webhooks.length, events: events.length, deliveries: made.length };
  });
}

async function deliveriesOf(
  { lease }: WebhookWorld,
  tx: Transaction,
  webhooks: readonly WebhookRow[],
  events: readonly StreamEvent[],
): Promise<NewDelivery[]> {
  const happened = events.flatMap((event) =>
    happeningsOf(event).map((happening) => ({ event, happening })),
  );
  const places = await placed(
    tx,
    lease.account,
    happened.map(({ happening }) => happening),
  );
  return happened.flatMap(({ event }, n) => {
    const told = places[n];
    if (!told) return [];
    const { type, facts, place } = told;
    return webhooks
      .filter(
        (webhook) =>
          webhook.events.includes(type) &&
          Date.parse(event.at) >= +webhook.created_at &&
          isWanted(webhook.filter, place),
      )
      .map(({ id }) => ({ webhook: id, type, facts, cursor: event.cursor, at: event.at }));
  });
}

/** Whoever is named in a filter stays named when their addresses turn out to be one person's. */
async function followMerges(
  { lease }: WebhookWorld,
  tx: Transaction,
  events: readonly StreamEvent[],
): Promise<void> {
  for (const { kind, subject, data } of events) {
    if (kind !== 'contact.merged' || subject === null || typeof data.from !== 'string') continue;
    const merged = { from: data.from as ContactId, into: subject as ContactId };
    await followMerge(tx, lease.account, merged);
  }
}
