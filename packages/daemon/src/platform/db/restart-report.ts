// Stores the restart report as rows of `settings`: one that is open while the daemon or the link is away, and the last
// finished one. An absence that begins during another is part of it.

import { type RestartReport, restartReportSchema } from '@relay/contract/api/status';
import type { AccountId } from '@relay/contract/ids';
import { isWorthReporting } from '@relay/core/restart-report';
import { sql } from 'kysely';
import type { Db, Transaction } from './database.ts';
import { appendEvent } from './events.ts';
import type { Lease } from './lease.ts';
import { transaction } from './transaction.ts';

const OPEN_REPORT_KEY = 'report.open';
const LAST_REPORT_KEY = 'report.last';

interface AbsenceStart {
  readonly cause: RestartReport['cause'];
  readonly since: Date;
}

/** Called with every renewal of the lease: a killed daemon was running until then. */
export async function noteDaemonSeen(db: Db, holder: string): Promise<void> {
  await sql`UPDATE daemon_runs SET last_seen_at = now() WHERE holder = ${holder}`.execute(db);
}

/** Since when this home's last daemon is gone; null at its first start. Call it before `noteDaemonStart`. */
export async function lastDaemonSeen(db: Db, holder: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date }>`
    SELECT greatest(last_seen_at, stopped_at) AS at FROM daemon_runs WHERE holder = ${holder}`.execute(
    db,
  );
  return rows[0]?.at ?? null;
}

/** Begins an absence. One that is already open began earlier and continues. */
export async function beginRestartReport(
  db: Db,
  lease: Lease,
  absence: AbsenceStart,
): Promise<void> {
  await transaction({ db, lease }, async ({ tx }) => {
    const open = await readSetting<StoredAbsence>(tx, lease.account, OPEN_REPORT_KEY);
    if (open === null) return writeSetting(tx, lease.account, OPEN_REPORT_KEY, absence);
    if (absence.cause === 'daemon' && open.cause !== 'daemon') {
      await writeSetting(tx, lease.account, OPEN_REPORT_KEY, { ...open, cause: 'daemon' });
    }
  });
}

/**
 * The link is back, and the messages that had waited were replayed and stored. Null if nothing was away, or only
 * briefly and without a trace: the last report then stays the last.
 */
export async function finishRestartReport(
  db: Db,
  lease: Lease,
  replayed: number,
): Promise<RestartReport | null> {
  return transaction({ db, lease }, async ({ tx }) => {
    const { account } = lease;
    const open = await readSetting<StoredAbsence>(tx, account, OPEN_REPORT_KEY);
    if (open === null) return null;
    await sql`DELETE FROM settings WHERE account_id = ${account} AND key = ${OPEN_REPORT_KEY}`.execute(
      tx,
    );
    const report = { ...open, ...(await figures(tx, account, open.since)), replayed };
    if (!isWorthReporting(report)) return null;
    await writeSetting(tx, account, LAST_REPORT_KEY, report);
    await appendEvent(tx, account, { kind: 'report', subject: null, data: report });
    return report;
  });
}

export async function lastRestartReport(db: Db, account: AccountId): Promise<RestartReport | null> {
  return restartReportSchema.nullable().parse(await readSetting(db, account, LAST_REPORT_KEY));
}

type StoredAbsence = Pick<RestartReport, 'cause' | 'since'>;
type Figures = Omit<RestartReport, keyof StoredAbsence | 'replayed'>;

/**
 * Messages that waited were sent during the absence or shortly before: older partitions are not read. Late messages of
 * this absence, and not of an earlier one, are recognized by when they were received.
 */
async function figures(tx: Transaction, account: AccountId, since: string): Promise<Figures> {
  const { rows } = await sql<Omit<Figures, 'until'> & { until: Date }>`
    SELECT now() AS until,
      count(*)::int AS messages, count(DISTINCT chat_id)::int AS chats,
      (SELECT count(*)::int FROM outbox WHERE account_id = ${account} AND state = 'unknown') AS "unknownSends",
      (SELECT count(*)::int FROM instances
        WHERE account_id = ${account} AND state = 'NEEDS_HUMAN_INTERVENTION') +
      (SELECT count(*)::int FROM approvals
        WHERE account_id = ${account} AND state = 'pending' AND expires_at > now()
          -- A conversation that waits for a yes asks for its owner and is counted above.
          AND instance_id IS NULL) AS "needsYou"
    FROM messages WHERE account_id = ${account} AND late AND NOT from_me
      AND sent_at > ${since}::timestamptz - interval '1 day' AND received_at >= ${since}::timestamptz`.execute(
    tx,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a count without a row');
  return { ...row, until: row.until.toISOString() };
}

async function readSetting<T>(db: Db, account: AccountId, key: string): Promise<T | null> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('account_id', '=', account)
    .where('key', '=', key)
    .executeTakeFirst();
  return (row?.value as T | undefined) ?? null;
}

async function writeSetting(
  tx: Transaction,
  account: AccountId,
  key: string,
  value: unknown,
): Promise<void> {
  const text = JSON.stringify(value);
  await tx
    .insertInto('settings')
    .values({ account_id: account, key, value: text })
    .onConflict((on) =>
      on.columns(['account_id', 'key']).doUpdateSet({ value: text, updated_at: new Date() }),
    )
    .execute();
}
