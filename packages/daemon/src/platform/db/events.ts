// The event log that live streams read. Rows are appended inside the transaction that made the change and read by
// cursor; a reader sees only rows that no running transaction can still precede.

import type { EventLog, StreamEvent } from '@relay/contract/api/events';
import type { AccountId } from '@relay/contract/ids';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Transaction } from './database.ts';

export interface NewEvent {
  readonly kind: string;
  readonly subject: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

export async function appendEvent(
  tx: Transaction,
  account: AccountId,
  event: NewEvent,
): Promise<void> {
  await tx
    .insertInto('events')
    .values({
      account_id: account,
      kind: event.kind,
      subject: event.subject,
      data: JSON.stringify(event.data),
    })
    .execute();
}

/** Appends several events, in this order. */
export async function appendEvents(
  tx: Transaction,
  account: AccountId,
  events: readonly NewEvent[],
): Promise<void> {
  await appendEventsSql(account, events).execute(tx);
}

/** The same as a statement, for a caller that combines several writes. */
export const appendEventsSql = (
  account: AccountId,
  events: readonly NewEvent[],
): RawBuilder<unknown> => sql`
  INSERT INTO events (account_id, kind, subject, data)
  SELECT ${account}::bigint, * FROM unnest(${events.map((event) => event.kind)}::text[],
    ${events.map((event) => event.subject)}::text[],
    ${events.map((event) => JSON.stringify(event.data))}::jsonb[])`;

interface EventRow {
  xid: string;
  id: number;
  at: Date;
  kind: string;
  subject: string | null;
  data: Record<string, unknown>;
}

/** Short enough for PostgreSQL's integers: an invented cursor is ignored, not an error. */
const CURSOR = /^(\d{1,18})-(\d{1,18})$/;

function parseCursor(cursor: string): [xid: string, id: string] | null {
  const match = CURSOR.exec(cursor);
  return match?.[1] !== undefined && match[2] !== undefined ? [match[1], match[2]] : null;
}

const toEvent = (row: EventRow): StreamEvent => ({
  cursor: `${row.xid}-${row.id}`,
  kind: row.kind,
  at: row.at.toISOString(),
  subject: row.subject,
  data: row.data,
});

/** Rows of transactions older than every running one: nothing can appear before them any more. */
const SETTLED = sql<boolean>`xid < pg_snapshot_xmin(pg_current_snapshot())`;

export class PostgresEventLog implements EventLog {
  readonly #db: Db;
  readonly #account: AccountId;
  readonly #listeners = new Set<() => void>();

  constructor(db: Db, account: AccountId) {
    this.#db = db;
    this.#account = account;
  }

  async read(after: string | null, limit: number): Promise<readonly StreamEvent[]> {
    const cursor = after === null ? ['0', '0'] : parseCursor(after);
    if (cursor === null) return [];
    // `events.xid`, because a bare `xid` would be the output column of type text, where 1000 sorts before 999.
    const { rows } = await sql<EventRow>`
      SELECT xid::text AS xid, id, at, kind, subject, data FROM events
      WHERE account_id = ${this.#account} AND ${SETTLED}
        AND (xid, id) > (${cursor[0]}::xid8, ${cursor[1]}::bigint)
      ORDER BY events.xid, events.id LIMIT ${limit}`.execute(this.#db);
    return rows.map(toEvent);
  }

  async hasLater(after: string | null): Promise<boolean> {
    const [xid, id] = (after === null ? null : parseCursor(after)) ?? ['0', '0'];
    const { rows } = await sql`SELECT FROM events WHERE account_id = ${this.#account}
      AND (xid, id) > (${xid}::xid8, ${id}::bigint) LIMIT 1`.execute(this.#db);
    return rows.length > 0;
  }

  async latest(): Promise<string | null> {
    const { rows } = await sql<{ cursor: string }>`
      SELECT xid::text || '-' || id AS cursor FROM events
      WHERE account_id = ${this.#account} AND ${SETTLED} ORDER BY xid DESC, id DESC LIMIT 1`.execute(
      this.#db,
    );
    return rows[0]?.cursor ?? null;
  }

  async covers(cursor: string): Promise<boolean> {
    const parsed = parseCursor(cursor);
    if (parsed === null) return false;
    const { rows } = await sql`
      SELECT 1 FROM events WHERE account_id = ${this.#account}
        AND xid = ${parsed[0]}::xid8 AND id = ${parsed[1]}::bigint`.execute(this.#db);
    return rows.length > 0;
  }

  subscribe(wake: () => void): () => void {
    this.#listeners.add(wake);
    return () => this.#listeners.delete(wake);
  }

  /**
   * The only hint after a commit. The event may not be readable yet, and nothing hints again when it is: who reads the
   * log asks `hasLater` before it waits.
   */
  hint(): void {
    for (const wake of this.#listeners) wake();
  }
}
