// Finds people and groups of the network by phone number, LID or JID. Invariant: a phone number and a LID name one
// person for as long as the network runs.
import { jidDecode } from '@whiskeysockets/baileys';
import type { Events } from '../events.ts';
import type { Faults } from '../faults.ts';
import type { MediaHosts } from '../media-hosts.ts';
import type { PendingPairings } from '../pairing.ts';
import type { Device, DeviceOwner, SimulatedChat, SimulatedGroup } from './model.ts';

export class Directory<Person extends DeviceOwner, Circle extends SimulatedGroup> {
  readonly #byPhone = new Map<string, Person>();
  readonly #byLid = new Map<string, Person>();
  readonly #byDialled = new Map<string, Person>();
  readonly #groups = new Map<string, Circle>();
  readonly #askers = new Map<Person, Set<Person>>();

  addPerson(person: Person): void {
    if (this.#byPhone.has(person.phone)) throw new Error(`${person.phone} exists already`);
    this.#byPhone.set(person.phone, person);
    this.#byLid.set(person.lid, person);
    if (person.dialled !== undefined) this.#byDialled.set(person.dialled, person);
  }

  addGroup(group: Circle): void {
    this.#groups.set(group.jid, group);
  }

  people(): Person[] {
    return [...this.#byPhone.values()];
  }

  /** Who asks for a person's devices keeps the list. */
  noteAsker(person: Person, asker: Person): void {
    this.#askers.set(person, (this.#askers.get(person) ?? new Set()).add(asker));
  }

  /** Those who have to hear of a change of this person's devices. */
  knowingDevicesOf(person: Person): Person[] {
    return [...new Set([person, ...(this.#askers.get(person) ?? [])])];
  }

  groupsOf(person: DeviceOwner): Circle[] {
    return [...this.#groups.values()].filter((group) => group.members.has(person));
  }

  byPhone(phone: string): Person | undefined {
    return this.#byPhone.get(phone.replace(/^\+/, ''));
  }

  /** The person who registered a number, in any of its spellings. */
  registered(number: string): Person | undefined {
    return this.byPhone(number) ?? this.#byDialled.get(number.replace(/^\+/, ''));
  }

  group(jid: string): Circle | undefined {
    return this.#groups.get(jid);
  }

  /** The person for a JID of either kind, whatever its device. */
  person(jid: string): Person | undefined {
    const decoded = jidDecode(jid);
    if (!decoded) return undefined;
    return (decoded.server === 'lid' ? this.#byLid : this.#byPhone).get(decoded.user);
  }

  device(jid: string): Device | undefined {
    return this.person(jid)?.device(jidDecode(jid)?.device ?? 0);
  }

  /** A chat from a number, a JID or the chat itself. */
  chat(to: SimulatedChat | string): SimulatedChat {
    if (typeof to !== 'string') return to;
    const found = to.includes('@') ? (this.group(to) ?? this.person(to)) : this.byPhone(to);
    if (!found) throw new Error(`nobody on this network is ${to}`);
    return found;
  }
}

// What a simulated person can access beyond themselves. Invariant: people know each other as owners of devices; the
// server knows them as accounts.

export interface PeopleContext {
  readonly directory: Directory<DeviceOwner, SimulatedGroup>;
  readonly faults: Faults;
  readonly events: Events;
  readonly pairings: PendingPairings;
  readonly media: MediaHosts;
  /** The clock of WhatsApp's server and of every phone. */
  readonly now: () => Date;
}
