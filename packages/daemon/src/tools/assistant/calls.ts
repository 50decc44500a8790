// A call of the assistant, written down with what it did, in the transaction in which it did it: a call
// that comes again, whoever repeats it, has no second effect.

import type { PermitId } from '@relay/core/ids';
import { storable } from '@relay/core/messages/text';
import type { Transaction } from '../../store/database.ts';
import type { Result } from './answers.ts';
import type { ToolRun } from './run.ts';

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
}

export interface Recorded {
  readonly result: Result;
  /** What it did, as the end of a sentence for the owner; null when it did nothing. */
  readonly effect: string | null;
  readonly permit?: PermitId | null;
}

const MOST_ARGUMENTS = 10_000;

export async function earlierResult(
  tx: Transaction,
  run: ToolRun,
  call: Call,
): Promise<Result | null> {
  const row = await tx
    .selectFrom('tool_calls')
    .select('result')
    .where('account_id', '=', run.account)
    .where('run_id', '=', run.id)
    .where('call_id', '=', idOf(call))
    .executeTakeFirst();
  return (row?.result as Result | undefined) ?? null;
}

export async function record(
  tx: Transaction,
  run: ToolRun,
  call: Call,
  { result, effect, permit = null }: Recorded,
): Promise<void> {
  const values = { result: storable(JSON.stringify(result)), effect, permit_id: permit };
  await tx
    .insertInto('tool_calls')
    .values({
      account_id: run.account,
      run_id: run.id,
      call_id: idOf(call),
      name: call.name,
      arguments: argumentsOf(call),
      ...values,
    })
    .onConflict((on) => on.columns(['account_id', 'run_id', 'call_id']).doUpdateSet(values))
    .execute();
}

const idOf = ({ id }: Call): string => storable(id.slice(0, 200));

function argumentsOf({ arguments: input }: Call): string {
  const text = storable(JSON.stringify(input) ?? 'null');
  return text.length > MOST_ARGUMENTS ? '{"left_out":"too long"}' : text;
}

/** Of what others wrote only how much there was is kept. */
export const counted = (result: Result): Result =>
  Object.fromEntries(
    Object.entries(result).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.length : value,
    ]),
  );
