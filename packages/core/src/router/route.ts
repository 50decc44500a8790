// What becomes of a message that was taken in. Pure: the router reads the facts, asks here, and writes the
// answer with its reason into the ledger. The reasons are persisted: never rename one.
import type { ContactId, InstanceId } from '../ids.ts';
import type { ChatFacts, ConversationFacts } from '../policy/facts.ts';
import { canRead, type ReadFacts } from '../policy/read.ts';
import { type ReasonFor, reasonSentence } from '../policy/reasons.ts';

/** Reasons of the router's own; a refusal to read has its reason from the policy. */
export const ROUTE_REASONS = {
  own_message: 'Ignored because it is yours.',
  sent_by_relay: 'Ignored because Relay sent it itself.',
  owner_takeover:
    'You wrote to the contact of an open conversation yourself, so it is in your hands.',
  open_conversation: 'Handed to the open conversation with this contact.',
  group: 'Stored. Nobody follows this group.',
  nobody_answers: 'Stored. It may be read, but nobody is set to answer.',
} as const;

export type RouteReason = keyof typeof ROUTE_REASONS | ReasonFor<'deny'>;

export type Route =
  | { readonly to: 'nobody'; readonly outcome: 'ignored' | 'stored'; readonly reason: RouteReason }
  /** A person without a readable grant wrote: counted, never answered. */
  | {
      readonly to: 'knock';
      readonly outcome: 'stored';
      readonly reason: RouteReason;
      readonly contact: ContactId;
    }
  /** `takeover`: the owner's own words, typed on a phone; they take the conversation out of Relay's hands. */
  | {
      readonly to: 'conversation' | 'takeover';
      readonly outcome: 'handed_over';
      readonly reason: RouteReason;
      readonly instance: InstanceId;
    };

export interface RouteFacts extends Omit<ReadFacts, 'what' | 'conversation' | 'chat'> {
  /** `owner` is the person at the phone, as against what Relay sent for them. */
  readonly author: 'contact' | 'owner' | 'relay';
  /** WhatsApp's own word for the content, such as `reactionMessage`. */
  readonly kind: string;
  readonly chat: ChatFacts;
  /** The conversation that holds the chat's contact, if one does. */
  readonly conversation: ConversationFacts | null;
}

export function route(facts: RouteFacts): Route {
  const { author, chat, conversation } = facts;
  if (author === 'relay') return { to: 'nobody', outcome: 'ignored', reason: 'sent_by_relay' };
  if (author === 'owner') return ownersOwn(facts);
  if (chat.kind !== 'direct') return { to: 'nobody', outcome: 'stored', reason: 'group' };
  if (conversation !== null) {
    const { instance } = conversation;
    const actor = { kind: 'conversation', instance, chat: chat.id } as const;
    if (canRead(actor, { ...facts, what: 'messages' }).outcome === 'allow') {
      return { to: 'conversation', outcome: 'handed_over', reason: 'open_conversation', instance };
    }
  }
  const { outcome, reason } = canRead(
    { kind: 'auto_reply', chat: chat.id },
    { ...facts, what: 'messages' },
  );
  if (outcome === 'allow') return { to: 'nobody', outcome: 'stored', reason: 'nobody_answers' };
  const refusal = reason as ReasonFor<'deny'>;
  return chat.contact === null
    ? { to: 'nobody', outcome: 'stored', reason: refusal }
    : { to: 'knock', outcome: 'stored', reason: refusal, contact: chat.contact };
}

/** A mark on what was said says nothing new: nobody takes over with a thumb up. */
const MARKS: ReadonlySet<string> = new Set([
  'reactionMessage',
  'encReactionMessage',
  'protocolMessage',
  'pollUpdateMessage',
  'pinInChatMessage',
  'keepInChatMessage',
  'unknown',
]);

function ownersOwn({ chat, conversation, kind }: RouteFacts): Route {
  const open = chat.kind === 'direct' && conversation !== null && !conversation.ended;
  if (!open || MARKS.has(kind)) return { to: 'nobody', outcome: 'ignored', reason: 'own_message' };
  const { instance } = conversation;
  return { to: 'takeover', outcome: 'handed_over', reason: 'owner_takeover', instance };
}

export const routeSentence = (reason: RouteReason): string =>
  Object.hasOwn(ROUTE_REASONS, reason)
    ? ROUTE_REASONS[reason as keyof typeof ROUTE_REASONS]
    : reasonSentence(reason as ReasonFor<'deny'>);
