// Typed events of the network, and its log of stanzas. Invariant: an event is emitted after the state it reports has
// changed.
import type { EventEmitter } from 'node:events';
import type { SeenMessage } from './people/mailbox.ts';
import type { DeviceOwner } from './people/model.ts';
import type { Stanza } from './wire/nodes.ts';

export interface NetworkEvents {
  /** A handset decrypted somebody else's message, or a copy of what a companion sent. */
  message: [{ account: DeviceOwner; message: SeenMessage }];
  undecryptable: [{ account: DeviceOwner; id: string; error: unknown }];
  /** A receipt of any type reached a handset. */
  receipt: [{ account: DeviceOwner; id: string; from: DeviceOwner; device: number; type: string }];
  linked: [{ account: DeviceOwner; device: number }];
  /** A companion asked for a code to be typed on this phone. */
  codeWanted: [{ phone: string }];
  /** A companion logged in and received what was queued for it. */
  online: [{ account: DeviceOwner; device: number }];
  offline: [{ account: DeviceOwner; device: number }];
  /** A companion logged in while its former connection was still open, which is closed now. */
  replaced: [{ account: DeviceOwner; device: number }];
  presence: [{ account: DeviceOwner; stanza: Stanza }];
  /** A stanza crossed the server: every one, while the log keeps only the latest. */
  stanza: [LoggedStanza];
  /** The simulator itself failed: a test that sees this has found a bug in it. */
  failure: [unknown];
  /** Somebody changed a setting or a chat; `by` is the device. */
  appState: [{ account: DeviceOwner; by: number; index: string[]; value: unknown }];
}

export type Events = EventEmitter<NetworkEvents>;

// The last stanzas that crossed the server, for tests of the protocol. Invariant: bounded; the oldest are dropped.

export interface LoggedStanza {
  at: Date;
  /** As seen by the server. */
  direction: 'in' | 'out';
  /** The phone number of the account, once the connection has one. */
  account: string | undefined;
  device: number | undefined;
  /** False: a newer connection of the same device has replaced this one. */
  current: boolean;
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
