// A simulated phone: device 0 of its account, with real Signal sessions. Invariant: everything that touches the
// ratchets runs one after the other in `enqueue`.
import {
  encodeWAMessage,
  normalizeMessageContent,
  proto,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';
import type { Events } from '../events.ts';
import { mediaPartOf } from '../media.ts';
import { type Bundle, keyNodes, readBundle, registrationNode } from '../signal/bundle.ts';
import { SignalEndpoint } from '../signal/endpoint.ts';
import { uintFromBytes } from '../wire/keys.ts';
import {
  attr,
  child,
  childBytes,
  children,
  contentBytes,
  node,
  randomHex,
  type Stanza,
  seconds,
} from '../wire/nodes.ts';
import type { Mailbox } from './mailbox.ts';
import {
  type Addressing,
  alternateJid,
  type Device,
  type DeviceOwner,
  deviceJid,
  effectiveAddressing,
  isGroupChat,
  type SimulatedChat,
  type SimulatedGroup,
  type StanzaDelivery,
  signalAddressOf,
  visibleJid,
} from './model.ts';
import { deliverReceipt } from './receipts.ts';

export interface SendOptions extends Pick<Transmission, 'corrupt' | 'viewOnceNotice'> {
  id?: string;
  at?: Date;
  addressing?: Addressing;
}

export class Handset implements Device, HandsetState {
  readonly owner: DeviceOwner;
  readonly id = 0;
  readonly keyIndex = 0;
  readonly signal = new SignalEndpoint();
  readonly mailbox: Mailbox;
  readonly habits: PhoneHabits;
  readonly events: Events;
  readonly sent = new Map<string, HandsetMessage>();
  readonly retries = new Map<string, number>();
  readonly senderKeyHolders = new Map<string, Set<Device>>();
  #tail: Promise<unknown> = Promise.resolve();
  /** What arrived while the phone was off; undefined while it is on. */
  #waiting: StanzaDelivery[] | undefined;

  readonly #now: () => Date;
  readonly #answerMediaRetry: MediaRetryResponder;

  constructor({ answerMediaRetry, events, habits, mailbox, now, owner }: HandsetParts) {
    this.owner = owner;
    this.mailbox = mailbox;
    this.habits = habits;
    this.events = events;
    this.#now = now;
    this.#answerMediaRetry = answerMediaRetry;
  }

  get device(): Device {
    return this;
  }

  enqueue<T>(job: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(job);
    this.#tail = done.catch(() => undefined);
    return done;
  }

  bundle(): Bundle {
    return this.signal.bundle();
  }

  /** Resolves with the id once every device concerned has its ciphertext. */
  async send(
    chat: SimulatedChat,
    content: proto.IMessage,
    options: SendOptions = {},
  ): Promise<string> {
    const { at = this.#now(), corrupt = false, viewOnceNotice = false } = options;
    const addressing = options.addressing ?? effectiveAddressing(this.owner, 'lid');
    if (effectiveAddressing(this.owner, addressing) !== addressing) {
      throw new Error(`${this.owner.phone} is known by another name only`);
    }
    const id = options.id ?? `3A${randomHex(9)}`;
    await this.enqueue(async () => {
      this.mailbox.add({ id, chat, author: this.owner, at, addressing, content });
      const outgoing = { id, chat, content, at, addressing, peer: false };
      await transmit(this, outgoing, { corrupt, viewOnceNotice });
    });
    return id;
  }

  /** Sends keys and history to one of the account's own companions. */
  async sendToCompanion(only: Device, content: proto.IMessage): Promise<void> {
    const id = `3A${randomHex(9)}`;
    const outgoing: HandsetMessage = {
      id,
      chat: this.owner,
      content,
      at: this.#now(),
      addressing: 'pn',
      peer: true,
    };
    await this.enqueue(() => transmit(this, outgoing, { only }));
  }

  switchOff(): void {
    this.#waiting ??= [];
  }

  /** Delivers everything that was queued, in order. */
  switchOn(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const delivery of waiting) this.deliver(delivery);
  }

  deliver(delivery: StanzaDelivery): void {
    if (this.#waiting) {
      this.#waiting.push(delivery);
      return;
    }
    const { addressing, chat, sender, stanza } = delivery;
    if (stanza.tag === 'message') {
      this.#inBackground(() => receiveMessage(this, delivery));
      return;
    }
    if (stanza.tag === 'notification' && isGroupChat(chat) && child(stanza, 'remove')) {
      this.#renewSenderKey(chat);
    }
    if (stanza.tag !== 'receipt') return;
    const type = stanza.attrs.type ?? 'delivery';
    const id = attr(stanza, 'id');
    this.events.emit('receipt', {
      account: this.owner,
      id,
      from: sender.owner,
      device: sender.id,
      type,
    });
    if (type === 'retry') this.#inBackground(() => resend(this, stanza, sender));
    if (type === 'server-error') {
      this.#inBackground(async () => {
        const answer = this.#answerMediaRetry(stanza, this.mailbox.find(id)?.content);
        if (answer) sender.deliver({ stanza: answer, sender: this, chat, addressing });
      });
    }
  }

  /** Opens a chat: marks everything in it as read and sends receipts to the authors. */
  read(chat: SimulatedChat, find: (phone: string) => DeviceOwner | undefined): void {
    for (const { addressing, from, id } of this.mailbox.markRead(chat)) {
      const place = isGroupChat(chat) ? chat : this.owner;
      for (const to of find(from)?.devices() ?? []) {
        deliverReceipt({ id, type: 'read', from: this, to, chat: place, addressing });
      }
    }
  }

  /** A member left: the next message to the group uses a new sender key. */
  #renewSenderKey(group: SimulatedGroup): void {
    this.#inBackground(async () => {
      this.signal.forgetSenderKey(group.jid, signalAddressOf(this));
      this.senderKeyHolders.delete(group.jid);
    });
  }

  #inBackground(job: () => Promise<void>): void {
    this.enqueue(job).catch((error: unknown) => this.events.emit('failure', error));
  }
}

// State shared by both directions of a handset: keys, sent messages, and its person's behaviour. Invariant: Signal
// state is touched only inside `enqueue`, one job after the other.

/** Behaviour of the simulated person and their phone; can change while the network runs. */
export interface PhoneHabits {
  /** The phone sends delivery receipts. */
  receipts: boolean;
  /** The person reads at once, and the phone sends read receipts. */
  reads: boolean;
  /** The phone sends retry receipts for what it cannot decrypt. */
  retries: boolean;
}

/** Answers a companion's request to upload a file again; undefined: the phone stays silent. */
type MediaRetryResponder = (
  request: Stanza,
  message: proto.IMessage | undefined,
) => Stanza | undefined;

interface HandsetParts {
  owner: DeviceOwner;
  mailbox: Mailbox;
  habits: PhoneHabits;
  events: Events;
  now: () => Date;
  answerMediaRetry: MediaRetryResponder;
}

interface HandsetMessage {
  id: string;
  chat: SimulatedChat;
  content: proto.IMessage;
  at: Date;
  addressing: Addressing;
  /** Phone to own companion: keys, history. */
  peer: boolean;
}

interface HandsetState {
  readonly device: Device;
  readonly signal: SignalEndpoint;
  readonly mailbox: Mailbox;
  readonly habits: PhoneHabits;
  readonly events: Events;
  readonly sent: Map<string, HandsetMessage>;
  /** Message id → how often this handset requested it again. */
  readonly retries: Map<string, number>;
  /** Group → the devices that have this handset's sender key. */
  readonly senderKeyHolders: Map<string, Set<Device>>;
  enqueue<T>(job: () => Promise<T>): Promise<T>;
}

// Sending from a handset: encrypts a message for every device concerned and delivers it. Invariant: runs inside the
// handset's queue; each device gets its own ciphertext.

interface Transmission {
  /** A resend goes only to the device that asked. */
  only?: Device;
  retryCount?: number;
  /** The last byte is flipped, so nobody can decrypt it. */
  corrupt?: boolean;
  /** Companions get a notice in place of view-once content, which only phones may open. */
  viewOnceNotice?: boolean;
}

async function transmit(
  handset: HandsetState,
  outgoing: HandsetMessage,
  how: Transmission = {},
): Promise<void> {
  handset.sent.set(outgoing.id, outgoing);
  if (isGroupChat(outgoing.chat)) return toGroup(handset, outgoing, outgoing.chat, how);
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
  const address = signalAddressOf(device);
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

const POLLS = [
  'pollCreationMessage',
  'pollCreationMessageV2',
  'pollCreationMessageV3',
  'pollUpdateMessage',
] as const;
const PLACES = [
  'locationMessage',
  'liveLocationMessage',
  'contactMessage',
  'contactsArrayMessage',
] as const;

function stanzaType(content: proto.IMessage): string {
  const inner = normalizeMessageContent(content) ?? {};
  if (inner.reactionMessage) return 'reaction';
  if (POLLS.some((kind) => inner[kind])) return 'poll';
  return mediaPartOf(content) || PLACES.some((kind) => inner[kind]) ? 'media' : 'text';
}

function common({ at, content, id }: HandsetMessage) {
  return { id, t: seconds(at), type: stanzaType(content) };
}

async function toPerson(
  handset: HandsetState,
  outgoing: HandsetMessage,
  person: DeviceOwner,
  how: Transmission,
): Promise<void> {
  const { device: self } = handset;
  if (person === self.owner) return;
  const addressing = effectiveAddressing(self.owner, outgoing.addressing);
  const plain = encodeWAMessage(outgoing.content);
  for (const device of concerned(person.devices(), self, how)) {
    const hidden = how.viewOnceNotice === true && device.id !== 0;
    const body = hidden
      ? node('unavailable', { type: 'view_once' })
      : await encryptedFor(handset, device, plain, how);
    const other = alternateJid(self.owner, addressing);
    const names =
      addressing === 'lid' ? { sender_pn: other, addressing_mode: 'lid' } : { sender_lid: other };
    const from = deviceJid(self, addressing);
    const attrs = { from, ...common(outgoing), notify: self.owner.name, ...names };
    const stanza = node('message', attrs, [body]);
    device.deliver({ stanza, sender: self, chat: self.owner, addressing });
  }
}

/** The sender's companions see what the phone sent, and to whom. */
async function toOwnDevices(
  handset: HandsetState,
  outgoing: HandsetMessage,
  person: DeviceOwner,
  how: Transmission,
): Promise<void> {
  const { device: self } = handset;
  const { addressing, content: message } = outgoing;
  const recipient = visibleJid(person, addressing);
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
  outgoing: HandsetMessage,
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
  outgoing: HandsetMessage,
  group: SimulatedGroup,
  how: Transmission,
): Promise<void> {
  const { device: self, signal } = handset;
  const { addressing, jid } = group;
  const holders = handset.senderKeyHolders.get(jid) ?? new Set<Device>();
  handset.senderKeyHolders.set(jid, holders);
  const plain = encodeWAMessage(outgoing.content);
  const { bytes, distribution } = await signal.encryptForGroup(jid, signalAddressOf(self), plain);
  const senderKey = encodeWAMessage({
    senderKeyDistributionMessage: {
      groupId: jid,
      axolotlSenderKeyDistributionMessage: distribution,
    },
  });
  const count = how.retryCount === undefined ? undefined : String(how.retryCount);
  const shared = node('enc', { v: '2', type: 'skmsg', count }, how.corrupt ? broken(bytes) : bytes);
  const other = alternateJid(self.owner, addressing);
  const attrs = {
    from: jid,
    ...common(outgoing),
    notify: self.owner.name,
    participant: deviceJid(self, effectiveAddressing(self.owner, addressing)),
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

// Receiving on a handset: decrypts, stores, sends receipts, and asks again for what it cannot decrypt. Invariant: runs
// inside the handset's queue; a message is stored before its receipt is sent.

const MAX_RETRIES = 5;

async function receiveMessage(handset: HandsetState, delivery: StanzaDelivery): Promise<void> {
  const { addressing, chat, sender, stanza } = delivery;
  const author = sender.owner;
  const account = handset.device.owner;
  const id = attr(stanza, 'id');
  const at = new Date(Number(attr(stanza, 't')) * 1000);
  let message: proto.Message | undefined;
  try {
    message = await decrypt(handset, delivery);
  } catch (error) {
    const content = undefined;
    const { duplicate } = handset.mailbox.add({ id, chat, author, at, addressing, content });
    if (duplicate) return;
    handset.events.emit('undecryptable', { account, id, error });
    if (handset.habits.retries) requestRetry(handset, delivery);
    return;
  }
  if (!message || stanza.attrs.category === 'peer') return;
  const content = message.deviceSentMessage?.message ?? message;
  const { message: seen } = handset.mailbox.add({ id, chat, author, at, addressing, content });
  if (author !== account) {
    if (handset.habits.receipts) sendHandsetReceipt(handset, delivery, undefined);
    if (handset.habits.reads) {
      handset.mailbox.markRead(chat);
      sendHandsetReceipt(handset, delivery, 'read');
    }
  }
  handset.events.emit('message', { account, message: seen });
}

async function decrypt(
  { signal }: HandsetState,
  { chat, sender, stanza }: StanzaDelivery,
): Promise<proto.Message | undefined> {
  const address = signalAddressOf(sender);
  let last: proto.Message | undefined;
  for (const enc of children(stanza, 'enc')) {
    const type = attr(enc, 'type');
    const plain =
      type === 'skmsg' && isGroupChat(chat)
        ? await signal.decryptFromGroup(chat.jid, address, contentBytes(enc))
        : await signal.decrypt(address, type, contentBytes(enc));
    last = proto.Message.decode(unpadRandomMax16(plain));
    const key = last.senderKeyDistributionMessage;
    if (key?.groupId && key.axolotlSenderKeyDistributionMessage) {
      await signal.learnSenderKey(key.groupId, address, key.axolotlSenderKeyDistributionMessage);
    }
  }
  return last;
}

function sendHandsetReceipt(
  handset: HandsetState,
  { addressing, chat, sender, stanza }: StanzaDelivery,
  type: string | undefined,
  content?: Stanza[],
): void {
  const { device } = handset;
  const place = isGroupChat(chat) ? chat : device.owner;
  const id = attr(stanza, 'id');
  deliverReceipt({ id, type, from: device, to: sender, chat: place, addressing, content });
}

/** A retry receipt with fresh keys, so that the sender can begin a new session. */
function requestRetry(handset: HandsetState, delivery: StanzaDelivery): void {
  const id = attr(delivery.stanza, 'id');
  const attempt = (handset.retries.get(id) ?? 0) + 1;
  if (attempt > MAX_RETRIES) return;
  handset.retries.set(id, attempt);
  const bundle = handset.signal.bundle();
  sendHandsetReceipt(handset, delivery, 'retry', [
    node('retry', { count: String(attempt), id, t: seconds(), v: '1' }),
    registrationNode(bundle),
    node('keys', {}, keyNodes(bundle)),
  ]);
}

/** Resends a message that a device could not decrypt. */
async function resend(handset: HandsetState, stanza: Stanza, asker: Device): Promise<void> {
  const outgoing = handset.sent.get(attr(stanza, 'id'));
  if (!outgoing) return;
  const keys = child(stanza, 'keys');
  if (keys) {
    const bundle = readBundle(keys, uintFromBytes(childBytes(stanza, 'registration')));
    handset.signal.forgetSession(signalAddressOf(asker));
    await handset.signal.startSession(signalAddressOf(asker), bundle);
  }
  if (isGroupChat(outgoing.chat)) handset.senderKeyHolders.get(outgoing.chat.jid)?.delete(asker);
  const retryCount = Number(child(stanza, 'retry')?.attrs.count ?? 1);
  await transmit(handset, outgoing, { only: asker, retryCount });
}
