// Who asks the gate. An actor is made by the daemon from what it knows itself, never from what a
// model or a client says: a session cannot name another chat, a token cannot bring its own scopes.
import type { TokenClient } from '@relay/contract/api/credentials';
import type { ChatId, ContactId, InstanceId, RunId, TokenId } from '@relay/contract/ids';
import type { Scope } from '@relay/contract/policy/scopes';

/** The person it all belongs to, at the console, the command or the phone. */
interface OwnerActor {
  readonly kind: 'owner';
}

/** One turn of the owner's own assistant. */
export interface AssistantRun {
  readonly kind: 'assistant';
  readonly run: RunId;
}

/** Answers one contact; bound to that chat. */
interface AutoReplySession {
  readonly kind: 'auto_reply';
  readonly chat: ChatId;
}

/** Pursues one objective with one contact; bound to that chat. */
export interface ConversationSession {
  readonly kind: 'conversation';
  readonly instance: InstanceId;
  readonly chat: ChatId;
}

/** Reads one group in silence. */
interface ObserverActor {
  readonly kind: 'observer';
  readonly chat: ChatId;
}

/** Sends what was scheduled when its time has come. */
interface SchedulerActor {
  readonly kind: 'scheduler';
}

/** Tells the owner, in their own chat, what needs them. */
interface NotifierActor {
  readonly kind: 'notifier';
}

/** A REST or MCP client. */
export interface TokenHolder {
  readonly kind: 'token';
  readonly token: TokenId;
  /** As the server holds them at this call. Each allows its own thing; none implies another. */
  readonly scopes: readonly Scope[];
  /** The only contacts it may deal with; null means all that grants allow. */
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
