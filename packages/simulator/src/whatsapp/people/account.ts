// A person on the network, driven by a test: their phone and their linked devices. Invariant: a device is linked only
// through `scan` or `pairCode`, and unlinked only here.
import { randomInt } from 'node:crypto';
import type { ChatModification, proto, WAPatchName } from '@whiskeysockets/baileys';
import { composeContent, decryptMedia, mediaPartOf, type SendableContent } from '../media.ts';
import { type Applicant, exchangeCode, readQr } from '../pairing.ts';
import { AccountPasskey, PasskeyAttempt } from '../passkey.ts';
import { node, notification, type Stanza, seconds } from '../wire/nodes.ts';
import { AppState } from './app-state.ts';
import { type Companion, LinkedDevices } from './companions.ts';
import type { PeopleContext } from './directory.ts';
import { Handset, type PhoneHabits, type SendOptions } from './handset.ts';
import { historyMessages, type RememberedChat } from './history.ts';
import { type DeliveryCounts, Mailbox, type SeenMessage } from './mailbox.ts';
import { answerMediaRetry } from './media-retry.ts';
import {
  type Addressing,
  chatIdentifier,
  type Device,
  type DeviceOwner,
  isGroupChat,
  type KnownAs,
  ownerJid,
  type ReceiptKind,
  type SimulatedChat,
  visibleJid,
} from './model.ts';
import { type ShownMessage, sealVote, shownMessages } from './screen.ts';

export interface NewSimulatedAccount {
  phone: string;
  name: string;
  /** Another spelling of the number, as with Brazil's ninth digit: the network answers it with `phone`. */
  dialled?: string;
  habits?: Partial<PhoneHabits>;
  /** Linking this account demands its WhatsApp passkey. */
  passkey?: boolean;
  /** Defaults to both names. */
  knownAs?: KnownAs;
}

/** `passkey_required`: linking continues once the companion answers the passkey request; `passkeyAttempts` has the end. */
export type LinkingResult =
  | { linked: true; device: number }
  | { linked: false; reason: 'passkey_required' };

export class SimulatedAccount implements DeviceOwner {
  readonly phone: string;
  readonly dialled: string | undefined;
  readonly lid = `1${randomInt(10 ** 13, 10 ** 14)}`;
  readonly habits: PhoneHabits;
  /** Applies to later messages and queries: a number is revealed, or a LID is assigned. */
  knownAs: KnownAs;
  readonly appState = new AppState();
  /** Set while the service forbids this account to start new chats. */
  timeLockedUntil: Date | undefined;
  #name: string;
  /** Null for an account that is linked without one. */
  readonly passkey: AccountPasskey | null;
  /** Every linking that asked for the passkey, oldest first. */
  readonly passkeyAttempts: PasskeyAttempt[] = [];
  readonly #usedChallenges = new Set<string>();
  readonly #handset: Handset;
  readonly #linked: LinkedDevices;
  readonly #mailbox: Mailbox;
  readonly #deps: PeopleContext;

  constructor(deps: PeopleContext, account: NewSimulatedAccount) {
    const { dialled, habits, knownAs = 'both', name, passkey = false, phone } = account;
    this.phone = phone.replace(/^\+/, '');
    this.dialled = dialled?.replace(/^\+/, '');
    this.#name = name;
    this.habits = { receipts: true, reads: false, retries: true, ...habits };
    this.knownAs = knownAs;
    this.passkey = passkey ? new AccountPasskey() : null;
    this.#deps = deps;
    this.#mailbox = new Mailbox(this);
    this.#handset = new Handset({
      owner: this,
      mailbox: this.#mailbox,
      habits: this.habits,
      events: deps.events,
      now: deps.now,
      answerMediaRetry: (request, content) =>
        answerMediaRetry(request, content, deps.media, deps.faults.current.mediaRetry),
    });
    this.#linked = new LinkedDevices(this.#handset, this.#handset.signal.identity, deps);
  }

  get name(): string {
    return this.#name;
  }

  /** Changes the profile name: every later message carries it. */
  rename(name: string): void {
    this.#name = name;
  }

  get companions(): ReadonlyMap<number, Companion> {
    return this.#linked.companions;
  }

  jid(addressing: Addressing = 'lid'): string {
    return ownerJid(this, addressing);
  }

  devices(): Device[] {
    return [this.#handset, ...this.companions.values()];
  }

  device(id: number): Device | undefined {
    return id === 0 ? this.#handset : this.companions.get(id);
  }

  noteReceipt(id: string, from: DeviceOwner, kind: ReceiptKind): void {
    this.#mailbox.noteReceipt(id, from.phone, kind);
  }

  /** Scans a companion's QR code, given as its text. */
  async scan(qr: string): Promise<LinkingResult> {
    const { advSecret, identity, ref } = readQr(qr);
    return this.#link(this.#deps.pairings.byRef(ref), identity, advSecret);
  }

  /** Types the eight characters that a companion shows. */
  async pairCode(code: string): Promise<LinkingResult> {
    const request = await this.#deps.pairings.codeRequest(this.phone);
    const exchange = await exchangeCode(code, request, this.#handset.signal.identity);
    request.applicant.send(exchange.primaryHello);
    const finish = await request.finished.promise;
    return this.#link(request.applicant, finish.identity, exchange.advSecret(finish));
  }

  async #link(applicant: Applicant, identity: Buffer, advSecret: Buffer): Promise<LinkingResult> {
    if (this.passkey) {
      const { faults, pairings } = this.#deps;
      const attempt = new PasskeyAttempt({
        applicant,
        passkey: this.passkey,
        identity,
        codeSecret: advSecret,
        fault: () => faults.current.passkey,
        used: this.#usedChallenges,
        link: (secret) => this.#linked.link(applicant, identity, secret),
      });
      this.passkeyAttempts.push(attempt);
      pairings.beginPasskey(applicant, attempt);
      return { linked: false, reason: 'passkey_required' };
    }
    const device = await this.#linked.link(applicant, identity, advSecret);
    return { linked: true, device };
  }

  /** Removes a linked device, as in the phone's settings. */
  unlink(device: number): void {
    this.#linked.unlink(device);
  }

  /** Ends connections of companions: with a code as the server would, without one by cutting the connection. */
  disconnect(code?: number, device?: number): void {
    this.#linked.disconnect(code, device);
  }

  /** Forbids new chats until then, or allows them again. */
  timeLock(until: Date | undefined): void {
    this.timeLockedUntil = until;
    for (const companion of this.companions.values()) {
      companion.deliver({ stanza: timeLockNotification(until) });
    }
  }

  /** Sends from the phone; resolves with the message's id. */
  async send(
    to: SimulatedChat | string,
    content: SendableContent,
    options: SendOptions = {},
  ): Promise<string> {
    const chat = this.#deps.directory.chat(to);
    return this.#handset.send(chat, await this.compose(content), options);
  }

  /** The protobuf that `send` would send, its file uploaded: a test can change it and send it with `{ raw }`. */
  compose(content: SendableContent): Promise<proto.IMessage> {
    return composeContent(content, this.#deps.media);
  }

  async react(
    to: SimulatedChat | string,
    messageId: string,
    emoji: string,
    options: SendOptions = {},
  ): Promise<string> {
    const chat = this.#deps.directory.chat(to);
    const key = this.#keyOf(chat, this.#seen(messageId));
    const { at = this.#deps.now() } = options;
    const reactionMessage = { key, text: emoji, senderTimestampMs: at.getTime() };
    return this.#handset.send(chat, { reactionMessage }, options);
  }

  /** Changes the text of a message this person sent. */
  edit(to: SimulatedChat | string, messageId: string, text: string): Promise<string> {
    const key = this.#keyOf(this.#deps.directory.chat(to), this.#seen(messageId));
    return this.send(to, { text, edit: key });
  }

  /** Deletes a message this person sent, for everybody. */
  delete(to: SimulatedChat | string, messageId: string): Promise<string> {
    const key = this.#keyOf(this.#deps.directory.chat(to), this.#seen(messageId));
    return this.send(to, { delete: key });
  }

  /** Votes in a poll; no options take the vote back. */
  async vote(to: SimulatedChat | string, pollId: string, options: string[]): Promise<string> {
    const chat = this.#deps.directory.chat(to);
    const poll = this.#seen(pollId);
    const creator = this.#deps.directory.byPhone(poll.from);
    const creatorJid = creator && ownerJid(creator, 'lid');
    if (!creatorJid) throw new Error(`no account on this network is ${poll.from}`);
    const vote = sealVote(poll, options, { creatorJid, voterJid: this.jid('lid') });
    const pollCreationMessageKey = this.#keyOf(chat, poll);
    const pollUpdateMessage = { pollCreationMessageKey, vote, senderTimestampMs: Date.now() };
    return this.#handset.send(chat, { pollUpdateMessage });
  }

  #seen(messageId: string): SeenMessage {
    const message = this.#mailbox.find(messageId);
    if (!message) throw new Error(`${this.phone} has no message ${messageId}`);
    return message;
  }

  #keyOf(chat: SimulatedChat, { from, fromMe, id }: SeenMessage): proto.IMessageKey {
    const author = this.#deps.directory.byPhone(from);
    return {
      remoteJid: isGroupChat(chat) ? chat.jid : visibleJid(chat, 'lid'),
      id,
      fromMe,
      ...(isGroupChat(chat) && author && { participant: visibleJid(author, chat.addressing) }),
    };
  }

  /** A phone that is off receives and answers nothing; senders see one tick. */
  switchOff(): void {
    this.#handset.switchOff();
  }

  switchOn(): void {
    this.#handset.switchOn();
  }

  /** Opens a chat on the phone: its authors get read receipts. */
  read(chat: SimulatedChat | string): void {
    const { directory } = this.#deps;
    this.#handset.read(directory.chat(chat), (phone) => directory.byPhone(phone));
  }

  /** This person's messages, oldest first; with one person or group, or all. */
  messages({ with: other }: { with?: SimulatedChat | string } = {}): SeenMessage[] {
    const all = this.#mailbox.all();
    if (other === undefined) return all;
    const name = chatIdentifier(this.#deps.directory.chat(other));
    return all.filter((message) => message.chat === name);
  }

  /** What a chat looks like on the phone: reactions, votes, edits and deletions at their message. */
  shown({ with: other }: { with?: SimulatedChat | string } = {}): ShownMessage[] {
    const { directory } = this.#deps;
    return shownMessages(this.messages(other === undefined ? {} : { with: other }), (phone) => {
      const person = directory.byPhone(phone);
      return person && ownerJid(person, 'lid');
    });
  }

  counts(): DeliveryCounts {
    return this.#mailbox.counts();
  }

  /** The file in one of this person's messages, with all its hashes checked. */
  async download(messageId: string): Promise<Buffer> {
    const { content } = this.#seen(messageId);
    if (!content) throw new Error(`${this.phone} could not decrypt message ${messageId}`);
    return decryptMedia(content, this.#deps.media);
  }

  /** The link of a file in one of this person's messages stops working, as it does after some weeks. */
  expireMedia(messageId: string, status: 404 | 410 = 410): void {
    const { content } = this.#seen(messageId);
    const directPath = content && mediaPartOf(content)?.fields.directPath;
    if (!directPath) throw new Error(`message ${messageId} holds no media`);
    this.#deps.media.expire(directPath, status);
  }

  /** The phone is set up again: sessions with others and unused one-time keys are gone. */
  async loseSessions(): Promise<void> {
    const { signal } = this.#handset;
    await this.#handset.enqueue(async () => {
      for (const person of this.#deps.directory.people()) {
        for (const { id } of person.devices()) {
          signal.forgetSession({ person: person.lid, device: id });
        }
      }
      signal.forgetPreKeys();
    });
  }

  /** Changes a setting or a chat on the phone, with the arguments of Baileys' `chatModify`. */
  async modify(modification: ChatModification, chat: SimulatedChat | string = this): Promise<void> {
    const place = this.#deps.directory.chat(chat);
    const jid = isGroupChat(place) ? place.jid : visibleJid(place, 'lid');
    const { name, patch } = await this.appState.encode(modification, jid);
    await this.applyPatch(name, patch, this.#handset);
  }

  /** Stores a change that one device made and notifies the others. */
  async applyPatch(name: WAPatchName, patch: proto.ISyncdPatch, by: Device): Promise<void> {
    const changes = await this.appState.add(name, patch);
    const version = String(this.appState.version(name));
    for (const companion of this.companions.values()) {
      if (companion === by) continue;
      const stanza = notification('server_sync', [node('collection', { name, version })]);
      companion.deliver({ stanza });
    }
    for (const { index, value } of changes) {
      this.#deps.events.emit('appState', { account: this, by: by.id, index, value });
    }
  }

  /** At its first login a companion gets the app-state keys and the chats so far. */
  async welcome(companion: Companion): Promise<void> {
    await this.#handset.sendToCompanion(companion, this.appState.keyShare());
    const people = this.#deps.directory.people();
    for (const message of historyMessages(this, this.#remembered(), people)) {
      await this.#handset.sendToCompanion(companion, message);
    }
  }

  #remembered(): RememberedChat[] {
    const byChat = Map.groupBy(
      this.#mailbox.all().filter((message) => message.content),
      (message) => message.chat,
    );
    return [...byChat].map(([name, messages]) => ({
      chat: this.#deps.directory.chat(name),
      messages,
    }));
  }
}

// The service's limit after writing to too many strangers: no new chats until a given time. Invariant: companions are
// notified when it begins or ends, and a query returns the same facts.

export function timeLockState(until: Date | undefined) {
  return {
    is_active: until !== undefined,
    ...(until && { time_enforcement_ends: seconds(until), enforcement_type: 'DEFAULT' }),
  };
}

function timeLockNotification(until: Date | undefined): Stanza {
  const data = { xwa2_notify_account_reachout_timelock: timeLockState(until) };
  const attrs = { op_name: 'NotificationUserReachoutTimelockUpdate' };
  return notification('mex', [node('update', attrs, Buffer.from(JSON.stringify({ data })))]);
}
