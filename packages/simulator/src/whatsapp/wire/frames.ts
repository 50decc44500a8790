// Splits the bytes of a WebSocket into frames: an intro once, then length-prefixed bodies. Invariant: a WebSocket
// message can hold several frames or part of one; nothing is dropped.
const EMPTY = Buffer.alloc(0);
const INTRO_LENGTH = 4;
const ROUTING_HEADER = 7;
const LENGTH_PREFIX = 3;

export class FrameReader {
  /** `WA` and two version bytes; the Noise handshake hashes it. */
  intro: Buffer | undefined;
  /** Routing information from an earlier login; precedes the intro and is not hashed. */
  routing: Buffer | undefined;
  #rest: Buffer = EMPTY;

  *push(data: Buffer): Generator<Buffer> {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, data]) : data;
    if (!this.intro && !this.#readIntro()) return;
    for (;;) {
      if (this.#rest.length < LENGTH_PREFIX) return;
      const end = LENGTH_PREFIX + this.#rest.readUIntBE(0, LENGTH_PREFIX);
      if (this.#rest.length < end) return;
      const frame = this.#rest.subarray(LENGTH_PREFIX, end);
      this.#rest = this.#rest.subarray(end);
      yield frame;
    }
  }

  #readIntro(): boolean {
    let start = 0;
    if (this.#rest.subarray(0, 2).toString() === 'ED') {
      if (this.#rest.length < ROUTING_HEADER) return false;
      start = ROUTING_HEADER + this.#rest.readUIntBE(4, 3);
    }
    if (this.#rest.length < start + INTRO_LENGTH) return false;
    const intro = this.#rest.subarray(start, start + INTRO_LENGTH);
    if (intro.subarray(0, 2).toString() !== 'WA') throw new Error('the intro is not WhatsApp');
    if (start > 0) this.routing = Buffer.from(this.#rest.subarray(ROUTING_HEADER, start));
    this.intro = Buffer.from(intro);
    this.#rest = this.#rest.subarray(start + INTRO_LENGTH);
    return true;
  }
}

export function frame(body: Uint8Array): Buffer {
  const out = Buffer.allocUnsafe(LENGTH_PREFIX + body.length);
  out.writeUIntBE(body.length, 0, LENGTH_PREFIX);
  out.set(body, LENGTH_PREFIX);
  return out;
}
