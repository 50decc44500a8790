// Turns trace export on or off. Without an endpoint the rest of this folder is not loaded.

import type { TracesSettings } from '@relay/contract/settings';
import { sql } from 'kysely';
import { type LeasedDb, transaction } from '../../platform/db/transaction.ts';
import type { TraceExportOptions } from './exporter.ts';

interface TracesOptions extends Omit<TraceExportOptions, 'endpoint' | 'headers'> {
  readonly settings: TracesSettings;
}

/** Returns the function that stops it. */
export async function startTraces({
  settings: { endpoint, headers },
  ...deps
}: TracesOptions): Promise<() => Promise<void>> {
  if (endpoint === null) {
    await endTracing(deps);
    return async () => {};
  }
  const { startTraceExport } = await import('./exporter.ts');
  return startTraceExport({ ...deps, endpoint, headers });
}

/** Clears the progress, so that work done while no endpoint is set is never exported. */
async function endTracing(deps: LeasedDb): Promise<void> {
  const { account } = deps.lease;
  const { rows } = await sql`SELECT FROM trace_progress
    WHERE account_id = ${account} AND since IS NOT NULL`.execute(deps.db);
  if (rows.length === 0) return;
  await transaction(deps, async ({ tx }) => {
    await sql`UPDATE trace_progress SET since = NULL
      WHERE account_id = ${account} AND since IS NOT NULL`.execute(tx);
    await sql`DELETE FROM traced WHERE account_id = ${account}`.execute(tx);
  });
}
