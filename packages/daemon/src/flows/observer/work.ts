// What the observer needs of the world, handed to it by main. There is nothing in it that can send: what it
// finds worth an answer becomes a job for somebody else.
import type { Settings } from '@relay/core/settings';
import type { Clock } from '../../agent/clock.ts';
import type { ModelSource } from '../../agent/model.ts';
import type { Engine } from '../../jobs/work.ts';
import type { Job } from '../../jobs/worker.ts';

export interface HearingWorld extends Engine {
  readonly settings: Pick<Settings, 'observer'>;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
}

export interface ObserverWorld extends HearingWorld {
  readonly settings: Pick<Settings, 'observer' | 'agent'>;
  readonly models: ModelSource;
  readonly clock: Clock;
}

export type TriggerJob = Pick<Job<'trigger'>, 'data' | 'complete'>;
