// The assistant, put together: what main hands to the routes, the hold and the workers.
import type { AssistantVerbs } from '@relay/core/ports/assistant';
import type { OnRelease } from '../../gate/carry-out.ts';
import type { Handler } from '../../jobs/worker.ts';
import { onRelease } from './release.ts';
import { onAssistant } from './turn.ts';
import { SessionTurns } from './turns.ts';
import { assistantVerbs } from './verbs.ts';
import type { AssistantWorld } from './world.ts';

export interface Assistant {
  readonly verbs: AssistantVerbs;
  readonly onRelease: OnRelease;
  readonly onQuestion: Handler<'assistant'>;
}

export function openAssistant(options: Omit<AssistantWorld, 'turns'>): Assistant {
  const world: AssistantWorld = { ...options, turns: new SessionTurns() };
  return {
    verbs: assistantVerbs(world),
    onRelease: onRelease(world),
    onQuestion: onAssistant(world),
  };
}
