// `cancel_schedule`: a program cancels what it scheduled, at once and for good; what others scheduled is
// theirs, and the refusal stands in the ledger.
import { RelayError } from '@relay/core/errors';
import { scheduleId } from '@relay/core/ids';
import { reasonSentence } from '@relay/core/policy/reasons';
import { z } from 'zod';
import { fenced } from '../../store/fenced.ts';
import { seenSchedule } from '../schedules.ts';
import { programTool } from '../tool.ts';

export const cancelSchedule = programTool({
  name: 'cancel_schedule',
  title: 'Cancel a scheduled message',
  description:
    'Cancel for good a message that you scheduled, even one that is due but has not left yet. What the owner or others scheduled cannot be cancelled here.',
  scope: 'schedules:write',
  hints: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  input: z.strictObject({
    id: z.guid().describe('As schedule_message and list_schedules give it.'),
  }),
  output: z.object({ id: z.string(), status: z.literal('cancelled') }),
  async run(call, { id: given }) {
    const { db, lease, acts, changed } = call.world;
    const id = scheduleId(given);
    const { outcome, reason } = await call.inTurn(() =>
      fenced(db, lease, async (tx) => {
        await seenSchedule(call, tx, id);
        return (await acts.cancelSchedule(tx, call.actor, id)).decision;
      }),
    );
    changed();
    if (outcome !== 'allow') throw new RelayError('denied', { reason: reasonSentence(reason) });
    return { id, status: 'cancelled' as const };
  },
});
