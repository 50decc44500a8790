// The client for other programs: the typed routes, the tools of a client's token, and the transport of the streaming
// helpers.
import type { PostStream } from './answer-stream.ts';
import { type Client, createClient, IDEMPOTENCY_KEY_HEADER } from './client.ts';
import { PLATFORM, type Platform } from './platform.ts';
import { TOOL_NAMES, type ToolName, type Tools } from './tools.ts';
import {
  type ClientTransportOptions,
  createFetchTransport,
  type OpenStream,
  type RetryOptions,
  withRetries,
} from './transport.ts';
import { createV1Client, type V1Client } from './v1.ts';

export interface RelayClientOptions extends ClientTransportOptions, RetryOptions {
  /** Replaces the global fetch. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The owner's token is for the routes, a client's token for the tools. */
export interface RelayClient extends Client {
  /** Version 1 of the API, for both. */
  readonly v1: V1Client;
  readonly tools: ToolCalls;
  readonly open: OpenStream;
  /** Posts a request whose response is streamed. */
  readonly ask: PostStream;
}

export type ToolCalls = { readonly [Name in ToolName]: ToolCall<Tools[Name]> };

type ToolCall<Tool extends Tools[ToolName]> =
  Record<never, never> extends Tool['input']
    ? (input?: Tool['input'], options?: ToolCallOptions) => Promise<Tool['output']>
    : (input: Tool['input'], options?: ToolCallOptions) => Promise<Tool['output']>;

export interface ToolCallOptions {
  /** An idempotency key: repeating a call with the same key does nothing twice. Created if omitted. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export function createRelayClient(options: RelayClientOptions = {}): RelayClient {
  const platform: Platform =
    options.fetch === undefined ? PLATFORM : { ...PLATFORM, fetch: options.fetch };
  const wire = createFetchTransport(options, platform);
  const client = createClient({
    send: withRetries(wire.send, options, platform),
    newKey: platform.newKey,
  });
  return {
    ...client,
    v1: createV1Client(client),
    tools: toolCalls(client),
    open: wire.open,
    ask: wire.ask,
  };
}

function toolCalls(client: Client): ToolCalls {
  const call =
    (tool: ToolName) =>
    (body: Record<string, unknown> = {}, { idempotencyKey, signal }: ToolCallOptions = {}) =>
      client.post('/api/tools/{tool}', {
        path: { tool },
        body,
        ...(idempotencyKey === undefined
          ? {}
          : { header: { [IDEMPOTENCY_KEY_HEADER]: idempotencyKey } }),
        ...(signal === undefined ? {} : { signal }),
      });
  return Object.fromEntries(TOOL_NAMES.map((name) => [name, call(name)])) as unknown as ToolCalls;
}
