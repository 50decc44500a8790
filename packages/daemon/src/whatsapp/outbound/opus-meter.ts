// Measures how long an Ogg file with Opus plays, from its pages as they pass by: nothing is decoded and nothing is kept.

const HEADER = 27;
const LONGEST_HEADER = HEADER + 255;
const SAMPLES_PER_SECOND = 48_000;
const CAPTURE = Buffer.from('OggS');
const OPUS = Buffer.from('OpusHead');
/** A page on which no packet ends has no position. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn;

export class OpusMeter {
  #head: Buffer = Buffer.alloc(0);
  #skip = 0;
  #pages = 0;
  #isOpus: boolean | undefined;
  #preSkip = 0;
  #last = 0n;

  /** Null if it is not Ogg with Opus. */
  get seconds(): number | null {
    if (this.#isOpus !== true) return null;
    return Math.max(0, Number(this.#last) - this.#preSkip) / SAMPLES_PER_SECOND;
  }

  add(piece: Uint8Array): void {
    let rest: Buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    while (rest.length > 0 && this.#isOpus !== false) {
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, rest.length);
        this.#skip -= skipped;
        rest = rest.subarray(skipped);
        continue;
      }
      const before = this.#head.length;
      const taken = rest.subarray(0, this.#wanted() - before);
      this.#head = Buffer.concat([this.#head, taken]);
      rest = rest.subarray(taken.length);
      if (this.#head.length >= this.#wanted()) this.#readPage();
    }
  }

  /** Bytes of the page to read: its header with the table of segments; of the first page also what is in it. */
  #wanted(): number {
    if (this.#head.length < HEADER) return HEADER;
    const table = HEADER + this.#head.readUInt8(HEADER - 1);
    if (this.#pages > 0 || this.#head.length < table) return table;
    return table + bodyOf(this.#head);
  }

  #readPage(): void {
    const head = this.#head;
    this.#head = Buffer.alloc(0);
    if (!head.subarray(0, 4).equals(CAPTURE)) {
      this.#isOpus = false;
      return;
    }
    if (this.#pages === 0) {
      const body = head.subarray(HEADER + head.readUInt8(HEADER - 1));
      this.#isOpus = body.subarray(0, OPUS.length).equals(OPUS) && body.length >= 12;
      if (this.#isOpus) this.#preSkip = body.readUInt16LE(10);
    } else this.#skip = bodyOf(head);
    this.#pages += 1;
    const position = head.readBigUInt64LE(6);
    if (position !== NO_POSITION) this.#last = position;
  }
}

/** The length of what follows the table. */
const bodyOf = (head: Buffer): number =>
  head
    .subarray(HEADER, Math.min(HEADER + head.readUInt8(HEADER - 1), LONGEST_HEADER))
    .reduce((sum, length) => sum + length, 0);
