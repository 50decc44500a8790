// What the model says to the owner's question: over the group's own context, with one tool that looks
// further back in the same group. It knows no other chat, and cannot reach one.
import { RelayError } from '@relay/core/errors';
import type { AnswerReason } from '@relay/core/ledger/answers';
import { storable } from '@relay/core/messages/text';
import { shortAnswer } from '@relay/core/observer/short';
import { readsOnly } from '../../agent/reads-only.ts';
import { createAgentSession } from '../../agent/session.ts';
import { sparedBy } from '../../store/observer/context.ts';
import { noteObserverSpent } from '../../store/observer/runs.ts';
import { addUsage } from '../../store/observer/usage.ts';
import type { Turn } from './begin.ts';
import { promptFor } from './prompt.ts';
import { searchGroup } from './search-group.ts';
import type { GroupAnswerWorld } from './work.ts';

export type Composed =
  /** Empty: there is nothing to say. */
  { readonly text: string } | { readonly failure: AnswerReason };

const TURN_MS = 90_000;
const MOST_STEPS = 4;

/** Only a stop of the daemon is tried anew; whatever else goes wrong is silence. */
export async function compose(
  world: GroupAnswerWorld,
  turn: Turn,
  signal: AbortSignal,
): Promise<Composed> {
  const { models, clock, settings, log } = world;
  const { group, run } = turn;
  try {
    await noteSpared(world, turn);
    const { instructions, text } = promptFor(turn, settings, world.now());
    const session = createAgentSession({
      model: await models.open(),
      instructions,
      tools: [searchGroup(world, turn)],
      limits: { ...settings.agent, turn_timeout_ms: TURN_MS, max_steps: MOST_STEPS },
      clock,
      hooks: {
        signal,
        ...readsOnly(group.chat),
        spent: (spent) => noteObserverSpent(world, group, run, spent),
      },
    });
    const rest = await session.act([{ role: 'user', content: text }]);
    return { text: rest.kind === 'text' ? shortAnswer(storable(rest.text)) : '' };
  } catch (error) {
    signal.throwIfAborted();
    log.warn('an answer in a group failed', { chat: group.chat, run, error });
    const unset = error instanceof RelayError && error.code === 'agent_unavailable';
    return { failure: unset ? 'no_model' : 'model_failed' };
  }
}

async function noteSpared(
  { db, lease, now }: GroupAnswerWorld,
  { group: { chat, zone }, context }: Turn,
): Promise<void> {
  const saved = Math.max(0, sparedBy(context));
  await addUsage(db, lease.account, { chat, zone, at: now() }, { saved });
}
