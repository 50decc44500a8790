// Harness for retention over its own database, which can search every stored value for a text.
import { randomUUID } from 'node:crypto';
import { retentionSettingsSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { type CleanupHook, freshStore, type TestStore } from '@relay/testing/store';
import { PostgresEventLog } from '../../../platform/db/events.ts';
import { takeLease } from '../../../platform/db/lease.ts';
import { Jobs } from '../../../platform/jobs/jobs.ts';
import { ERASURE_COLUMNS, personalColumns } from '../columns.ts';
import type { RetentionDeps } from '../enforce.ts';
import { openRetention, type Retention } from '../feature.ts';

export interface RetentionFixture extends TestStore {
  readonly retention: Retention;
  readonly deps: RetentionDeps;
  /** Sets the current time. */
  setNow(now: Date): void;
  /** `table.column` of every personal column that contains the text. */
  placesOf(words: string): Promise<string[]>;
  /** Every row of every table without its timestamps, as one string each. */
  rows(): Promise<Map<string, Set<string>>>;
}

export async function openRetentionFixture(after?: CleanupHook): Promise<RetentionFixture> {
  const store = await freshStore(after);
  const { database, account, sql } = store;
  const lease = await takeLease(database.kysely, account, randomUUID());
  if (lease === null) throw new Error('somebody else serves this account');
  const jobs = await Jobs.start(database, silentLog);
  await jobs.stop(100);
  let now = new Date();
  const deps: RetentionDeps = {
    db: database.kysely,
    lease,
    jobs,
    events: new PostgresEventLog(database.kysely, account),
    log: silentLog,
    now: () => now,
    // The tests share a server, so no test may discard its log.
    server: { kind: 'external' },
    limits: retentionSettingsSchema.parse({}),
    zone: 'UTC',
    exportedCopies: { erase: async () => 0 },
    endConversations: async () => {},
    logsMessageText: false,
    removeUnusedMedia: async () => 0,
  };
  return {
    ...store,
    deps,
    retention: openRetention(deps),
    setNow: (next) => {
      now = next;
    },
    async placesOf(words) {
      const places = Object.entries(ERASURE_COLUMNS).flatMap(([table, columns]) =>
        personalColumns(columns).map((column) => [table, column] as const),
      );
      const found: string[] = [];
      for (const [table, column] of places) {
        const [row] = await sql(
          `SELECT FROM ${table} WHERE position($1 IN CASE WHEN pg_typeof(${column}) = 'bytea'::regtype
             THEN encode(${column}::text::bytea, 'escape') ELSE ${column}::text END) > 0 LIMIT 1`,
          [words],
        );
        if (row !== undefined) found.push(`${table}.${column}`);
      }
      return found.sort();
    },
    async rows() {
      const tables = Object.keys(ERASURE_COLUMNS).filter((name) => name !== 'account_leases');
      const all = new Map<string, Set<string>>();
      for (const table of tables) {
        const rows = await sql<{ row: string }>(`SELECT t::text AS row FROM ${table} t`);
        all.set(table, new Set(rows.map(({ row }) => row)));
      }
      return all;
    },
  };
}
