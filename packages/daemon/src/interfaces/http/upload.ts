// Hands the body of a request to its route as a stream.
import { PassThrough, type Readable } from 'node:stream';
import type { App } from './app.ts';

/**
 * Its reader may leave early, for example because the file is too large. That must not close the connection, as
 * destroying the request would: the client still has to get the response. The rest is received and discarded.
 */
export function parseUpload(
  _request: unknown,
  payload: Readable,
  done: (error: null, body: Readable) => void,
): void {
  const upload = new PassThrough();
  payload.on('error', (error) => upload.destroy(error));
  upload.once('close', () => {
    payload.unpipe(upload);
    payload.resume();
  });
  done(null, payload.pipe(upload));
}

/** Routes whose body is a file. In a scope of their own, because any type is a file there, JSON too. */
export function registerFileRoutes(app: App, declare: (scope: App) => unknown): void {
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', parseUpload);
    // An answer may need none of the file; the connection is free for the next request only when all of it is received.
    scope.addHook('onResponse', async ({ body }) => {
      (body as Readable | null | undefined)?.destroy();
    });
    declare(scope);
  });
}
