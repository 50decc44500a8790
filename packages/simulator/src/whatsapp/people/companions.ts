// A linked device as the server knows it: its public keys, its connection and its queue. Invariant: a stanza stays in
// `pending` until the companion acknowledges it, connected or not.

import { randomInt } from 'node:crypto';
import type { KeyPair } from '@whiskeysockets/baileys';
import type { Faults } from '../faults.ts';
import { type Applicant, completePairing } from '../pairing.ts';
import type { Bundle, PublicPreKey, SignedPreKey } from '../signal/bundle.ts';
import { uintFromBytes } from '../wire/keys.ts';
import { node, notification, type Stanza } from '../wire/nodes.ts';
import type { PeopleContext } from './directory.ts';
import { type Device, type DeviceOwner, ownerJid, type StanzaDelivery } from './model.ts';

/** The connection of a companion that is logged in. */
export interface CompanionConnection {
  /** The routing information from an earlier login, as the client sent it. */
  readonly routing: Buffer | undefined;
  send(stanza: Stanza): void;
  /** Sends a last stanza and closes. */
  finish(stanza: Stanza): void;
  /** Cuts the connection without a closing stanza. */
  cut(): void;
}

interface CompanionRegistration {
  noiseKey: Buffer;
  identity: Buffer;
  registrationId: number;
  signedPreKey: SignedPreKey;
}

const LOW_PRE_KEYS = 5;
/** How long a stanza waits for another to overtake it. */
const OVERTAKEN_MS = 30;

export class Companion implements Device {
  readonly owner: DeviceOwner;
  readonly id: number;
  readonly keyIndex: number;
  readonly noiseKey: Buffer;
  readonly identity: Buffer;
  readonly registrationId: number;
  signedPreKey: SignedPreKey;
  readonly preKeys: PublicPreKey[] = [];
  pending: Stanza[] = [];
  connection: CompanionConnection | undefined;
  /** Set once the companion asked for its queue; before that everything is queued. */
  listening = false;
  /** Stanzas of `pending` that were sent again at this login. */
  readonly replayed = new Set<Stanza>();
  logins = 0;
  #toldLow = false;
  #held: Stanza | undefined;
  readonly #faults: Faults;

  constructor(
    owner: DeviceOwner,
    id: number,
    keyIndex: number,
    registration: CompanionRegistration,
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

  deliver({ stanza }: Pick<StanzaDelivery, 'stanza'>): void {
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
    this.connection?.send(stanza);
    if (stanza.tag === 'message') this.#sendHeld();
  }

  #sendHeld(): void {
    if (this.#held && this.listening) this.connection?.send(this.#held);
    this.#held = undefined;
  }

  /** The companion acknowledged this stanza; it is never sent again. */
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

// The companions of one account: links, disconnects and unlinks them. Invariant: all companions are notified of a new
// or removed device before it can matter to them.

const RESTART = node('stream:error', { code: '515' });
const REPLACED = node('stream:error', {}, [node('conflict', { type: 'replaced' })]);
const REMOVED = node('stream:error', { code: '401' }, [
  node('conflict', { type: 'device_removed' }),
]);

export class LinkedDevices {
  readonly companions = new Map<number, Companion>();
  readonly #handset: Device;
  readonly #accountKey: KeyPair;
  readonly #deps: PeopleContext;
  readonly #rawId = randomInt(1, 2 ** 31);
  #next = 1;

  constructor(handset: Device, accountKey: KeyPair, deps: PeopleContext) {
    this.#handset = handset;
    this.#accountKey = accountKey;
    this.#deps = deps;
  }

  async link(applicant: Applicant, identity: Buffer, advSecret: Buffer): Promise<number> {
    const { owner } = this.#handset;
    const id = this.#next++;
    await completePairing({
      applicant,
      accountKey: this.#accountKey,
      companionIdentity: identity,
      advSecret,
      rawId: this.#rawId,
      keyIndex: id,
      jid: ownerJid(owner, 'pn', id),
      lid: ownerJid(owner, 'lid', id),
    });
    const registration = registrationOf(applicant, identity);
    const companion = new Companion(owner, id, id, registration, this.#deps.faults);
    this.companions.set(id, companion);
    this.#tell('add', companion);
    applicant.finish(RESTART);
    this.#deps.events.emit('linked', { account: owner, device: id });
    return id;
  }

  unlink(id: number): void {
    const companion = this.companions.get(id);
    if (!companion) return;
    this.companions.delete(id);
    this.#tell('remove', companion);
    companion.connection?.finish(REMOVED);
  }

  disconnect(code: number | undefined, only: number | undefined): void {
    for (const { id, connection } of [...this.companions.values()]) {
      if (only !== undefined && id !== only) continue;
      if (code === undefined) connection?.cut();
      else if (code === 401) this.unlink(id);
      else
        connection?.finish(code === 440 ? REPLACED : node('stream:error', { code: String(code) }));
    }
  }

  /** Clients keep device lists by phone number or by LID, so each change is sent for both. */
  #tell(what: 'add' | 'remove', { id, keyIndex }: Companion): void {
    const { owner } = this.#handset;
    for (const addressing of ['pn', 'lid'] as const) {
      const jid = ownerJid(owner, addressing, id);
      const device = node('device', { jid, 'key-index': String(keyIndex) });
      const from = ownerJid(owner, addressing);
      for (const person of this.#deps.directory.knowingDevicesOf(owner)) {
        const stanza = notification('devices', [node(what, {}, [device])], { from });
        for (const other of person.devices()) {
          if (person === owner && other.id === id) continue;
          other.deliver({ stanza, sender: this.#handset, chat: owner, addressing });
        }
      }
    }
  }
}

function registrationOf(
  { noiseKey, registration }: Applicant,
  identity: Buffer,
): CompanionRegistration {
  const { eRegid, eSkeyId, eSkeySig, eSkeyVal } = registration;
  if (!eRegid || !eSkeyId || !eSkeySig || !eSkeyVal) throw new Error('the companion sent no keys');
  return {
    noiseKey,
    identity,
    registrationId: uintFromBytes(eRegid),
    signedPreKey: { id: uintFromBytes(eSkeyId), value: eSkeyVal, signature: eSkeySig },
  };
}
