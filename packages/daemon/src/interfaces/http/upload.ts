// Hands the body of a request to its route as a stream.
import { PassThrough, type Readable } from 'node:stream';

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
