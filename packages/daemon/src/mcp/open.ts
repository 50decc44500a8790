// The three doors of programs over one registry: MCP over HTTP, MCP over a pipe, and plain calls.

import type { Duplex } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { ToolShown } from '@relay/core/api/tools';
import type { Program } from '@relay/core/ports/tokens';
import { callTool, opens } from './call.ts';
import { lineTransport } from './pipe.ts';
import { TOOLS } from './registry.ts';
import { jsonSchema, serverFactory } from './server.ts';
import type { Door, ProgramTool } from './tool.ts';
import type { ProgramWorld } from './world.ts';

export function openPrograms(world: ProgramWorld) {
  const onerror = (error: Error) => world.log.debug('mcp', { error });
  const handler = createMcpHandler(
    serverFactory(world, ({ authInfo }) => authInfo?.token ?? ''),
    { onerror },
  );
  return {
    /** `hash` is the token's: the library calls it a token and looks at nothing in it. */
    fetch: (request: Request, hash: string, parsedBody: unknown): Promise<Response> =>
      handler.fetch(request, { parsedBody, authInfo: { token: hash, clientId: '', scopes: [] } }),
    pipe(connection: Duplex, hash: string): void {
      serveStdio(
        serverFactory(world, () => hash),
        {
          transport: lineTransport(connection),
          onerror,
        },
      );
    },
    tools: (program: Program): readonly ToolShown[] =>
      [...TOOLS.values()].filter((tool) => opens(program, tool)).map(listed),
    call: (hash: string, tool: string, input: unknown, key: string | null) =>
      callTool(world, hash, tool, input, { ...PLAIN, key }),
    close: () => handler.close(),
  };
}

/** A plain call is answered at once and nobody is asked: what needs a yes waits in the approvals. */
const PLAIN: Omit<Door, 'key'> = {
  signal: new AbortController().signal,
  progress() {},
  confirm: async () => 'cannot',
};

const listed = (tool: ProgramTool): ToolShown => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  scope: tool.scope,
  read_only: tool.hints.readOnlyHint,
  input: jsonSchema(tool.input, 'input'),
  output: jsonSchema(tool.output, 'output'),
});
