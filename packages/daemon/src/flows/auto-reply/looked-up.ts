// What a run looked up outside of its chat: written down with the run before the model sees it, so that the
// gate knows it whatever happens in between.
import type { RunId } from '@relay/core/ids';
import { storable } from '@relay/core/messages/text';
import type { ToolCallRecord } from '@relay/core/ports/turn';
import { fenced } from '../../store/fenced.ts';
import { saveTaint } from '../../store/taint.ts';
import type { AutoReplyWorld } from './work.ts';

export function noteLookedUp(
  { db, lease }: AutoReplyWorld,
  run: RunId,
  call: ToolCallRecord,
): Promise<void> {
  const { account } = lease;
  return fenced(db, lease, async (tx) => {
    await saveTaint(tx, account, run, { chats: [], outside: true });
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
