// What auto-reply needs of the world, handed to it by main.
import type { Settings } from '@relay/core/settings';
import type { Gate } from '../../gate/submit.ts';
import type { Engine } from '../../jobs/work.ts';
import type { Job } from '../../jobs/worker.ts';

export interface AutoReplyWorld extends Engine {
  readonly gate: Gate;
  readonly settings: Pick<Settings, 'agent' | 'auto_reply' | 'tell_owner_on_whatsapp'>;
}

export type ReplyJob = Pick<Job<'auto_reply'>, 'data' | 'complete'>;
