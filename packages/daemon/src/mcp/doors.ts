// The two doors that speak MCP: one exchange over HTTP, one connection in lines. Whoever imports this loads
// the library, so only `open.ts` does, when somebody comes.
import type { Duplex } from 'node:stream';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Confirmations } from './confirmations.ts';
import { lineTransport } from './pipe.ts';
import { isListening, listenAlone } from './resources/listening.ts';
import { Notices } from './resources/notices.ts';
import { serverFactory } from './server.ts';
import type { ProgramWorld } from './world.ts';

export function openDoors(world: ProgramWorld) {
  const confirmations = new Confirmations();
  // The library's sentences may quote what a program sent.
  const onerror = ({ message }: Error) => world.log.debug('mcp', { body: message });
  const notices = new Notices(world);
  const factory = serverFactory(
    world,
    confirmations,
    ({ authInfo }) => authInfo?.token ?? '',
    null,
  );
  const handler = createMcpHandler(factory, { onerror });
  return {
    async fetch(request: Request, hash: string, parsedBody: unknown): Promise<Response> {
      const fetch = isListening(parsedBody)
        ? await listenAlone(notices, hash, factory, onerror)
        : handler.fetch;
      // The hash is the token's: the library calls it a token and looks at nothing in it.
      return fetch(request, { parsedBody, authInfo: { token: hash, clientId: '', scopes: [] } });
    },
    pipe(connection: Duplex, hash: string): void {
      const pinned = serverFactory(world, confirmations, () => hash, notices);
      serveStdio(pinned, { transport: lineTransport(connection), onerror });
    },
  };
}
