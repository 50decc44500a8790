// What a run looked up outside of its chat, kept for the owner to look at.
import type { RunId } from '@relay/core/ids';
import { storable } from '@relay/core/messages/text';
import type { ToolCallRecord } from '@relay/core/ports/turn';
import { fenced } from '../../store/fenced.ts';
import type { AutoReplyWorld } from './work.ts';

export function noteLookedUp(
  { db, lease }: AutoReplyWorld,
  run: RunId,
  call: ToolCallRecord,
): Promise<void> {
  const { account } = lease;
  return fenced(db, lease, async (tx) => {
    await tx
      .insertInto('tool_calls')
      .values({
        account_id: account,
        run_id: run,
        call_id: storable(call.id),
        name: call.name,
        arguments: storable(JSON.stringify(call.arguments)),
        result: storable(JSON.stringify(call.result)),
      })
      .onConflict((on) => on.doNothing())
      .execute();
  });
}
