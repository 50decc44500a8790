// Runs one turn of an agent on the AI SDK; the rest of Relay knows only this interface. The loop is ours: a step is one
// model call, then its tool calls in order. Every limit applies whatever the provider and the tools do, and the taint
// of a text is stored before the model sees it.

import { RelayError } from '@relay/contract/errors';
import type { ChatId } from '@relay/contract/ids';
import type { AgentSettings } from '@relay/contract/settings';
import {
  imageFromChat,
  type LabelledImage,
  type LabelledText,
  type TrustedText,
  untrustedText,
} from '@relay/core/agent/labelled-text';
import { isTaintWithin, joinTaints, type Taint } from '@relay/core/policy/facts';
import type { LinePhoto, ModelUsage, ToolCallRecord } from '@relay/core/ports/agent-turn';
import type { AssistantModelMessage, ModelMessage, ToolModelMessage, ToolSet } from 'ai';
import type { Clock } from './clock.ts';
import { callModel, type ModelAnswer, type ModelCaller, type OpenedModel } from './model.ts';
import {
  type AgentTool,
  createToolCallRunner,
  MAX_ARGUMENT_BYTES,
  type ToolCallRunner,
  toSdkTools,
} from './tools.ts';

const MOST_CALLS_A_STEP = 32;

export interface SessionOptions {
  readonly model: OpenedModel;
  readonly instructions: TrustedText;
  readonly tools: readonly AgentTool[];
  readonly limits: Pick<
    AgentSettings,
    'max_steps' | 'turn_timeout_ms' | 'call_timeout_ms' | 'tool_timeout_ms'
  >;
  readonly clock: Clock;
  readonly hooks: SessionHooks;
}

export interface SessionMessage {
  readonly role: 'user' | 'assistant';
  readonly content: LabelledText;
  /** Pictures that belong to it. Only for a model that can see. */
  readonly images?: readonly LabelledImage[];
}

interface SessionHooks {
  /** What the run has already read of others' text before the session. */
  readonly alreadyRead: Taint;
  /** Awaited before the model sees others' text that is not in `alreadyRead`. Receives the whole taint so far. */
  beforeReading(taint: Taint): Promise<void>;
  readonly signal: AbortSignal;
  /** Awaited after every model call; an error from it ends the turn. */
  onUsage(spent: ModelUsage): Promise<void>;
  /** A tool threw or took too long; the model learns only that. */
  onToolFailed?(tool: string, error: unknown): void;
  /** If given, it receives the model's text while it is streamed, in every step of the turn. */
  onText?(delta: string): void;
  /** The text of this step starts again, or the turn fails. */
  onTextReset?(): void;
  /** A tool is about to be called; `onToolResult` follows unless the turn ends in between. */
  onToolCall?(call: Omit<ToolCallRecord, 'result'>): void;
  onToolResult?(record: ToolCallRecord): void;
}

/** Why the model stopped. Only `stopped` was requested by a tool; none of them means success. */
export type AgentStopReason =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'too_many_steps' };

export interface AgentSession {
  /** Adds messages and runs the model until it stops. */
  act(messages: readonly SessionMessage[]): Promise<AgentStopReason>;
  /** Asks a question outside the session: no tools, and nothing is added to the history. */
  ask(instructions: TrustedText, text: LabelledText): Promise<LabelledText>;
  readonly calls: readonly ToolCallRecord[];
}

export function createAgentSession(options: SessionOptions): AgentSession {
  const { limits, clock, hooks } = options;
  let end = clock.now() + limits.turn_timeout_ms;
  const leftMs = () => end - clock.now();
  const timeoutError = () =>
    new RelayError('model_slow', { seconds: Math.ceil(limits.turn_timeout_ms / 1_000) });
  const caller: ModelCaller = {
    opened: options.model,
    clock,
    signal: hooks.signal,
    callTimeoutMs: limits.call_timeout_ms,
    leftMs,
    timeoutError,
    onUsage: (spent) => hooks.onUsage(spent),
  };
  const runner = createToolCallRunner({
    tools: options.tools,
    clock,
    signal: hooks.signal,
    toolTimeoutMs: limits.tool_timeout_ms,
    leftMs,
    onWaited: (ms) => {
      end += ms;
    },
    timeoutError,
    onCall: (call) => hooks.onToolCall?.(call),
    onResult: (record) => hooks.onToolResult?.(record),
    onFailure: (tool, error) => hooks.onToolFailed?.(tool, error),
  });
  const listener = hooks.onText && {
    text: (delta: string) => hooks.onText?.(delta),
    textReset: () => hooks.onTextReset?.(),
  };
  let read = hooks.alreadyRead;
  const note = async (texts: readonly Pick<LabelledText, 'taint'>[]): Promise<void> => {
    const seen = texts.map(({ taint }) => taint).reduce(joinTaints, read);
    if (isTaintWithin(seen, read)) return;
    await hooks.beforeReading(seen);
    read = seen;
  };
  const history: ModelMessage[] = [];
  const ids = new Set<string>();
  let steps = 0;
  let tools: ToolSet | null = null;

  async function step(): Promise<AgentStopReason | null> {
    tools ??= await toSdkTools(options.tools);
    const instructions = options.instructions.text;
    const answer = await callModel(caller, { instructions, messages: history, tools, listener });
    if (answer.toolCalls.length === 0) {
      history.push(...stepMessages(answer.responseMessages, []));
      const text = answer.text.trim();
      return text === '' ? { kind: 'nothing' } : { kind: 'text', text };
    }
    const { calls, stopped } = await runCalls(runner, answer, ids);
    await note(calls.map((call) => call.answer));
    history.push(...stepMessages(answer.responseMessages, calls));
    return stopped ? { kind: 'stopped' } : null;
  }

  return {
    calls: runner.records,
    async act(messages) {
      await note(messages.flatMap(({ content, images = [] }) => [content, ...images]));
      history.push(...messages.map(toModelMessage));
      while (steps < limits.max_steps) {
        steps += 1;
        const rest = await step();
        if (rest !== null) return rest;
      }
      return { kind: 'too_many_steps' };
    },
    async ask(instructions, text) {
      await note([text]);
      const messages = [{ role: 'user' as const, content: text.text }];
      const question = { instructions: instructions.text, messages, tools: {} };
      const answer = await callModel(caller, question);
      return untrustedText(answer.text.trim(), text.taint);
    },
  };
}

/** The pictures that a model can be shown, in the order of its messages; the newest if there are too many. */
export async function readPhotos<Key>(
  photos: ReadonlyMap<Key, LinePhoto>,
  chat: ChatId,
  read: PhotoReader | undefined,
): Promise<ReadonlyMap<Key, LabelledImage>> {
  const shown = new Map<Key, LabelledImage>();
  for (const [key, { object, mimeType }] of [...photos].slice(-MOST_PHOTOS)) {
    const bytes = (await read?.(object)) ?? null;
    if (bytes !== null) shown.set(key, imageFromChat(bytes, mimeType, chat));
  }
  return shown;
}

/** Null if it was removed meanwhile. */
export type PhotoReader = (object: string) => Promise<Uint8Array | null>;

const MOST_PHOTOS = 4;

function toModelMessage({ role, content, images = [] }: SessionMessage): ModelMessage {
  if (role === 'assistant' || images.length === 0) return { role, content: content.text };
  const files = images.map(
    ({ bytes, mimeType }) => ({ type: 'file', data: bytes, mediaType: mimeType }) as const,
  );
  return { role, content: [{ type: 'text', text: content.text }, ...files] };
}

async function runCalls(
  runner: ToolCallRunner,
  { toolCalls }: ModelAnswer,
  ids: Set<string>,
): Promise<{ calls: AnsweredCall[]; stopped: boolean }> {
  const calls: AnsweredCall[] = [];
  let stopped = false;
  for (const { toolCallId: id, toolName: name, input } of toolCalls.slice(0, MOST_CALLS_A_STEP)) {
    if (stopped) break;
    const uniqueId = uniqueAmong(ids, id);
    const { text, stop } = await runner.run({ id, uniqueId, name, input });
    calls.push({ id, uniqueId, name, input, answer: text });
    stopped = stop === true;
  }
  return { calls, stopped };
}

function uniqueAmong(ids: Set<string>, id: string): string {
  let kept = id;
  for (let again = 2; ids.has(kept); again += 1) kept = `${id}-${again}`;
  ids.add(kept);
  return kept;
}

// Builds the messages that a step adds to the history: the model's text and calls, each call with exactly one answer.
// Providers refuse histories with a malformed or unanswered call.

type AssistantPart = Exclude<AssistantModelMessage['content'], string>[number];

interface AnsweredCall {
  /** The id from the model. */
  readonly id: string;
  /** Unique within the session. */
  readonly uniqueId: string;
  readonly name: string;
  readonly input: unknown;
  readonly answer: LabelledText;
}

const NAME = /^[\w-]{1,64}$/;

function stepMessages(
  spoken: readonly ModelMessage[],
  calls: readonly AnsweredCall[],
): ModelMessage[] {
  const waiting = [...calls];
  const parts = spoken
    .filter((message) => message.role === 'assistant')
    .flatMap(({ content }) =>
      typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
    )
    .flatMap((part): AssistantPart[] => {
      if (part.type !== 'tool-call') return isSpoken(part) ? [part] : [];
      const at = waiting.findIndex(({ id }) => id === part.toolCallId);
      const [call] = at === -1 ? [] : waiting.splice(at, 1);
      if (call === undefined) return [];
      return [{ ...part, toolCallId: call.uniqueId, toolName: nameOf(call), input: inputOf(call) }];
    });
  const answers: ToolModelMessage['content'] = calls.map((call) => ({
    type: 'tool-result',
    toolCallId: call.uniqueId,
    toolName: nameOf(call),
    output: { type: 'text', value: call.answer.text },
  }));
  return [
    ...(parts.length === 0 ? [] : [{ role: 'assistant' as const, content: parts }]),
    ...(answers.length === 0 ? [] : [{ role: 'tool' as const, content: answers }]),
  ];
}

const isSpoken = ({ type }: AssistantPart): boolean => type === 'text' || type === 'reasoning';

const nameOf = ({ name }: AnsweredCall): string => (NAME.test(name) ? name : 'unknown_tool');

/** Always an object, as providers require, and never one so large that it fills the context. */
function inputOf({ input }: AnsweredCall): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return {};
  return Buffer.byteLength(JSON.stringify(input)) > MAX_ARGUMENT_BYTES ? {} : input;
}

// Hooks for a session whose run started with the one chat that it reads: others' text must not get into it.

export const chatOnlyHooks = (
  ...chats: ChatId[]
): Pick<SessionHooks, 'alreadyRead' | 'beforeReading'> => ({
  alreadyRead: { chats, outside: false },
  beforeReading: () =>
    Promise.reject(new Error('text from elsewhere in a run that reads one chat')),
});
