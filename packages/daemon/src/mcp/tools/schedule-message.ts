// `schedule_message`: a message for later, in the program's own words. The gate decides now, and again on the
// day: it is sent only while the token is good and the grant stands.
import { written } from '@relay/core/api/written';
import { WEEKDAYS } from '@relay/core/schedule/local';
import { CATCH_UPS } from '@relay/core/schedule/missed';
import { z } from 'zod';
import type { AgentsWish } from '../../schedule/agent.ts';
import { chatInput } from '../chat.ts';
import { once } from '../once.ts';
import { submit, WAITING } from '../submit.ts';
import { programTool } from '../tool.ts';
import { chatOf, someone, whoItIs } from '../who.ts';

const input = z.strictObject({
  chat_id: chatInput,
  message: written(5_000).describe('The text, word for word as it will be read then.'),
  time: z
    .string()
    .max(5)
    .optional()
    .describe('HH:MM on the owner’s clock, or on that of zone: 09:00. Not needed with cron.'),
  pattern: z.enum(['once', 'daily', 'weekly', 'cron']).default('once').describe('How it repeats.'),
  date: z
    .string()
    .max(10)
    .optional()
    .describe('With once: YYYY-MM-DD. Without it, the next time that the clock shows the time.'),
  days: z
    .array(z.enum(WEEKDAYS))
    .max(WEEKDAYS.length)
    .optional()
    .describe('With weekly: on which days. Without it, the day on which the time comes next.'),
  cron: z
    .string()
    .max(120)
    .optional()
    .describe('With cron: the five fields, which have the time in them.'),
  zone: z.string().max(64).optional().describe('An IANA zone; the owner’s unless given.'),
  catch_up: z
    .enum(CATCH_UPS)
    .optional()
    .describe(
      'What becomes of times that Relay was not running at: left out, made up once, or all.',
    ),
});

const output = z.object({
  status: z.enum(['scheduled', 'waiting_for_approval']),
  schedule_id: z.string().optional(),
  when: z.string().optional().describe('What was understood, in words.'),
  next_at: z.iso.datetime().optional(),
  ...WAITING,
});

export const scheduleMessage = programTool({
  name: 'schedule_message',
  title: 'Schedule a message',
  description:
    'Schedule a WhatsApp message to a person or group, once or repeating. If the owner has to agree first, the status is waiting_for_approval and nothing is scheduled yet. Check “when” in the answer: it says what was understood.',
  scope: 'schedules:write',
  hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input,
  output,
  async run(call, asked) {
    const { acts } = call.world;
    const outcome = await submit(
      call,
      once(call, 'schedule_message', asked, async (tx) => {
        const who = await someone(call, asked.chat_id, tx);
        const chat = await chatOf(call, tx, who);
        let when = '';
        return {
          // Only once it is understood can it be asked about; see `submit`.
          get question() {
            return `Send this to ${whoItIs(who)}, ${when}?\n\n${asked.message}`;
          },
          async submit(tx, circumstances) {
            const wish = { chat, ...wishOf(asked) };
            const went = await acts.scheduleMessage(tx, call.actor, wish, circumstances);
            const { id, decision, approval, words, next } = went;
            when = words;
            const done = id && {
              status: 'scheduled' as const,
              schedule_id: id,
              when: words,
              next_at: next.toISOString(),
            };
            return { decision, approval, done };
          },
        };
      }),
    );
    return outcome.status === 'done' ? outcome.done : outcome;
  },
});

const wishOf = (asked: z.output<typeof input>): Omit<AgentsWish, 'chat'> => ({
  text: asked.message,
  time: asked.time ?? '',
  pattern: asked.pattern,
  ...(asked.date && { date: asked.date }),
  ...(asked.days && { days: asked.days }),
  ...(asked.cron && { cron: asked.cron }),
  ...(asked.zone && { zone: asked.zone }),
  ...(asked.catch_up && { catchUp: asked.catch_up }),
});
