// What is wrong with webhooks, in one sentence for `relay status` and `relay doctor`: those that Relay switched
// off, those where nothing arrives, and what was given up on.
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';

/** One that is away for a moment is no trouble: what waits for it is tried again. */
const PATIENCE = sql`interval '1 hour'`;

interface Row {
  name: string;
  off: boolean;
  failing: boolean;
  dead: number;
}

/** Null when nothing is. */
export async function webhookTrouble(db: Reader, account: AccountId): Promise<string | null> {
  const { rows } = await sql<Row>`
    SELECT w.name, w.note IS NOT NULL AS off, coalesce(w.enabled AND w.failing_since < now() - ${PATIENCE}, false) AS failing,
      (SELECT count(*) FROM webhook_deliveries d WHERE d.account_id = w.account_id AND d.webhook_id = w.id
        AND d.state = 'dead' AND d.type <> 'ping') AS dead
    FROM webhooks w WHERE w.account_id = ${account} ORDER BY w.name`.execute(db);
  const off = rows.filter((row) => row.off).map(({ name }) => name);
  const failing = rows.filter((row) => row.failing).map(({ name }) => name);
  const dead = rows.reduce((sum, row) => sum + row.dead, 0);
  const parts = [
    ...(off.length === 0 ? [] : [`Relay switched off ${off.join(', ')}`]),
    ...(failing.length === 0 ? [] : [`nothing arrives at ${failing.join(', ')}`]),
    ...(dead === 0
      ? []
      : [`${dead === 1 ? '1 delivery was' : `${dead} deliveries were`} given up on`]),
  ];
  const [first = '', ...more] = parts;
  if (parts.length === 0) return null;
  return `${[first.replace(/^n/, 'N'), ...more].join('; ')}: \`relay webhook list\`.`;
}
