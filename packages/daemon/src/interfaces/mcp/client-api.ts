// The three ways in which clients reach the tools: MCP over HTTP, MCP over a pipe, and plain calls. The MCP library is
// loaded with the first use of the first two, so the daemon starts without it.
import type { Duplex } from 'node:stream';
import type { TokenClient } from '@relay/contract/api/credentials';
import type { ListedTool } from '@relay/contract/api/tools';
import type { V1Call } from '@relay/contract/api/v1';
import { accountChoices, CLIENT_TOOLS, callTool, isAllowed, withAccountArgument } from './call.ts';
import { type CallContext, type ClientDeps, type ClientTool, toJsonSchema } from './tool.ts';
import { createClientSurface } from './v1-surface.ts';

type McpTransports = ReturnType<typeof import('./server.ts')['openTransports']>;

export function openClientApi(deps: ClientDeps) {
  let opened: Promise<McpTransports> | null = null;
  const transports = (): Promise<McpTransports> => {
    opened ??= import('./server.ts').then(({ openTransports }) => openTransports(deps));
    return opened;
  };
  return {
    fetch: async (request: Request, hash: string, body: unknown): Promise<Response> =>
      (await transports()).fetch(request, hash, body),
    pipe(connection: Duplex, hash: string): void {
      transports().then(
        ({ pipe }) => pipe(connection, hash),
        () => connection.destroy(),
      );
    },
    async tools(client: TokenClient, hash: string): Promise<readonly ListedTool[]> {
      const names = await accountChoices(deps, hash);
      return [...CLIENT_TOOLS.values()]
        .filter((tool) => isAllowed(client, tool))
        .map((tool) => toListedTool(tool, names));
    },
    call: (hash: string, tool: string, input: unknown, key: string | null) =>
      callTool(deps, hash, tool, input, { ...PLAIN_CALL, key }),
    v1: (hash: string, call: V1Call) => createClientSurface(deps, hash, PLAIN_CALL, call),
  };
}

/** A plain call is answered at once and cannot ask for a confirmation: what needs one becomes an approval. */
const PLAIN_CALL: Omit<CallContext, 'key'> = {
  signal: new AbortController().signal,
  progress() {},
  confirm: async () => 'cannot',
};

const toListedTool = (tool: ClientTool, accounts: readonly string[]): ListedTool => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  scope: tool.scope,
  read_only: tool.hints.readOnlyHint,
  input: withAccountArgument(toJsonSchema(tool.input, 'input'), accounts),
  output: toJsonSchema(tool.output, 'output'),
});
