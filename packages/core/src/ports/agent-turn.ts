// One turn of an agent in a delegated conversation, as the flow asks for it. The flow gives what the
// agent may know and takes back what it wants; nothing the agent wants has happened when it returns.
import type { Todo, TranscriptLine } from '@relay/contract/api/instances';
import type { TurnPurpose } from '@relay/contract/conversation/states';
import type { ChatId, InstanceId, RunId } from '@relay/contract/ids';
import type { Taint } from '../policy/facts.ts';

export interface TurnContext {
  readonly instance: InstanceId;
  readonly run: RunId;
  readonly chat: ChatId;
  /** Whose text the run begins with: the chat's, and that of whoever began the conversation. */
  readonly taint: Taint;
  /** Of whoever wrote objective, todos and facts. */
  readonly taskFrom: Taint;
  readonly purpose: TurnPurpose;
  readonly objective: string;
  readonly todos: readonly Todo[];
  /** What the owner said may be told to the contact as it stands. */
  readonly facts: readonly string[];
  /** What was said before the lines of `transcript`; null when that is all there is. */
  readonly summary: string | null;
  /** Oldest first. */
  readonly transcript: readonly TranscriptLine[];
  /** How many of the contact's last messages no turn has read yet. */
  readonly unread: number;
  readonly followUpCount: number;
  readonly maxFollowups: number;
}

/** A call as the model made it and what it was told; kept for the owner to look at. */
export interface ToolCallRecord {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly result: string;
}

export interface TurnOutcome {
  /** To the contact, in order. */
  readonly messages: readonly string[];
  readonly todos?: readonly Pick<Todo, 'id' | 'status'>[];
  readonly nextHeartbeatMs?: number;
  /** The conversation is over, for this reason. */
  readonly end?: string;
  /** A person is needed, for this reason. */
  readonly intervene?: string;
  /** Takes the place of the summary before; `upTo` is the last line of the transcript that is in it. */
  readonly summary?: { readonly text: string; readonly upTo: TranscriptLine['id'] };
  readonly calls?: readonly ToolCallRecord[];
}

/** What one call of a model cost. */
export interface ModelUsage {
  readonly provider: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In millionths of a US dollar; 0 where no price is known. */
  readonly micros: number;
}

export interface TurnHooks {
  /** Ends the turn: it was overtaken, or the daemon stops. */
  readonly signal: AbortSignal;
  /**
   * Called and waited for after every call of the model. Rejects when the budget is used up; what only the
   * writing down finds out, with the next call's or when the turn has returned.
   */
  spent(spent: ModelUsage): Promise<void>;
  /** Waited for before the model sees text of others that the run did not begin with: all of it so far. */
  reads(taint: Taint): Promise<void>;
}

/** May throw: the flow tries once more and then asks for the owner. */
export type TakeTurn = (context: TurnContext, hooks: TurnHooks) => Promise<TurnOutcome>;

// One answer of auto-reply, as its flow asks for it. The flow gives what the model may know and takes back
// what it says; nothing of it was sent when it returns.

export interface ReplyLine {
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
  readonly lines: readonly ReplyLine[];
}

export interface ReplyHooks extends TurnHooks {
  /** Told all that was said so far, as it comes; it counts only when the run comes to its end. */
  said(text: string): void;
  /** What was looked up outside of this chat, to be kept; waited for before the model sees it. */
  lookedUp(call: ToolCallRecord): Promise<void>;
}

/** The answer, empty when there is none. May throw. */
export type ComposeReply = (context: ReplyContext, hooks: ReplyHooks) => Promise<string>;
