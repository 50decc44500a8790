// What a received message is besides its text and its file, as the transcript, search and the API show it. Like
// OutgoingContent, so that what can be sent and what can be read have the same names.
import { z } from 'zod';

export const receivedContentSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('location'),
    latitude: z.number(),
    longitude: z.number(),
    name: z.string().nullable(),
    address: z.string().nullable(),
    /** The sender shares where they are for some time; this is where they were at first. */
    live: z.boolean(),
  }),
  z.object({
    kind: z.literal('contacts'),
    contacts: z.array(z.object({ name: z.string(), phone_numbers: z.array(z.string()) })),
  }),
  z.object({
    kind: z.literal('poll'),
    question: z.string(),
    options: z.array(z.string()),
    /** 0: any number. */
    select_up_to: z.int(),
  }),
  /** `to`, `of` and `poll` are WhatsApp's ids of messages in the same chat. */
  z.object({ kind: z.literal('reaction'), to: z.string(), emoji: z.string() }),
  z.object({ kind: z.literal('edit'), of: z.string() }),
  z.object({ kind: z.literal('delete'), of: z.string() }),
  /** What was chosen is encrypted for the poll's members, and not read. */
  z.object({ kind: z.literal('vote'), poll: z.string() }),
  /** WhatsApp shows it on the phone only. */
  z.object({ kind: z.literal('view_once') }),
]);

export type ReceivedContent = z.infer<typeof receivedContentSchema>;
