// The tool calls of one session, run one after another in the order the model gave. A call that is made
// again has no second effect; whatever is wrong with a call becomes a short sentence for the model.
import { prompt, trusted } from '@relay/core/agent/labelled';
import { storable } from '@relay/core/messages/text';
import type { ToolCallRecord } from '@relay/core/ports/turn';
import type { Clock } from './clock.ts';
import type { AgentTool, ToolAnswer } from './tool.ts';
import { within } from './within.ts';

export const MOST_ARGUMENT_BYTES = 64 * 1024;
const SHOWN_ARGUMENTS = 2_000;

export interface MadeCall {
  readonly id: string;
  /** The id under which it is kept: some servers give every call of every answer the same. */
  readonly kept: string;
  readonly name: string;
  /** Parsed JSON, or the text that is none. */
  readonly input: unknown;
}

export interface CallRunner {
  run(call: MadeCall): Promise<ToolAnswer>;
  readonly records: readonly ToolCallRecord[];
}

export interface CallRunnerOptions {
  readonly tools: readonly AgentTool[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly toolTimeoutMs: number;
  leftMs(): number;
  /** A tool waited for a person: the turn is not to blame for that time. */
  waited(ms: number): void;
  late(): Error;
  /** Told before a call is looked at, and again with what became of it. */
  calling?(call: Omit<ToolCallRecord, 'result'>): void;
  called?(record: ToolCallRecord): void;
  /** A tool threw, or took too long. */
  failed(tool: string, error: unknown): void;
}

export function callRunner(options: CallRunnerOptions): CallRunner {
  const tools = new Map(options.tools.map((tool) => [tool.name, tool]));
  const answered = new Map<string, ToolAnswer>();
  const records: ToolCallRecord[] = [];

  async function answer({ name, input, kept }: MadeCall): Promise<ToolAnswer> {
    const tool = tools.get(name);
    if (tool === undefined) return refuse('There is no such tool.');
    if (sizeOf(input) > MOST_ARGUMENT_BYTES) return refuse('The arguments are too large.');
    if (typeof input === 'string') return refuse('The arguments are not JSON.');
    const parsed = tool.schema.safeParse(input);
    if (!parsed.success) return refuse(`The arguments are not valid: ${fault(parsed.error)}.`);
    return perform(tool, parsed.data, kept);
  }

  async function perform(tool: AgentTool, input: unknown, call: string): Promise<ToolAnswer> {
    const left = options.leftMs();
    if (left <= 0) throw options.late();
    const ms = tool.timeoutMs ?? Math.min(options.toolTimeoutMs, left);
    const tooSlow = new Error(`${tool.name} took more than ${ms} ms`);
    const limit = { clock: options.clock, signal: options.signal, ms, late: () => tooSlow };
    const began = options.clock.now();
    try {
      return await within(limit, (signal) => tool.run(input, signal, call));
    } catch (error) {
      options.signal.throwIfAborted();
      options.failed(tool.name, error);
      return refuse(error === tooSlow ? 'It took too long.' : 'It failed. Do not try it again.');
    } finally {
      if (tool.timeoutMs !== undefined) options.waited(options.clock.now() - began);
    }
  }

  return {
    records,
    async run(call) {
      const made = {
        id: storable(call.kept.slice(0, 200)),
        name: storable(call.name.slice(0, 200)),
        arguments: shown(call.input),
      };
      options.calling?.(made);
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
      options.called?.(record);
      return given;
    },
  };
}

/** What is quoted in it is what the model itself called with. */
const refuse = (text: string): ToolAnswer => ({ text: trusted(`Error: ${text}`) });

function fault({ issues }: { issues: readonly { path: PropertyKey[]; message: string }[] }) {
  const issue = issues[0];
  const field = issue?.path.map(String).join('.').slice(0, 60);
  const what = (issue?.message ?? 'unknown').slice(0, 120);
  return field ? `${field}: ${what}` : what;
}

const textOf = (input: unknown): string =>
  typeof input === 'string' ? input : (JSON.stringify(input) ?? '');

const sizeOf = (input: unknown): number => Buffer.byteLength(textOf(input));

/** For the owner to look at: as it came when it is small, else its beginning; fit for the database. */
function shown(input: unknown): unknown {
  const text = textOf(input);
  if (typeof input === 'string' || text.length > SHOWN_ARGUMENTS)
    return storable(text.slice(0, SHOWN_ARGUMENTS));
  return JSON.parse(text, (_, value) => (typeof value === 'string' ? storable(value) : value));
}
