// A group and what its members may do to it; every change is told to everybody concerned.
// Invariant: the change is made first, then told; who is removed hears of it too.
import { randomInt } from 'node:crypto';
import { node, notification, type Stanza } from '../wire/nodes.ts';
import { groupNode, participantNode } from './group-node.ts';
import {
  type Addressing,
  type Device,
  deviceJid,
  type Group,
  namedBy,
  type Owner,
  otherName,
  type Role,
} from './model.ts';

export interface NewGroup {
  subject: string;
  owner: Owner;
  members: Owner[];
  addressing?: Addressing;
  /** Any unless given. */
  jid?: string;
}

export class GroupChat implements Group {
  readonly jid: string;
  readonly addressing: Addressing;
  readonly createdAt = new Date();
  readonly owner: Owner;
  #subject: string;
  readonly #members = new Map<Owner, Role>();

  constructor({ addressing = 'lid', jid, members, owner, subject }: NewGroup) {
    this.jid = jid ?? `1203${randomInt(10 ** 13, 10 ** 14)}@g.us`;
    this.addressing = addressing;
    this.owner = owner;
    this.#subject = subject;
    this.#members.set(owner, 'superadmin');
    for (const member of members) if (member !== owner) this.#members.set(member, 'member');
  }

  get subject(): string {
    return this.#subject;
  }

  get members(): ReadonlyMap<Owner, Role> {
    return this.#members;
  }

  announce(): void {
    this.#tell(this.owner, node('create', {}, [groupNode(this)]));
  }

  rename(by: Owner, subject: string): void {
    this.#subject = subject;
    this.#tell(by, node('subject', { subject }));
  }

  add(by: Owner, people: Owner[]): void {
    for (const person of people) this.#members.set(person, 'member');
    this.#tell(by, this.#change('add', people));
  }

  remove(by: Owner, people: Owner[]): void {
    const change = this.#change('remove', people);
    for (const person of people) this.#members.delete(person);
    this.#tell(by, change, people);
  }

  setRole(by: Owner, people: Owner[], role: 'admin' | 'member'): void {
    for (const person of people) this.#members.set(person, role);
    this.#tell(by, this.#change(role === 'admin' ? 'promote' : 'demote', people));
  }

  #change(what: string, people: Owner[]): Stanza {
    const roles = people.map((person) =>
      participantNode(person, this.addressing, this.#members.get(person)),
    );
    return node(what, {}, roles);
  }

  #tell(by: Owner, change: Stanza, alsoTo: Owner[] = []): void {
    const handset = by.device(0);
    if (!handset) throw new Error(`${by.phone} has no phone`);
    const { addressing } = this;
    const other = otherName(by, addressing);
    const attrs = {
      from: this.jid,
      participant: deviceJid(handset, namedBy(by, addressing)),
      addressing_mode: addressing,
      ...(addressing === 'lid' ? { participant_pn: other } : { participant_lid: other }),
    };
    const stanza = notification('w:gp2', [change], attrs);
    for (const device of devicesOf([...this.#members.keys(), ...alsoTo])) {
      device.deliver({ stanza, sender: handset, chat: this, addressing });
    }
  }
}

function devicesOf(people: Owner[]): Device[] {
  return people.flatMap((person) => person.devices());
}
