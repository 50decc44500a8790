// Resources at the server of one exchange or one connection: lists, reads, and notices of change as far as the
// transport carries them. What it says it can do is what it does.
import { ResourceNotFoundError, type Server, type ServerEvent } from '@modelcontextprotocol/server';
import { answering } from '../answering.ts';
import type { ProgramWorld } from '../world.ts';
import { JSON_TYPE, listPage } from './list.ts';
import { mayRead } from './listed.ts';
import type { Notices } from './notices.ts';
import { readAt } from './read.ts';
import { placeAt, TEMPLATES } from './uris.ts';

export interface Offered {
  readonly world: ProgramWorld;
  readonly hash: string;
  readonly era: 'legacy' | 'modern';
  /** Of a connection that stays; null where each exchange stands for itself. */
  readonly notices: Notices | null;
}

const MOST_SUBSCRIBED = 1_000;

export async function offerResources(server: Server, offered: Offered): Promise<void> {
  const { world, hash } = offered;
  server.registerCapabilities({ resources: {} });
  await notified(server, offered);
  server.setRequestHandler('resources/list', ({ params }) =>
    answering(world, hash, (asking) => listPage(asking, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', () =>
    answering(world, hash, async ({ program }) => ({
      resourceTemplates: TEMPLATES.filter(({ kind }) => mayRead(program, kind)).map(
        ({ kind: _, uri, ...told }) => ({ uriTemplate: uri, ...told, mimeType: JSON_TYPE }),
      ),
    })),
  );
  server.setRequestHandler('resources/read', ({ params }, ctx) =>
    answering(world, hash, (asking) => readAt(asking, hash, params.uri, ctx.mcpReq.signal)),
  );
}

const NOTIFIED = { resources: { subscribe: true, listChanged: true } };

async function notified(server: Server, { hash, era, notices }: Offered): Promise<void> {
  if (notices === null) {
    // Over HTTP `subscriptions/listen` is a stream of its own, which the version before does not have.
    if (era === 'modern') server.registerCapabilities(NOTIFIED);
    return;
  }
  // Where the log of events cannot be followed, all else is answered, and no notice is promised.
  const seat = await notices.seat(hash).catch(() => null);
  if (seat === null) return;
  server.registerCapabilities(NOTIFIED);
  const wanted = era === 'modern' ? null : subscribing(server);
  const leave = seat.hear((event) => {
    if (event.kind === 'resource_updated' && wanted?.has(event.uri) === false) return;
    // The other side may be gone already; then so is this seat, in a moment.
    notify(server, event).catch(() => {});
  });
  const { onclose } = server;
  server.onclose = () => {
    leave();
    onclose?.();
  };
}

/** What the version before asks for one by one. Whether it is there is not told here either. */
function subscribing(server: Server): ReadonlySet<string> {
  const wanted = new Set<string>();
  server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    if (placeAt(uri) === null || wanted.size >= MOST_SUBSCRIBED) {
      throw new ResourceNotFoundError(uri);
    }
    wanted.add(uri);
    return {};
  });
  server.setRequestHandler('resources/unsubscribe', async ({ params: { uri } }) => {
    wanted.delete(uri);
    return {};
  });
  return wanted;
}

async function notify(server: Server, event: ServerEvent): Promise<void> {
  if (event.kind === 'resource_updated') await server.sendResourceUpdated({ uri: event.uri });
  if (event.kind === 'resources_list_changed') await server.sendResourceListChanged();
}
