// Who asks the gate. An actor is made by the daemon from what it knows itself, never from what a
// model or a client says: a session cannot name another chat, a token cannot bring its own scopes.
import type { ChatId, ContactId, InstanceId, RunId, TokenId } from '../ids.ts';

export const SCOPES = [
  'messages:read',
  'messages:send',
  'conversations:read',
  'conversations:write',
  'permissions:read',
  'permissions:write',
  'schedules:read',
  'schedules:write',
  'search:read',
  'digests:read',
  'ledger:read',
  'link:write',
  'metrics:read',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The person it all belongs to, at the console, the command or the phone. */
export interface Owner {
  readonly kind: 'owner';
}

/** One turn of the owner's own assistant. */
export interface AssistantRun {
  readonly kind: 'assistant';
  readonly run: RunId;
}

/** Answers one contact; bound to that chat. */
export interface AutoReplySession {
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
export interface Observer {
  readonly kind: 'observer';
  readonly chat: ChatId;
}

/** Sends what was scheduled when its time has come. */
export interface Scheduler {
  readonly kind: 'scheduler';
}

/** Tells the owner, in their own chat, what needs them. */
export interface Notifier {
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
  | Owner
  | AssistantRun
  | AutoReplySession
  | ConversationSession
  | Observer
  | Scheduler
  | Notifier
  | TokenHolder;
