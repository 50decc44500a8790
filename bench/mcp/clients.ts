// Clients using the official library, in a separate process: one after the other for the overhead, and all at once for
// the throughput.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { quantile } from '../figures.ts';
import { serve } from '../worker.ts';
import type { ToolCall } from './arm.ts';

let clients: readonly Client[] = [];

export interface ClientLoadResult {
  readonly calls: number;
  readonly perSecond: number;
  /** In the second with the fewest calls. */
  readonly slowest: number;
  readonly errors: number;
  readonly p50: number;
  readonly p95: number;
}

const methods = {
  open: async ({ url, secrets }: { url: string; secrets: readonly string[] }): Promise<void> => {
    clients = await Promise.all(secrets.map((secret) => connect(url, secret)));
  },

  /** In milliseconds. */
  call: (wanted: ToolCall): Promise<number> => timed(clients[0], wanted),

  hold: async ({
    seconds,
    calls,
  }: {
    seconds: number;
    calls: readonly ToolCall[];
  }): Promise<ClientLoadResult> => {
    const took: number[] = [];
    const done: number[] = Array.from({ length: seconds }, () => 0);
    let errors = 0;
    const began = performance.now();
    const end = began + seconds * 1_000;
    await Promise.all(
      clients.map(async (client, at) => {
        for (let n = at; performance.now() < end; n++) {
          const wanted = calls[n % calls.length];
          if (wanted === undefined) return;
          try {
            took.push(await timed(client, wanted));
            const second = Math.floor((performance.now() - began) / 1_000);
            if (second < seconds) done[second] = (done[second] ?? 0) + 1;
          } catch {
            errors += 1;
          }
        }
      }),
    );
    return {
      calls: took.length,
      perSecond: took.length / ((performance.now() - began) / 1_000),
      slowest: Math.min(...done),
      errors,
      p50: quantile(took, 0.5),
      p95: quantile(took, 0.95),
    };
  },
};

async function connect(url: string, secret: string): Promise<Client> {
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const headers = { authorization: `Bearer ${secret}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }),
  );
  return client;
}

async function timed(client: Client | undefined, { tool, input }: ToolCall): Promise<number> {
  if (client === undefined) throw new Error('nobody calls');
  const began = performance.now();
  const { isError } = await client.callTool({ name: tool, arguments: { ...input } });
  if (isError === true) throw new Error(`${tool} was refused`);
  return performance.now() - began;
}

export type McpClients = typeof methods;
serve(methods);
