// Counts the effects of the calls in the database: messages, approvals, schedules and conversations by the marks of
// their calls, and whatever clients must not have changed.
import { onServer } from '@relay/testing/postgres';

export interface Effects {
  /** How many rows each mark has. */
  readonly byMark: ReadonlyMap<string, number>;
  /** Cancelled schedules. */
  readonly cancelled: ReadonlySet<string>;
  /** Data that clients have no tool for. */
  readonly guarded: string;
}

const MARKED = `
  SELECT mark, count(*)::int AS count FROM (
    SELECT o.id, (regexp_matches(o.body, 'zq[vob][0-9]+q', 'g'))[1] AS mark FROM relay.outbox o
    UNION SELECT a.id, (regexp_matches(a.intent::text, 'zq[vob][0-9]+q', 'g'))[1] FROM relay.approvals a
    UNION SELECT s.id, (regexp_matches(s.body, 'zq[vob][0-9]+q', 'g'))[1] FROM relay.schedules s
    UNION SELECT i.id, (regexp_matches(i.objective || i.todos::text, 'zq[vob][0-9]+q', 'g'))[1]
      FROM relay.instances i) rows
  GROUP BY mark`;

const GUARDED = `
  SELECT (SELECT coalesce(json_agg(g ORDER BY g.contact_id), '[]') FROM (
      SELECT contact_id, chat_id, can_read, can_reply, can_initiate FROM relay.grants) g)::text
    || (SELECT coalesce(json_agg(t ORDER BY t.name), '[]') FROM (
      SELECT name, hash, scopes, contacts, confirm, revoked_at FROM relay.tokens) t)::text
    || (SELECT count(*) FROM relay.contacts)::text AS guarded`;

export const countEffects = (url: string): Promise<Effects> =>
  onServer(url, async (client) => {
    const marked = await client.query<{ mark: string; count: number }>(MARKED);
    const cancelled = await client.query<{ id: string }>(
      "SELECT id FROM relay.schedules WHERE state = 'cancelled'",
    );
    const guarded = await client.query<{ guarded: string }>(GUARDED);
    return {
      byMark: new Map(marked.rows.map(({ mark, count }) => [mark, count])),
      cancelled: new Set(cancelled.rows.map(({ id }) => id)),
      guarded: guarded.rows[0]?.guarded ?? '',
    };
  });
