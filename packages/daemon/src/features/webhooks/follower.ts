// What webhooks make of the event log: deliveries, as rows and jobs, in one transaction with the position in the log.
// Idle while no webhook exists.
// Invariant: each event is queued once for each webhook that wants it, also across kills.

import type { StreamEvent } from '@relay/contract/api/events';
import type { ContactId, TokenId } from '@relay/contract/ids';
import { mapStreamEvent, matchesFilter } from '@relay/core/webhooks/event-mapping';
import type { EventVisibility } from '@relay/core/webhooks/visibility';
import type { Transaction } from '../../platform/db/database.ts';
import type { FollowSource } from '../../platform/db/event-follower.ts';
import { readTokenClient } from '../../platform/db/tokens.ts';
import { enqueueDeliveries, type WebhookDeps } from './delivery.ts';
import {
  insertDeliveries,
  loadVisibilities,
  locateEvents,
  type NewDelivery,
} from './delivery-store.ts';
import { followContactMerge, listEnabledWebhooks, type WebhookRow } from './webhooks.ts';

export const webhookSource = (deps: WebhookDeps): FollowSource<readonly WebhookRow[]> => ({
  ...deps,
  name: 'webhooks',
  table: 'webhook_progress',
  async wanted(tx) {
    const webhooks = await listEnabledWebhooks(tx, deps.lease.account);
    return webhooks.length === 0 ? null : webhooks;
  },
  async deliver(tx, events, webhooks) {
    const { account } = deps.lease;
    await followMerges(deps, tx, events);
    const wanted = await deliveriesOf(deps, tx, webhooks, events);
    const made = await insertDeliveries(tx, account, wanted, deps.now());
    await enqueueDeliveries(deps.jobs, tx, account, made);
    return made.length;
  },
  wake: () => deps.jobs.wake('webhook'),
});

async function deliveriesOf(
  { lease, admins }: WebhookDeps,
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
  const context = { db: tx, account: lease.account, admins };
  /** For each client with webhooks: what it may see of each event. */
  const visible = new Map<TokenId, readonly EventVisibility[]>();
  for (const { token_id: token } of webhooks) {
    if (token === null || visible.has(token)) continue;
    const client = await readTokenClient(tx, lease.account, token);
    visible.set(token, client === null ? [] : await loadVisibilities(context, places, client));
  }
  return happened.flatMap(({ event }, n) => {
    const located = places[n];
    if (!located) return [];
    const { type, facts, place } = located;
    return webhooks
      .filter(
        (webhook) =>
          webhook.events.includes(type) &&
          Date.parse(event.at) >= +webhook.created_at &&
          matchesFilter(webhook.filter, place) &&
          (webhook.token_id === null ||
            (visible.get(webhook.token_id)?.[n] ?? 'hidden') !== 'hidden'),
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
