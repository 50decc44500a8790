// A delivery's job: made, sent, and settled with the row that says how it went. Tried again by the table
// `RETRY.webhook`; then it is a dead letter, which stays until it is told anew or is too old.
// Invariant: the id of a delivery is the same at every attempt, so a receiver that saw it can tell.
import { delayFor, RETRY } from '@relay/core/retry';
import type { Handler, Job } from '../jobs/worker.ts';
import type { Transaction } from '../store/database.ts';
import { appendEvent } from '../store/events.ts';
import { fenced } from '../store/fenced.ts';
import {
  type DueDelivery,
  dueDelivery,
  type Settled,
  settleDelivery,
} from '../store/webhooks/deliveries.ts';
import {
  noteArrived,
  noteFailed,
  switchOff,
  type WebhookNote,
} from '../store/webhooks/webhooks.ts';
import { dataOf } from './body.ts';
import { enqueueDeliveries, lanesOf } from './lanes.ts';
import { type Attempt, attempt } from './request.ts';
import type { WebhookWorld } from './world.ts';

/** For so long nothing at all has arrived: nobody is there any more. */
const GIVE_UP_MS = 3 * 86_400_000;

export function onDelivery(world: WebhookWorld): Handler<'webhook'> {
  const { db, lease } = world;
  return async (job, signal) => {
    const due = await dueDelivery(db, lease.account, job.data.subject);
    // Erased, removed with its webhook, or settled already.
    if (due === null || due.delivery.state !== 'pending') return;
    const tried = await tell(world, due, signal);
    await fenced(db, lease, (tx) => settle(world, tx, job, due, tried));
    world.events.hint();
    world.jobs.hint('webhook');
  };
}

/** Why it was not even tried, or how that went. */
async function tell(
  world: WebhookWorld,
  { webhook, delivery }: DueDelivery,
  signal: AbortSignal,
): Promise<Attempt> {
  if (!webhook.enabled) return { status: null, failure: 'disabled' };
  const { id, type, facts, event_at: at } = delivery;
  const data = await dataOf(type, { world, webhook, facts });
  if (data === null) return { status: null, failure: 'erased' };
  return attempt(world, webhook, { id, type, at, data }, signal);
}

async function settle(
  world: WebhookWorld,
  tx: Transaction,
  job: Job<'webhook'>,
  { webhook, delivery }: DueDelivery,
  tried: Attempt,
): Promise<void> {
  const { lease, jobs, log } = world;
  const { account } = lease;
  const now = world.now();
  const settled = outcome(delivery.attempts, tried, now);
  await settleDelivery(tx, account, delivery.id, settled, now);
  const queued = { id: delivery.id, webhook: webhook.id, facts: delivery.facts };
  if (settled.nextAt !== null) {
    const inSeconds = Math.ceil((+settled.nextAt - +now) / 1000);
    await enqueueDeliveries(jobs, tx, account, [queued], inSeconds);
  }
  if (settled.state === 'delivered') {
    const wasFailing = await noteArrived(tx, account, webhook.id, now);
    // Somebody is there again: what waits for its next attempt need not.
    if (wasFailing) await jobs.hurry(tx, 'webhook', lanesOf(account, webhook.id));
  } else if (tried.failure !== 'erased' && tried.failure !== 'disabled') {
    const since = await noteFailed(tx, account, webhook.id, now);
    const note = noteOf(tried, +now - +since);
    if (note !== null) {
      await switchOff(tx, account, webhook.id, note);
      await tellOff(tx, world, webhook.id, note);
      log.warn('a webhook was switched off', { reason: note });
    }
  }
  await job.complete(tx);
}

function outcome(before: number, { status, failure }: Attempt, now: Date): Settled {
  const untried = failure === 'erased' || failure === 'disabled';
  const attempts = untried ? before : before + 1;
  const ended = (state: Settled['state']): Settled => ({
    state,
    attempts,
    status,
    failure,
    nextAt: null,
  });
  if (failure === null) return ended('delivered');
  if (failure === 'erased') return ended('dropped');
  if (failure === 'disabled' || failure === 'gone') return ended('dead');
  const wait = delayFor(RETRY.webhook, attempts, Math.random());
  if (wait === null) return ended('dead');
  return { ...ended('pending'), nextAt: new Date(+now + wait) };
}

function noteOf({ failure }: Attempt, failingMs: number): WebhookNote | null {
  if (failure === 'gone') return 'gone';
  return failingMs >= GIVE_UP_MS ? 'failing' : null;
}

const tellOff = (
  tx: Transaction,
  { lease }: WebhookWorld,
  webhook: string,
  note: WebhookNote,
): Promise<void> =>
  appendEvent(tx, lease.account, {
    kind: 'webhook',
    subject: webhook,
    data: { state: 'off', reason: note },
  });
