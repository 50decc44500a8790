// Asking for a session's next answer: always at the end of the queue, so that contacts take turns.
import type { SessionId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Engine, Work } from '../../jobs/work.ts';

const keyOf = ({ lease }: Engine, session: SessionId): string => `${lease.account}:${session}`;

export async function askForNext(
  engine: Engine,
  work: Work,
  sessions: readonly SessionId[],
): Promise<void> {
  const { account } = engine.lease;
  await engine.jobs.enqueue(
    work.tx,
    'auto_reply',
    sessions.map((subject) => ({ key: keyOf(engine, subject), data: { account, subject } })),
  );
  if (sessions.length > 0) work.filled.add('auto_reply');
}

/** For every session in which something waits and that no job stands for: after a hold, and at the start. */
export async function askForWaiting(engine: Engine, work: Work): Promise<void> {
  const { rows } = await sql<{ id: SessionId }>`
    SELECT session_id AS id FROM session_messages WHERE account_id = ${engine.lease.account} AND waiting
    GROUP BY session_id ORDER BY min(id)`.execute(work.tx);
  const keys = rows.map(({ id }) => keyOf(engine, id));
  const lacking = new Set(await engine.jobs.lacking(work.tx, 'auto_reply', keys));
  await askForNext(
    engine,
    work,
    rows.map(({ id }) => id).filter((id) => lacking.has(keyOf(engine, id))),
  );
}
