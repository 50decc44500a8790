// Stores notifications, the devices that receive them, and their deliveries.
// Invariant: a notification is made once for each kind and key, and delivered once to each place, however often the
// event log is followed.

import type { NotificationChannel, NotificationKind } from '@relay/contract/api/notifications';
import type { AccountId, DeliveryId, NotificationId, PushDeviceId } from '@relay/contract/ids';
import type { NewNotification, NotificationSubject } from '@relay/core/notifications/notification';
import type { DeliveryFailure } from '@relay/core/webhooks/failure';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';

export interface QueuedNotification {
  readonly id: DeliveryId;
  readonly channel: NotificationChannel;
  readonly device: PushDeviceId | null;
}

const QUEUED_COLUMNS = sql`id, channel, device_id AS device`;

/** Returns no deliveries if the owner was notified of it before. */
export async function insertNotification(
  tx: Transaction,
  account: AccountId,
  made: NewNotification,
  channels: readonly NotificationChannel[],
  now: Date,
): Promise<readonly QueuedNotification[]> {
  const { rows } = await sql<QueuedNotification>`
    WITH made AS (
      INSERT INTO owner_notifications (account_id, kind, key, subject, created_at)
      VALUES (${account}, ${made.kind}, ${made.key}, ${made.subject}, ${now})
      ON CONFLICT (account_id, kind, key) DO NOTHING RETURNING id)
    INSERT INTO notification_deliveries (account_id, notification_id, channel, device_id, action, next_at, created_at)
    SELECT ${account}::bigint, made.id, place.channel, place.device, 'show', ${now}, ${now}
    FROM made, (
      SELECT channel, NULL::uuid AS device FROM unnest(${[...channels]}::text[]) AS channel WHERE channel <> 'push'
      UNION ALL
      SELECT 'push', d.id FROM push_devices d WHERE d.account_id = ${account} AND 'push' = ANY(${[...channels]}::text[])
    ) place
    RETURNING ${QUEUED_COLUMNS}`.execute(tx);
  return rows;
}

/**
 * Takes the notifications of a subject away from the devices that got them. What waits to be shown is not shown: its
 * own job finds that nobody is needed any more.
 */
export async function closeNotifications(
  tx: Transaction,
  account: AccountId,
  { kind, subject }: NotificationSubject,
  now: Date,
): Promise<readonly QueuedNotification[]> {
  // A link that works again ends whatever was wrong with it.
  const which = kind === 'link' ? sql`true` : sql`n.subject = ${subject}`;
  const { rows } = await sql<QueuedNotification>`
    INSERT INTO notification_deliveries (account_id, notification_id, channel, device_id, action, next_at, created_at)
    SELECT s.account_id, s.notification_id, s.channel, s.device_id, 'close', ${now}, ${now}
    FROM owner_notifications n JOIN notification_deliveries s ON s.account_id = n.account_id AND s.notification_id = n.id
    WHERE n.account_id = ${account} AND n.kind = ${kind} AND ${which}
      AND s.channel = 'push' AND s.action = 'show' AND s.state IN ('pending', 'delivered')
    ON CONFLICT (account_id, notification_id, channel, device_id, action) DO NOTHING
    RETURNING ${QUEUED_COLUMNS}`.execute(tx);
  return rows;
}

/** Whether an approval replaced another one that the owner edited, and so was just seen by them. */
export async function isOwnEdit(tx: Transaction, account: AccountId, id: string): Promise<boolean> {
  const { rows } = await sql<{ edited: boolean }>`
    SELECT began_as IS NOT NULL AS edited FROM approvals WHERE account_id = ${account} AND id = ${id}`.execute(
    tx,
  );
  return rows[0]?.edited === true;
}

interface ConversationRow {
  readonly contact: string;
  readonly reason: string;
}

/** Null if it does not need the owner now. */
export async function readWaitingConversation(
  db: Db,
  account: AccountId,
  id: string,
): Promise<ConversationRow | null> {
  const { rows } = await sql<ConversationRow>`
    SELECT coalesce(c.display_name, c.push_name, i.target_contact) AS contact, coalesce(i.reason, '') AS reason
    FROM instances i JOIN contacts c ON c.account_id = i.account_id AND c.id = i.contact_id
    WHERE i.account_id = ${account} AND i.id = ${id} AND i.state = 'NEEDS_HUMAN_INTERVENTION'`.execute(
    db,
  );
  return rows[0] ?? null;
}

// Deliveries.

export interface DueNotification {
  readonly id: DeliveryId;
  readonly notification: NotificationId;
  readonly kind: NotificationKind;
  readonly subject: string;
  readonly channel: NotificationChannel;
  readonly action: 'show' | 'close';
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly created_at: Date;
  readonly device: DeviceRow | null;
  /** For a `close`: what became of the notification that it takes away. */
  readonly shown: DeliveryState | null;
}

type DeliveryState = 'pending' | 'delivered' | 'dead' | 'dropped';

export async function readDueNotification(
  db: Db,
  account: AccountId,
  id: DeliveryId,
  now: Date,
): Promise<DueNotification | null> {
  const { rows } = await sql<Omit<DueNotification, 'device'> & { device_id: PushDeviceId | null }>`
    SELECT d.id, d.notification_id AS notification, n.kind, n.subject, d.channel, d.action, d.state, d.attempts,
      n.created_at, d.device_id, s.state AS shown
    FROM notification_deliveries d JOIN owner_notifications n ON n.account_id = d.account_id AND n.id = d.notification_id
      LEFT JOIN notification_deliveries s ON d.action = 'close' AND s.account_id = d.account_id
        AND s.notification_id = d.notification_id AND s.channel = d.channel AND s.action = 'show'
        AND s.device_id IS NOT DISTINCT FROM d.device_id
    WHERE d.account_id = ${account} AND d.id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) return null;
  const { device_id: device, ...due } = row;
  const devices = device === null ? [] : await listPushDevices(db, account, now, { id: device });
  return { ...due, device: devices[0] ?? null };
}

export interface NotificationSettlement {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly status: number | null;
  readonly failure: DeliveryFailure | null;
  readonly nextAt: Date | null;
}

export async function settleNotification(
  tx: Transaction,
  account: AccountId,
  id: DeliveryId,
  { state, attempts, status, failure, nextAt }: NotificationSettlement,
  now: Date,
): Promise<void> {
  await sql`UPDATE notification_deliveries SET state = ${state}, attempts = ${attempts}, last_status = ${status},
      failure = ${failure}, next_at = ${nextAt}, settled_at = ${state === 'pending' ? null : now}
    WHERE account_id = ${account} AND id = ${id}`.execute(tx);
}

/** Deliveries that are long overdue: their jobs have been lost. */
export async function findStrandedNotifications(
  tx: Transaction,
  account: AccountId,
  before: Date,
): Promise<readonly QueuedNotification[]> {
  const { rows } =
    await sql<QueuedNotification>`SELECT ${QUEUED_COLUMNS} FROM notification_deliveries
    WHERE account_id = ${account} AND state = 'pending' AND next_at < ${before}`.execute(tx);
  return rows;
}

export interface ListedNotification extends Omit<QueuedNotification, 'device'> {
  readonly kind: NotificationKind;
  readonly action: 'show' | 'close';
  readonly device: string | null;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly failure: string | null;
  readonly last_status: number | null;
  readonly created_at: Date;
  readonly next_at: Date | null;
  readonly settled_at: Date | null;
}

/** Newest first. */
export async function listNotificationDeliveries(
  db: Db,
  account: AccountId,
  limit: number,
): Promise<readonly ListedNotification[]> {
  const { rows } = await sql<ListedNotification>`
    SELECT d.id, n.kind, d.action, d.channel, p.name AS device, d.state, d.attempts, d.failure, d.last_status,
      d.created_at, d.next_at, d.settled_at
    FROM notification_deliveries d JOIN owner_notifications n ON n.account_id = d.account_id AND n.id = d.notification_id
      LEFT JOIN push_devices p ON p.account_id = d.account_id AND p.id = d.device_id
    WHERE d.account_id = ${account} ORDER BY d.seq DESC LIMIT ${limit}`.execute(db);
  return rows;
}

// Devices: browsers that turned notifications on.

export interface DeviceRow {
  readonly id: PushDeviceId;
  readonly name: string;
  readonly endpoint: string;
  readonly p256dh: string;
  readonly auth: string;
  readonly locale: string;
  /** Whether its browser's session has not expired; always for a paired phone, which signs in with its passkey. */
  readonly signed_in: boolean;
  /** Whether it is the browser of the given session. */
  readonly current: boolean;
  readonly created_at: Date;
  readonly last_delivered_at: Date | null;
  readonly failing_since: Date | null;
}

export async function listPushDevices(
  db: Db,
  account: AccountId,
  now: Date,
  which: { readonly id?: PushDeviceId; readonly session?: string | null } = {},
): Promise<readonly DeviceRow[]> {
  const hash = hashBytes(which.session ?? null);
  const id = which.id ?? null;
  const { rows } = await sql<DeviceRow>`
    SELECT d.id, d.name, d.endpoint, d.p256dh, d.auth, d.locale, d.created_at, d.last_delivered_at, d.failing_since,
      d.paired_device IS NOT NULL OR EXISTS (SELECT FROM browser_sessions s WHERE s.hash = d.session_hash AND s.expires_at > ${now}) AS signed_in,
      coalesce(d.session_hash = ${hash}::bytea, false) OR EXISTS (SELECT FROM browser_sessions s
        WHERE s.hash = ${hash}::bytea AND s.device_id = d.paired_device) AS current
    FROM push_devices d WHERE d.account_id = ${account} AND (${id}::uuid IS NULL OR d.id = ${id}::uuid)
    ORDER BY d.created_at, d.id`.execute(db);
  return rows;
}

/** Until the commit no other transaction adds a device, or decides that there is none. */
export async function lockPushDevices(tx: Transaction, account: AccountId): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('push devices', ${account}))`.execute(tx);
}

const hashBytes = (session: string | null) =>
  session === null ? null : Buffer.from(session, 'utf8');

interface NewDevice extends Pick<DeviceRow, 'name' | 'endpoint' | 'p256dh' | 'auth' | 'locale'> {
  readonly session: string | null;
}

/** The same browser again replaces its keys. Null if there are too many devices. */
export async function putPushDevice(
  tx: Transaction,
  account: AccountId,
  { name, endpoint, p256dh, auth, locale, session }: NewDevice,
  most: number,
): Promise<PushDeviceId | null> {
  const hash = hashBytes(session);
  const { rows } = await sql<{ id: PushDeviceId }>`
    WITH paired AS (SELECT device_id FROM browser_sessions
      WHERE hash = ${hash}::bytea AND device_id IS NOT NULL)
    INSERT INTO push_devices (account_id, name, endpoint, p256dh, auth, locale, session_hash, paired_device)
    SELECT ${account}::bigint, ${name}, ${endpoint}, ${p256dh}, ${auth}, ${locale},
      CASE WHEN EXISTS (SELECT FROM paired) THEN NULL ELSE ${hash}::bytea END, (SELECT device_id FROM paired)
    WHERE ${most}::int > (SELECT count(*) FROM push_devices WHERE account_id = ${account} AND endpoint <> ${endpoint})
    ON CONFLICT (account_id, endpoint) DO UPDATE SET name = excluded.name, p256dh = excluded.p256dh,
      auth = excluded.auth, locale = excluded.locale, session_hash = excluded.session_hash,
      paired_device = excluded.paired_device, failing_since = NULL
    RETURNING id`.execute(tx);
  return rows[0]?.id ?? null;
}

export async function deletePushDevice(
  tx: Transaction,
  account: AccountId,
  id: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`DELETE FROM push_devices
    WHERE account_id = ${account} AND id::text = ${id}`.execute(tx);
  return (numAffectedRows ?? 0n) > 0n;
}

export async function noteDeviceResult(
  tx: Transaction,
  account: AccountId,
  id: PushDeviceId,
  isDelivered: boolean,
  now: Date,
): Promise<void> {
  const change = isDelivered
    ? sql`last_delivered_at = ${now}, failing_since = NULL`
    : sql`failing_since = coalesce(failing_since, ${now})`;
  await sql`UPDATE push_devices SET ${change} WHERE account_id = ${account} AND id = ${id}`.execute(
    tx,
  );
}

// The key pair that identifies this daemon to push services.

interface StoredPushKeys {
  readonly public_key: string;
  readonly private_key: Uint8Array;
}

export async function readPushKeys(db: Db, account: AccountId): Promise<StoredPushKeys | null> {
  const { rows } = await sql<StoredPushKeys>`
    SELECT public_key, private_key FROM push_keys WHERE account_id = ${account}`.execute(db);
  return rows[0] ?? null;
}

/** Subscriptions belong to the key that they were made with, so new keys end all of them. */
export async function replacePushKeys(
  tx: Transaction,
  account: AccountId,
  { public_key, private_key }: StoredPushKeys,
): Promise<void> {
  await sql`DELETE FROM push_devices WHERE account_id = ${account}`.execute(tx);
  await sql`INSERT INTO push_keys (account_id, public_key, private_key)
    VALUES (${account}, ${public_key}, ${private_key})
    ON CONFLICT (account_id) DO UPDATE SET public_key = excluded.public_key, private_key = excluded.private_key`.execute(
    tx,
  );
}

// Problems with notifications in one sentence, for `relay doctor`.

const TROUBLE_AFTER = sql`interval '1 hour'`;

/** Null when there is no problem. */
export async function describeDeviceTrouble(db: Db, account: AccountId): Promise<string | null> {
  const { rows } = await sql<{ what: string }>`
    SELECT name AS what FROM push_devices
      WHERE account_id = ${account} AND failing_since < now() - ${TROUBLE_AFTER}
    UNION ALL
    SELECT DISTINCT channel FROM notification_deliveries d WHERE account_id = ${account} AND channel <> 'push'
      AND state = 'dead' AND settled_at > now() - interval '1 day'
      AND NOT EXISTS (SELECT FROM notification_deliveries later WHERE later.account_id = d.account_id
        AND later.channel = d.channel AND later.state = 'delivered' AND later.settled_at > d.settled_at)`.execute(
    db,
  );
  return rows.length === 0 ? null : `Not delivered: ${rows.map(({ what }) => what).join(', ')}.`;
}

// Whether agents have a model, read from their runs.

/** So many turns in a row failed at the model. */
const FAILED_RUNS = 2;

/** The runs since the last one that worked failed like this; null if the model answers. The key names the outage. */
export async function findModelOutage(
  db: Db,
  account: AccountId,
  failures: readonly string[],
): Promise<{ readonly key: string } | null> {
  const { rows } = await sql<{ last: string | null; failed: number }>`
    WITH good AS (SELECT id, ended_at FROM runs WHERE account_id = ${account} AND state = 'done'
      AND started_at > now() - interval '7 days' ORDER BY started_at DESC LIMIT 1)
    SELECT (SELECT id::text FROM good) AS last, count(*)::int AS failed FROM runs r
    WHERE r.account_id = ${account} AND r.state = 'failed' AND r.started_at > now() - interval '1 day'
      AND r.started_at > coalesce((SELECT ended_at FROM good), '-infinity')
      AND r.failure LIKE ANY(${[...failures]}::text[])`.execute(db);
  const [row] = rows;
  if (row === undefined || row.failed < FAILED_RUNS) return null;
  return { key: `unreachable:${row.last ?? 'never'}` };
}

/** The codes of notifications about the model that a device still shows. */
export async function listOpenModelNotifications(
  db: Db,
  account: AccountId,
): Promise<readonly string[]> {
  const { rows } = await sql<{ subject: string }>`
    SELECT DISTINCT n.subject FROM owner_notifications n
      JOIN notification_deliveries s ON s.account_id = n.account_id AND s.notification_id = n.id
        AND s.channel = 'push' AND s.action = 'show' AND s.state IN ('pending', 'delivered')
    WHERE n.account_id = ${account} AND n.kind = 'model' AND n.created_at > now() - interval '7 days'
      AND NOT EXISTS (SELECT FROM notification_deliveries c WHERE c.account_id = s.account_id
        AND c.notification_id = s.notification_id AND c.device_id = s.device_id AND c.action = 'close')`.execute(
    db,
  );
  return rows.map(({ subject }) => subject);
}

/** Nobody wants notifications: what happens until somebody does is not kept for later. */
export async function endFollowing(tx: Transaction, account: AccountId): Promise<void> {
  await sql`DELETE FROM notification_progress WHERE account_id = ${account}`.execute(tx);
}
