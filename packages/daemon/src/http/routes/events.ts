// The live stream of everything that happens, for the console and for `--follow`.
import { Readable } from 'node:stream';
import { RelayError } from '@relay/core/errors';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { Authenticator } from '../authenticate.ts';
import type { HttpDeps } from '../deps.ts';
import { eventFrames } from '../events.ts';
import type { Limits } from '../limits.ts';
import type { Streams } from '../streams.ts';
import { refusals, streamSchema } from './responses.ts';

export function eventRoutes(
  app: App,
  deps: Pick<HttpDeps, 'events' | 'messages' | 'log'>,
  world: { streams: Streams; authenticator: Authenticator; limits: Limits },
): void {
  app.get(
    '/api/events',
    {
      schema: {
        operationId: 'streamEvents',
        summary: 'Follow what happens, as Server-Sent Events',
        description:
          'Resume with the `Last-Event-ID` header. A first `ready` carries the cursor; a `reset` in its place means that the cursor asked for is gone and everything shown must be loaded anew. `message` carries each message that came in, as `GET /api/whatsapp/messages` shows it.',
        tags: ['events'],
        headers: z.object({ 'last-event-id': z.string().min(1).max(200).optional() }),
        response: {
          200: { content: { 'text/event-stream': { schema: streamSchema } } },
          ...refusals(400),
        },
      },
    },
    async (request, reply) => {
      const { principal } = request;
      if (principal === null) throw new RelayError('unauthorized');
      const frames = eventFrames({
        log: deps.events,
        messages: deps.messages,
        lastEventId: request.headers['last-event-id'] ?? null,
        signal: world.streams.open(principal, reply.raw),
        allowed: () => world.authenticator.holds(principal),
        limits: world.limits,
      });
      const stream = Readable.from(frames, { objectMode: false });
      // The reader comes back with its cursor, so a broken stream loses nothing.
      stream.on('error', (error) => deps.log.warn('event stream broke', { error }));
      return reply.type('text/event-stream').header('cache-control', 'no-store').send(stream);
    },
  );
}
