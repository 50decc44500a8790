// Reads the figures and freezes that the health of sending is judged by.
import type { SendingHealth } from '@relay/contract/api/status';
import type { AccountId } from '@relay/contract/ids';
import type { PacingSettings } from '@relay/contract/settings';
import {
  activeFreeze,
  type Freeze,
  freezeAfter,
  type RefusalCause,
} from '@relay/core/outbox/freeze';
import { judgeSending } from '@relay/core/outbox/sending-health';
import { sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';

/** Whether nothing at all may be sent for longer than the pace between two messages. */
export async function isSendingBlocked(
  db: Db,
  account: AccountId,
  pacing: PacingSettings,
  now: Date,
): Promise<boolean> {
  const attempts = (
    windowMs: number,
  ) => sql`(SELECT count(*) FROM outbox WHERE account_id = ${account}
    AND attempted_at > ${new Date(now.getTime() - windowMs)} AND attempted_at <= ${now})`;
  const { rows } = await sql<{ held: boolean; hour: number; day: number }>`
    SELECT EXISTS (SELECT FROM holds WHERE account_id = ${account}) AS held,
      ${attempts(3_600_000)} AS hour, ${attempts(86_400_000)} AS day`.execute(db);
  const { held = false, hour = 0, day = 0 } = rows[0] ?? {};
  if (held || (pacing.enabled && (hour >= pacing.per_hour || day >= pacing.per_day))) return true;
  return activeFreeze(await readFreezes(db, account), 'everything', now) !== null;
}

interface Figures {
  sent_this_hour: number;
  sent_today: number;
  first_contacts_today: number;
  waiting: number;
  unknown: number;
  /** Attempted without success. A message that Relay withdrew before its attempt is not counted. */
  failed: number;
}

export async function readSendingHealth(
  db: Db,
  account: AccountId,
  pacing: PacingSettings,
  now: Date,
): Promise<SendingHealth> {
  const [freezes, figures] = await Promise.all([
    readFreezes(db, account),
    readFigures(db, account, now),
  ]);
  const freeze =
    activeFreeze(freezes, 'everything', now) ?? activeFreeze(freezes, 'first_contacts', now);
  return {
    ...judgeSending(freeze, figures, pacing),
    frozen_until: freeze?.until.toISOString() ?? null,
    ...figures,
    caps: {
      enabled: pacing.enabled,
      per_minute: pacing.per_minute,
      per_hour: pacing.per_hour,
      per_day: pacing.per_day,
      first_contacts_per_day: pacing.first_contacts_per_day,
    },
  };
}

async function readFigures(db: Db, account: AccountId, now: Date): Promise<Figures> {
  const yesterday = new Date(now.getTime() - 86_400_000);
  const anHourAgo = new Date(now.getTime() - 3_600_000);
  const { rows } = await sql<Figures>`
    SELECT
      (SELECT count(*) FROM outbox WHERE account_id = ${account} AND attempted_at > ${anHourAgo}) AS sent_this_hour,
      (SELECT count(*) FROM outbox WHERE account_id = ${account} AND attempted_at > ${yesterday}) AS sent_today,
      (SELECT count(*) FROM outbox WHERE account_id = ${account} AND attempted_at > ${yesterday}
        AND first_contact) AS first_contacts_today,
      (SELECT count(*) FROM outbox WHERE account_id = ${account} AND state = 'pending') AS waiting,
      (SELECT count(*) FROM outbox WHERE account_id = ${account} AND state = 'unknown') AS unknown,
      (SELECT count(*) FROM outbox WHERE account_id = ${account} AND state = 'failed' AND attempts > 0
        AND coalesce(attempted_at, created_at) > ${yesterday}) AS failed`.execute(db);
  const row = rows[0];
  if (row === undefined) throw new Error('counting returned nothing');
  return row;
}

// Freezes: what WhatsApp has told this account not to do for a while. They are rows, so they survive a restart.

export const readFreezes = (db: Db, account: AccountId): Promise<Freeze[]> =>
  db
    .selectFrom('freezes')
    .select(['cause', 'until', 'strikes'])
    .where('account_id', '=', account)
    .execute();

export async function recordFreeze(
  tx: Transaction,
  account: AccountId,
  cause: RefusalCause,
  pacing: PacingSettings,
  now: Date,
): Promise<void> {
  const before = (await readFreezes(tx, account)).find((freeze) => freeze.cause === cause);
  await writeFreeze(tx, account, freezeAfter(cause, before ?? null, pacing, now), now);
}

/** WhatsApp's latest report counts, even if it is shorter than the one before. */
export const recordTimeLock = (
  tx: Transaction,
  account: AccountId,
  until: Date,
  now: Date,
): Promise<void> => writeFreeze(tx, account, { cause: 'time_lock', until, strikes: 1 }, now);

async function writeFreeze(
  tx: Transaction,
  account: AccountId,
  { cause, until, strikes }: Freeze,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('freezes')
    .values({ account_id: account, cause, until, strikes, since: now })
    .onConflict((on) =>
      on.columns(['account_id', 'cause']).doUpdateSet({ until, strikes, since: now }),
    )
    .execute();
  await appendEvent(tx, account, {
    kind: 'sending.frozen',
    subject: null,
    data: { cause, until: until.toISOString() },
  });
}
