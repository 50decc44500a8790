// What a tool answers the model: JSON, as text. What it says of an effect is what happened.
import { untrusted } from '@relay/core/agent/labelled';
import type { Taint } from '@relay/core/policy/facts';
import type { ToolAnswer } from '../../agent/tool.ts';

export type Result = Readonly<Record<string, unknown>>;

/** `from` is whose text is in it; UNTAINTED where all of it is Relay's and the owner's. */
export const answer = (result: Result, from: Taint): ToolAnswer => ({
  text: untrusted(JSON.stringify(result), from),
});

export const refusal = (error: string, more: Result = {}): Result => ({ error, ...more });
