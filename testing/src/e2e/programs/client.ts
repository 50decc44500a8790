// A client of Relay with its own token, using the official MCP client over each transport.
import { once } from 'node:events';
import { request } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import type { TokenSecret } from '@relay/contract/api/credentials';
import type { Scope } from '@relay/contract/policy/scopes';
import { lineTransport } from '@relay/daemon/interfaces/mcp/server';
import type { LinkedRelay } from '../linked.ts';

export const VERSIONS = { current: '2026-07-28', previous: '2025-11-25' } as const;
export type Version = keyof typeof VERSIONS;
export type McpTransportKind = 'http' | 'pipe';

export interface TokenInput {
  readonly scopes: readonly Scope[];
  readonly contacts?: readonly string[];
  readonly confirm?: boolean;
}

let made = 0;
export const makeToken = (
  { demo }: Pick<LinkedRelay, 'demo'>,
  wish: TokenInput,
): Promise<TokenSecret> =>
  demo.relay.ok('POST', '/api/tokens', { name: `program ${++made}`, ...wish });

export async function connect(
  api: string,
  secret: string,
  way: McpTransportKind,
  version: Version,
  options: ClientOptions = {},
): Promise<Client> {
  const transport = way === 'http' ? overHttp(api, secret) : await overPipe(api, secret);
  return connectOver(transport, version, options);
}

export async function connectOver(
  transport: Transport,
  version: Version,
  options: ClientOptions = {},
): Promise<Client> {
  const client = new Client(
    { name: 'tests', version: '1.0.0' },
    {
      ...options,
      versionNegotiation: { mode: version === 'current' ? { pin: VERSIONS.current } : 'legacy' },
    },
  );
  await client.connect(transport);
  return client;
}

/** Every transport in every version. */
export const TRANSPORT_VERSIONS: readonly (readonly [McpTransportKind, Version])[] = [
  ['http', 'current'],
  ['http', 'previous'],
  ['pipe', 'current'],
  ['pipe', 'previous'],
];

/** `fetch` replaces the global one. */
export const overHttp = (api: string, secret: string, fetch?: typeof globalThis.fetch): Transport =>
  new StreamableHTTPClientTransport(new URL('/mcp', api), {
    requestInit: { headers: { authorization: `Bearer ${secret}` } },
    ...(fetch === undefined ? {} : { fetch: (url, init) => fetch(url, init) }),
  });

/** As `relay mcp` connects. */
export async function overPipe(api: string, secret: string): Promise<Transport> {
  const asked = request(new URL('/mcp', api), {
    headers: {
      authorization: `Bearer ${secret}`,
      connection: 'Upgrade',
      upgrade: 'relay-mcp',
    },
  }).end();
  const [, connection] = (await once(asked, 'upgrade')) as [unknown, Duplex];
  return lineTransport(connection);
}
