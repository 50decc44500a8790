// `list_permissions`: the owner's standing grants for the people and groups that the program may deal with.
import { REPLY_MODES } from '@relay/core/contacts/grants';
import { z } from 'zod';
import { programTool } from '../tool.ts';
import { reachable } from '../who.ts';

const MOST_SHOWN = 200;

export const listPermissions = programTool({
  name: 'list_permissions',
  title: 'List permissions',
  description:
    'Whom you may deal with: the owner’s standing permission for each person and group. Somebody who is not listed cannot be read or written to. Only the owner changes permissions.',
  scope: 'permissions:read',
  hints: { readOnlyHint: true, openWorldHint: false },
  input: z.strictObject({}),
  output: z.object({
    permissions: z.array(
      z.object({
        id: z.string().describe('Names the chat in every tool.'),
        name: z.string().describe('As the owner calls them.'),
        kind: z.enum(['contact', 'group']),
        phone_number: z.string().nullable().describe('Digits only.'),
        can_read: z.boolean(),
        can_reply: z.boolean().describe('Messages may be sent there.'),
        reply_mode: z
          .enum(REPLY_MODES)
          .describe('draft: what is sent there waits for the owner’s yes.'),
        can_initiate: z.boolean().describe('Conversations may be started there.'),
      }),
    ),
    left_out: z.int().describe('How many more there are.'),
  }),
  async run(call) {
    const all = await reachable(call);
    return {
      permissions: all.slice(0, MOST_SHOWN).map((each) => ({
        id: each.address,
        name: each.name,
        kind: each.kind === 'group' ? ('group' as const) : ('contact' as const),
        phone_number: each.phone,
        can_read: each.canRead,
        can_reply: each.canReply,
        reply_mode: each.replyMode,
        can_initiate: each.canInitiate,
      })),
      left_out: Math.max(0, all.length - MOST_SHOWN),
    };
  },
});
