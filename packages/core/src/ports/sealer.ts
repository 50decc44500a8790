// Encryption at rest, and proof of origin. Whatever is sealed can be opened only with the key of this home, and only
// under the name it was sealed for: a row moved to another place does not open.

export interface Sealer {
  seal(name: string, plain: Uint8Array): Uint8Array;
  /** Throws when the bytes were altered, cut, moved, or sealed with another key. */
  open(name: string, sealed: Uint8Array): Uint8Array;
  /** A MAC of the text. Nobody can make it without the key, and the same text always gets the same one. */
  mac(text: string): Uint8Array;
}
