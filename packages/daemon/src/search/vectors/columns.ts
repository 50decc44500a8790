// What is known of each row of the index beside its sketch: a column of plain numbers for each thing that is
// asked of it. Chats and people get small numbers of this index's own.
import type { ChatId, ContactId } from '@relay/core/ids';

export interface VectorRow {
  readonly document: number;
  readonly chat: ChatId;
  /** Null: the account itself. */
  readonly contact: ContactId | null;
  readonly seconds: number;
}

export interface SketchedRow extends VectorRow {
  readonly sketch: Uint8Array;
}

/** Just made; `stored` is what is kept of it. */
export interface NewVector extends SketchedRow {
  readonly vector: Float32Array;
  readonly stored: Buffer;
}

const FIRST = 1_024;

export class Columns {
  size = 0;
  documents = new Float64Array(FIRST);
  chats = new Uint32Array(FIRST);
  contacts = new Uint32Array(FIRST);
  seconds = new Uint32Array(FIRST);
  readonly chatNumbers = new Numbers<ChatId>();
  readonly contactNumbers = new Numbers<ContactId | null>();

  /** The number of the new row. */
  add({ document, chat, contact, seconds }: VectorRow): number {
    const row = this.size;
    if (row === this.documents.length) this.#widen(row * 2);
    this.documents[row] = document;
    this.chats[row] = this.chatNumbers.of(chat);
    this.contacts[row] = this.contactNumbers.of(contact);
    this.seconds[row] = seconds;
    this.size++;
    return row;
  }

  /** The last row takes the place of this one; returns the number it had. */
  replaceByLast(row: number): number {
    const last = this.size - 1;
    for (const column of [this.documents, this.chats, this.contacts, this.seconds])
      column[row] = column[last] as number;
    this.size = last;
    return last;
  }

  #widen(capacity: number): void {
    const widened = <C extends Float64Array<ArrayBuffer> | Uint32Array<ArrayBuffer>>(
      column: C,
      wider: C,
    ): C => {
      wider.set(column);
      return wider;
    };
    this.documents = widened(this.documents, new Float64Array(capacity));
    this.chats = widened(this.chats, new Uint32Array(capacity));
    this.contacts = widened(this.contacts, new Uint32Array(capacity));
    this.seconds = widened(this.seconds, new Uint32Array(capacity));
  }
}

class Numbers<T> {
  readonly #known = new Map<T, number>();

  of(value: T): number {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    this.#known.set(value, this.#known.size);
    return this.#known.size - 1;
  }

  /** Undefined: no row has it. */
  get(value: T): number | undefined {
    return this.#known.get(value);
  }

  get count(): number {
    return this.#known.size;
  }
}
