// Turns events into notifications: rows and jobs, in one transaction with the position in the event log.

import type { StreamEvent } from '@relay/contract/api/events';
import type { NotificationChannel } from '@relay/contract/api/notifications';
import { WAITS_FOR_APPROVAL } from '@relay/contract/conversation/states';
import { notificationChangeOf } from '@relay/core/notifications/notification';
import type { Transaction } from '../../platform/db/database.ts';
import type { FollowSource } from '../../platform/db/event-follower.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { enqueueNotifications, type NotificationDeps, wantedChannels } from './delivery.ts';
import {
  closeNotifications,
  endFollowing,
  insertNotification,
  isOwnEdit,
  listOpenModelNotifications,
  listPushDevices,
  lockPushDevices,
  type QueuedNotification,
  readWaitingConversation,
} from './store.ts';

export const PROGRESS = 'notification_progress';

export const notificationSource = (
  deps: NotificationDeps,
): FollowSource<readonly NotificationChannel[]> => ({
  ...deps,
  name: 'notifications',
  table: PROGRESS,
  async wanted(tx) {
    const { account } = deps.lease;
    // Waits for a device that is being added, so that its events are not skipped.
    await lockPushDevices(tx, account);
    const devices = await listPushDevices(tx, account, deps.now());
    const channels = await wantedChannels(deps, devices.length);
    if (channels.length > 0) return channels;
    await endFollowing(tx, account);
    return null;
  },
  async deliver(tx, events, channels) {
    const made: QueuedNotification[] = [];
    for (const event of events) made.push(...(await deliveriesOf(deps, tx, event, channels)));
    await enqueueNotifications(deps.jobs, tx, deps.lease.account, made);
    return made.length;
  },
  wake: () => deps.jobs.wake('notification'),
});

async function deliveriesOf(
  { lease, now }: NotificationDeps,
  tx: Transaction,
  event: StreamEvent,
  channels: readonly NotificationChannel[],
): Promise<readonly QueuedNotification[]> {
  const { account } = lease;
  const change = notificationChangeOf(event);
  if (change?.close !== undefined) return closeNotifications(tx, account, change.close, now());
  const show = change?.show;
  if (show === undefined) return [];
  if (show.kind === 'approval' && (await isOwnEdit(tx, account, show.subject))) return [];
  if (show.kind === 'conversation') {
    const waiting = await readWaitingConversation(tx, account, show.subject);
    // The approval that it waits for has its own notification.
    if (waiting === null || waiting.reason === WAITS_FOR_APPROVAL) return [];
  }
  return insertNotification(tx, account, show, channels, now());
}

/** Notifies the owner once when agents have no model, and takes it back when they have one again. */
export async function notifyModelTrouble(deps: NotificationDeps): Promise<void> {
  const { db, lease, jobs, now } = deps;
  const { account } = lease;
  const channels = await wantedChannels(deps, (await listPushDevices(db, account, now())).length);
  if (channels.length === 0) return;
  const trouble = await deps.modelTrouble();
  const open = await listOpenModelNotifications(db, account);
  const over = open.filter((subject) => subject !== trouble?.code);
  if (trouble === null && over.length === 0) return;
  await transaction({ db, lease }, async ({ tx, afterCommit }) => {
    const made: QueuedNotification[] = [];
    for (const subject of over) {
      made.push(...(await closeNotifications(tx, account, { kind: 'model', subject }, now())));
    }
    if (trouble !== null) {
      const show = { kind: 'model', subject: trouble.code, key: trouble.key } as const;
      made.push(...(await insertNotification(tx, account, show, channels, now())));
    }
    await enqueueNotifications(jobs, tx, account, made);
    if (made.length > 0) afterCommit.push(() => jobs.wake('notification'));
  });
}
