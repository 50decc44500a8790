// Judges an answer by itself: whether the call succeeded, and whether the answer is one that no client should ever get.

export interface McpReply {
  /** Whether it was answered as done; waiting for an approval counts as done. */
  readonly done: boolean;
  /** The tool's own output, if there is one. */
  readonly output: Record<string, unknown> | null;
  /** Why this answer is a fault. */
  readonly fault: string | null;
  /** One word for the report. */
  readonly what: string;
}

const LEAKS = /node_modules|\.(ts|js|mjs):\d+|\n\s+at |\bTypeError\b|\bsyntax error at or near\b/;
const INTERNAL = -32603;

interface RpcAnswer {
  readonly id?: unknown;
  readonly error?: { readonly code?: number; readonly message?: string };
  readonly result?: {
    readonly isError?: boolean;
    readonly resultType?: string;
    readonly structuredContent?: Record<string, unknown>;
    readonly _meta?: Record<string, unknown>;
  };
}

export function readStatusReply(status: number, text: string): McpReply {
  const none = { done: false, output: null };
  if (status >= 500)
    return { ...none, fault: `answered ${status}: ${text.slice(0, 200)}`, what: '5xx' };
  return { ...none, fault: leak(text), what: String(status) };
}

export function readRestReply(status: number, text: string): McpReply {
  const heard = readStatusReply(status, text);
  if (status !== 200 || heard.fault !== null) return heard;
  return { ...heard, done: true, output: read(text), what: 'done' };
}

/** Over HTTP a message may come alone or in a stream. */
export function readHttpReply(status: number, text: string): McpReply {
  const heard = readStatusReply(status, text);
  if (status !== 200 || heard.fault !== null) return heard;
  const lines = /^(event|data|id|:)/.test(text)
    ? text.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
    : [text];
  const messages = lines.map(read).filter((each) => each !== null && 'id' in each);
  return readRpcReply(messages.at(-1) ?? {}, text);
}

export function readRpcReply(message: RpcAnswer, text: string): McpReply {
  const none = { done: false, output: null, fault: leak(text) };
  const { error, result } = message;
  if (error !== undefined) {
    const fault = error.code === INTERNAL ? `internal error: ${error.message}` : none.fault;
    return { ...none, fault, what: String(error.code) };
  }
  if (result === undefined) return { ...none, what: 'nothing' };
  if (result.isError) {
    const code = String(result._meta?.['relay/code'] ?? 'refused');
    return {
      ...none,
      fault: code === 'internal' ? `internal: ${text.slice(0, 200)}` : none.fault,
      what: code,
    };
  }
  if (result.resultType === 'input_required') return { ...none, what: 'asked' };
  return { ...none, done: true, output: result.structuredContent ?? null, what: 'done' };
}

function read(text: string): (RpcAnswer & Record<string, unknown>) | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as RpcAnswer & Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const leak = (text: string): string | null => {
  const found = LEAKS.exec(text);
  return found === null ? null : `told of its insides: ${found[0]}`;
};
