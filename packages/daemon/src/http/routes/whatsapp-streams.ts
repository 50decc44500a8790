// The link as it changes: seed 000's stream of QR codes, and our own with every state and its sentence.
import { Readable } from 'node:stream';
import { RelayError } from '@relay/core/errors';
import type { App } from '../app.ts';
import type { Authenticator } from '../authenticate.ts';
import type { HttpDeps } from '../deps.ts';
import type { Limits } from '../limits.ts';
import { type LinkFrames, linkStream, qrFrames, wholeFrames } from '../link-stream.ts';
import type { QrPicture } from '../qr-picture.ts';
import type { Streams } from '../streams.ts';
import { refusals, streamSchema } from './responses.ts';

interface StreamWorld {
  readonly streams: Streams;
  readonly authenticator: Authenticator;
  readonly limits: Limits;
}

export function whatsappStreamRoutes(
  app: App,
  deps: Pick<HttpDeps, 'whatsapp' | 'log'>,
  picture: QrPicture,
  world: StreamWorld,
): void {
  const declare = (path: string, operationId: string, words: Words, frames: () => LinkFrames) =>
    app.get(
      path,
      {
        schema: {
          operationId,
          ...words,
          tags: ['whatsapp'],
          response: {
            200: { content: { 'text/event-stream': { schema: streamSchema } } },
            ...refusals(),
          },
        },
      },
      async ({ principal }, reply) => {
        if (principal === null) throw new RelayError('unauthorized');
        const stream = Readable.from(
          linkStream({
            transport: deps.whatsapp,
            frames: frames(),
            signal: world.streams.open(principal, reply.raw),
            allowed: () => world.authenticator.holds(principal),
            limits: world.limits,
          }),
          { objectMode: false },
        );
        // Whoever comes back is told the present state first, so a broken stream loses nothing.
        stream.on('error', (error) => deps.log.warn('link stream broke', { error }));
        return reply
          .type('text/event-stream')
          .header('cache-control', 'no-cache')
          .header('connection', 'keep-alive')
          .send(stream);
      },
    );

  declare(
    '/api/whatsapp/qr/stream',
    'streamQr',
    {
      summary: 'Follow status and QR codes, as Server-Sent Events',
      description:
        '`status` {status, phoneNumber} at once and on every change; `qr` {qr} at once if there is a code, and for each new one; `connected` {phoneNumber} when the link is established.',
    },
    () => qrFrames(picture),
  );
  declare(
    '/api/whatsapp/link/stream',
    'streamLink',
    {
      summary: 'Follow the link with every state and its sentence, as Server-Sent Events',
      description: '`link` as `GET /api/whatsapp/link` answers it, at once and on every change.',
    },
    wholeFrames,
  );
}

interface Words {
  readonly summary: string;
  readonly description: string;
}
