// The transports: plain HTTP calls, MCP over HTTP in both protocol versions, and MCP over a pipe in both. Every call is
// awaited, and one without an answer within a generous limit is a fault.
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { readLines } from '@relay/daemon/interfaces/mcp/server';
import { type McpReply, readHttpReply, readRestReply, readRpcReply } from './answers.ts';
import type { FuzzCall } from './calls.ts';

export const ERAS = { current: '2026-07-28', previous: '2025-11-25' } as const;
export type Era = keyof typeof ERAS;

/** No tool takes this long unless it hangs. */
export const BOUND_MS = 90_000;

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
export const closeTransports = (): void => agent.destroy();

export interface CallTarget {
  readonly port: number;
  readonly secret: string;
}

export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export async function sendPlain(
  { port, secret }: CallTarget,
  { method, path, headers, body }: PlainRequest,
) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const sent = request(
    {
      ...{ host: '127.0.0.1', port, method, path, agent, timeout: BOUND_MS },
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    },
    (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode ?? 0, text: said }), reject);
    },
  );
  sent.on('timeout', () => sent.destroy(new Error(HANGS)));
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

const HANGS = 'it hangs';
const hung: McpReply = { done: false, output: null, fault: HANGS, what: 'hang' };

/** A connection that the daemon closes before the whole body was read is an answer, though not a good one. */
async function bounded(way: () => Promise<McpReply>): Promise<McpReply> {
  try {
    return await way();
  } catch (error) {
    if (error instanceof Error && error.message === HANGS) return hung;
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const closed = ['ECONNRESET', 'EPIPE'].includes(code);
    return { done: false, output: null, fault: closed ? null : code, what: 'closed' };
  }
}

export const callRest = (
  asked: CallTarget,
  { tool, args }: FuzzCall,
  key?: string,
): Promise<McpReply> =>
  bounded(async () => {
    const path = `/api/tools/${encodeURIComponent(tool.toWellFormed())}`;
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const answer = await sendPlain(asked, { method: 'POST', path, headers, body: args });
    return readRestReply(answer.status, answer.text);
  });

/** The members of a request as text, because they may be something that JSON cannot represent. */
export function rpcText(era: Era, id: number | string, call: FuzzCall, key?: string): string {
  const meta = {
    ...(era === 'current' ? CURRENT_META : {}),
    ...(key === undefined ? {} : { 'relay/idempotency-key': key }),
  };
  const params = `{"name":${JSON.stringify(call.tool)},"arguments":${call.args},"_meta":${JSON.stringify(meta)}}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"tools/call","params":${params}}`;
}

const CURRENT_META = {
  'io.modelcontextprotocol/protocolVersion': ERAS.current,
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

export const mcpHeaders = (era: Era, method: string, name?: string): Record<string, string> => ({
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': ERAS[era],
  ...(era === 'current' ? { 'mcp-method': method } : {}),
  ...(era === 'current' && name !== undefined ? { 'mcp-name': encodeHeader(name) } : {}),
});

/** Characters that no header can contain are replaced; the body contains them anyway. */
const encodeHeader = (value: string): string => value.replace(/[^\x20-\x7e]/g, '?').trim() || '?';

export const callHttp = (
  asked: CallTarget,
  era: Era,
  call: FuzzCall,
  key?: string,
): Promise<McpReply> =>
  postMcp(asked, rpcText(era, 1, call, key), mcpHeaders(era, 'tools/call', call.tool));

export const postMcp = (
  asked: CallTarget,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<McpReply> =>
  bounded(async () => {
    const answer = await sendPlain(asked, { method: 'POST', path: '/mcp', headers, body });
    return readHttpReply(answer.status, answer.text);
  });

/** One connection, whose first message decides the era. */
export class Pipe {
  readonly #socket: Socket;
  readonly #era: Era;
  readonly #waiting = new Map<unknown, (line: string) => void>();
  #asked = 0;
  open = true;

  private constructor(socket: Socket, era: Era) {
    this.#socket = socket;
    this.#era = era;
    socket.on('error', () => {});
    socket.on('close', () => {
      this.open = false;
      for (const end of this.#waiting.values()) end('');
    });
    readLines(socket, Number.POSITIVE_INFINITY, (line) => {
      const { id } = JSON.parse(line) as { id?: unknown };
      this.#waiting.get(id)?.(line);
    });
  }

  static async connect({ port, secret }: CallTarget, era: Era): Promise<Pipe> {
    const { promise, resolve, reject } = Promise.withResolvers<Pipe>();
    const headers = {
      authorization: `Bearer ${secret}`,
      connection: 'Upgrade',
      upgrade: 'relay-mcp',
    };
    const sent = request({ host: '127.0.0.1', port, path: '/mcp', headers, agent: false });
    sent.on('upgrade', (_answer, socket: Socket) => resolve(new Pipe(socket, era)));
    sent.on('response', ({ statusCode }) =>
      reject(new Error(`the pipe was refused: ${statusCode}`)),
    );
    sent.on('error', reject);
    sent.end();
    return promise;
  }

  call(call: FuzzCall, key?: string): Promise<McpReply> {
    this.#asked += 1;
    const id = `c${this.#asked}`;
    return this.#ask(id, rpcText(this.#era, id, call, key));
  }

  /** Sends any line; requesting the list of tools afterwards shows whether the connection still works. */
  async say(line: string): Promise<McpReply> {
    this.#asked += 1;
    const id = `s${this.#asked}`;
    const meta = this.#era === 'current' ? CURRENT_META : {};
    const after = { jsonrpc: '2.0', id, method: 'tools/list', params: { _meta: meta } };
    const { fault } = await this.#ask(id, `${line}\n${JSON.stringify(after)}`);
    return { done: false, output: null, fault, what: 'went on' };
  }

  async #ask(id: string, line: string): Promise<McpReply> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.set(id, resolve);
    const bound = setTimeout(() => resolve(HANGS), BOUND_MS);
    this.#socket.write(`${line}\n`);
    const answer = await promise;
    clearTimeout(bound);
    this.#waiting.delete(id);
    if (answer === HANGS) return hung;
    if (answer === '') return { done: false, output: null, fault: null, what: 'closed' };
    return readRpcReply(JSON.parse(answer), answer);
  }

  close(): void {
    this.#socket.destroy();
  }
}
