// The companions of one account: how they are linked, disconnected and unlinked.
// Invariant: everybody's companions hear of a new or removed device before it can matter to them.
import { randomInt } from 'node:crypto';
import type { KeyPair } from '@whiskeysockets/baileys';
import type { Applicant } from '../pairing/desk.ts';
import { introduce } from '../pairing/introduction.ts';
import { uint } from '../wire/keys.ts';
import { node, notification } from '../wire/nodes.ts';
import { Companion, type Registration } from './companion.ts';
import { type Device, jidOf } from './model.ts';
import type { PeopleWorld } from './world.ts';

const RESTART = node('stream:error', { code: '515' });
const REPLACED = node('stream:error', {}, [node('conflict', { type: 'replaced' })]);
const REMOVED = node('stream:error', { code: '401' }, [
  node('conflict', { type: 'device_removed' }),
]);

export class LinkedDevices {
  readonly companions = new Map<number, Companion>();
  readonly #handset: Device;
  readonly #accountKey: KeyPair;
  readonly #world: PeopleWorld;
  readonly #rawId = randomInt(1, 2 ** 31);
  #next = 1;

  constructor(handset: Device, accountKey: KeyPair, world: PeopleWorld) {
    this.#handset = handset;
    this.#accountKey = accountKey;
    this.#world = world;
  }

  async link(applicant: Applicant, identity: Buffer, advSecret: Buffer): Promise<number> {
    const { owner } = this.#handset;
    const id = this.#next++;
    await introduce({
      applicant,
      accountKey: this.#accountKey,
      companionIdentity: identity,
      advSecret,
      rawId: this.#rawId,
      keyIndex: id,
      jid: jidOf(owner, 'pn', id),
      lid: jidOf(owner, 'lid', id),
    });
    const registration = registrationOf(applicant, identity);
    const companion = new Companion(owner, id, id, registration, this.#world.faults);
    this.companions.set(id, companion);
    this.#tell('add', companion);
    applicant.finish(RESTART);
    this.#world.events.emit('linked', { account: owner, device: id });
    return id;
  }

  unlink(id: number): void {
    const companion = this.companions.get(id);
    if (!companion) return;
    this.companions.delete(id);
    this.#tell('remove', companion);
    companion.link?.finish(REMOVED);
  }

  disconnect(code: number | undefined, only: number | undefined): void {
    for (const { id, link } of [...this.companions.values()]) {
      if (only !== undefined && id !== only) continue;
      if (code === undefined) link?.cut();
      else if (code === 401) this.unlink(id);
      else link?.finish(code === 440 ? REPLACED : node('stream:error', { code: String(code) }));
    }
  }

  /** Clients keep lists of everybody's devices, by phone number or by LID, and so hear it twice. */
  #tell(what: 'add' | 'remove', { id, keyIndex }: Companion): void {
    const { owner } = this.#handset;
    for (const addressing of ['pn', 'lid'] as const) {
      const jid = jidOf(owner, addressing, id);
      const device = node('device', { jid, 'key-index': String(keyIndex) });
      const from = jidOf(owner, addressing);
      for (const person of this.#world.directory.people()) {
        const stanza = notification('devices', [node(what, {}, [device])], { from });
        for (const other of person.devices()) {
          if (person === owner && other.id === id) continue;
          other.deliver({ stanza, sender: this.#handset, chat: owner, addressing });
        }
      }
    }
  }
}

function registrationOf({ noiseKey, registration }: Applicant, identity: Buffer): Registration {
  const { eRegid, eSkeyId, eSkeySig, eSkeyVal } = registration;
  if (!eRegid || !eSkeyId || !eSkeySig || !eSkeyVal) throw new Error('the companion sent no keys');
  return {
    noiseKey,
    identity,
    registrationId: uint(eRegid),
    signedPreKey: { id: uint(eSkeyId), value: eSkeyVal, signature: eSkeySig },
  };
}
