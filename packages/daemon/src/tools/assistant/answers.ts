// What a tool answers the model: JSON, as text. What it says of an effect is what happened.
import type { ToolAnswer } from '../../agent/tool.ts';

export type Result = Readonly<Record<string, unknown>>;

export const answer = (result: Result): ToolAnswer => ({ text: JSON.stringify(result) });

export const refusal = (error: string, more: Result = {}): Result => ({ error, ...more });
