// The account's credentials, and what of them may be stored.
// Invariant: what is stored never counts more pre-keys than are stored.
import { WireFault } from '@relay/core/ports/wire-store';
import { type AuthenticationCreds, BufferJSON, initAuthCreds } from '@whiskeysockets/baileys';
import type { Written } from './records.ts';

export class Credentials {
  /** The one object that Baileys reads and changes. */
  readonly value: AuthenticationCreds;
  #lastPreKey: number;

  constructor(stored: Uint8Array | null) {
    this.value = stored === null ? initAuthCreds() : decode(stored);
    this.#lastPreKey = this.value.nextPreKeyId - 1;
  }

  /** The addresses of the account itself. */
  get own(): string[] {
    const { me } = this.value;
    return [me?.id, me?.lid].filter((jid) => jid !== undefined);
  }

  merge(update: Partial<AuthenticationCreds>): void {
    Object.assign(this.value, update);
  }

  encode(): Uint8Array {
    const { nextPreKeyId, firstUnuploadedPreKeyId } = this.value;
    const next = this.#lastPreKey + 1;
    const stored = {
      ...this.value,
      nextPreKeyId: Math.min(nextPreKeyId, next),
      firstUnuploadedPreKeyId: Math.min(firstUnuploadedPreKeyId, next),
    };
    return Buffer.from(JSON.stringify(stored, BufferJSON.replacer));
  }

  /** The credentials that must be stored together with these keys, if any. */
  countedBy(written: readonly Written[]): Uint8Array | undefined {
    let last = this.#lastPreKey;
    for (const { type, id, bytes } of written) {
      if (type === 'pre-key' && bytes) last = Math.max(last, Number(id));
    }
    if (last === this.#lastPreKey) return undefined;
    this.#lastPreKey = last;
    return this.encode();
  }
}

function decode(stored: Uint8Array): AuthenticationCreds {
  let value: Partial<AuthenticationCreds>;
  try {
    value = JSON.parse(Buffer.from(stored).toString(), BufferJSON.reviver);
  } catch (cause) {
    throw new WireFault('unreadable', 'The stored credentials cannot be read.', { cause });
  }
  if (!value.noiseKey || !value.signedIdentityKey || !value.signedPreKey || !value.nextPreKeyId) {
    throw new WireFault('unreadable', 'The stored credentials are not whole.');
  }
  return value as AuthenticationCreds;
}
