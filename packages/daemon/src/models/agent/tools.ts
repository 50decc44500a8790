// Tools that a session offers its model: a name, a strict schema and a function that answers in text. A tool sees only
// its own arguments; what it may access was bound when it was created.
import { type LabelledText, prompt, trustedText } from '@relay/core/agent/labelled-text';
import { toStorableText } from '@relay/core/messages/text';
import type { ToolCallRecord } from '@relay/core/ports/agent-turn';
import type { JSONSchema7, ToolSet } from 'ai';
import { z } from 'zod';
import { type Clock, runWithinLimit } from './clock.ts';
import { loadSdk } from './model.ts';

export interface ToolResult {
  /** The answer for the model. */
  readonly text: LabelledText;
  /** Ends the turn: no further call and no further step. */
  readonly stop?: true;
}

export interface AgentTool {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodObject;
  /** The time limit of a tool that waits for a person; the turn's own time stands still meanwhile. */
  readonly timeoutMs?: number;
  /** `call` is the id under which the call is recorded, unique within a session. */
  run(input: unknown, signal: AbortSignal, call: string): Promise<ToolResult> | ToolResult;
}

/** Hides the type of the arguments: the caller has parsed them with the schema. */
export function defineAgentTool<Schema extends z.ZodObject>(made: {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly timeoutMs?: number;
  run(input: z.output<Schema>, signal: AbortSignal, call: string): Promise<ToolResult> | ToolResult;
}): AgentTool {
  return {
    ...made,
    run: (input, signal, call) => made.run(input as z.output<Schema>, signal, call),
  };
}

// Runs the tool calls of a session one after another, in the model's order. A repeated call has no second effect, and a
// faulty call becomes a short sentence for the model.

export const MAX_ARGUMENT_BYTES = 64 * 1024;
const SHOWN_ARGUMENTS = 2_000;

interface RequestedToolCall {
  readonly id: string;
  /** The id under which it is recorded: some servers give every call the same id. */
  readonly uniqueId: string;
  readonly name: string;
  /** Parsed JSON, or the raw text if it is not JSON. */
  readonly input: unknown;
}

export interface ToolCallRunner {
  run(call: RequestedToolCall): Promise<ToolResult>;
  readonly records: readonly ToolCallRecord[];
}

interface ToolCallRunnerOptions {
  readonly tools: readonly AgentTool[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly toolTimeoutMs: number;
  leftMs(): number;
  /** A tool waited for a person: extends the turn by that time. */
  onWaited(ms: number): void;
  timeoutError(): Error;
  /** `onCall` runs before a call is examined, `onResult` with its result. */
  onCall?(call: Omit<ToolCallRecord, 'result'>): void;
  onResult?(record: ToolCallRecord): void;
  /** A tool threw or took too long. */
  onFailure(tool: string, error: unknown): void;
}

export function createToolCallRunner(options: ToolCallRunnerOptions): ToolCallRunner {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const answered = new Map<string, ToolResult>();
  const records: ToolCallRecord[] = [];

  async function answer({ name, input, uniqueId }: RequestedToolCall): Promise<ToolResult> {
    const tool = tools.get(name);
    if (tool === undefined) return refuse('There is no such tool.');
    if (sizeOf(input) > MAX_ARGUMENT_BYTES) return refuse('The arguments are too large.');
    if (typeof input === 'string') return refuse('The arguments are not JSON.');
    const parsed = tool.schema.safeParse(input);
    if (!parsed.success) return refuse(`The arguments are not valid: ${fault(parsed.error)}.`);
    return perform(tool, parsed.data, uniqueId);
  }

  async function perform(tool: AgentTool, input: unknown, call: string): Promise<ToolResult> {
    const left = options.leftMs();
    if (left <= 0) throw options.timeoutError();
    const ms = tool.timeoutMs ?? Math.min(options.toolTimeoutMs, left);
    const tooSlow = new Error(`${tool.name} took more than ${ms} ms`);
    const limit = { clock: options.clock, signal: options.signal, ms, timeoutError: () => tooSlow };
    const began = options.clock.now();
    try {
      return await runWithinLimit(limit, (signal) => tool.run(input, signal, call));
    } catch (error) {
      options.signal.throwIfAborted();
      options.onFailure(tool.name, error);
      return refuse(error === tooSlow ? 'It took too long.' : 'It failed. Do not try it again.');
    } finally {
      if (tool.timeoutMs !== undefined) options.onWaited(options.clock.now() - began);
    }
  }

  return {
    records,
    async run(call) {
      const made = {
        id: toStorableText(call.uniqueId.slice(0, 200)),
        name: toStorableText(call.name.slice(0, 200)),
        arguments: shown(call.input),
      };
      options.onCall?.(made);
      const key = JSON.stringify([call.id, call.name, textOf(call.input)]);
      const before = answered.get(key);
      const given =
        before === undefined
          ? await answer(call)
          : { text: prompt`This call was made before; its answer was: ${before.text}` };
      const record = { ...made, result: given.text.text };
      if (before === undefined) {
        answered.set(key, given);
        records.push(record);
      }
      options.onResult?.(record);
      return given;
    },
  };
}

/** Trusted, because it quotes only what the model itself passed. */
const refuse = (text: string): ToolResult => ({ text: trustedText(`Error: ${text}`) });

function fault({ issues }: { issues: readonly { path: PropertyKey[]; message: string }[] }) {
  const issue = issues[0];
  const field = issue?.path.map(String).join('.').slice(0, 60);
  const what = (issue?.message ?? 'unknown').slice(0, 120);
  return field ? `${field}: ${what}` : what;
}

const textOf = (input: unknown): string =>
  typeof input === 'string' ? input : (JSON.stringify(input) ?? '');

const sizeOf = (input: unknown): number => Buffer.byteLength(textOf(input));

/** The arguments for the owner to look at, storable: complete if small, otherwise their beginning. */
function shown(input: unknown): unknown {
  const text = textOf(input);
  if (typeof input === 'string' || text.length > SHOWN_ARGUMENTS)
    return toStorableText(text.slice(0, SHOWN_ARGUMENTS));
  return JSON.parse(text, (_, value) =>
    typeof value === 'string' ? toStorableText(value) : value,
  );
}

// The tools in the form that the SDK passes to a provider: name, description and schema, and nothing that the SDK could
// run itself. Each schema is converted to JSON Schema once, not on every call.

const schemas = new WeakMap<z.ZodObject, JSONSchema7>();

export async function toSdkTools(tools: readonly AgentTool[]): Promise<ToolSet> {
  const { jsonSchema } = await loadSdk();
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      { description, inputSchema: jsonSchema(schemaOf(schema)) },
    ]),
  );
}

function schemaOf(schema: z.ZodObject): JSONSchema7 {
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const made = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }) as JSONSchema7;
  schemas.set(schema, made);
  return made;
}
