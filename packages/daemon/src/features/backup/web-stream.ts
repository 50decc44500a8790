// Turns a stream of Node's into a web stream, for packages that take only those.
import type { Readable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';

/**
 * Unlike `Readable.toWeb`, which throws where nothing can catch it if the reader leaves while a chunk is on its way:
 * that ended the daemon.
 */
export function toWebStream(source: Readable): ReadableStream<Uint8Array> {
  // After the reader has left, nothing else listens.
  source.on('error', () => {});
  return ReadableStream.from<Uint8Array>(source);
}
