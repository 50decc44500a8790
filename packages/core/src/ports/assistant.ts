// The owner's assistant, as routes and commands speak to it. Implemented by flows/assistant. The owner's
// own chat on WhatsApp, the terminal and the console share one session.
import type { AssistantEvent, AssistantLine, ListAssistantLines } from '../api/assistant.ts';

export interface AssistantQuestion {
  readonly session: 'owner';
  /** As it was typed; what begins with / is a command and never reaches the model. */
  readonly text: string;
  /** Where it was asked. In a chat somebody looks on, and is asked before anything is sent. */
  readonly channel: 'chat';
}

export type AssistantSink = (event: AssistantEvent) => void;

export interface AssistantVerbs {
  /**
   * Resolves when the turn is over; the last event was `done` or `error`. A turn of the same session that
   * runs already is waited for. Aborting the signal ends the turn: what it has done by then stays done.
   */
  ask(question: AssistantQuestion, sink: AssistantSink, signal: AbortSignal): Promise<void>;
  /** The last lines of the session, or of what was said before one of them; oldest first. */
  history(which: ListAssistantLines): Promise<readonly AssistantLine[]>;
  /** A new session: nothing that was said before is remembered, nor what was read. */
  reset(): Promise<void>;
}
