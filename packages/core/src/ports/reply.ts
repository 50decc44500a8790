// One answer of auto-reply, as its flow asks for it. The flow gives what the model may know and takes back
// what it says; nothing of it was sent when it returns.
import type { ChatId, RunId } from '../ids.ts';
import type { ToolCallRecord, TurnHooks } from './turn.ts';

export interface SessionLineSeen {
  readonly from: 'contact' | 'agent';
  readonly content: string;
  /** Of the agent's own: false when it never left. */
  readonly sent: boolean;
}

export interface ReplyContext {
  readonly run: RunId;
  readonly chat: ChatId;
  /** What the owner calls the contact. */
  readonly sender: string;
  /** How to speak with them, in the owner's words. */
  readonly persona: string | null;
  /** In the place of the primary model. */
  readonly model: string | null;
  /** Oldest first; the last is the message to be answered. */
  readonly lines: readonly SessionLineSeen[];
}

export interface ReplyHooks extends TurnHooks {
  /** Told all that was said so far, as it comes; it counts only when the run comes to its end. */
  said(text: string): void;
  /** What was looked up outside of this chat, to be kept; waited for before the model sees it. */
  lookedUp(call: ToolCallRecord): Promise<void>;
}

/** The answer, empty when there is none. May throw. */
export type ComposeReply = (context: ReplyContext, hooks: ReplyHooks) => Promise<string>;
