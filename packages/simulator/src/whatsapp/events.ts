// What the network tells whoever drives it, as typed events.
// Invariant: an event is told after the state it speaks of has changed.
import type { EventEmitter } from 'node:events';
import type { SeenMessage } from './people/mailbox.ts';
import type { Owner } from './people/model.ts';
import type { LoggedStanza } from './server/stanza-log.ts';
import type { Stanza } from './wire/nodes.ts';

export interface NetworkEvents {
  /** A handset decrypted a message of somebody else, or a copy of what a companion sent. */
  message: [{ account: Owner; message: SeenMessage }];
  undecryptable: [{ account: Owner; id: string; error: unknown }];
  /** A receipt of any type reached a handset. */
  receipt: [{ account: Owner; id: string; from: Owner; device: number; type: string }];
  linked: [{ account: Owner; device: number }];
  /** A companion asked for a code to be typed on this phone. */
  codeWanted: [{ phone: string }];
  /** A companion logged in and got what waited for it. */
  online: [{ account: Owner; device: number }];
  offline: [{ account: Owner; device: number }];
  presence: [{ account: Owner; stanza: Stanza }];
  /** One crossed the server: all of them, where the log keeps the latest. */
  stanza: [LoggedStanza];
  /** The simulator itself stumbled: a test that sees one has found a bug in it. */
  failure: [unknown];
  /** Somebody changed a setting or a chat; `by` is the device. */
  appState: [{ account: Owner; by: number; index: string[]; value: unknown }];
}

export type Events = EventEmitter<NetworkEvents>;
