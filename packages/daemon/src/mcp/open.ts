// The three doors of programs over one registry: MCP over HTTP, MCP over a pipe, and plain calls. The library
// that speaks MCP is loaded when somebody comes by the first two: the daemon starts without it.

import type { Duplex } from 'node:stream';
import type { ToolShown } from '@relay/core/api/tools';
import type { Program } from '@relay/core/ports/tokens';
import { callTool, opens } from './call.ts';
import { TOOLS } from './registry.ts';
import { type Door, jsonSchema, type ProgramTool } from './tool.ts';
import type { ProgramWorld } from './world.ts';

type Doors = ReturnType<typeof import('./doors.ts')['openDoors']>;

export function openPrograms(world: ProgramWorld) {
  let opened: Promise<Doors> | null = null;
  const doors = (): Promise<Doors> => {
    opened ??= import('./doors.ts').then(({ openDoors }) => openDoors(world));
    return opened;
  };
  return {
    fetch: async (request: Request, hash: string, body: unknown): Promise<Response> =>
      (await doors()).fetch(request, hash, body),
    pipe(connection: Duplex, hash: string): void {
      doors().then(
        ({ pipe }) => pipe(connection, hash),
        () => connection.destroy(),
      );
    },
    tools: (program: Program): readonly ToolShown[] =>
      [...TOOLS.values()].filter((tool) => opens(program, tool)).map(listed),
    call: (hash: string, tool: string, input: unknown, key: string | null) =>
      callTool(world, hash, tool, input, { ...PLAIN, key }),
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
