// The interfaces of an agent's turn in a conversation and of an auto-reply. The caller provides what the agent may know
// and receives what it wants; nothing of that has happened when the turn returns.
import type { Todo, TranscriptLine } from '@relay/contract/api/instances';
import type { ResultSchema } from '@relay/contract/conversation/result';
import type { TurnPurpose } from '@relay/contract/conversation/states';
import type { ChatId, InstanceId, RunId } from '@relay/contract/ids';
import type { Taint } from '../policy/facts.ts';

/** A stored photo; its bytes are read when a model that can see is called. */
export interface LinePhoto {
  readonly object: string;
  readonly mimeType: string;
}

export interface TurnContext {
  readonly instance: InstanceId;
  readonly run: RunId;
  readonly chat: ChatId;
  /** Whose text the run begins with: the chat's, and that of the conversation's creator. */
  readonly taint: Taint;
  /** The taint of objective, todos and facts. */
  readonly taskFrom: Taint;
  readonly purpose: TurnPurpose;
  readonly objective: string;
  readonly todos: readonly Todo[];
  /** What the owner allows the agent to share verbatim with the contact. */
  readonly facts: readonly string[];
  /** The files that the owner attached, in words. The agent names one by its place, beginning at 1. */
  readonly files: readonly string[];
  /** The schema of the result that the agent gives at the end. */
  readonly resultSchema: ResultSchema | null;
  /** A summary of what was said before `transcript`; null if the transcript is complete. */
  readonly summary: string | null;
  /** Oldest first. */
  readonly transcript: readonly TranscriptLine[];
  /** Photos that the model may be shown, by the line they belong to. */
  readonly photos?: ReadonlyMap<TranscriptLine['id'], LinePhoto>;
  /** The number of the contact's last messages that no turn has read yet. */
  readonly unread: number;
  readonly followUpCount: number;
  readonly maxFollowups: number;
}

/** A tool call and its result, kept for the owner to inspect. */
export interface ToolCallRecord {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  readonly result: string;
}

/** A value for the conversation's schema, or why the agent's last value was refused. */
export type TurnResult =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly problems: readonly string[] };

export interface TurnOutcome {
  /** Messages to the contact, in order. */
  readonly messages: readonly string[];
  /** For each message the file that it is the caption of, by its place; null for a text. */
  readonly attached?: readonly (number | null)[];
  readonly todos?: readonly Pick<Todo, 'id' | 'status'>[];
  readonly nextHeartbeatMs?: number;
  /** Ends the conversation, for this reason. */
  readonly endReason?: string;
  /** Given with the end. Without it, the agent had no result. */
  readonly result?: TurnResult;
  /** The owner is needed, for this reason. */
  readonly interventionReason?: string;
  /** Replaces the former summary; `upTo` is the last transcript line in it. */
  readonly summary?: { readonly text: string; readonly upTo: TranscriptLine['id'] };
  readonly calls?: readonly ToolCallRecord[];
}

/** The cost of one model call. */
export interface ModelUsage {
  readonly provider: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** In millionths of a US dollar; 0 if no price is known. */
  readonly micros: number;
}

export interface TurnHooks {
  /** Ends the turn: it is obsolete, or the daemon stops. */
  readonly signal: AbortSignal;
  /**
   * Called and awaited after every model call. Rejects when the budget is used up; if only storing it reveals that, the
   * next call or the end of the turn rejects.
   */
  onUsage(usage: ModelUsage): Promise<void>;
  /** Awaited before the model sees others' text that the run did not begin with; receives the whole taint so far. */
  beforeReading(taint: Taint): Promise<void>;
}

/** May throw: the caller retries once and then asks for the owner. */
export type TakeTurn = (context: TurnContext, hooks: TurnHooks) => Promise<TurnOutcome>;

// The interface of one auto-reply. The caller provides what the model may know and receives its text; nothing was sent
// when it returns.

export interface ReplyLine {
  readonly from: 'contact' | 'agent';
  readonly content: string;
  /** For the agent's own lines: false if it was never sent. */
  readonly sent: boolean;
  /** A photo that the model may be shown. */
  readonly photo?: LinePhoto;
}

export interface ReplyContext {
  readonly run: RunId;
  readonly chat: ChatId;
  /** The owner's name for the contact. */
  readonly sender: string;
  /** How to write to them, in the owner's words. */
  readonly persona: string | null;
  /** Replaces the primary model. */
  readonly model: string | null;
  /** Oldest first; the last one is the message to answer. For a draft it may be the owner's own, or none. */
  readonly lines: readonly ReplyLine[];
  /** Set if the owner reads the text first, and sends it themselves or not at all. */
  readonly draft?: ReplyDraft;
}

export interface ReplyHooks extends TurnHooks {
  /** Receives all text so far, as it is streamed; it only counts when the run completes. */
  onText(text: string): void;
  /** Records what was looked up outside of this chat; awaited before the model sees it. */
  onToolCall(call: ToolCallRecord): Promise<void>;
}

interface ReplyDraft {
  /** The goal of the open conversation with the contact. */
  readonly goal: string | null;
  /** What the owner wants to say. */
  readonly hint: string | null;
}

/** The answer, empty if there is none. May throw. */
export type ComposeReply = (context: ReplyContext, hooks: ReplyHooks) => Promise<string>;
