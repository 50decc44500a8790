// From a handset outwards: encrypts a message for every device concerned and hands it over.
// Invariant: runs inside the handset's queue; each device gets a ciphertext of its own.
import { encodeWAMessage, type proto } from '@whiskeysockets/baileys';
import { node, type Stanza, seconds } from '../wire/nodes.ts';
import type { HandsetState, Outgoing } from './handset-state.ts';
import {
  addressOf,
  type Device,
  deviceJid,
  type Group,
  isGroup,
  namedBy,
  type Owner,
  otherName,
  shownJid,
} from './model.ts';

export interface Transmission {
  /** A resend goes to the device that asked, nobody else. */
  only?: Device;
  retryCount?: number;
  /** The last byte is flipped, so nobody can decrypt it. */
  corrupt?: boolean;
}

export async function transmit(
  handset: HandsetState,
  outgoing: Outgoing,
  how: Transmission = {},
): Promise<void> {
  handset.sent.set(outgoing.id, outgoing);
  if (isGroup(outgoing.chat)) return toGroup(handset, outgoing, outgoing.chat, how);
  if (outgoing.peer) return toOwnCompanion(handset, outgoing, how);
  await toPerson(handset, outgoing, outgoing.chat, how);
  await toOwnDevices(handset, outgoing, outgoing.chat, how);
}

function concerned(devices: Device[], self: Device, { only }: Transmission): Device[] {
  return devices.filter((device) => device !== self && (!only || device === only));
}

async function encryptedFor(
  handset: HandsetState,
  device: Device,
  plain: Uint8Array,
  { corrupt, retryCount }: Transmission = {},
): Promise<Stanza> {
  const address = addressOf(device);
  if (!(await handset.signal.hasSession(address))) {
    await handset.signal.startSession(address, device.bundle());
  }
  const { type, bytes } = await handset.signal.encrypt(address, plain);
  const count = retryCount === undefined ? undefined : String(retryCount);
  return node('enc', { v: '2', type, count }, corrupt ? broken(bytes) : bytes);
}

function broken(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const last = copy.length - 1;
  copy.writeUInt8(copy.readUInt8(last) ^ 0xff, last);
  return copy;
}

function stanzaType(content: proto.IMessage): string {
  if (content.reactionMessage) return 'reaction';
  const media = ['imageMessage', 'videoMessage', 'audioMessage', 'documentMessage'] as const;
  return media.some((kind) => content[kind]) ? 'media' : 'text';
}

function common({ at, content, id }: Outgoing) {
  return { id, t: seconds(at), type: stanzaType(content) };
}

async function toPerson(
  handset: HandsetState,
  outgoing: Outgoing,
  person: Owner,
  how: Transmission,
): Promise<void> {
  const { device: self } = handset;
  if (person === self.owner) return;
  const addressing = namedBy(self.owner, outgoing.addressing);
  const plain = encodeWAMessage(outgoing.content);
  for (const device of concerned(person.devices(), self, how)) {
    const enc = await encryptedFor(handset, device, plain, how);
    const other = otherName(self.owner, addressing);
    const names =
      addressing === 'lid' ? { sender_pn: other, addressing_mode: 'lid' } : { sender_lid: other };
    const from = deviceJid(self, addressing);
    const attrs = { from, ...common(outgoing), notify: self.owner.name, ...names };
    const stanza = node('message', attrs, [enc]);
    device.deliver({ stanza, sender: self, chat: self.owner, addressing });
  }
}

/** The companions of the sender see what the phone sent, and to whom. */
async function toOwnDevices(
  handset: HandsetState,
  outgoing: Outgoing,
  person: Owner,
  how: Transmission,
): Promise<void> {
  const { device: self } = handset;
  const { addressing, content: message } = outgoing;
  const recipient = shownJid(person, addressing);
  const plain = encodeWAMessage({
    deviceSentMessage: { destinationJid: recipient, message },
  });
  for (const device of concerned(self.owner.devices(), self, how)) {
    const enc = await encryptedFor(handset, device, plain, how);
    const from = deviceJid(self, addressing);
    const attrs = { from, recipient, ...common(outgoing), notify: self.owner.name };
    const stanza = node('message', attrs, [enc]);
    device.deliver({ stanza, sender: self, chat: person, addressing });
  }
}

async function toOwnCompanion(
  handset: HandsetState,
  outgoing: Outgoing,
  how: Transmission,
): Promise<void> {
  const { device: self } = handset;
  const plain = encodeWAMessage(outgoing.content);
  for (const device of concerned(self.owner.devices(), self, how)) {
    const enc = await encryptedFor(handset, device, plain, how);
    const attrs = { from: deviceJid(self, 'pn'), ...common(outgoing), category: 'peer' };
    const stanza = node('message', attrs, [enc]);
    device.deliver({ stanza, sender: self, chat: self.owner, addressing: 'pn' });
  }
}

async function toGroup(
  handset: HandsetState,
  outgoing: Outgoing,
  group: Group,
  how: Transmission,
): Promise<void> {
  const { device: self, signal } = handset;
  const { addressing, jid } = group;
  const holders = handset.senderKeyHolders.get(jid) ?? new Set<Device>();
  handset.senderKeyHolders.set(jid, holders);
  const plain = encodeWAMessage(outgoing.content);
  const { bytes, distribution } = await signal.encryptForGroup(jid, addressOf(self), plain);
  const senderKey = encodeWAMessage({
    senderKeyDistributionMessage: {
      groupId: jid,
      axolotlSenderKeyDistributionMessage: distribution,
    },
  });
  const count = how.retryCount === undefined ? undefined : String(how.retryCount);
  const shared = node('enc', { v: '2', type: 'skmsg', count }, how.corrupt ? broken(bytes) : bytes);
  const other = otherName(self.owner, addressing);
  const attrs = {
    from: jid,
    ...common(outgoing),
    notify: self.owner.name,
    participant: deviceJid(self, namedBy(self.owner, addressing)),
    addressing_mode: addressing,
    ...(addressing === 'lid' ? { participant_pn: other } : { participant_lid: other }),
  };
  const devices = [...group.members.keys()].flatMap((member) => member.devices());
  for (const device of concerned(devices, self, how)) {
    const key = holders.has(device) ? [] : [await encryptedFor(handset, device, senderKey)];
    holders.add(device);
    const stanza = node('message', attrs, [...key, shared]);
    device.deliver({ stanza, sender: self, chat: group, addressing });
  }
}
