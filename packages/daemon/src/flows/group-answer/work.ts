// What an answer in a group needs of the world, handed to it by main. Of chats there is but the one that it
// answers in; everything it says goes to the gate.
import type { Settings } from '@relay/core/settings';
import type { Clock } from '../../agent/clock.ts';
import type { ModelSource } from '../../agent/model.ts';
import type { Gate } from '../../gate/submit.ts';
import type { Engine } from '../../jobs/work.ts';
import type { Job } from '../../jobs/worker.ts';
import type { Search } from '../../search/search.ts';

export interface GroupAnswerWorld extends Engine {
  readonly gate: Gate;
  readonly settings: Pick<Settings, 'observer' | 'agent' | 'retention'>;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly models: ModelSource;
  readonly clock: Clock;
  readonly search: Pick<Search, 'search' | 'caughtUp'>;
}

export type GroupAnswerJob = Pick<Job<'group_answer'>, 'data' | 'complete'>;
