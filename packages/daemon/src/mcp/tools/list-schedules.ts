// `list_schedules`: what is to be sent to the program's people, and when; the words only of what it scheduled
// itself.
import { RUN_OUTCOMES, SCHEDULE_STATES } from '@relay/core/api/schedules';
import { z } from 'zod';
import { seenSchedules, toldSchedule } from '../schedules.ts';
import { programTool, READS } from '../tool.ts';

export const listSchedules = programTool({
  name: 'list_schedules',
  title: 'List scheduled messages',
  description:
    'List the messages that are scheduled to chats which you may deal with, the next one first. The text is told only of those that you scheduled.',
  scope: 'schedules:read',
  hints: READS,
  input: z.strictObject({ state: z.enum([...SCHEDULE_STATES, 'all']).default('active') }),
  output: z.object({
    schedules: z.array(
      z.object({
        id: z.string(),
        chat_id: z.string(),
        name: z.string(),
        state: z.enum(SCHEDULE_STATES),
        when: z.string(),
        next_at: z.iso.datetime().nullable(),
        last_outcome: z.enum(RUN_OUTCOMES).nullable(),
        created_at: z.iso.datetime(),
        created_by_you: z.boolean(),
        message: z.string().optional(),
      }),
    ),
  }),
  async run(call, { state }) {
    const seen = await seenSchedules(call, call.world.db, { state });
    return { schedules: seen.map(toldSchedule) };
  },
});
