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

// The scopes that a program's token can be made with, and what each opens, as the owner reads it. Each opens
// its own tools and no other's. Pure.

export const SCOPE_DESCRIPTIONS = {
  'messages:read': 'list the chats you let be read, read their messages, sum them up',
  'messages:send': 'write to people, as far as your grants go',
  'search:read': 'search what was said in those chats',
  'digests:read': 'read the digests of the groups you observe and let be read',
  'conversations:read': 'see conversations and their transcripts',
  'conversations:write':
    'start conversations, pause them, resume what it paused, cancel what it started',
  'schedules:read': 'see what is scheduled',
  'schedules:write': 'schedule messages, and cancel what it scheduled',
  'permissions:read': 'see whom it may read and write to',
  'ledger:read': 'ask why something was or was not sent',
  'link:write': 'show the QR code that links your WhatsApp account',
  'metrics:read': 'read figures for a monitor at /metrics: no words and no names',
} as const satisfies Partial<Record<Scope, string>>;

export type ClientScope = keyof typeof SCOPE_DESCRIPTIONS;

export const CLIENT_SCOPES = Object.keys(SCOPE_DESCRIPTIONS) as [ClientScope, ...ClientScope[]];
