// Decides which feature handles a stored message. The router reads the facts, calls this, and writes the result with
// its reason to the ledger. The reasons are persisted: never rename one.
import type { ContactId, InstanceId } from '@relay/contract/ids';
import { isMark } from '../messages/message.ts';
import { canRead, type ReadFacts } from '../policy/decide.ts';
import type { ChatFacts, ConversationFacts } from '../policy/facts.ts';
import { type ReasonFor, reasonText } from '../policy/reasons.ts';

/** The router's own reasons; a refusal to read has the policy's reason. */
export const ROUTE_REASONS = {
  own_message: 'Ignored because you wrote it.',
  sent_by_relay: 'Ignored because Relay sent it.',
  owner_takeover: 'You wrote to the contact of an open conversation yourself, so it was paused.',
  open_conversation: 'Handed to the open conversation with this contact.',
  late_reply: 'Handed to the conversation with this contact that ended in the last 7 days.',
  late_reply_dismissed: 'Stored. You kept the conversation with this contact ended.',
  signed_by_relay:
    'Ignored because it ends with the signature of your assistant, so it is not from you.',
  to_assistant: 'Handed to your assistant.',
  owner_reaction: 'You reacted to a message in your own chat, which can answer an approval.',
  readable_contact: 'Handed to auto-reply, because your grant allows reading this contact.',
  nothing_to_answer: 'Stored. Reactions, edits and deletions need no answer.',
  group: 'Stored. This group is not observed.',
  observed: 'Read silently, because you observe this group.',
} as const;

export type RouteReason = keyof typeof ROUTE_REASONS | ReasonFor<'deny'>;

export type Route =
  | { readonly to: 'nobody'; readonly outcome: 'ignored' | 'stored'; readonly reason: RouteReason }
  /** Somebody without a grant to read wrote: a message request, counted and never answered. */
  | {
      readonly to: 'knock';
      readonly outcome: 'stored';
      readonly reason: RouteReason;
      readonly contact: ContactId;
    }
  /**
   * `late_reply`: to an ended conversation. `takeover`: the owner's own words, typed on a phone; Relay's agent stops.
   */
  | {
      readonly to: 'conversation' | 'late_reply' | 'takeover';
      readonly outcome: 'handed_over';
      readonly reason: RouteReason;
      readonly instance: InstanceId;
    }
  /** The owner, or one of their own numbers, writes to the assistant. */
  | { readonly to: 'assistant'; readonly outcome: 'handed_over'; readonly reason: RouteReason }
  /** The owner reacted in their own chat. */
  | { readonly to: 'reaction'; readonly outcome: 'handed_over'; readonly reason: RouteReason }
  /** An observed group, whoever wrote. */
  | { readonly to: 'observer'; readonly outcome: 'handed_over'; readonly reason: RouteReason }
  | {
      readonly to: 'auto_reply';
      readonly outcome: 'handed_over';
      readonly reason: RouteReason;
      readonly contact: ContactId;
    };

export interface RouteFacts extends Omit<ReadFacts, 'what' | 'conversation' | 'chat'> {
  /** `owner` is the person at the phone, as opposed to what Relay sent for them. */
  readonly author: 'contact' | 'owner' | 'relay';
  /** WhatsApp's name of the content type, such as `reactionMessage`. */
  readonly kind: string;
  /** Whether it ends with the assistant's signature. */
  readonly signed: boolean;
  /** The linked number's chat with itself; `chat` is `own` then, as for the owner's other numbers. */
  readonly self: boolean;
  readonly chat: ChatFacts;
  /** The conversation that occupies the chat's contact, if any. */
  readonly conversation: ConversationFacts | null;
  /** The last conversation with the contact, if it was completed or abandoned in the last days. */
  readonly ended: { readonly instance: InstanceId; readonly isDismissed: boolean } | null;
}

export function route(facts: RouteFacts): Route {
  const { author, chat, conversation } = facts;
  if (author === 'relay') return { to: 'nobody', outcome: 'ignored', reason: 'sent_by_relay' };
  // Ids are checked first, then the signature: it is the only evidence if the id was lost, or if the assistant of one
  // of the owner's other numbers answers this one.
  if (facts.signed && (author === 'owner' || chat.kind === 'own')) {
    return { to: 'nobody', outcome: 'ignored', reason: 'signed_by_relay' };
  }
  if (chat.kind === 'own') return toAssistant(facts);
  if (chat.kind === 'group' && chat.observed) return toObserver(facts);
  if (author === 'owner') return ownersOwn(facts);
  if (chat.kind !== 'direct') return { to: 'nobody', outcome: 'stored', reason: 'group' };
  if (conversation !== null) {
    const { instance } = conversation;
    const actor = { kind: 'conversation', instance, chat: chat.id } as const;
    if (canRead(actor, { ...facts, what: 'messages' }).outcome === 'allow') {
      return { to: 'conversation', outcome: 'handed_over', reason: 'open_conversation', instance };
    }
  }
  if (facts.ended?.isDismissed === false && !isMark(facts.kind)) {
    const { instance } = facts.ended;
    return { to: 'late_reply', outcome: 'handed_over', reason: 'late_reply', instance };
  }
  const { outcome, reason } = canRead(
    { kind: 'auto_reply', chat: chat.id },
    { ...facts, what: 'messages' },
  );
  if (outcome === 'allow' && chat.contact !== null) {
    return isMark(facts.kind)
      ? { to: 'nobody', outcome: 'stored', reason: 'nothing_to_answer' }
      : {
          to: 'auto_reply',
          outcome: 'handed_over',
          reason: 'readable_contact',
          contact: chat.contact,
        };
  }
  if (facts.ended !== null) {
    return { to: 'nobody', outcome: 'stored', reason: 'late_reply_dismissed' };
  }
  const refusal = reason as ReasonFor<'deny'>;
  return chat.contact === null
    ? { to: 'nobody', outcome: 'stored', reason: refusal }
    : { to: 'knock', outcome: 'stored', reason: refusal, contact: chat.contact };
}

/** What the owner writes to themselves, and what one of their other numbers writes. */
function toAssistant({ author, self, kind }: RouteFacts): Route {
  const asks = author === 'contact' || self;
  if (asks && kind === 'reactionMessage') {
    return { to: 'reaction', outcome: 'handed_over', reason: 'owner_reaction' };
  }
  if (!asks || isMark(kind)) return { to: 'nobody', outcome: 'ignored', reason: 'own_message' };
  return { to: 'assistant', outcome: 'handed_over', reason: 'to_assistant' };
}

/** The owner's messages too: they are part of what was said. */
function toObserver(facts: RouteFacts): Route {
  const observer = { kind: 'observer', chat: facts.chat.id } as const;
  const { outcome, reason } = canRead(observer, { ...facts, what: 'messages' });
  return outcome === 'allow'
    ? { to: 'observer', outcome: 'handed_over', reason: 'observed' }
    : { to: 'nobody', outcome: 'stored', reason: reason as ReasonFor<'deny'> };
}

function ownersOwn({ chat, conversation, kind }: RouteFacts): Route {
  const open = chat.kind === 'direct' && conversation !== null && !conversation.ended;
  if (!open || isMark(kind)) return { to: 'nobody', outcome: 'ignored', reason: 'own_message' };
  const { instance } = conversation;
  return { to: 'takeover', outcome: 'handed_over', reason: 'owner_takeover', instance };
}

export const routeSentence = (reason: RouteReason): string =>
  Object.hasOwn(ROUTE_REASONS, reason)
    ? ROUTE_REASONS[reason as keyof typeof ROUTE_REASONS]
    : reasonText(reason as ReasonFor<'deny'>);
