// The digests of observed groups for the owner's assistant. It is a read like any other: whose words they were
// made of is written down with the run before the model sees them, and a group whose grant was taken back is not
// told of any more.
import { RelayError } from '@relay/core/errors';
import { chatId } from '@relay/core/ids';
import { dayWords } from '@relay/core/observer/digest/show';
import { UNTAINTED } from '@relay/core/policy/facts';
import { reasonSentence } from '@relay/core/policy/reasons';
import { z } from 'zod';
import { type AgentTool, tool } from '../../agent/tool.ts';
import { chatsOf } from '../../search/scope.ts';
import { type Result, refusal } from './answers.ts';
import { looked, own } from './lookups.ts';
import type { ToolRun } from './run.ts';

const SCHEMA = z.strictObject({
  group: z
    .string()
    .max(128)
    .optional()
    .describe('The name of the group, or a part of it; all observed groups without.'),
  day: z
    .string()
    .max(64)
    .optional()
    .describe('today, yesterday, a weekday or YYYY-MM-DD; the last day that has a digest without.'),
  hours: z.boolean().optional().describe('Whether the digests of the hours are wanted too.'),
});

export const digestTools = (run: ToolRun): AgentTool[] => [
  tool({
    name: 'get_digest',
    description:
      'What was said in a group that your owner lets Relay observe: the digest of a day with decisions, events, action items and open questions. Say which day it is from; it tells what was so then, and what is older may be out of date. Photos, videos and voice notes were not seen or heard.',
    schema: SCHEMA,
    run: ({ group, day, hours = false }, _signal, id) =>
      looked(run, { id, name: 'get_digest', arguments: { group, day, hours } }, async (tx) => {
        try {
          const { digests } = await run.world.digests({
            ...(group === undefined ? {} : { group }),
            ...(day === undefined ? {} : { day }),
          });
          const place = { db: tx, account: run.account, admins: run.world.admins };
          const readable = await chatsOf(place, { kind: 'assistant' });
          const told = digests.filter(
            ({ chat_id }) => readable === 'all' || readable.includes(chatId(chat_id)),
          );
          if (told.length === 0) return own(refusal(reasonSentence('no_read_grant')));
          const result: Result = {
            digests: told.map((each) => ({
              group: each.group,
              day: each.day,
              zone: each.zone,
              text: dayWords(each, { hours }),
            })),
          };
          return {
            result,
            from: { ...UNTAINTED, chats: told.map((each) => chatId(each.chat_id)) },
          };
        } catch (error) {
          if (error instanceof RelayError) return own(refusal(error.message));
          throw error;
        }
      }),
  }),
];
