// Messages for later: seed 001's three tools over the schedules that composition gives.
import { written } from '@relay/core/api/written';
import { z } from 'zod';
import { type AgentTool, tool } from '../../agent/tool.ts';
import { answer, refusal } from './answers.ts';
import { attempt, short } from './attempt.ts';
import { record } from './calls.ts';
import { chatOf, whoIs } from './people.ts';
import type { ToolRun } from './run.ts';
import { waiting } from './send.ts';

const SCHEMAS = {
  schedule_message: z.strictObject({
    phone_number: z
      .string()
      .max(128)
      .describe(
        "The id of the chat as get_chats gives it; for a reminder, the id of your owner's own chat.",
      ),
    message: written(4_096).describe('The text, word for word as it will be read then.'),
    time: z
      .string()
      .max(60)
      .describe('"09:00", or for a certain day "2026-02-20T09:00", on the clock of your owner.'),
    pattern: z
      .string()
      .max(120)
      .optional()
      .describe(
        '"once" (the next time the clock shows it), "daily", "weekdays", "weekly", days such as "mon,thu", or five cron fields. "once" unless given.',
      ),
  }),
  list_scheduled_tasks: z.strictObject({}),
  cancel_scheduled_task: z.strictObject({
    task_id: z.string().max(64).describe('As list_scheduled_tasks gives it.'),
  }),
};

export const scheduleTools = (run: ToolRun): AgentTool[] => [
  tool({
    name: 'schedule_message',
    description:
      'Schedules a WhatsApp message, once or repeating. "Remind me" means your owner\'s own chat.',
    schema: SCHEMAS.schedule_message,
    ...waiting(run),
    run: (input, signal, id) =>
      attempt(run, { id, name: 'schedule_message', arguments: input }, signal, async (tx) => {
        const to = await whoIs(run, tx, input.phone_number);
        if ('refused' in to) return to;
        const chat = await chatOf(run, tx, to);
        const { time, pattern, message: text } = input;
        const planned = run.world.schedules.plan({ chat, text, time, pattern });
        if (typeof planned === 'string') return { refused: refusal(planned) };
        const about = { to: to.address, name: to.name, when: planned.when, next: planned.next };
        let task: string | null = null;
        return {
          did: `scheduled a message to ${to.name}, ${planned.when}`,
          would: `schedule a message to ${to.name}, ${planned.when}`,
          submit: async (tx, circumstances) => {
            const added = await run.world.schedules.add(tx, run.actor, planned, circumstances);
            task = added.schedule;
            return added;
          },
          done: async (approval) => ({
            status: 'scheduled',
            task_id:
              task ?? (approval === null ? null : await run.world.schedules.ofApproval(approval)),
            ...about,
          }),
          waits: (approval, why) => ({
            status: 'waiting_for_approval',
            approval_id: approval,
            ...about,
            note: `Not scheduled: it waits for your owner's yes, who says it with /approve ${short(approval)}. ${why}`,
          }),
        };
      }),
  }),
  tool({
    name: 'list_scheduled_tasks',
    description: 'Lists the messages that are scheduled.',
    schema: SCHEMAS.list_scheduled_tasks,
    run: async (input, _signal, id) => {
      const tasks = await run.world.schedules.list();
      const call = { id, name: 'list_scheduled_tasks', arguments: input };
      const kept = { result: { tasks: tasks.length }, effect: null };
      await run.write((tx) => record(tx, run, call, kept));
      return answer({
        tasks: tasks.map(({ id: task_id, to, name, text, when, next }) => ({
          task_id,
          to,
          name,
          message: text,
          when,
          next: next?.toISOString() ?? null,
        })),
      });
    },
  }),
  tool({
    name: 'cancel_scheduled_task',
    description: 'Cancels a scheduled message for good.',
    schema: SCHEMAS.cancel_scheduled_task,
    run: async (input, _signal, id) => {
      const { task_id } = input;
      const call = { id, name: 'cancel_scheduled_task', arguments: input };
      const cancelled = await run.world.schedules.cancel(task_id);
      const result = cancelled
        ? { status: 'cancelled', task_id }
        : refusal('No task that is still to come has this id. list_scheduled_tasks shows them.');
      const effect = cancelled ? `cancelled the scheduled task ${short(task_id)}` : null;
      await run.write((tx) => record(tx, run, call, { result, effect }));
      return answer(result);
    },
  }),
];
