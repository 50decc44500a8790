// Follows the event log while the daemon runs, after the transactions that write it and never in them. It is idle while
// no webhook exists, and continues when one is created.

import type { StreamEvent } from '@relay/contract/api/events';
import type { ContactId } from '@relay/contract/ids';
import { mapStreamEvent, matchesFilter } from '@relay/core/webhooks/event-mapping';
import type { Transaction } from '../../platform/db/database.ts';
import { PostgresEventLog } from '../../platform/db/events.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type NextLook, PollLoop } from '../../platform/poll-loop.ts';
import { enqueueDeliveries, type WebhookDeps } from './delivery.ts';
import { insertDeliveries, locateEvents, type NewDelivery } from './delivery-store.ts';
import {
  beginFollowingNow,
  followContactMerge,
  listEnabledWebhooks,
  lockFollowCursor,
  saveFollowCursor,
  type WebhookRow,
} from './webhooks.ts';

const BATCH = 200;
/** Polling interval in case a hint is lost. */
const POLL_MS = 2_000;

export class WebhookFollower {
  readonly #deps: WebhookDeps;
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => {
      this.#deps.log.warn('webhook follower failed; retrying', { error });
      return POLL_MS;
    },
  });
  /** True while no webhook is enabled. */
  #idle = false;
  #unsubscribe: () => void = () => {};

  constructor(deps: WebhookDeps) {
    this.#deps = deps;
  }

  start(): void {
    this.#unsubscribe = this.#deps.events.subscribe(() => {
      if (!this.#idle) this.#loop.hint();
    });
    this.#loop.start();
  }

  /** Call when webhooks were added or changed. */
  onWebhooksChanged(): void {
    this.#idle = false;
    this.#loop.hint();
  }

  stop(): Promise<void> {
    this.#unsubscribe();
    return this.#loop.stop();
  }

  async #look(): Promise<NextLook> {
    this.#idle = false;
    const { webhooks, events, deliveries } = await followNextEvents(this.#deps, BATCH);
    if (deliveries > 0) this.#deps.jobs.wake('webhook');
    if (events === BATCH) return 'more';
    this.#idle = webhooks === 0;
    return this.#idle ? Number.POSITIVE_INFINITY : POLL_MS;
  }
}

// Turns the next events into deliveries: rows and jobs, in one transaction with the log position.
// Invariant: each event is queued once for each webhook that wants it, also across kills.

interface FollowResult {
  /** Number of enabled webhooks. */
  readonly webhooks: number;
  readonly events: number;
  readonly deliveries: number;
}

export async function followNextEvents(deps: WebhookDeps, limit: number): Promise<FollowResult> {
  const { db, lease, jobs, now } = deps;
  const { account } = lease;
  // Without `events`: this follows the log, and its own commit would wake it again.
  return transaction({ db, lease }, async ({ tx }) => {
    const webhooks = await listEnabledWebhooks(tx, account);
    if (webhooks.length === 0) return { webhooks: 0, events: 0, deliveries: 0 };
    const from = await lockFollowCursor(tx, account);
    if (from === null) {
      await beginFollowingNow(tx, account);
      return { webhooks: webhooks.length, events: 0, deliveries: 0 };
    }
    const events = await new PostgresEventLog(tx, account).read(from, limit);
    await followMerges(deps, tx, events);
    const wanted = await deliveriesOf(deps, tx, webhooks, events);
    const made = await insertDeliveries(tx, account, wanted, now());
    await enqueueDeliveries(jobs, tx, account, made);
    const last = events.at(-1);
    if (last !== undefined) await saveFollowCursor(tx, account, last.cursor);
    return { webhooks: webhooks.length, events: events.length, deliveries: made.length };
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
