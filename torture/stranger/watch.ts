// Watches every stanza that Relay sends while somebody writes to it whom it must not answer. Invariant: what the
// protocol requires is listed here and counted; anything else is a breach.

import type { LoggedStanza } from '@relay/simulator/whatsapp/events';
import type { Network } from '@relay/simulator/whatsapp/network';

const ASKED_AGAIN = 'receipts: it could not be read, send it again';

/** WhatsApp redelivers until it gets a receipt; these report delivery or failed decryption, never reading. */
const RECEIPTS: Readonly<Record<string, string>> = {
  '': 'receipts: it was delivered',
  inactive: 'receipts: it was delivered',
  sender: 'receipts: it was delivered',
  peer_msg: 'receipts: it was delivered',
  hist_sync: 'receipts: it was delivered',
  retry: ASKED_AGAIN,
};

export class Watch {
  readonly #strangers: readonly string[];
  readonly #owner: string;
  readonly #counts = new Map<string, number>();
  readonly breaches: string[] = [];
  /** Messages of Relay, to anybody. */
  messages = 0;

  /** `strangers` are named by any part of an address. */
  constructor(network: Network, owner: string, strangers: readonly string[]) {
    this.#owner = owner;
    this.#strangers = strangers;
    network.events.on('stanza', (logged) => this.#see(logged));
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  get askedAgain(): number {
    return this.#counts.get(ASKED_AGAIN) ?? 0;
  }

  #see({ account, direction, stanza }: LoggedStanza): void {
    if (direction !== 'in' || account !== this.#owner) return;
    const { tag, attrs } = stanza;
    const required = this.#required(stanza);
    if (required !== null) {
      this.#counts.set(required, (this.#counts.get(required) ?? 0) + 1);
      return;
    }
    if (tag === 'message') this.messages += 1;
    const about = JSON.stringify(stanza);
    const named = this.#strangers.some((name) => about.includes(name));
    // A stanza that names nobody, such as a ping or presence, tells a stranger nothing.
    if (named || tag === 'message') this.breaches.push(`${tag} ${JSON.stringify(attrs)}`);
    else this.#counts.set(`${tag} to nobody`, (this.#counts.get(`${tag} to nobody`) ?? 0) + 1);
  }

  #required({ tag, attrs }: LoggedStanza['stanza']): string | null {
    if (tag === 'ack') return 'acks';
    if (tag === 'receipt') return RECEIPTS[attrs.type ?? ''] ?? null;
    // Between devices of the owner: Baileys asks the phone for a message that it could not decrypt.
    const toOwnPhone = attrs.category === 'peer' && attrs.to?.startsWith(`${this.#owner}@`);
    return tag === 'message' && toOwnPhone ? 'questions to the owner’s own phone' : null;
  }
}
