// The harness that a transport provides, and the stage for the contract's tests: an account, two people, and everything
// the transport reported so far. Invariant: the network is the simulated one.
import type { ConnectionState } from '@relay/contract/connection/states';
import type { MessageId } from '@relay/contract/ids';
import type { IncomingMessage } from '@relay/core/messages/message';
import {
  type MessageToBuild,
  type MessageWithMedia,
  SendFault,
  type Transport,
  type TransportEvent,
  type WhatsAppLink,
} from '@relay/core/ports/transport';
import type { SendableContent } from '@relay/simulator/whatsapp/media';
import type { Network } from '@relay/simulator/whatsapp/network';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { expect } from 'vitest';

/**
 * One account and its saved session. Waits are short: acks within 0.5 s, retries after a hundredth of the real delays.
 */
export interface TransportHarness {
  readonly network: Network;
  /** A transport on the session; its predecessor may still be open. */
  open(): Transport;
  /** Whether any part of a linked session is saved. */
  hasSession(): boolean;
  /** Received messages, parsed by the transport's own reader, in the order in which they became durable. */
  received(): IncomingMessage[];
  /** A received message with what was inside its encryption, as a download needs it. */
  content(id: string): MessageWithMedia;
  /** How often the transport reported that received messages are durable. */
  hints(): number;
  /** What `findSent` returns: a text, or what was built. */
  readonly sent: Map<string, string | Uint8Array>;
  end(): Promise<void>;
}

/** A message as it is inside its encryption. */
export type RawMessage = Extract<SendableContent, { raw: unknown }>['raw'];

export interface HarnessOptions {
  /** Codes to scan or to type expire after a second or two. */
  readonly shortCodes?: boolean;
}

export type MakeHarness = (wish?: HarnessOptions) => Promise<TransportHarness>;

const PATIENCE_MS = 15_000;

export async function eventually<T>(
  look: () => T | undefined | null | false,
  what: string | (() => string),
): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = look();
    if (found) return found;
    if (Date.now() > end) {
      throw new Error(`waited in vain for ${typeof what === 'string' ? what : what()}`);
    }
    await pause(5);
  }
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

export class TransportFixture {
  readonly harness: TransportHarness;
  readonly me: SimulatedAccount;
  readonly bob: SimulatedAccount;
  readonly carol: SimulatedAccount;
  transport: Transport;
  events: TransportEvent[] = [];
  #ids = 0;

  constructor(harness: TransportHarness, passkey = false) {
    const { network } = harness;
    this.harness = harness;
    this.me = network.addAccount({ phone: '15550000001', name: 'Me', passkey });
    this.bob = network.addAccount({ phone: '15550000002', name: 'Bob' });
    this.carol = network.addAccount({ phone: '15550000003', name: 'Carol' });
    this.transport = this.#listen(harness.open());
  }

  get link(): WhatsAppLink {
    return this.transport.link;
  }

  /** The states so far, without repetitions. */
  get states(): ConnectionState[] {
    const all = this.events.flatMap((event) => (event.type === 'link' ? event.link.state : []));
    return all.filter((state, index) => state !== all[index - 1]);
  }

  of<Type extends TransportEvent['type']>(type: Type) {
    return this.events.filter((event) => event.type === type) as Extract<
      TransportEvent,
      { type: Type }
    >[];
  }

  /** Simulates a restart of the daemon. */
  async restart(): Promise<void> {
    await this.transport.close();
    this.events = [];
    this.transport = this.#listen(this.harness.open());
  }

  async reaches(state: ConnectionState): Promise<void> {
    const look = () => this.link.state === state;
    await eventually(look, () => `${state} (it is ${this.link.state})`);
  }

  qr(): Promise<string> {
    return eventually(() => this.link.qr, 'a QR code');
  }

  async pair(): Promise<this> {
    this.transport.connect();
    await this.me.scan(await this.qr());
    await this.reaches('connected');
    return this;
  }

  newId(): MessageId {
    this.#ids += 1;
    return `RELAY${String(this.#ids).padStart(12, '0')}` as MessageId;
  }

  async send(chat: string, text: string, id = this.newId()): Promise<MessageId> {
    this.harness.sent.set(id, text);
    await this.transport.send({ id, chat, text });
    return id;
  }

  /** Builds and sends a message that is more than text. */
  async deliver(
    message: Omit<MessageToBuild, 'text'> & { readonly text?: string },
    id = this.newId(),
  ): Promise<MessageId> {
    const { chat, text = '' } = message;
    const { build } = this.transport.capabilities;
    if (build === undefined) throw new Error('this transport sends only text');
    const built = await build({ ...message, text });
    this.harness.sent.set(id, built);
    await this.transport.send({ id, chat, text, built });
    return id;
  }

  /** The error of a send that must fail. */
  async fault(chat: string, text: string, id = this.newId()): Promise<SendFault> {
    const outcome = await this.send(chat, text, id).then(
      () => null,
      (error: unknown) => error,
    );
    expect(outcome).toBeInstanceOf(SendFault);
    return outcome as SendFault;
  }

  arrival(id: string): Promise<IncomingMessage> {
    return eventually(() => this.harness.received().find((one) => one.id === id), `message ${id}`);
  }

  /** Checks that no connection is attempted for a while. */
  async staysAway(): Promise<void> {
    const { network } = this.harness;
    const before = network.connections;
    await pause(400);
    expect(network.connections).toBe(before);
    expect(this.link.retryAt).toBeNull();
  }

  async end(): Promise<void> {
    await this.transport.close();
    const { failures, unknown } = this.harness.network;
    await this.harness.end();
    expect(failures).toEqual([]);
    expect([...unknown]).toEqual([]);
  }

  #listen(transport: Transport): Transport {
    transport.subscribe((event) => this.events.push(event));
    return transport;
  }
}
