// `subscriptions/listen` over HTTP. The library hands every event of a handler to every stream of it, so each
// stream has a handler of its own, and hears what its token may.
import { createMcpHandler, type McpServerFactory } from '@modelcontextprotocol/server';
import type { Notices } from './notices.ts';

type Fetch = ReturnType<typeof createMcpHandler>['fetch'];

export const isListening = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'method' in body && body.method === METHOD;

const METHOD = 'subscriptions/listen';

export async function listenAlone(
  notices: Notices,
  hash: string,
  factory: McpServerFactory,
  onerror: (error: Error) => void,
): Promise<Fetch> {
  const seat = await notices.seat(hash);
  let heard = false;
  const handler = createMcpHandler(factory, {
    onerror,
    maxSubscriptions: seat === null ? 0 : 1,
    bus: {
      publish() {},
      subscribe(tell) {
        heard = true;
        return seat?.hear(tell) ?? (() => {});
      },
    },
  });
  return async (...request) => {
    try {
      return await handler.fetch(...request);
    } finally {
      if (!heard) seat?.leave();
    }
  };
}
