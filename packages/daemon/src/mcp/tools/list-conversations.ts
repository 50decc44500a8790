// `list_conversations`: how far conversations with the program's people are. No word that was said is in it.
import { instanceStateSchema } from '@relay/core/api/instances';
import { z } from 'zod';
import { seenConversations, told } from '../conversations.ts';
import { programTool, READS } from '../tool.ts';

export const conversation = z.object({
  id: z.string(),
  chat_id: z.string(),
  name: z.string(),
  state: instanceStateSchema,
  meaning: z.string().describe('The state in a sentence; “you” in it is the owner.'),
  created_by_you: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  next_follow_up_at: z.iso.datetime().nullable(),
  follow_up_count: z.int(),
  max_followups: z.int(),
  messages_sent: z.int(),
  messages_received: z.int(),
  todos_done: z.int(),
  todos_total: z.int(),
  objective: z.string().optional().describe('Of conversations that you created.'),
  todos: z
    .array(z.object({ text: z.string(), status: z.string() }))
    .optional()
    .describe('Of conversations that you created.'),
});

export const listConversations = programTool({
  name: 'list_conversations',
  title: 'List conversations',
  description:
    'List the conversations that Relay’s agent leads with people whom you may deal with, the newest first: whose turn it is, how far it has come, and when it follows up. get_conversation tells what was said.',
  scope: 'conversations:read',
  hints: READS,
  input: z.strictObject({
    state: instanceStateSchema.optional().describe('Only those in this state.'),
    limit: z.int().min(1).max(100).default(50),
  }),
  output: z.object({ conversations: z.array(conversation) }),
  async run(call, { state, limit }) {
    const seen = await seenConversations(call, call.world.db, { state, limit });
    return { conversations: seen.map(told) };
  },
});
