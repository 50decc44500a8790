// What a session may offer its model: a name, a strict schema, and a function that answers in words. A
// tool sees nothing but its own arguments; what it may touch was bound when it was made.
import type { Labelled } from '@relay/core/agent/labelled';
import type { z } from 'zod';

export interface ToolAnswer {
  /** For the model. */
  readonly text: Labelled;
  /** The turn is over: neither another call nor another step. */
  readonly stop?: true;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  /** How long it may take when that is for a person to say; the turn's own time stands still meanwhile. */
  readonly timeoutMs?: number;
  /** `call` is the id under which the call is kept: once in a session. */
  run(input: unknown, signal: AbortSignal, call: string): Promise<ToolAnswer> | ToolAnswer;
}

/** Keeps the type of the arguments inside: whoever calls has parsed them with the schema. */
export function tool<Schema extends z.ZodObject>(made: {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly timeoutMs?: number;
  run(input: z.output<Schema>, signal: AbortSignal, call: string): Promise<ToolAnswer> | ToolAnswer;
}): AgentTool {
  return {
    ...made,
    run: (input, signal, call) => made.run(input as z.output<Schema>, signal, call),
  };
}
