// The last stanzas that crossed the server, for tests that look at the wire itself.
// Invariant: bounded; the oldest fall out.
import type { Stanza } from '../wire/nodes.ts';

export interface LoggedStanza {
  at: Date;
  /** Seen from the server. */
  direction: 'in' | 'out';
  /** The phone number of the account, once the connection has one. */
  account: string | undefined;
  device: number | undefined;
  stanza: Stanza;
}

const KEPT = 2_000;

export class StanzaLog {
  #stanzas: LoggedStanza[] = [];

  add(entry: LoggedStanza): void {
    this.#stanzas.push(entry);
    if (this.#stanzas.length > 2 * KEPT) this.#stanzas = this.#stanzas.slice(-KEPT);
  }

  all(): LoggedStanza[] {
    return this.#stanzas.slice(-KEPT);
  }
}
