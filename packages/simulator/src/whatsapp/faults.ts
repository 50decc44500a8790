// Deliberate faults: settings that the server reads as it works. Invariant: with nothing set, the network delivers
// everything promptly.
import type { PasskeyFault } from './passkey.ts';

export interface FaultSettings {
  /** Delay of every stanza from the server; order is kept. */
  latencyMs: number;
  /** Messages from companions are refused with this code and not delivered (463, 429, …). */
  ackError: number | undefined;
  /** Messages from companions are neither acknowledged nor delivered. */
  swallowMessages: boolean;
  /** Messages from companions are delivered but never acknowledged. */
  withholdAcks: boolean;
  /** Logins end with `<failure reason>`. */
  refuseLogin: number | undefined;
  /** `namespace/type/child` → delay of the answer. */
  iqDelayMs: Record<string, number>;
  /** `namespace/type/child` that are never answered. */
  iqIgnore: string[];
  /** Companions get every message stanza twice. */
  duplicateDeliveries: boolean;
  /** Companions get each pair of message stanzas in swapped order. */
  reorderDeliveries: boolean;
  /** The server receives everything and sends nothing more. */
  mute: boolean;
  /** What goes wrong when an account demands its passkey. */
  passkey: PasskeyFault | undefined;
  /** Queued stanzas come in batches of the size the client requests, each only when requested. */
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
  passkey: undefined,
  offlineBatches: false,
};

export class Faults {
  #current: FaultSettings = NONE;

  get current(): FaultSettings {
    return this.#current;
  }

  /** Settings that are not named stay as they are. */
  set(settings: Partial<FaultSettings>): void {
    this.#current = { ...this.#current, ...settings };
  }

  clear(): void {
    this.#current = NONE;
  }
}
