// How tools take a chat, and how they name one in an answer.
import { written } from '@relay/core/api/written';
import { z } from 'zod';

export const chatInput = written(128).describe(
  'The chat: its id as get_chats gives it, a phone number, or the whole name that the owner has given it.',
);

export const chatSchema = z.object({
  id: z.string().describe('Names the chat in every tool.'),
  name: z.string().describe('As the owner calls it.'),
});

/** How many of `what` are wanted. */
export const howMany = (what: string, usual: number, most: number) =>
  z
    .int()
    .min(1)
    .max(most)
    .default(usual)
    .describe(`How many ${what}: ${usual} unless given, never more than ${most}.`);
