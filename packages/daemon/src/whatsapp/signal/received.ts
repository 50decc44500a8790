// What came off the wire as it goes into the inbox: the stanza's attributes, our own addresses at the time,
// and the message inside.
// Invariant: one entry a stanza, made by the part of it that carries the content.
import type { InboxEntry } from '@relay/core/ports/wire-store';
import {
  areJidsSameUser,
  type BinaryNode,
  jidNormalizedUser,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';

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

/** Null for a part that only brings keys. */
export function inboxEntry(
  stanza: BinaryNode,
  ciphertext: Uint8Array,
  padded: Uint8Array,
  /** The account's own addresses: without them nobody could tell later who wrote it in a group. */
  own: readonly string[],
): InboxEntry | null {
  const { attrs } = stanza;
  if (parts(stanza).at(-1)?.content !== ciphertext) return null;
  return {
    chat: jidNormalizedUser(attrs.recipient ?? attrs.from),
    sender: jidNormalizedUser(attrs.participant ?? attrs.from),
    id: attrs.id ?? '',
    stanza: Buffer.from(JSON.stringify({ ...attrs, own })),
    content: unpadRandomMax16(padded),
  };
}

/** What the account's own devices tell each other. From anybody else it is mail, whatever it says. */
export function isPeer({ attrs }: BinaryNode, own: readonly string[]): boolean {
  return attrs.category === 'peer' && own.some((jid) => areJidsSameUser(jid, attrs.from));
}

function parts({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content.filter(({ tag }) => tag === 'enc') : [];
}
