// What models were asked for since a moment, summed up by who asked and how it ended. By kind of actor alone: a
// conversation's own id would make a series of each.
import type { AccountId } from '@relay/core/ids';
import { sql } from 'kysely';
import type { Reader } from './database.ts';

export interface ModelUse {
  readonly actor: string;
  readonly state: string;
  readonly count: number;
  readonly input: number;
  readonly output: number;
  /** In seconds, all together. */
  readonly took: number;
}

export async function modelUse(db: Reader, account: AccountId, since: Date): Promise<ModelUse[]> {
  const { rows } = await sql<ModelUse>`
    SELECT split_part(actor, ':', 1) AS actor, state, count(*) AS count,
      sum(input_tokens) AS input, sum(output_tokens) AS output,
      coalesce(sum(extract(epoch FROM ended_at - started_at)), 0)::float8 AS took
    FROM runs WHERE account_id = ${account} AND started_at >= ${since}
    GROUP BY 1, 2 ORDER BY 1, 2`.execute(db);
  return rows;
}
