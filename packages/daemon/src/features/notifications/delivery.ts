// The job of a delivery: reads what the notification is about, sends it, and stores the result. It is retried according
// to `RETRY.webhook`. A notification whose subject needs nobody any more is not shown.
// Invariant: a repeated attempt shows nothing twice, because a browser keeps one notification for each tag.

import { createHash } from 'node:crypto';
import type { Approval } from '@relay/contract/api/approvals';
import type {
  AddressedChannel,
  NotificationChannel,
  SetChannel,
} from '@relay/contract/api/notifications';
import type { AccountId, ApprovalId } from '@relay/contract/ids';
import type { PushPayload } from '@relay/contract/notifications/push-payload';
import type { NotificationSettings } from '@relay/contract/settings';
import {
  type NotificationContent,
  type NotificationSubject,
  notificationPath,
  notificationTag,
  notificationText,
  pushDetail,
} from '@relay/core/notifications/notification';
import type { Sealer } from '@relay/core/ports/sealer';
import { RETRY } from '@relay/core/retry';
import type { Transaction } from '../../platform/db/database.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type AttemptResult, nextAttemptIn, postOnce } from '../../platform/egress/attempt.ts';
import type { Egress } from '../../platform/egress/egress.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import type { Job, JobHandler } from '../../platform/jobs/queue-worker.ts';
import { loadPushKeys, pushRequest } from './push.ts';
import {
  type DeviceRow,
  type DueNotification,
  deletePushDevice,
  type NotificationSettlement,
  noteDeviceResult,
  type QueuedNotification,
  readDueNotification,
  readWaitingConversation,
  settleNotification,
} from './store.ts';

/** A push service answers 404 or 410 for a subscription that ended. */
const GONE = [404, 410];

export interface NotificationDeps extends Engine {
  readonly sealer: Sealer;
  /** For the public internet, and what the owner allows besides. */
  readonly egress: Egress;
  /** As written in the settings file. */
  settings(): Promise<NotificationSettings>;
  /** Its address, with the token opened; null if the owner set none. */
  channel(
    channel: AddressedChannel,
  ): Promise<{ readonly url: string; readonly token: string | null } | null>;
  saveChannel(channel: AddressedChannel, set: SetChannel): Promise<void>;
  /** Null when it no longer exists. */
  approval(id: ApprovalId): Promise<Approval | null>;
  countApprovals(): Promise<number>;
  /** The console's own address on this machine. */
  localUrl(): string;
  /** Why agents have no model now; null if they have one. */
  modelTrouble(): Promise<{ readonly code: string; readonly key: string } | null>;
}

export function createNotificationHandler(deps: NotificationDeps): JobHandler<'notification'> {
  const { db, lease } = deps;
  return async (job, signal) => {
    const due = await readDueNotification(db, lease.account, job.data.subject, deps.now());
    // Its device was removed, or it is settled.
    if (due === null || due.state !== 'pending') return;
    const tried = await sendDelivery(deps, due, signal);
    await transaction(deps, ({ tx }) => settleAttempt(deps, tx, job, due, tried));
    deps.jobs.wake('notification');
  };
}

/** Not attempted, because nobody is needed any more. */
const DROPPED = 'dropped';
type Tried = AttemptResult | typeof DROPPED;

async function sendDelivery(
  deps: NotificationDeps,
  due: DueNotification,
  signal: AbortSignal,
): Promise<Tried> {
  if (due.action === 'close') {
    // What was never shown is not taken away; an attempt in progress is over, because jobs of a device are in order.
    if (due.shown !== 'delivered' || due.device === null) return DROPPED;
    return sendToDevice(deps, due.device, due, null, signal);
  }
  const content = await readContent(deps, due);
  if (content === null) return DROPPED;
  if (due.device !== null) return sendToDevice(deps, due.device, due, content, signal);
  return due.channel === 'push' ? DROPPED : sendToChannel(deps, due.channel, due, content, signal);
}

/** Null if it needs nobody any more. */
async function readContent(
  deps: NotificationDeps,
  { kind, subject }: NotificationSubject,
): Promise<NotificationContent | null> {
  const content = { kind, subject, approval: null, conversation: null };
  if (kind === 'approval') {
    const approval = await deps.approval(subject as ApprovalId);
    return approval?.state === 'pending' ? { ...content, approval } : null;
  }
  if (kind === 'conversation') {
    const conversation = await readWaitingConversation(deps.db, deps.lease.account, subject);
    return conversation === null ? null : { ...content, conversation };
  }
  if (kind === 'model') return (await deps.modelTrouble())?.code === subject ? content : null;
  return content;
}

// To a device.

const DAY_S = 86_400;

type Sent = Pick<DueNotification, 'action' | 'kind' | 'subject' | 'created_at'>;

async function sendToDevice(
  deps: NotificationDeps,
  device: DeviceRow,
  sent: Sent,
  content: NotificationContent | null,
  signal: AbortSignal | undefined,
): Promise<AttemptResult> {
  const { show_text: showText } = await deps.settings();
  const tag = notificationTag(sent);
  const payload: PushPayload = {
    action: sent.action,
    kind: sent.kind,
    tag,
    code: sent.kind === 'link' || sent.kind === 'model' ? sent.subject : null,
    path: notificationPath(sent),
    waiting: await deps.countApprovals(),
    locale: device.locale,
    at: sent.created_at.toISOString(),
    // A browser that is no longer signed in shows no more than that something waits.
    detail:
      content !== null && showText && device.signed_in
        ? pushDetail(content, device.signed_in)
        : null,
  };
  const request = await pushRequest(await loadPushKeys(deps), device, {
    payload,
    topic: createHash('sha256').update(tag).digest('base64url').slice(0, 32),
    ttlSeconds: DAY_S,
    isUrgent: sent.action === 'show',
  });
  return postOnce(deps.egress, device.endpoint, request, { now: deps.now(), signal, gone: GONE });
}

// To an ntfy topic or the owner's own webhook.

async function sendToChannel(
  deps: NotificationDeps,
  channel: AddressedChannel,
  { id, created_at: at }: { readonly id: string; readonly created_at: Date },
  content: NotificationContent,
  signal: AbortSignal | undefined,
): Promise<Tried> {
  const place = await deps.channel(channel).catch(() => 'sealed' as const);
  if (place === 'sealed') return { status: null, failure: 'sealed', waitMs: null };
  if (place === null) return DROPPED;
  const { show_text: showText, console_url: base } = await deps.settings();
  const { title, text } = notificationText(content, showText);
  const link = new URL(notificationPath(content), base ?? deps.localUrl()).href;
  const { url, body } =
    channel === 'ntfy'
      ? ntfyMessage(place.url, { title, text, link, isUrgent: content.kind !== 'test' })
      : {
          url: place.url,
          body: { id, kind: content.kind, title, text, link, at: at.toISOString() },
        };
  const headers = {
    'content-type': 'application/json',
    ...(place.token === null ? {} : { authorization: `Bearer ${place.token}` }),
  };
  return postOnce(
    deps.egress,
    url,
    { headers, body: JSON.stringify(body) },
    { now: deps.now(), signal, gone: GONE },
  );
}

/** Published as JSON to the server itself, because headers cannot carry every character of a title. */
function ntfyMessage(
  topicUrl: string,
  {
    title,
    text,
    link,
    isUrgent,
  }: Readonly<Record<'title' | 'text' | 'link', string>> & {
    readonly isUrgent: boolean;
  },
) {
  const url = new URL(topicUrl);
  const topic = url.pathname.split('/').at(-1) ?? '';
  url.pathname = url.pathname.slice(0, -topic.length);
  const priority = isUrgent ? 4 : 3;
  return { url: url.href, body: { topic, title, message: text, click: link, priority } };
}

// The result.

async function settleAttempt(
  deps: NotificationDeps,
  tx: Transaction,
  job: Job<'notification'>,
  due: DueNotification,
  tried: Tried,
): Promise<void> {
  const { lease, jobs, log } = deps;
  const { account } = lease;
  const now = deps.now();
  await job.complete(tx);
  if (tried !== DROPPED && tried.failure === 'gone' && due.device !== null) {
    // The browser's subscription ended. Its deliveries go with it.
    await deletePushDevice(tx, account, due.device.id);
    log.info('device removed: its push subscription ended', { status: tried.status ?? 0 });
    return;
  }
  const settled = settlementOf(due.attempts, tried, now);
  await settleNotification(tx, account, due.id, settled, now);
  if (due.device !== null && tried !== DROPPED) {
    await noteDeviceResult(tx, account, due.device.id, settled.state === 'delivered', now);
  }
  if (settled.nextAt !== null) {
    const delaySeconds = Math.ceil((+settled.nextAt - +now) / 1000);
    const queued = { id: due.id, channel: due.channel, device: due.device?.id ?? null };
    await enqueueNotifications(jobs, tx, account, [queued], delaySeconds);
  }
}

function settlementOf(before: number, tried: Tried, now: Date): NotificationSettlement {
  if (tried === DROPPED) {
    return { state: 'dropped', attempts: before, status: null, failure: null, nextAt: null };
  }
  const { status, failure } = tried;
  const attempts = before + 1;
  if (failure === null) {
    return { state: 'delivered', attempts, status, failure, nextAt: null };
  }
  const wait = failure === 'gone' ? null : nextAttemptIn(RETRY.webhook, attempts, tried);
  return wait === null
    ? { state: 'dead', attempts, status, failure, nextAt: null }
    : { state: 'pending', attempts, status, failure, nextAt: new Date(+now + wait) };
}

export async function enqueueNotifications(
  jobs: Jobs,
  tx: Transaction,
  account: AccountId,
  deliveries: readonly QueuedNotification[],
  delaySeconds = 0,
): Promise<void> {
  await jobs.enqueue(
    tx,
    'notification',
    deliveries.map(({ id, channel, device }) => ({
      key: `${account}:${device ?? channel}`,
      data: { account, subject: id },
      delaySeconds,
    })),
  );
}

/** The places that want notifications now. */
export async function wantedChannels(
  deps: Pick<NotificationDeps, 'settings'>,
  devices: number,
): Promise<readonly NotificationChannel[]> {
  const { ntfy_url, webhook_url } = await deps.settings();
  return [
    ...(devices > 0 ? (['push'] as const) : []),
    ...(ntfy_url === null ? [] : (['ntfy'] as const)),
    ...(webhook_url === null ? [] : (['webhook'] as const)),
  ];
}

/** A test, sent at once and once. */
export const sendTest = async (
  deps: NotificationDeps,
  place: DeviceRow | AddressedChannel,
  id: string,
): Promise<AttemptResult> => {
  const content = { kind: 'test', subject: 'test', approval: null, conversation: null } as const;
  const sent = {
    id,
    action: 'show',
    kind: 'test',
    subject: 'test',
    created_at: deps.now(),
  } as const;
  if (typeof place !== 'string') return sendToDevice(deps, place, sent, content, undefined);
  const tried = await sendToChannel(deps, place, sent, content, undefined);
  return tried === DROPPED ? { status: null, failure: 'disabled', waitMs: null } : tried;
};
