// What the conversation flow needs of the world, handed to it by main.
import type { Settings } from '@relay/core/settings';
import type { Gate } from '../../gate/submit.ts';
import type { Engine } from '../../jobs/work.ts';
import type { RunningTurns } from './running.ts';

export interface ConversationWorld extends Engine {
  readonly gate: Gate;
  readonly settings: Pick<Settings, 'agent' | 'tell_owner_on_whatsapp'>;
  readonly running: RunningTurns;
}
