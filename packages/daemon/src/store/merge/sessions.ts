// The sessions of two contacts that are one: one remains, with the lines of both in the order they were
// heard. What waited for an answer in either goes on waiting.
import type { SessionId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { MergeWork } from './work.ts';

interface Session {
  readonly id: SessionId;
  readonly key: string;
}

export async function oneSession(work: MergeWork): Promise<void> {
  const { tx, account, into, from } = work;
  const { rows } = await sql<Session>`
    SELECT id, key FROM sessions
    WHERE account_id = ${account} AND kind = 'auto_reply' AND key IN (${into}, ${from})
    ORDER BY id FOR UPDATE`.execute(tx);
  const kept = rows.find(({ key }) => key === into);
  const gone = rows.find(({ key }) => key === from);
  if (gone === undefined) return;
  if (kept !== undefined) await moveLines(work, gone, kept);
  else {
    await sql`UPDATE sessions SET key = ${into} WHERE account_id = ${account} AND id = ${gone.id}`.execute(
      tx,
    );
  }
  await sql`UPDATE grants SET session_id = ${(kept ?? gone).id}
    WHERE account_id = ${account} AND contact_id = ${into}`.execute(tx);
}

async function moveLines(work: MergeWork, gone: Session, kept: Session): Promise<void> {
  const { tx, account } = work;
  const isAskedFor = await hasWaiting(work, kept);
  const waits = await hasWaiting(work, gone);
  for (const table of ['session_messages', 'runs'] as const) {
    await sql`UPDATE ${sql.table(table)} SET session_id = ${kept.id}
      WHERE account_id = ${account} AND session_id = ${gone.id}`.execute(tx);
  }
  // Of two rests the longer one.
  await sql`UPDATE sessions k SET resting_until = g.resting_until, rests = g.rests, rest_reason = g.rest_reason
    FROM sessions g WHERE k.account_id = ${account} AND k.id = ${kept.id} AND g.account_id = ${account}
      AND g.id = ${gone.id} AND g.resting_until > coalesce(k.resting_until, '-infinity')`.execute(
    tx,
  );
  await sql`DELETE FROM sessions WHERE account_id = ${account} AND id = ${gone.id}`.execute(tx);
  await sql`DELETE FROM timers WHERE account_id = ${account} AND subject_id = ${gone.id}`.execute(
    tx,
  );
  if (!waits || isAskedFor) return;
  // Nothing stands for the one that is kept yet: a timer that is due becomes its job.
  await sql`INSERT INTO timers (account_id, kind, subject_id, epoch, due_at)
    VALUES (${account}, 'auto_reply', ${kept.id}, 0, 'epoch')
    ON CONFLICT (account_id, kind, subject_id) DO NOTHING`.execute(tx);
}

/** Asked once the session is locked: whoever held it until then may have added a line. */
async function hasWaiting({ tx, account }: MergeWork, { id }: Session): Promise<boolean> {
  const { rows } = await sql`SELECT FROM session_messages
    WHERE account_id = ${account} AND session_id = ${id} AND waiting LIMIT 1`.execute(tx);
  return rows.length > 0;
}
