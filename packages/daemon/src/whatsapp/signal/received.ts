// What came off the wire as it goes into the inbox: the stanza's attributes, our own addresses at the time,
// and the message inside.
// Invariant: one entry a stanza, made by the part of it that carries the content.
import type { InboxEntry } from '@relay/core/ports/wire-store';
import { type BinaryNode, jidNormalizedUser, unpadRandomMax16 } from '@whiskeysockets/baileys';

/** Stanzas by their ciphertexts, from the moment they arrive until they are forgotten by Baileys. */
export class Stanzas {
  readonly #byCiphertext = new WeakMap<Uint8Array, BinaryNode>();

  note(stanza: BinaryNode): void {
    for (const { content } of parts(stanza)) {
      if (content instanceof Uint8Array) this.#byCiphertext.set(content, stanza);
    }
  }

  of(ciphertext: Uint8Array): BinaryNode | undefined {
    return this.#byCiphertext.get(ciphertext);
  }
}

/** Null for a part that only brings keys, and for what the account's own devices tell each other. */
export function inboxEntry(
  stanza: BinaryNode,
  ciphertext: Uint8Array,
  padded: Uint8Array,
  /** The account's own addresses: without them nobody could tell later who wrote it in a group. */
  own: readonly string[],
): InboxEntry | null {
  const { attrs } = stanza;
  if (isPeer(stanza) || parts(stanza).at(-1)?.content !== ciphertext) return null;
  return {
    chat: jidNormalizedUser(attrs.recipient ?? attrs.from),
    sender: jidNormalizedUser(attrs.participant ?? attrs.from),
    id: attrs.id ?? '',
    stanza: Buffer.from(JSON.stringify({ ...attrs, own })),
    content: unpadRandomMax16(padded),
  };
}

export const isPeer = ({ attrs }: BinaryNode): boolean => attrs.category === 'peer';

function parts({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content.filter(({ tag }) => tag === 'enc') : [];
}
