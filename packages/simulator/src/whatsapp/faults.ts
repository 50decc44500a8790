// What goes wrong on purpose: one set of settings that the server consults as it works.
// Invariant: with nothing set the network is faithful and prompt.
export interface FaultSettings {
  /** Every stanza of the server waits this long; order is kept. */
  latencyMs: number;
  /** Messages of companions are refused with this code and go nowhere (463, 429, …). */
  ackError: number | undefined;
  /** Messages of companions vanish: neither acknowledged nor delivered. */
  swallowMessages: boolean;
  /** Messages of companions are delivered, but the server never says so. */
  withholdAcks: boolean;
  /** Logins end with `<failure reason>`. */
  refuseLogin: number | undefined;
  /** `namespace/type/child` → the answer waits. */
  iqDelayMs: Record<string, number>;
  /** `namespace/type/child` that is never answered. */
  iqIgnore: string[];
  /** Companions get every message stanza twice. */
  duplicateDeliveries: boolean;
  /** Companions get every two message stanzas in the wrong order. */
  reorderDeliveries: boolean;
  /** The server hears everything and says nothing more. */
  mute: boolean;
  /** What waited comes in batches of the size the client asks for, each only when asked for. */
  offlineBatches: boolean;
}

const NONE: FaultSettings = {
  latencyMs: 0,
  ackError: undefined,
  swallowMessages: false,
  withholdAcks: false,
  refuseLogin: undefined,
  iqDelayMs: {},
  iqIgnore: [],
  duplicateDeliveries: false,
  reorderDeliveries: false,
  mute: false,
  offlineBatches: false,
};

export class Faults {
  #current: FaultSettings = NONE;

  get current(): FaultSettings {
    return this.#current;
  }

  /** What is not named stays as it is. */
  set(settings: Partial<FaultSettings>): void {
    this.#current = { ...this.#current, ...settings };
  }

  clear(): void {
    this.#current = NONE;
  }
}
