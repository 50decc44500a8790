// Which of what happens a webhook wants to hear of, besides its kinds. Pure. Whoever is named means the chat
// with them; a group is named itself. What has no chat, no direction or no state is not held back by them.
import { z } from 'zod';

export const DIRECTIONS = ['in', 'out'] as const;

export const webhookFilterSchema = z.object({
  /** Chats with these people; they follow a person whose addresses turn out to be one. */
  contacts: z.array(z.uuid()).optional(),
  /** These groups. */
  chats: z.array(z.uuid()).optional(),
  directions: z.array(z.enum(DIRECTIONS)).optional(),
  /** Of messages, conversations, approvals and the link. */
  states: z.array(z.string()).optional(),
});
export type WebhookFilter = z.infer<typeof webhookFilterSchema>;

export interface Place {
  readonly chat: string | null;
  /** Whose chat it is; null for a group. */
  readonly contact: string | null;
  readonly direction: (typeof DIRECTIONS)[number] | null;
  readonly state: string | null;
}

export function isWanted(filter: WebhookFilter, place: Place): boolean {
  const { contacts, chats, directions, states } = filter;
  const somewhere = place.chat !== null || place.contact !== null;
  if (somewhere && (contacts !== undefined || chats !== undefined)) {
    const named = contacts?.includes(place.contact ?? '') || chats?.includes(place.chat ?? '');
    if (named !== true) return false;
  }
  if (place.direction !== null && directions?.includes(place.direction) === false) return false;
  return place.state === null || states?.includes(place.state) !== false;
}
