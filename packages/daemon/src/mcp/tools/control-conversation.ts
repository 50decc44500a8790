// `control_conversation`: pausing and cancelling take effect at once; resuming undoes only this program's own
// pause. Nobody is asked, because nothing here says anything that was not permitted before.
import { instanceStateSchema } from '@relay/core/api/instances';
import { RelayError } from '@relay/core/errors';
import { instanceId } from '@relay/core/ids';
import { CONTROLS } from '@relay/core/policy/control';
import { reasonSentence } from '@relay/core/policy/reasons';
import { z } from 'zod';
import { fenced } from '../../store/fenced.ts';
import { seenConversation } from '../conversations.ts';
import { programTool } from '../tool.ts';

export const controlConversation = programTool({
  name: 'control_conversation',
  title: 'Pause, resume or cancel a conversation',
  description:
    'Pause a conversation (nothing is sent until it is resumed), resume one that you paused yourself, or cancel for good one that you created. What the owner paused only the owner resumes.',
  scope: 'conversations:write',
  hints: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  input: z.strictObject({
    id: z.guid().describe('As create_conversation and list_conversations give it.'),
    action: z.enum(CONTROLS),
  }),
  output: z.object({ id: z.string(), state: instanceStateSchema }),
  async run(call, { id: given, action }) {
    const { db, lease, acts } = call.world;
    const id = instanceId(given);
    const { decision, state, after } = await call.inTurn(() =>
      fenced(db, lease, async (tx) => {
        await seenConversation(call, tx, id);
        return acts.controlConversation(tx, call.actor, id, action);
      }),
    );
    after();
    if (decision.outcome !== 'allow') {
      throw new RelayError('denied', { reason: reasonSentence(decision.reason) });
    }
    return { id, state };
  },
});
