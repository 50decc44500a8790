// Messages for later: seed 001's three tools over the schedules that composition gives.
import { written } from '@relay/core/api/written';
import type { ApprovalId } from '@relay/core/ids';
import { scheduleId } from '@relay/core/ids';
import { WEEKDAYS } from '@relay/core/schedule/local';
import { z } from 'zod';
import { type AgentTool, tool } from '../../agent/tool.ts';
import { listPermitted } from '../../store/permitted.ts';
import { taintOfAuthors } from '../../store/taint.ts';
import { answer } from './answers.ts';
import { attempt, short } from './attempt.ts';
import { record } from './calls.ts';
import { chatOf, whoIs } from './people.ts';
import type { ToolRun } from './run.ts';
import { waiting } from './send.ts';

const MOST_NAMES = 1_000;

const SCHEMAS = {
  schedule_message: z.strictObject({
    phone_number: z
      .string()
      .max(128)
      .describe(
        "The id of the chat as get_chats gives it; for a reminder, the id of your owner's own chat.",
      ),
    message: written(4_096).describe('The text, word for word as it will be read then.'),
    time: z.string().max(5).describe('HH:MM on the clock of your owner, such as "09:00".'),
    pattern: z
      .enum(['once', 'daily', 'weekly', 'cron'])
      .default('once')
      .describe('How it repeats; "once" unless given.'),
    date: z
      .string()
      .max(10)
      .optional()
      .describe(
        'With "once": YYYY-MM-DD. Without it, the next time that the clock shows the time.',
      ),
    days: z
      .array(z.enum(WEEKDAYS))
      .optional()
      .describe('With "weekly": on which days. Without it, the day on which the time comes next.'),
    cron: z.string().max(120).optional().describe('With "cron": the five fields.'),
  }),
  list_scheduled_tasks: z.strictObject({}),
  cancel_scheduled_task: z.strictObject({
    task_id: z.guid().describe('As list_scheduled_tasks gives it.'),
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
        const { phone_number, message: text, time, pattern, date, days, cron } = input;
        const to = await whoIs(run, tx, phone_number);
        if ('refused' in to) return to;
        const chat = await chatOf(run, tx, to);
        const wanted = {
          chat,
          text,
          time,
          pattern,
          ...(date && { date }),
          ...(days && { days }),
          ...(cron && { cron }),
        };
        const what = `a message to ${to.name} (${pattern} ${time})`;
        let when = {};
        let task: string | null = null;
        return {
          did: `scheduled ${what}`,
          would: `schedule ${what}`,
          submit: async (tx, circumstances) => {
            const { schedules } = run.world;
            const added = await schedules.add(tx, run.actor, wanted, circumstances);
            task = added.id;
            when = { to: to.address, when: added.words, next: added.next.toISOString() };
            return added;
          },
          done: async (approval) => ({
            status: 'scheduled',
            task_id: approval === null ? task : await taskOf(run, approval),
            ...when,
          }),
          waits: (approval, why) => ({
            status: 'waiting_for_approval',
            approval_id: approval,
            ...when,
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
      const authors = tasks.map(({ created_by }) => created_by);
      const { names, from } = await run.write(async (tx) => {
        await record(tx, run, call, kept);
        const from = await taintOfAuthors(tx, run.account, authors);
        const known = await listPermitted(tx, run.account, run.world.admins, MOST_NAMES);
        const names = new Map(
          known.map(({ phone, address, name }) => [phone ? `+${phone}` : address, name]),
        );
        return { names, from };
      });
      const shown = tasks.map((task) => ({
        task_id: task.id,
        to: task.recipient,
        name: names.get(task.recipient ?? '') ?? null,
        message: task.text,
        when: task.words,
        next: task.next[0] ?? null,
      }));
      return answer({ tasks: shown }, from);
    },
  }),
  tool({
    name: 'cancel_scheduled_task',
    description: 'Cancels a scheduled message for good.',
    schema: SCHEMAS.cancel_scheduled_task,
    run: (input, signal, id) => {
      const { task_id } = input;
      const task = `the scheduled task ${short(task_id)}`;
      return attempt(
        run,
        { id, name: 'cancel_scheduled_task', arguments: input },
        signal,
        async () => ({
          did: `cancelled ${task}`,
          would: `cancel ${task}`,
          submit: (tx, circumstances) =>
            run.world.schedules.cancel(tx, run.actor, scheduleId(task_id), circumstances),
          done: () => ({ status: 'cancelled', task_id }),
          waits: (approval, why) => ({
            status: 'waiting_for_approval',
            approval_id: approval,
            note: `Not cancelled: it waits for your owner's yes, who says it with /approve ${short(approval)}. ${why}`,
          }),
        }),
      );
    },
  }),
];

/** What an approved question became. */
async function taskOf({ world, account }: ToolRun, approval: ApprovalId): Promise<string | null> {
  const row = await world.db
    .selectFrom('schedules')
    .select('id')
    .where('account_id', '=', account)
    .where('approval_id', '=', approval)
    .executeTakeFirst();
  return row?.id ?? null;
}
