// A delivery's job: made, sent, and settled with the row that says how it went. Tried again by the table
// `RETRY.webhook`; then it is a dead letter, which stays until it is told anew or is too old.
// Invariant: the id of a delivery is the same at every attempt, so a receiver that saw it can tell.

import { randomBytes } from 'node:crypto';
import type { Approval } from '@relay/contract/api/approvals';
import type { WebhookDeliveryType } from '@relay/contract/api/constants';
import {
  type ConnectionState,
  connectionSentence,
  whatsappStatusOf,
} from '@relay/contract/connection/states';
import type { AccountId, ApprovalId, ChatId, DeliveryId, WebhookId } from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import type { WebhookData } from '@relay/contract/webhooks/events';
import type { Sealer } from '@relay/core/ports/sealer';
import { delayFor, RETRY } from '@relay/core/retry';
import { type EventFacts, healthEventOf } from '@relay/core/webhooks/event-mapping';
import type { DeliveryFailure } from '@relay/core/webhooks/failure';
import { Webhook } from 'standardwebhooks';
import type { Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type Egress, EgressError } from '../../platform/egress/egress.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Job, JobHandler } from '../../platform/jobs/worker.ts';
import {
  type DeliverySettlement,
  type DueDelivery,
  type QueuedDelivery,
  readChatName,
  readContactName,
  readDeliveredConversation,
  readDeliveredMessage,
  readDeliveredOutgoing,
  readDueDelivery,
  settleDelivery,
} from './deliveries.ts';
import {
  noteWebhookDelivered,
  noteWebhookFailed,
  readSealedSecrets,
  switchOffWebhook,
  type WebhookNote,
  type WebhookRow,
} from './webhooks.ts';

/** For so long nothing at all has arrived: nobody is there any more. */
const GIVE_UP_MS = 3 * 86_400_000;

export function createDeliveryHandler(deps: WebhookDeps): JobHandler<'webhook'> {
  const { db, lease } = deps;
  return async (job, signal) => {
    const due = await readDueDelivery(db, lease.account, job.data.subject);
    // Erased, removed with its webhook, or settled already.
    if (due === null || due.delivery.state !== 'pending') return;
    const tried = await sendDelivery(deps, due, signal);
    await transaction(deps, ({ tx }) => settleAttempt(deps, tx, job, due, tried));
    deps.jobs.hint('webhook');
  };
}

/** Why it was not even tried, or how that went. */
async function sendDelivery(
  deps: WebhookDeps,
  { webhook, delivery }: DueDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  if (!webhook.enabled) return { status: null, failure: 'disabled' };
  const { id, type, facts, event_at: at } = delivery;
  const data = await makeDeliveryData(type, { world: deps, webhook, facts });
  if (data === null) return { status: null, failure: 'erased' };
  return sendWebhookRequest(deps, webhook, { id, type, at, data }, signal);
}

async function settleAttempt(
  deps: WebhookDeps,
  tx: Transaction,
  job: Job<'webhook'>,
  { webhook, delivery }: DueDelivery,
  tried: AttemptResult,
): Promise<void> {
  const { lease, jobs, log } = deps;
  const { account } = lease;
  const now = deps.now();
  const settled = settlementOf(delivery.attempts, tried, now);
  await settleDelivery(tx, account, delivery.id, settled, now);
  const queued = { id: delivery.id, webhook: webhook.id, facts: delivery.facts };
  if (settled.nextAt !== null) {
    const inSeconds = Math.ceil((+settled.nextAt - +now) / 1000);
    await enqueueDeliveries(jobs, tx, account, [queued], inSeconds);
  }
  if (settled.state === 'delivered') {
    const wasFailing = await noteWebhookDelivered(tx, account, webhook.id, now);
    // Somebody is there again: what waits for its next attempt need not.
    if (wasFailing) await jobs.hurry(tx, 'webhook', laneKeysOf(account, webhook.id));
  } else if (tried.failure !== 'erased' && tried.failure !== 'disabled') {
    const since = await noteWebhookFailed(tx, account, webhook.id, now);
    const note = switchOffReason(tried, +now - +since);
    if (note !== null) {
      await switchOffWebhook(tx, account, webhook.id, note);
      await appendSwitchedOff(tx, deps, webhook.id, note);
      log.warn('a webhook was switched off', { reason: note });
    }
  }
  await job.complete(tx);
}

function settlementOf(
  before: number,
  { status, failure }: AttemptResult,
  now: Date,
): DeliverySettlement {
  const untried = failure === 'erased' || failure === 'disabled';
  const attempts = untried ? before : before + 1;
  const ended = (state: DeliverySettlement['state']): DeliverySettlement => ({
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

function switchOffReason({ failure }: AttemptResult, failingMs: number): WebhookNote | null {
  if (failure === 'gone') return 'gone';
  return failingMs >= GIVE_UP_MS ? 'failing' : null;
}

const appendSwitchedOff = (
  tx: Transaction,
  { lease }: WebhookDeps,
  webhook: string,
  note: WebhookNote,
): Promise<void> =>
  appendEvent(tx, lease.account, {
    kind: 'webhook',
    subject: webhook,
    data: { state: 'off', reason: note },
  });

// One attempt: the body signed as Standard Webhooks has it, through the one way to the outside. The status is
// all of the answer that is looked at.

interface WebhookRequest {
  readonly id: DeliveryId;
  readonly type: WebhookDeliveryType;
  readonly at: Date;
  readonly data: object;
}

interface AttemptResult {
  readonly status: number | null;
  /** Null: it arrived. */
  readonly failure: DeliveryFailure | null;
}

/** Whoever takes a message puts it in a queue of its own and answers: this is long. */
const TIMEOUT_MS = 15_000;

export async function sendWebhookRequest(
  deps: WebhookDeps,
  webhook: Pick<WebhookRow, 'id' | 'url' | 'rotated_at'>,
  told: WebhookRequest,
  signal?: AbortSignal,
): Promise<AttemptResult> {
  const now = deps.now();
  const secrets = await openWebhookSecrets(deps, webhook, now);
  if (secrets === null) return { status: null, failure: 'sealed' };
  const { id, type, at, data } = told;
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
  try {
    const { status } = await deps.egress(webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(+now / 1000)),
        'webhook-signature': secrets.map((key) => new Webhook(key).sign(id, now, body)).join(' '),
      },
      body,
      statusOnly: true,
      timeoutMs: TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    if (status >= 200 && status <= 299) return { status, failure: null };
    return { status, failure: status === 410 ? 'gone' : 'status' };
  } catch (error) {
    // Stopped with the daemon: it was not the receiver's fault, and the next start tries it again.
    if (signal?.aborted || !(error instanceof EgressError)) throw error;
    return { status: null, failure: error.reason };
  }
}

// The body of a delivery, made from the rows at the moment it is sent, as the live stream makes its frames.
// Invariant: without `include_text` it holds ids, codes and times, and nothing that somebody wrote or is called.

interface BodyContext {
  readonly world: WebhookDeps;
  readonly webhook: Pick<WebhookRow, 'id' | 'include_text'>;
  readonly facts: EventFacts;
}

type BodyMakers = {
  readonly [Type in WebhookDeliveryType]: (about: BodyContext) => Promise<WebhookData<Type> | null>;
};

const BODY_MAKERS: BodyMakers = {
  'message.received': receivedBody,
  'message.sent': async (about) => ('outbox' in about.facts ? sentBody(about) : typedBody(about)),
  'conversation.state': conversationBody,
  'approval.requested': approvalBody,
  'approval.answered': approvalBody,
  'link.state': async ({ facts }) => {
    const state = facts.state as ConnectionState;
    const from = facts.from as ConnectionState | null;
    return { state, from, status: whatsappStatusOf(state), sentence: connectionSentence(state) };
  },
  health: async ({ facts }) => healthEventOf(facts),
  ping: async ({ webhook }) => ({ webhook_id: webhook.id }),
};

/** What a request says under `data`; null when what it is about is gone. */
const makeDeliveryData = (type: WebhookDeliveryType, about: BodyContext): Promise<object | null> =>
  BODY_MAKERS[type](about);

async function receivedBody({
  world: { db, lease },
  webhook,
  facts,
}: BodyContext): Promise<WebhookData<'message.received'> | null> {
  const message = await readDeliveredMessage(db, lease.account, facts);
  if (message === null) return null;
  const told = {
    message_id: message.message_id,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.sender,
    direction: 'in' as const,
    kind: message.kind,
    sent_at: message.sent_at.toISOString(),
    late: message.late,
  };
  if (!webhook.include_text) return told;
  return {
    ...told,
    text: message.body,
    from: message.from,
    from_name: (await readContactName(db, lease.account, message.sender)) ?? message.sender_name,
    chat_name: await readChatName(db, lease.account, message.chat),
  };
}

/** What the owner typed on a phone. */
async function typedBody({
  world: { db, lease },
  webhook,
  facts,
}: BodyContext): Promise<WebhookData<'message.sent'> | null> {
  const message = await readDeliveredMessage(db, lease.account, facts);
  if (message === null) return null;
  const told = {
    message_id: message.message_id,
    outbox_id: null,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.contact,
    conversation_id: null,
    direction: 'out' as const,
    state: 'sent' as const,
  };
  if (!webhook.include_text) return told;
  const to_name = await readChatName(db, lease.account, message.chat);
  return { ...told, text: message.body, failure: null, to_name };
}

async function sentBody({
  world: { db, lease },
  webhook,
  facts,
}: BodyContext): Promise<WebhookData<'message.sent'> | null> {
  const message = await readDeliveredOutgoing(db, lease.account, facts);
  if (message === null) return null;
  const told = {
    message_id: message.message_id,
    outbox_id: message.outbox,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.contact,
    conversation_id: message.instance,
    direction: 'out' as const,
    // As it was when this happened: what came after is told for itself.
    state: facts.state as OutboxState,
  };
  if (!webhook.include_text) return told;
  const to_name = await readChatName(db, lease.account, message.chat);
  return { ...told, text: message.body, failure: message.failure, to_name };
}

async function conversationBody({
  world: { db, lease },
  webhook,
  facts,
}: BodyContext): Promise<WebhookData<'conversation.state'> | null> {
  const found = await readDeliveredConversation(db, lease.account, facts);
  if (found === null) return null;
  const told = {
    conversation_id: found.id,
    chat_id: found.chat,
    contact_id: found.contact,
    state: String(facts.state),
    from: facts.from as string | null,
    trigger: facts.trigger as string | null,
    needs_you: facts.state === 'NEEDS_HUMAN_INTERVENTION',
  };
  if (!webhook.include_text) return told;
  return { ...told, objective: found.objective, reason: found.reason };
}

async function approvalBody({
  world: deps,
  webhook,
  facts,
}: BodyContext): Promise<WebhookData<'approval.answered'> | null> {
  const approval = await deps.approval(facts.approval as ApprovalId);
  if (approval === null) return null;
  const told = {
    approval_id: approval.id,
    kind: approval.kind,
    state: facts.state as typeof approval.state,
    reason: approval.reason_code,
    requested_by: approval.requested_by,
    conversation_id: approval.instance_id,
    chat_id: (facts.chat ?? null) as ChatId | null,
    expires_at: approval.expires_at,
  };
  if (!webhook.include_text) return told;
  const { text, recipient, recipient_name, answer } = approval;
  return { ...told, text, recipient, recipient_name, answer };
}

// The secrets webhooks are signed with: made here, shown once, and kept sealed for this home under the name of
// their webhook. After a change the one before signs too for a day.

const OVERLAP_MS = 24 * 3_600_000;

const sealedSecretName = (id: WebhookId): string => `webhook/${id}`;

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const sealWebhookSecret = (sealer: Sealer, id: WebhookId, secret: string): Uint8Array =>
  sealer.seal(sealedSecretName(id), Buffer.from(secret));

/** Those that sign now, the newest first; null when they were sealed for another home. */
async function openWebhookSecrets(
  { db, lease, sealer }: WebhookDeps,
  { id, rotated_at }: Pick<WebhookRow, 'id' | 'rotated_at'>,
  now: Date,
): Promise<readonly string[] | null> {
  const sealed = await readSealedSecrets(db, lease.account, id);
  if (sealed === null) return null;
  const overlaps = rotated_at !== null && +now - +rotated_at < OVERLAP_MS;
  const previous = overlaps ? sealed.previous_secret : null;
  const newest = openSecret(sealer, id, sealed.secret);
  if (newest === null) return null;
  const before = previous === null ? null : openSecret(sealer, id, previous);
  return before === null ? [newest] : [newest, before];
}

function openSecret(sealer: Sealer, id: WebhookId, sealed: Uint8Array): string | null {
  try {
    return Buffer.from(sealer.open(sealedSecretName(id), sealed)).toString();
  } catch {
    return null;
  }
}

// Jobs of deliveries. A webhook has a few lanes, each with one request at a time: a receiver that is slow holds
// up nobody but itself, and what concerns one chat goes out in its order as long as all goes well.

const LANES = 4;

const laneKey = (account: AccountId, webhook: WebhookId, lane: number): string =>
  `${account}:${webhook}:${lane}`;

export const laneKeysOf = (account: AccountId, webhook: WebhookId): string[] =>
  Array.from({ length: LANES }, (_, lane) => laneKey(account, webhook, lane));

/** The same for the same subject. */
function laneOf({ chat, instance, approval }: EventFacts): number {
  let sum = 0;
  for (const character of String(chat ?? instance ?? approval)) {
    sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  }
  return sum % LANES;
}

export async function enqueueDeliveries(
  jobs: Jobs,
  tx: Transaction,
  account: AccountId,
  deliveries: readonly QueuedDelivery[],
  inSeconds = 0,
): Promise<void> {
  await jobs.enqueue(
    tx,
    'webhook',
    deliveries.map(({ id, webhook, facts }) => ({
      key: laneKey(account, webhook, laneOf(facts)),
      data: { account, subject: id },
      inSeconds,
    })),
  );
}

// What telling webhooks stands on.

export interface WebhookDeps extends Engine {
  /** The public internet, and what the owner allows besides. */
  readonly egress: Egress;
  readonly sealer: Sealer;
  /** With exactly what is asked; null when it is gone. */
  approval(id: ApprovalId): Promise<Approval | null>;
}
