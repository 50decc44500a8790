// One tool that programs may call: its name and schemas, the one scope that opens it, and what it does.
// Invariant: the list and every word in it is fixed when the daemon starts; nothing that somebody wrote can
// change what a program is told about a tool.
import type { ChatId } from '@relay/core/ids';
import type { Scope, TokenHolder } from '@relay/core/policy/actors';
import type { Program } from '@relay/core/ports/tokens';
import { z } from 'zod';
import type { SearchScope } from '../search/scope.ts';
import type { Reader } from '../store/database.ts';
import type { ProgramWorld } from './world.ts';

/** What whoever sits at the program said; `cannot` when there is no way to ask them. */
export type Confirmed = 'yes' | 'no' | 'cannot';

/** Thrown by a door out of a call that begins anew once somebody has answered. */
export class Ask extends Error {
  readonly question: string;

  constructor(question: string) {
    super('somebody is asked first');
    this.question = question;
  }
}

/** What the door a call came by can do. */
export interface Door {
  readonly signal: AbortSignal;
  /** The program's own name for the call: the same again answers what became of the first. */
  readonly key: string | null;
  progress(sentence: string): void;
  /** May begin the call anew with the answer: whatever comes before must have changed nothing. */
  confirm(question: string): Promise<Confirmed>;
}

export interface Call extends Door {
  readonly world: ProgramWorld;
  readonly program: Program;
  readonly actor: TokenHolder;
  /** What it may find and read. */
  readonly scope: SearchScope;
  /** Before words of these chats are handed out. */
  noteRead(db: Reader, chats: readonly ChatId[]): Promise<void>;
  /** Work that is done in the order in which the calls of this token came. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

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

type Io = 'input' | 'output';
const written: Readonly<Record<Io, WeakMap<z.ZodObject, Record<string, unknown>>>> = {
  input: new WeakMap(),
  output: new WeakMap(),
};

/** A list of types is legal, and more than some programs understand. */
function withoutLists(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value)) return value;
  const { type, ...rest } = value;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((each) => ({ type: each })) } : value;
}

/** Written once: the tools do not change while the daemon runs. */
export function jsonSchema(schema: z.ZodObject, io: Io): Record<string, unknown> {
  const json = written[io].get(schema) ?? plain(z.toJSONSchema(schema, { io }));
  written[io].set(schema, json);
  return json;
}

const plain = (json: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(json, withoutLists));
