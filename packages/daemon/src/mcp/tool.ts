// One tool that programs may call: its name and schemas, the one scope that opens it, and what it does.
// Invariant: the list and every word in it is fixed when the daemon starts; nothing that somebody wrote can
// change what a program is told about a tool.
import type { Scope } from '@relay/core/policy/actors';
import { z } from 'zod';
import type { Call } from './call.ts';

export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

interface ToolSpec<Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: Scope;
  readonly hints: ToolHints;
  readonly input: Input;
  readonly output: Output;
  /** After which it is given up; less than a minute unless given. */
  readonly limitMs?: number;
  /** Refuses with a RelayError, or with a SeedError where seed 002 has a code for it. */
  run(call: Call, input: z.output<Input>): Promise<z.input<Output>>;
}

export type ProgramTool = ToolSpec<z.ZodObject, z.ZodObject>;

export const programTool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolSpec<Input, Output>,
): ProgramTool => spec as unknown as ProgramTool;

/** Looks and changes nothing; what others wrote may be in it. */
export const READS: ToolHints = { readOnlyHint: true, openWorldHint: true };

export const jsonSchema = (schema: z.ZodObject, io: 'input' | 'output'): Record<string, unknown> =>
  z.toJSONSchema(schema, { io });
