// One turn of an agent in a delegated conversation, as the flow asks for it. The flow gives what the
// agent may know and takes back what it wants; nothing the agent wants has happened when it returns.
import type { Todo, TranscriptMessage } from '../api/instances.ts';
import type { TurnPurpose } from '../conversation/transition.ts';
import type { InstanceId } from '../ids.ts';

export interface TurnContext {
  readonly instance: InstanceId;
  readonly purpose: TurnPurpose;
  readonly objective: string;
  readonly todos: readonly Todo[];
  readonly transcript: readonly TranscriptMessage[];
  readonly followUpCount: number;
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
}

/** May throw: the flow tries once more and then asks for the owner. */
export type TakeTurn = (context: TurnContext, signal: AbortSignal) => Promise<TurnOutcome>;
