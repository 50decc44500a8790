// A group and the changes its members can make; everybody concerned is notified. Invariant: the change is made first,
// then announced; a removed member is notified too.
import { randomInt } from 'node:crypto';
import { node, notification, type Stanza, seconds } from '../wire/nodes.ts';
import {
  type Addressing,
  alternateJid,
  type Device,
  type DeviceOwner,
  deviceJid,
  effectiveAddressing,
  type GroupRole,
  type SimulatedGroup,
  visibleJid,
} from './model.ts';

export interface NewGroupChat {
  subject: string;
  owner: DeviceOwner;
  members: DeviceOwner[];
  addressing?: Addressing;
  /** By default generated. */
  jid?: string;
}

export class GroupChat implements SimulatedGroup {
  readonly jid: string;
  readonly addressing: Addressing;
  readonly createdAt = new Date();
  readonly owner: DeviceOwner;
  #subject: string;
  readonly #members = new Map<DeviceOwner, GroupRole>();

  constructor({ addressing = 'lid', jid, members, owner, subject }: NewGroupChat) {
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

  get members(): ReadonlyMap<DeviceOwner, GroupRole> {
    return this.#members;
  }

  announce(): void {
    this.#tell(this.owner, node('create', {}, [groupNode(this)]));
  }

  rename(by: DeviceOwner, subject: string): void {
    this.#subject = subject;
    this.#tell(by, node('subject', { subject }));
  }

  add(by: DeviceOwner, people: DeviceOwner[]): void {
    for (const person of people) this.#members.set(person, 'member');
    this.#tell(by, this.#change('add', people));
  }

  remove(by: DeviceOwner, people: DeviceOwner[]): void {
    const change = this.#change('remove', people);
    for (const person of people) this.#members.delete(person);
    this.#tell(by, change, people);
  }

  setRole(by: DeviceOwner, people: DeviceOwner[], role: 'admin' | 'member'): void {
    for (const person of people) this.#members.set(person, role);
    this.#tell(by, this.#change(role === 'admin' ? 'promote' : 'demote', people));
  }

  #change(what: string, people: DeviceOwner[]): Stanza {
    const roles = people.map((person) =>
      participantNode(person, this.addressing, this.#members.get(person)),
    );
    return node(what, {}, roles);
  }

  #tell(by: DeviceOwner, change: Stanza, alsoTo: DeviceOwner[] = []): void {
    const handset = by.device(0);
    if (!handset) throw new Error(`${by.phone} has no phone`);
    const { addressing } = this;
    const other = alternateJid(by, addressing);
    const attrs = {
      from: this.jid,
      participant: deviceJid(handset, effectiveAddressing(by, addressing)),
      addressing_mode: addressing,
      ...(addressing === 'lid' ? { participant_pn: other } : { participant_lid: other }),
    };
    const stanza = notification('w:gp2', [change], attrs);
    for (const device of devicesOf([...this.#members.keys(), ...alsoTo])) {
      device.deliver({ stanza, sender: handset, chat: this, addressing });
    }
  }
}

function devicesOf(people: DeviceOwner[]): Device[] {
  return people.flatMap((person) => person.devices());
}

// A group as a stanza: for queries, for the notification of its creation, for its members. Invariant: each participant
// carries both names, so that a client can map LID and phone number, unless one is hidden.

function participantNode(member: DeviceOwner, addressing: Addressing, role?: GroupRole): Stanza {
  const other = alternateJid(member, addressing);
  return node('participant', {
    jid: visibleJid(member, addressing),
    ...(addressing === 'lid' ? { phone_number: other } : { lid: other }),
    type: role === 'member' ? undefined : role,
  });
}

export function groupNode(group: SimulatedGroup): Stanza {
  const { addressing, createdAt, members, owner, subject } = group;
  const creator = visibleJid(owner, addressing);
  const attrs = {
    id: group.jid.replace('@g.us', ''),
    subject,
    creation: seconds(createdAt),
    creator,
    creator_pn: addressing === 'lid' ? alternateJid(owner, addressing) : undefined,
    s_t: seconds(createdAt),
    s_o: creator,
    addressing_mode: addressing,
    size: String(members.size),
  };
  const participants = [...members].map(([member, role]) =>
    participantNode(member, addressing, role),
  );
  return node('group', attrs, participants);
}
