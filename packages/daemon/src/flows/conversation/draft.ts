// What a turn leaves beside its messages: todos, a new summary, and each call of a tool once. Text of a
// model is made fit for the database here, before any of it is used.

import type { RunId } from '@relay/core/ids';
import { storable } from '@relay/core/messages/text';
import type { ToolCallRecord, TurnOutcome } from '@relay/core/ports/turn';
import { sql } from 'kysely';
import type { Work } from '../../jobs/work.ts';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

/** The outcome as it may be stored and sent. */
export const fit = (outcome: TurnOutcome): TurnOutcome => fitted(outcome) as TurnOutcome;

/** Every string in it, names of fields too: a model may write anything anywhere. */
function fitted(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(fitted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storable(name), fitted(inner)]),
  );
}

/** The todos as the turn leaves them; none if it marked none. */
export function progressOf(
  row: InstanceRow,
  { todos: marked = [] }: TurnOutcome,
): { readonly todos?: InstanceRow['todos'] } {
  if (marked.length === 0) return {};
  const status = new Map(marked.map((todo) => [todo.id, todo.status]));
  return {
    todos: row.todos.map((todo) => ({ ...todo, status: status.get(todo.id) ?? todo.status })),
  };
}

/** Before the gate is asked: a summary is as private as what it sums up. */
export async function saveSummary(
  work: Work,
  row: InstanceRow,
  { summary }: TurnOutcome,
): Promise<void> {
  if (summary === undefined) return;
  await work.tx
    .updateTable('instances')
    .set({ summary: summary.text, summary_up_to: Number(summary.upTo) })
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
}

/** The run came to its end, with the calls it made. */
export async function endDone(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  run: RunId,
  calls: readonly ToolCallRecord[],
): Promise<void> {
  // The same id again is the same call: a model that repeats itself has done it once.
  await sql`
    WITH ended AS (UPDATE runs SET state = 'done', failure = NULL, ended_at = now()
      WHERE account_id = ${row.account_id} AND id = ${run})
    INSERT INTO tool_calls (account_id, run_id, call_id, name, arguments, result)
    SELECT ${row.account_id}::bigint, ${run}::uuid, * FROM unnest(
      ${calls.map(({ id }) => id)}::text[], ${calls.map(({ name }) => name)}::text[],
      ${calls.map((call) => JSON.stringify(call.arguments ?? null))}::jsonb[],
      ${calls.map(({ result }) => JSON.stringify(result))}::jsonb[])
    ON CONFLICT (account_id, run_id, call_id) DO NOTHING`.execute(work.tx);
  work.told.push(() => {
    for (const { name } of calls)
      world.log.debug('tool call', { instance: row.id, run, event: name });
  });
}
