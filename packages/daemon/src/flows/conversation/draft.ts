// What a turn leaves beside its messages: todos, a new summary, and each call of a tool once. Text of a
// model is made fit for the database here, before any of it is used.

import type { RunId } from '@relay/core/ids';
import { storable } from '@relay/core/messages/text';
import type { ToolCallRecord, TurnOutcome } from '@relay/core/ports/turn';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld, Work } from './work.ts';

/** Gives back the outcome as it may be stored and sent. */
export async function saveDraft(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  run: RunId,
  outcome: TurnOutcome,
): Promise<TurnOutcome> {
  const wanted = fit(outcome) as TurnOutcome;
  await saveProgress(work, row, wanted);
  await saveCalls(world, work, row, run, wanted.calls ?? []);
  return wanted;
}

/** Every string in it, names of fields too: a model may write anything anywhere. */
function fit(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(fit);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [storable(name), fit(inner)]),
  );
}

async function saveProgress(work: Work, row: InstanceRow, wanted: TurnOutcome): Promise<void> {
  const { todos: marked = [], summary } = wanted;
  if (marked.length === 0 && summary === undefined) return;
  const status = new Map(marked.map((todo) => [todo.id, todo.status]));
  const todos = row.todos.map((todo) => ({ ...todo, status: status.get(todo.id) ?? todo.status }));
  await work.tx
    .updateTable('instances')
    .set({
      todos: JSON.stringify(todos),
      ...(summary === undefined
        ? {}
        : { summary: summary.text, summary_up_to: Number(summary.upTo) }),
    })
    .where('account_id', '=', row.account_id)
    .where('id', '=', row.id)
    .execute();
}

async function saveCalls(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  run: RunId,
  calls: readonly ToolCallRecord[],
): Promise<void> {
  if (calls.length === 0) return;
  await work.tx
    .insertInto('tool_calls')
    .values(
      calls.map((call) => ({
        account_id: row.account_id,
        run_id: run,
        call_id: call.id,
        name: call.name,
        arguments: JSON.stringify(call.arguments ?? null),
        result: JSON.stringify(call.result),
      })),
    )
    // The same id again is the same call: a model that repeats itself has done it once.
    .onConflict((on) => on.columns(['account_id', 'run_id', 'call_id']).doNothing())
    .execute();
  work.told.push(() => {
    for (const { name } of calls)
      world.log.debug('tool call', { instance: row.id, run, event: name });
  });
}
