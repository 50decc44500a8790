// The actors that submit intents to the gate. The daemon builds an actor from its own knowledge, never from what a
// model or a client says: a session cannot name another chat, a token cannot bring its own scopes.
import type { TokenClient } from '@relay/contract/api/credentials';
import type { ChatId, ContactId, InstanceId, RunId, TokenId } from '@relay/contract/ids';
import type { Scope } from '@relay/contract/policy/scopes';

/** The owner, at the console, the command or the phone. */
interface OwnerActor {
  readonly kind: 'owner';
}

/** One turn of the owner's assistant. */
export interface AssistantRun {
  readonly kind: 'assistant';
  readonly run: RunId;
}

/** Auto-reply for one contact; bound to that chat. */
interface AutoReplySession {
  readonly kind: 'auto_reply';
  readonly chat: ChatId;
}

/** A conversation with one contact; bound to that chat. */
export interface ConversationSession {
  readonly kind: 'conversation';
  readonly instance: InstanceId;
  readonly chat: ChatId;
}

/** The observer of one group; it only reads. */
interface ObserverActor {
  readonly kind: 'observer';
  readonly chat: ChatId;
}

/** Sends scheduled messages when they are due. */
interface SchedulerActor {
  readonly kind: 'scheduler';
}

/** Notifies the owner in their own chat. */
interface NotifierActor {
  readonly kind: 'notifier';
}

/** A REST or MCP client. */
export interface TokenHolder {
  readonly kind: 'token';
  readonly token: TokenId;
  /** The scopes on the server at the time of this call. Each allows only its own thing; none implies another. */
  readonly scopes: readonly Scope[];
  /** The only contacts it may deal with; null means everybody with a grant. */
  readonly contacts: readonly ContactId[] | null;
}

export type Actor =
  | OwnerActor
  | AssistantRun
  | AutoReplySession
  | ConversationSession
  | ObserverActor
  | SchedulerActor
  | NotifierActor
  | TokenHolder;

export const tokenActor = ({ id, scopes, contacts }: TokenClient): TokenHolder => ({
  kind: 'token',
  token: id,
  scopes,
  contacts,
});
