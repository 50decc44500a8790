// What the two directions of a handset share: keys, memory of what was sent, and how its person behaves.
// Invariant: Signal state is touched only inside `enqueue`, one job after the other.
import type { proto } from '@whiskeysockets/baileys';
import type { Events } from '../events.ts';
import type { SignalEndpoint } from '../signal/endpoint.ts';
import type { Mailbox } from './mailbox.ts';
import type { Addressing, Chat, Device } from './model.ts';

/** How the simulated person and their phone behave; may change while the network runs. */
export interface Habits {
  /** The phone tells senders that a message arrived. */
  receipts: boolean;
  /** The person reads at once, and the phone says so. */
  reads: boolean;
  /** The phone asks again for what it cannot decrypt. */
  retries: boolean;
}

export interface Outgoing {
  id: string;
  chat: Chat;
  content: proto.IMessage;
  at: Date;
  addressing: Addressing;
  /** Phone to own companion: keys, history. */
  peer: boolean;
}

export interface HandsetState {
  readonly device: Device;
  readonly signal: SignalEndpoint;
  readonly mailbox: Mailbox;
  readonly habits: Habits;
  readonly events: Events;
  readonly sent: Map<string, Outgoing>;
  /** Message id → how often this handset asked for it again. */
  readonly retries: Map<string, number>;
  /** Group → the devices that have this handset's sender key. */
  readonly senderKeyHolders: Map<string, Set<Device>>;
  enqueue<T>(job: () => Promise<T>): Promise<T>;
}
