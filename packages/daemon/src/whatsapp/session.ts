// The lifetime of one socket, from opening to its end: what it reports, and why it ended.
// Invariant: `ended` resolves once, after Baileys has closed and its last events are out.
import type { LinkPasskeyAnswer } from '@relay/contract/api/whatsapp';
import type { ConnectionFault, ConnectionState } from '@relay/contract/connection/states';
import {
  ContentDiffers,
  type LinkMethod,
  type MessageToBuild,
  type OutgoingMessage,
  SendFault,
  type TransportEvent,
  TransportStoreFault,
} from '@relay/core/ports/transport';
import type { BinaryNode, WASocket } from '@whiskeysockets/baileys';
import { everyMs } from '../platform/shared-interval.ts';
import { isLinked, linkedIdentityOf, type OpenAccount } from './account.ts';
import { ownUsers, personJids, phoneOfJid } from './addresses.ts';
import type { ConnectionHealth, LinkBoard } from './link.ts';
import { extendCodeSeries, PasskeyLink } from './linking/passkey-link.ts';
import { buildMessage } from './outbound/content.ts';
import { AckWaiters, sendOverSocket } from './outbound/send.ts';
import { followReplay, followServerEvents } from './server-events.ts';
import {
  BoundedCache,
  closeCode,
  networkFaultOf,
  openSocket,
  type SocketDeps,
  type TransportTimings,
  terminateSocket,
} from './socket.ts';

/** Why a connection ended: the server's code, a state to stop in, a fault of the store, or our request. */
export type SessionEnd =
  | {
      readonly kind: 'closed';
      readonly code: number | undefined;
      /** Why there was no connection, if the network says so. */
      readonly fault?: ConnectionFault | null;
    }
  | { readonly kind: 'stopped'; readonly state: ConnectionState }
  | { readonly kind: 'fault'; readonly fault: TransportStoreFault }
  | { readonly kind: 'asked' };

interface WhatsAppSessionDeps extends Omit<SocketDeps, 'keys'> {
  readonly account: OpenAccount;
  readonly board: LinkBoard;
  readonly health: ConnectionHealth;
  readonly method: LinkMethod;
  readonly now: () => Date;
  readonly tell: (event: TransportEvent) => Promise<boolean>;
  readonly onOpen: () => void;
}

const CONNECTION_LOST = 408;
const TIME_LOCKED = 463;
const LONGEST_TIMER = 2 ** 31 - 1;

export class WhatsAppSession {
  readonly socket: WASocket;
  readonly ended: Promise<SessionEnd>;
  #isOpen = false;
  #askedForGroups = false;
  #replayed = false;
  #ending: SessionEnd | undefined;
  #unlocking: NodeJS.Timeout | undefined;
  readonly #deps: WhatsAppSessionDeps;
  readonly #acks = new AckWaiters();
  readonly #introduce: (chat: string) => void;
  readonly #passkey: PasskeyLink;

  constructor(deps: WhatsAppSessionDeps) {
    this.#deps = deps;
    this.socket = openSocket({ ...deps, keys: deps.account.keys });
    this.#passkey = new PasskeyLink({
      ...deps,
      socket: this.socket,
      keys: deps.account.keys,
      onStop: (state) => void this.end({ kind: 'stopped', state }),
    });
    this.#introduce = createAliasAnnouncer(this.socket, deps.tell);
    const { promise, resolve } = Promise.withResolvers<SessionEnd>();
    this.ended = promise;
    this.#follow(resolve);
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#ending === undefined;
  }

  /** Ends the connection for a reason of ours and waits until it is closed. */
  async end(ending: SessionEnd): Promise<void> {
    this.#ending ??= ending;
    this.#cutLater();
    void this.socket.end(undefined);
    await this.ended;
  }

  /** Tells WhatsApp to unlink this device, then ends the connection. */
  async logout(): Promise<void> {
    if (this.isOpen) {
      this.#ending = { kind: 'asked' };
      this.#cutLater();
      await this.socket.logout().catch(() => undefined);
    }
    await this.end({ kind: 'asked' });
  }

  answerPasskey(answer: LinkPasskeyAnswer): void {
    this.#passkey.answer(answer);
  }

  async send(message: OutgoingMessage): Promise<void> {
    if (!this.isOpen) throw new SendFault('not_sent', 'Not connected to WhatsApp.');
    const { account, timings } = this.#deps;
    await sendOverSocket(message, {
      socket: this.socket,
      acks: this.#acks,
      ended: this.ended,
      own: ownUsers(account.keys.credentials),
      ackMs: timings.ackMs,
      relayMs: timings.relayMs,
    });
    this.#introduce(message.chat);
  }

  async build(message: MessageToBuild): Promise<Uint8Array> {
    if (!this.isOpen) throw new SendFault('not_sent', 'Not connected to WhatsApp.');
    try {
      return await buildMessage(message, this.socket, this.#deps.timings.relayMs);
    } catch (error) {
      if (error instanceof ContentDiffers) throw error;
      throw new SendFault('not_sent', error instanceof Error ? error.message : String(error));
    }
  }

  #follow(resolve: (ending: SessionEnd) => void): void {
    const { account, gate, groups, health, method, now, tell, timings } = this.#deps;
    const { socket } = this;
    const { keys } = account;
    const wasOffered = followLinking({
      socket,
      board: this.#deps.board,
      method,
      qrMs: timings.qrMs,
      now,
      passkey: this.#passkey,
      // Long enough for the passkey and the steps after it.
      seriesMs: timings.passkeyMs + 3 * timings.passkeyStepMs,
      onUnused: () => void this.end({ kind: 'stopped', state: 'link_expired' }),
      onFailure: () => void this.end({ kind: 'closed', code: CONNECTION_LOST }),
    });
    followServerEvents({
      socket,
      acks: this.#acks,
      groups,
      own: () => ownUsers(keys.credentials),
      now,
      tell,
      onRefused: (code) => this.#onRefused(code),
    });
    const stops = [
      monitorConnection({ socket, health, timings, onUnresponsive: () => this.#onUnresponsive() }),
      followReplay({
        socket,
        patienceMs: timings.replayMs,
        onWaiting: (left) => this.#deps.board.setFacts({ replaying: left }),
        onOver: (count) => void this.#onReplayed(count),
      }),
      keys.onFault((fault) => void this.end({ kind: 'fault', fault })),
      gate.onShut(() => this.#cut()),
    ];
    const stopFlushing = everyMs(timings.flushMs, () => socket.ev.flush());
    socket.registerSocketEndHandler(() => {
      stopFlushing();
      socket.ev.flush();
    });
    // Something other than WhatsApp answered; Baileys would keep waiting.
    socket.ws.on('unexpected-response', () => {
      void this.end({ kind: 'closed', code: CONNECTION_LOST, fault: 'proxy' });
    });
    socket.ws.on('CB:stream:error', () => this.#cutLater());
    socket.ws.on('CB:failure', () => this.#cutLater());
    socket.ev.on('creds.update', (update) => this.#save(update));
    socket.ev.on('connection.update', ({ connection, lastDisconnect, reachoutTimeLock }) => {
      if (reachoutTimeLock) this.#onTimeLock(reachoutTimeLock);
      if (connection === 'open') this.#onOpen();
      if (connection !== 'close') return;
      for (const stop of stops) stop();
      clearTimeout(this.#unlocking);
      const linked = isLinked(keys.credentials);
      const ending = this.#ending ?? sessionEndOf(lastDisconnect?.error, wasOffered() && !linked);
      const isCut = ending.kind === 'closed' && !linked && this.#passkey.isActive;
      resolve(isCut ? { kind: 'stopped', state: this.#passkey.stateIfClosed } : ending);
      this.#passkey.end();
    });
  }

  #save(update: Parameters<OpenAccount['keys']['saveCredentials']>[0]): void {
    // A failed write is reported as a fault of the store, which ends this session.
    this.#deps.account.keys.saveCredentials(update).catch(() => undefined);
  }

  #onOpen(): void {
    const { account, board, onOpen } = this.#deps;
    this.#isOpen = true;
    onOpen();
    this.#hide();
    board.setState('syncing', { ...linkedIdentityOf(account.keys.credentials), fault: null });
    if (this.#replayed) this.#settle();
  }

  /** Reports the account as unavailable. Baileys does so only once it knows the account's name. */
  #hide(): void {
    if (this.#deps.account.keys.credentials.me?.name) return;
    const presence = { tag: 'presence', attrs: { type: 'unavailable' } };
    this.socket.sendNode(presence).catch(() => undefined);
  }

  async #onReplayed(count: number): Promise<void> {
    const { account, board, tell } = this.#deps;
    // What was read may not be stored yet, and `replayed` means that it is.
    await account.keys.settled().catch(() => undefined);
    if (this.#ending) return;
    this.#replayed = true;
    board.setFacts({ replaying: null });
    void tell({ type: 'replayed', count });
    if (this.#isOpen) this.#settle();
  }

  #settle(): void {
    const { board, now } = this.#deps;
    const left = (board.link.timeLockedUntil?.getTime() ?? 0) - now().getTime();
    clearTimeout(this.#unlocking);
    if (left > 0) {
      board.setState('time_locked');
      this.#unlocking = setTimeout(() => this.#settle(), Math.min(left, LONGEST_TIMER));
    } else board.setState('connected', { timeLockedUntil: null });
    this.#askForGroups();
  }

  /** Once per connection, so that a group can be found by its name before anybody has written there. */
  #askForGroups(): void {
    if (this.#askedForGroups) return;
    this.#askedForGroups = true;
    // Baileys reports the answer as `groups.update`.
    this.socket.groupFetchAllParticipating().catch(() => undefined);
  }

  #onTimeLock(lock: { isActive?: boolean; timeEnforcementEnds?: Date }): void {
    const until = lock.isActive ? (lock.timeEnforcementEnds ?? null) : null;
    this.#deps.board.setFacts({ timeLockedUntil: until });
    if (this.#isOpen && this.#replayed) this.#settle();
  }

  /** After a 463 Baileys never asks whether the account is locked, or only this contact. */
  #onRefused(code: number): void {
    if (code === TIME_LOCKED) this.socket.fetchAccountReachoutTimelock().catch(() => undefined);
  }

  #onUnresponsive(): void {
    const { health, log } = this.#deps;
    if (this.#ending) return;
    health.restarts += 1;
    log.warn('WhatsApp connection unresponsive; reconnecting', { count: health.restarts });
    this.#cut();
  }

  /** Without a closing handshake: nothing more may be written, or the server would not answer. */
  #cut(): void {
    this.#ending ??= { kind: 'closed', code: CONNECTION_LOST };
    terminateSocket(this.socket);
    void this.socket.end(undefined);
  }

  #cutLater(): void {
    const timer = setTimeout(() => terminateSocket(this.socket), this.#deps.timings.closeMs);
    void this.ended.then(() => clearTimeout(timer));
  }
}

function sessionEndOf(error: unknown, unused: boolean): SessionEnd {
  if (error instanceof TransportStoreFault) return { kind: 'fault', fault: error };
  const code = closeCode(error);
  // Codes that nobody used expire with a 408: showing new ones forever would not help.
  if (unused && code === CONNECTION_LOST) return { kind: 'stopped', state: 'link_expired' };
  return { kind: 'closed', code, fault: networkFaultOf(error) };
}

// Links a new device: a series of QR codes or one pairing code, and the phone's answer.
// Invariant: no code is shown once WhatsApp asks for a passkey; a new one would only lead to the same request.

interface LinkingDeps {
  readonly socket: WASocket;
  readonly board: LinkBoard;
  readonly method: LinkMethod;
  /** How long one QR code is shown; null leaves it to Baileys. */
  readonly qrMs: number | null;
  readonly now: () => Date;
  readonly passkey: PasskeyLink;
  /** How much longer than WhatsApp's series of codes the connection is kept. */
  readonly seriesMs: number;
  readonly onUnused: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** Baileys' own times: the first code stays longer than those that follow. */
const FIRST_QR_MS = 60_000;
const LATER_QR_MS = 20_000;

/** Returns a function that says whether a code has been offered so far. */
function followLinking(deps: LinkingDeps): () => boolean {
  const { board, method, now, onFailure, onUnused, passkey, qrMs, socket } = deps;
  const isSpare = extendCodeSeries(socket, Math.ceil(deps.seriesMs / (qrMs ?? LATER_QR_MS)));
  let codes = 0;
  let asked = false;
  let scanned = false;
  let paired = false;
  const askForCode = async (phone: string) => {
    asked = true;
    board.setState('pairing_code_ready', { pairingCode: await socket.requestPairingCode(phone) });
  };
  const onScanned = () => {
    scanned = true;
    board.setState('scanned');
  };
  socket.ev.on('connection.update', ({ isNewLogin, qr }) => {
    if (isNewLogin) {
      passkey.end();
      paired = true;
      onScanned();
    }
    if (!qr) return;
    codes += 1;
    // Baileys continues to create codes after one was used.
    if (passkey.isActive) return;
    if (isSpare(codes)) {
      if (!paired) onUnused();
      return;
    }
    if (scanned) return;
    const shownMs = qrMs ?? (codes > 1 ? LATER_QR_MS : FIRST_QR_MS);
    if (method.kind === 'qr') {
      board.setState('qr_ready', { qr, qrExpiresAt: new Date(now().getTime() + shownMs) });
    } else if (!asked) askForCode(method.phone).catch(onFailure);
  });
  // The phone answers a typed code with its half of a secret: from here on it only has to confirm.
  socket.ws.on('CB:notification,type:link_code_companion_reg', () => {
    if (!passkey.isActive) onScanned();
  });
  return () => codes > 0;
}

// Reports the LID of a person whom we wrote to by number; Baileys had to look it up to encrypt for them. The owner's
// own phone names the same person by the LID, maybe before they ever answer, so both addresses are reported as soon as
// both are known.
// Invariant: a send never waits for it and never fails because of it.

const REMEMBERED = 2_000;
const DAY = 24 * 60 * 60 * 1_000;

function createAliasAnnouncer(
  socket: WASocket,
  tell: (event: TransportEvent) => Promise<boolean>,
): (chat: string) => void {
  const announced = new BoundedCache(REMEMBERED, DAY);
  const telling = new Set<string>();
  const introduce = async (chat: string) => {
    const lid = await socket.signalRepository.lidMapping.getLIDForPN(chat);
    const addresses = personJids([chat, lid]);
    if (addresses.length > 1 && (await tell({ type: 'aliases', addresses })))
      announced.set(chat, true);
  };
  return (chat) => {
    if (phoneOfJid(chat) === null || announced.get(chat) || telling.has(chat)) return;
    telling.add(chat);
    introduce(chat)
      .catch(() => undefined)
      .finally(() => telling.delete(chat));
  };
}

// Pings the server, measures the answer, and reports a connection as unresponsive if nothing at all arrived although an
// answer was due.
// Invariant: after `stop` it reports nothing.

const PING: BinaryNode = {
  tag: 'iq',
  attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' },
  content: [{ tag: 'ping', attrs: {} }],
};

interface ConnectionMonitorDeps {
  readonly socket: WASocket;
  readonly health: ConnectionHealth;
  readonly timings: TransportTimings;
  readonly onUnresponsive: () => void;
}

function monitorConnection({
  health,
  onUnresponsive,
  socket,
  timings,
}: ConnectionMonitorDeps): () => void {
  let heard = 0;
  let stopped = false;
  let timer: NodeJS.Timeout;
  const onFrame = () => {
    heard += 1;
    health.onStanza();
  };
  const ping = () => {
    const before = heard;
    const start = performance.now();
    socket.query({ ...PING, attrs: { ...PING.attrs } }, timings.unresponsiveMs).then(
      (answer: unknown) => {
        if (answer !== undefined) health.pingMs = Math.round(performance.now() - start);
      },
      () => undefined,
    );
    timer = setTimeout(() => {
      if (stopped) return;
      if (heard === before) onUnresponsive();
      else timer = setTimeout(ping, Math.max(0, timings.pingMs - timings.unresponsiveMs));
    }, timings.unresponsiveMs);
  };
  const onLogin = ({ attrs }: BinaryNode) => health.onServerTime(Number(attrs.t));
  socket.ws.on('frame', onFrame);
  socket.ws.on('CB:success', onLogin);
  timer = setTimeout(ping, timings.pingMs);
  return () => {
    stopped = true;
    clearTimeout(timer);
    socket.ws.off('frame', onFrame);
    socket.ws.off('CB:success', onLogin);
  };
}
