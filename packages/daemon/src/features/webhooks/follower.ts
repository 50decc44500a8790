// Follows the event log while the daemon runs, after the transactions that write it and never in them. It is idle while
// no webhook exists, and continues when one is created.

import type { StreamEvent } from '@relay/contract/api/events';
import type { ContactId } from '@relay/contract/ids';
import { mapStreamEvent, matchesFilter } from '@relay/core/webhooks/event-mapping';
import type { Transaction } from '../../platform/db/database.ts';
import {
  beginFollowingNow,
  EventFollower,
  type FollowedEvents,
  lockFollowCursor,
  saveFollowCursor,
} from '../../platform/db/event-follower.ts';
import { PostgresEventLog } from '../../platform/db/events.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { enqueueDeliveries, type WebhookDeps } from './delivery.ts';
import { insertDeliveries, locateEvents, type NewDelivery } from './delivery-store.ts';
import { followContactMerge, listEnabledWebhooks, type WebhookRow } from './webhooks.ts';

const PROGRESS = 'webhook_progress';

export const createWebhookFollower = (deps: WebhookDeps): EventFollower =>
  new EventFollower({
    name: 'webhooks',
    events: deps.events,
    log: deps.log,
    follow: (limit) => followNextEvents(deps, limit),
  });

// Turns the next events into deliveries: rows and jobs, in one transaction with the log position.
// Invariant: each event is queued once for each webhook that wants it, also across kills.

export async function followNextEvents(deps: WebhookDeps, limit: number): Promise<FollowedEvents> {
  const { db, lease, jobs, now } = deps;
  const { account } = lease;
  // Without `events`: this follows the log, and its own commit would wake it again.
  return transaction({ db, lease }, async ({ tx, afterCommit }) => {
    const webhooks = await listEnabledWebhooks(tx, account);
    if (webhooks.length === 0) return 'idle';
    const from = await lockFollowCursor(tx, PROGRESS, account);
    if (from === null) {
      await beginFollowingNow(tx, PROGRESS, account);
      return 0;
    }
    const events = await new PostgresEventLog(tx, account).read(from, limit);
    await followMerges(deps, tx, events);
    const wanted = await deliveriesOf(deps, tx, webhooks, events);
    const made = await insertDeliveries(tx, account, wanted, now());
    await enqueueDeliveries(jobs, tx, account, made);
    const last = events.at(-1);
    if (last !== undefined) await saveFollowCursor(tx, PROGRESS, account, last.cursor);
    if (made.length > 0) afterCommit.push(() => jobs.wake('webhook'));
    return events.length;
  });
}

async function deliveriesOf(
  { lease }: WebhookDeps,
  tx: Transaction,
  webhooks: readonly WebhookRow[],
  events: readonly StreamEvent[],
): Promise<NewDelivery[]> {
  const happened = events.flatMap((event) =>
    mapStreamEvent(event).map((happening) => ({ event, happening })),
  );
  const places = await locateEvents(
    tx,
    lease.account,
    happened.map(({ happening }) => happening),
  );
  return happened.flatMap(({ event }, n) => {
    const located = places[n];
    if (!located) return [];
    const { type, facts, place } = located;
    return webhooks
      .filter(
        (webhook) =>
          webhook.events.includes(type) &&
          Date.parse(event.at) >= +webhook.created_at &&
          matchesFilter(webhook.filter, place),
      )
      .map(({ id }) => ({ webhook: id, type, facts, cursor: event.cursor, at: event.at }));
  });
}

/** Keeps filters valid when two contacts turn out to be the same person. */
async function followMerges(
  { lease }: WebhookDeps,
  tx: Transaction,
  events: readonly StreamEvent[],
): Promise<void> {
  for (const { kind, subject, data } of events) {
    if (kind !== 'contact.merged' || subject === null || typeof data.from !== 'string') continue;
    const merged = { from: data.from as ContactId, into: subject as ContactId };
    await followContactMerge(tx, lease.account, merged);
  }
}
