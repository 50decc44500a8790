// What the network tells whoever drives it, as typed events.
// Invariant: an event is told after the state it speaks of has changed.
import type { EventEmitter } from 'node:events';
import type { SeenMessage } from './people/mailbox.ts';
import type { DeviceOwner } from './people/model.ts';
import type { Stanza } from './wire/nodes.ts';

export interface NetworkEvents {
  /** A handset decrypted a message of somebody else, or a copy of what a companion sent. */
  message: [{ account: DeviceOwner; message: SeenMessage }];
  undecryptable: [{ account: DeviceOwner; id: string; error: unknown }];
  /** A receipt of any type reached a handset. */
  receipt: [{ account: DeviceOwner; id: string; from: DeviceOwner; device: number; type: string }];
  linked: [{ account: DeviceOwner; device: number }];
  /** A companion asked for a code to be typed on this phone. */
  codeWanted: [{ phone: string }];
  /** A companion logged in and got what waited for it. */
  online: [{ account: DeviceOwner; device: number }];
  offline: [{ account: DeviceOwner; device: number }];
  presence: [{ account: DeviceOwner; stanza: Stanza }];
  /** One crossed the server: all of them, where the log keeps the latest. */
  stanza: [LoggedStanza];
  /** The simulator itself stumbled: a test that sees one has found a bug in it. */
  failure: [unknown];
  /** Somebody changed a setting or a chat; `by` is the device. */
  appState: [{ account: DeviceOwner; by: number; index: string[]; value: unknown }];
}

export type Events = EventEmitter<NetworkEvents>;

// The last stanzas that crossed the server, for tests that look at the wire itself.
// Invariant: bounded; the oldest fall out.

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
