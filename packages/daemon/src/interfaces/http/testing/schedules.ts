// A fixture with one schedule.
import type { Schedule } from '@relay/contract/api/schedules';
import type { HttpDeps } from '../deps.ts';
import { AT } from './at.ts';
import type { Recorded } from './recorded.ts';

const schedule: Schedule = {
  id: '2d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  chat_id: '3d6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d',
  state: 'active',
  rule: { kind: 'daily', time: '09:00' },
  zone: 'Europe/Berlin',
  words: 'every day at 09:00, Europe/Berlin',
  catch_up: 'skip',
  next: [AT],
  recipient: '+56912345678',
  recipient_name: null,
  text: 'hello',
  created_by: 'owner',
  who: 'you',
  created_at: AT,
  last: null,
};

export const scheduleStandIns = (recorded: Recorded): Pick<HttpDeps, 'schedules'> => ({
  schedules: {
    list: recorded('listSchedules', async () => [schedule]),
    preview: recorded('previewSchedule', async () => schedule),
    create: recorded('createSchedule', async () => schedule),
    cancel: recorded('cancelSchedule', async () => schedule),
  },
});
