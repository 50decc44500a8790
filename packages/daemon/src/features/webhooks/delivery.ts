// The job of a delivery: builds the body, sends it, and stores the result. It is retried according to `RETRY.webhook`;
// then it is dead until it is replayed or too old.
// Invariant: a delivery has the same id at every attempt, so that a receiver can recognize it.

import { randomBytes } from 'node:crypto';
import type { Approval } from '@relay/contract/api/approvals';
import {
  type ConnectionState,
  connectionSentence,
  whatsappStatusOf,
} from '@relay/contract/connection/states';
import { type InstanceState, isTerminal } from '@relay/contract/conversation/states';
import {
  type AccountId,
  type ApprovalId,
  type ChatId,
  chatId,
  type DeliveryId,
  type WebhookId,
} from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import type { WebhookDeliveryType } from '@relay/contract/webhooks/event-types';
import type { WebhookData } from '@relay/contract/webhooks/events';
import { type Sealer, webhookSecretName } from '@relay/core/ports/sealer';
import { RETRY } from '@relay/core/retry';
import { type EventFacts, healthEventOf } from '@relay/core/webhooks/event-mapping';
import type { DeliveryFailure } from '@relay/core/webhooks/failure';
import type { EventVisibility } from '@relay/core/webhooks/visibility';
import { Webhook } from 'standardwebhooks';
import { readAccountName } from '../../platform/db/account.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { toMediaBody } from '../../platform/db/media.ts';
import { noteTokenReads, readTokenClient } from '../../platform/db/tokens.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type AttemptResult, nextAttemptIn, postOnce } from '../../platform/egress/attempt.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Job, JobHandler } from '../../platform/jobs/queue-worker.ts';
import {
  type DeliveredMessage,
  type DeliverySettlement,
  type DueDelivery,
  loadVisibilities,
  locateEvents,
  type QueuedDelivery,
  readChatName,
  readContactName,
  readDeliveredConversation,
  readDeliveredMessage,
  readDeliveredOutgoing,
  readDueDelivery,
  settleDelivery,
} from './delivery-store.ts';
import {
  noteWebhookDelivered,
  noteWebhookFailed,
  readSealedSecrets,
  switchOffWebhook,
  type WebhookNote,
  type WebhookRow,
} from './webhooks.ts';

/** After this long without a successful delivery the webhook is switched off. */
const GIVE_UP_MS = 3 * 86_400_000;

export function createDeliveryHandler(deps: WebhookDeps): JobHandler<'webhook'> {
  const { db, lease } = deps;
  return async (job, signal) => {
    const due = await readDueDelivery(db, lease.account, job.data.subject);
    // Erased, deleted with its webhook, or already settled.
    if (due === null || due.delivery.state !== 'pending') return;
    const tried = await sendDelivery(deps, due, signal);
    await transaction(deps, ({ tx }) => settleAttempt(deps, tx, job, due, tried));
    deps.jobs.wake('webhook');
  };
}

/** The result of the attempt, or why there was none. */
async function sendDelivery(
  deps: WebhookDeps,
  { webhook, delivery }: DueDelivery,
  signal: AbortSignal,
): Promise<AttemptResult> {
  if (!webhook.enabled) return unsent('disabled');
  const { id, type, facts, event_at: at } = delivery;
  const visibility = await visibilityToWebhook(deps, webhook, delivery);
  if (visibility === 'hidden') return unsent('disabled');
  const includeText = webhook.include_text && visibility === 'text';
  const data = await makeDeliveryData(type, { deps, includeText, facts });
  if (data === null) return unsent('erased');
  return sendWebhookRequest(deps, webhook, { id, type, at, data }, signal);
}

/** What the webhook may contain: of a client's, what that client may see now. */
async function visibilityToWebhook(
  { db, lease, admins }: WebhookDeps,
  webhook: WebhookRow,
  { type, facts }: DueDelivery['delivery'],
): Promise<EventVisibility> {
  if (webhook.token_id === null) return 'text';
  const { account } = lease;
  const client = await readTokenClient(db, account, webhook.token_id);
  if (client === null || type === 'ping') return 'hidden';
  const [located = null] = await locateEvents(db, account, [{ type, facts }]);
  const [visibility = 'hidden'] = await loadVisibilities(
    { db, account, admins },
    [located],
    client,
  );
  const chat = located?.place.chat ?? null;
  if (visibility === 'text' && webhook.include_text && chat !== null) {
    await noteTokenReads(db, account, client.id, [chatId(chat)]);
  }
  return visibility;
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
    const delaySeconds = Math.ceil((+settled.nextAt - +now) / 1000);
    await enqueueDeliveries(jobs, tx, account, [queued], delaySeconds);
  }
  if (settled.state === 'delivered') {
    const wasFailing = await noteWebhookDelivered(tx, account, webhook.id, now);
    // The receiver works again, so waiting deliveries are retried now.
    if (wasFailing) await jobs.makeReadyNow(tx, 'webhook', laneKeysOf(account, webhook.id));
  } else if (tried.failure !== 'erased' && tried.failure !== 'disabled') {
    const since = await noteWebhookFailed(tx, account, webhook.id, now);
    const note = switchOffReason(tried, +now - +since);
    if (note !== null) {
      await switchOffWebhook(tx, account, webhook.id, note);
      await appendSwitchedOff(tx, deps, webhook.id, note);
      log.warn('webhook turned off', { reason: note });
    }
  }
  await job.complete(tx);
}

function settlementOf(before: number, tried: AttemptResult, now: Date): DeliverySettlement {
  const { status, failure } = tried;
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
  const wait = nextAttemptIn(RETRY.webhook, attempts, tried);
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

// One attempt: sends the body, signed according to Standard Webhooks, through `Egress`. Only the status of the response
// is read.

interface WebhookRequest {
  readonly id: DeliveryId;
  readonly type: WebhookDeliveryType;
  readonly at: Date;
  readonly data: object;
}

const unsent = (failure: DeliveryFailure): AttemptResult => ({
  status: null,
  failure,
  waitMs: null,
});

export async function sendWebhookRequest(
  deps: WebhookDeps,
  webhook: Pick<WebhookRow, 'id' | 'url' | 'rotated_at'>,
  request: WebhookRequest,
  signal?: AbortSignal,
): Promise<AttemptResult> {
  const now = deps.now();
  const secrets = await openWebhookSecrets(deps, webhook, now);
  if (secrets === null) return unsent('sealed');
  const { id, type, at, data } = request;
  const account = await readAccountName(deps.db, deps.lease.account);
  const body = JSON.stringify({ type, account, timestamp: at.toISOString(), data });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(+now / 1000)),
    'webhook-signature': secrets.map((key) => new Webhook(key).sign(id, now, body)).join(' '),
  };
  return postOnce(deps.egress, webhook.url, { headers, body }, { now, signal, gone: [410] });
}

// Builds the body of a delivery from the rows at the moment it is sent, like the frames of the live stream.
// Invariant: without `includeText` it contains ids, codes and times, and no text or name of anybody.

interface BodyContext {
  readonly deps: WebhookDeps;
  readonly includeText: boolean;
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
    return {
      state,
      from_state: facts.from as ConnectionState | null,
      status: whatsappStatusOf(state),
      explanation: connectionSentence(state),
    };
  },
  health: async ({ facts }) => healthEventOf(facts),
  // Sent at once when it is asked for, never from here.
  ping: async () => null,
};

/** The `data` of a request; null when its subject no longer exists. */
export const makeDeliveryData = (
  type: WebhookDeliveryType,
  about: BodyContext,
): Promise<object | null> => BODY_MAKERS[type](about);

async function receivedBody({
  deps: { db, lease },
  includeText,
  facts,
}: BodyContext): Promise<WebhookData<'message.received'> | null> {
  const message = await readDeliveredMessage(db, lease.account, facts);
  if (message === null) return null;
  const body = {
    message_id: message.message_id,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.sender,
    direction: 'in' as const,
    kind: message.kind,
    sent_at: message.sent_at.toISOString(),
    late: message.late,
    ...mediaOf(message, includeText),
  };
  if (!includeText) return body;
  return {
    ...body,
    text: message.body,
    ...(message.content === null ? {} : { content: message.content }),
    from: message.from,
    from_name: (await readContactName(db, lease.account, message.sender)) ?? message.sender_name,
    chat_name: await readChatName(db, lease.account, message.chat),
  };
}

function mediaOf({ media }: Pick<DeliveredMessage, 'media'>, includeText: boolean) {
  if (media === null) return {};
  if (includeText) return { media: toMediaBody(media) };
  return { media: toMediaBody({ ...media, transcript: null, language: null, file_name: null }) };
}

/** A message that the owner typed on a phone. */
async function typedBody({
  deps: { db, lease },
  includeText,
  facts,
}: BodyContext): Promise<WebhookData<'message.sent'> | null> {
  const message = await readDeliveredMessage(db, lease.account, facts);
  if (message === null) return null;
  const body = {
    message_id: message.message_id,
    outbox_id: null,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.contact,
    conversation_id: null,
    direction: 'out' as const,
    state: 'sent' as const,
  };
  if (!includeText) return body;
  const to_name = await readChatName(db, lease.account, message.chat);
  return { ...body, text: message.body, explanation: null, to_name };
}

async function sentBody({
  deps: { db, lease },
  includeText,
  facts,
}: BodyContext): Promise<WebhookData<'message.sent'> | null> {
  const message = await readDeliveredOutgoing(db, lease.account, facts);
  if (message === null) return null;
  const body = {
    message_id: message.message_id,
    outbox_id: message.outbox,
    chat_id: message.chat,
    chat_kind: message.chat_kind,
    contact_id: message.contact,
    conversation_id: message.instance,
    direction: 'out' as const,
    // The state at the time of this event: later states have their own events.
    state: facts.state as OutboxState,
  };
  if (!includeText) return body;
  const to_name = await readChatName(db, lease.account, message.chat);
  return { ...body, text: message.body, explanation: message.failure, to_name };
}

async function conversationBody({
  deps: { db, lease },
  includeText,
  facts,
}: BodyContext): Promise<WebhookData<'conversation.state'> | null> {
  const found = await readDeliveredConversation(db, lease.account, facts);
  if (found === null) return null;
  const { result_status } = found;
  const hasResult = result_status !== null && isTerminal(facts.state as InstanceState);
  const body = {
    conversation_id: found.id,
    chat_id: found.chat,
    contact_id: found.contact,
    state: String(facts.state),
    from_state: facts.from as string | null,
    reason: facts.trigger as string | null,
    needs_you: facts.state === 'NEEDS_HUMAN_INTERVENTION',
    ...(hasResult ? { result_status } : {}),
  };
  if (!includeText) return body;
  return {
    ...body,
    objective: found.objective,
    explanation: found.reason,
    ...(hasResult
      ? {
          result: found.result,
          result_explanation: found.result_reason,
          result_from_contact: true,
        }
      : {}),
  };
}

async function approvalBody({
  deps,
  includeText,
  facts,
}: BodyContext): Promise<WebhookData<'approval.answered'> | null> {
  const approval = await deps.approval(facts.approval as ApprovalId);
  if (approval === null) return null;
  const body = {
    approval_id: approval.id,
    kind: approval.kind,
    state: facts.state as typeof approval.state,
    reason: approval.reason_code,
    requested_by: approval.requested_by,
    conversation_id: approval.instance_id,
    chat_id: (facts.chat ?? null) as ChatId | null,
    expires_at: approval.expires_at,
  };
  if (!includeText) return body;
  const { text, recipient, recipient_name, answer } = approval;
  return { ...body, text, recipient, recipient_name, answer };
}

// The secrets that sign webhooks: created here, shown once, and stored sealed for this home under the webhook's name.
// After a rotation the previous secret also signs for a day.

const OVERLAP_MS = 24 * 3_600_000;

export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export const sealWebhookSecret = (sealer: Sealer, id: WebhookId, secret: string): Uint8Array =>
  sealer.seal(webhookSecretName(id), Buffer.from(secret));

/** The secrets that sign now, newest first; null when they were sealed for another home. */
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
    return Buffer.from(sealer.open(webhookSecretName(id), sealed)).toString();
  } catch {
    return null;
  }
}

// Jobs of deliveries. A webhook has a few lanes with one request at a time each: a slow receiver delays only itself,
// and the events of one chat are sent in order as long as nothing fails.

const LANES = 4;

const laneKey = (account: AccountId, webhook: WebhookId, lane: number): string =>
  `${account}:${webhook}:${lane}`;

export const laneKeysOf = (account: AccountId, webhook: WebhookId): string[] =>
  Array.from({ length: LANES }, (_, lane) => laneKey(account, webhook, lane));

/** The same lane for the same subject. */
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
  delaySeconds = 0,
): Promise<void> {
  await jobs.enqueue(
    tx,
    'webhook',
    deliveries.map(({ id, webhook, facts }) => ({
      key: laneKey(account, webhook, laneOf(facts)),
      data: { account, subject: id },
      delaySeconds,
    })),
  );
}

// The dependencies of webhooks.

export interface WebhookDeps extends Engine {
  /** For the public internet, and what the owner allows besides. */
  readonly egress: Egress;
  /** The private addresses behind a URL that `egress` refuses. */
  insideAddresses(url: string): Promise<readonly string[]>;
  /** `webhooks.allow`. */
  readonly allowedAddresses: readonly string[];
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly sealer: Sealer;
  /** With the exact content to approve; null when it no longer exists. */
  approval(id: ApprovalId): Promise<Approval | null>;
}
