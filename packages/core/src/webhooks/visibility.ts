// Decides what a client may see of an event: nothing, its ids and codes, or also its text.
// Invariant: without a record of the owner's for the chat, and for the contacts of the token, a client sees nothing.
import type { WebhookEventType } from '@relay/contract/webhooks/event-types';
import type { EventPlace } from './event-mapping.ts';

export type EventVisibility = 'hidden' | 'codes' | 'text';

/** A chat that the owner has a record for and that is not the owner's own. */
export interface KnownChat {
  readonly chat: string | null;
  /** Null for a group. */
  readonly contact: string | null;
  readonly canRead: boolean;
}

export interface EventClient {
  /** The only contacts it may deal with; null means everybody with a grant. */
  readonly contacts: readonly string[] | null;
  readonly scopes: readonly string[];
}

export function visibilityOf(
  client: EventClient,
  type: WebhookEventType,
  { chat, contact }: Pick<EventPlace, 'chat' | 'contact'>,
  known: readonly KnownChat[],
): EventVisibility {
  if (!client.scopes.includes('events:read') && !client.scopes.includes('webhooks:write')) {
    return 'hidden';
  }
  // The state of the link and of the daemon is for the owner.
  if (chat === null && contact === null) return 'hidden';
  const found = known.find(
    (one) => (chat === null || one.chat === chat) && (contact === null || one.contact === contact),
  );
  if (found === undefined) return 'hidden';
  const { contacts } = client;
  const isOnToken =
    contacts === null || (found.contact !== null && contacts.includes(found.contact));
  if (!isOnToken) return 'hidden';
  const isMessage = type === 'message.received' || type === 'message.sent';
  const mayRead = found.canRead && client.scopes.includes('messages:read');
  return isMessage && mayRead ? 'text' : 'codes';
}
