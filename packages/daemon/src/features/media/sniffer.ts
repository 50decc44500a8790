// Looks at the first bytes of a stream as it passes, and says what type of file they begin.
import { looksLikeText } from '@relay/core/media/type';
import { fileTypeFromBuffer } from 'file-type';

/** Enough for the formats that are recognized by what is inside, such as Word's. */
const SAMPLE_BYTES = 64 * 1024;

export class Sniffer implements AsyncIterable<Uint8Array> {
  readonly #source: AsyncIterable<Uint8Array>;
  readonly #sample: Uint8Array[] = [];
  #held = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for await (const piece of this.#source) {
      if (this.#held < SAMPLE_BYTES) {
        this.#sample.push(piece.subarray(0, SAMPLE_BYTES - this.#held));
        this.#held += piece.length;
      }
      yield piece;
    }
  }

  async detect(): Promise<{ detected: string | null; isText: boolean }> {
    const sample = Buffer.concat(this.#sample);
    // A file that is made to look like an archive must not stop its own download.
    const found = await fileTypeFromBuffer(sample).catch(() => undefined);
    if (found !== undefined) return { detected: found.mime, isText: false };
    return { detected: null, isText: looksLikeText(sample) };
  }
}
