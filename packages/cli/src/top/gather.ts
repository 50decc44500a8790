// What `relay top` shows, asked of the daemon in one breath. The same object is what `--json` gives.
import type { Activity } from '@relay/core/api/activity';
import type { InstanceCounts } from '@relay/core/api/instances';
import type { LedgerLine } from '@relay/core/api/ledger';
import type { DaemonStatus } from '@relay/core/api/status';
import type { Client } from '@relay/core/client/client';

export interface Top {
  readonly at: string;
  readonly status: DaemonStatus;
  /** Conversations by whose turn it is. */
  readonly turns: InstanceCounts['by_turn'];
  /** Since midnight: messages, answers, and what models cost in tokens. */
  readonly today: Activity['today'];
  /** The last decisions, the newest first. */
  readonly events: readonly LedgerLine[];
}

const EVENTS = 50;
/** What the day has cost is read over many rows and need not be newer than this. */
const TODAY_MS = 10_000;

/** Each call looks anew. */
export function gatherer(client: Client): () => Promise<Top> {
  let today: Activity['today'] | null = null;
  let readAt = 0;
  return async () => {
    const isOld = performance.now() - readAt > TODAY_MS;
    const [status, counts, ledger, activity] = await Promise.all([
      client.get('/api/status'),
      client.get('/api/instances/counts'),
      client.get('/api/ledger', { query: { order: 'newest', limit: EVENTS } }),
      today === null || isOld ? client.get('/api/activity') : null,
    ]);
    if (activity !== null) readAt = performance.now();
    const spent = activity?.today ?? today;
    if (spent === null) throw new Error('the day was never read');
    today = spent;
    return {
      at: new Date().toISOString(),
      status,
      turns: counts.by_turn,
      today: spent,
      events: ledger.entries,
    };
  };
}
