// A linked device as the server knows it: its public keys, its connection, what waits for it.
// Invariant: a stanza stays in `pending` until the companion acknowledges it, connected or not.
import type { Faults } from '../faults.ts';
import type { Bundle, PublicPreKey, SignedPreKey } from '../signal/bundle.ts';
import { node, notification, type Stanza } from '../wire/nodes.ts';
import type { Delivery, Device, Owner } from './model.ts';

/** The connection of a companion that is logged in. */
export interface Link {
  /** What the client said it was told about routing at an earlier login. */
  readonly routing: Buffer | undefined;
  send(stanza: Stanza): void;
  /** Sends a last stanza and closes. */
  finish(stanza: Stanza): void;
  /** Cuts the connection without a word. */
  cut(): void;
}

export interface Registration {
  noiseKey: Buffer;
  identity: Buffer;
  registrationId: number;
  signedPreKey: SignedPreKey;
}

const LOW_PRE_KEYS = 5;
/** How long a stanza waits for another to overtake it. */
const OVERTAKEN_MS = 30;

export class Companion implements Device {
  readonly owner: Owner;
  readonly id: number;
  readonly keyIndex: number;
  readonly noiseKey: Buffer;
  readonly identity: Buffer;
  readonly registrationId: number;
  signedPreKey: SignedPreKey;
  readonly preKeys: PublicPreKey[] = [];
  pending: Stanza[] = [];
  link: Link | undefined;
  /** Set once the companion asked for what waited; before that everything queues. */
  listening = false;
  /** What of `pending` was sent again at this login. */
  readonly replayed = new Set<Stanza>();
  logins = 0;
  #toldLow = false;
  #held: Stanza | undefined;
  readonly #faults: Faults;

  constructor(
    owner: Owner,
    id: number,
    keyIndex: number,
    registration: Registration,
    faults: Faults,
  ) {
    this.owner = owner;
    this.id = id;
    this.keyIndex = keyIndex;
    this.noiseKey = registration.noiseKey;
    this.identity = registration.identity;
    this.registrationId = registration.registrationId;
    this.signedPreKey = registration.signedPreKey;
    this.#faults = faults;
  }

  bundle(): Bundle {
    const preKey = this.preKeys.shift();
    if (this.preKeys.length < LOW_PRE_KEYS) this.#tellLow();
    const { identity, registrationId, signedPreKey } = this;
    return { identity, registrationId, signedPreKey, preKey };
  }

  addPreKeys(preKeys: PublicPreKey[]): void {
    this.preKeys.push(...preKeys);
    this.#toldLow = false;
  }

  deliver({ stanza }: Pick<Delivery, 'stanza'>): void {
    const twice = stanza.tag === 'message' && this.#faults.current.duplicateDeliveries;
    for (const copy of twice ? [stanza, stanza] : [stanza]) {
      this.pending.push(copy);
      if (this.listening) this.#send(copy);
    }
  }

  #send(stanza: Stanza): void {
    if (stanza.tag === 'message' && !this.#held && this.#faults.current.reorderDeliveries) {
      this.#held = stanza;
      setTimeout(() => this.#sendHeld(), OVERTAKEN_MS);
      return;
    }
    this.link?.send(stanza);
    if (stanza.tag === 'message') this.#sendHeld();
  }

  #sendHeld(): void {
    if (this.#held && this.listening) this.link?.send(this.#held);
    this.#held = undefined;
  }

  /** The companion has this stanza for good; it is never sent again. */
  acknowledge(tag: string, id: string): void {
    const at = this.pending.findIndex((stanza) => stanza.tag === tag && stanza.attrs.id === id);
    if (at >= 0) this.pending.splice(at, 1);
  }

  #tellLow(): void {
    if (this.#toldLow || !this.listening) return;
    this.#toldLow = true;
    this.deliver({
      stanza: notification('encrypt', [node('count', { value: String(this.preKeys.length) })]),
    });
  }
}
