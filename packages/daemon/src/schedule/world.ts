// What schedules need of the world, handed to them by main.
import type { Settings } from '@relay/core/settings';
import type { Gate } from '../gate/submit.ts';
import type { Engine } from '../jobs/work.ts';

export interface ScheduleWorld extends Engine {
  readonly gate: Gate;
  readonly settings: Pick<Settings, 'tell_owner_on_whatsapp'>;
}
