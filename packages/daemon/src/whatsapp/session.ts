// The life of one socket, from its first byte until it is gone: what it shows, and why it ended.
// Invariant: `ended` resolves once, after Baileys has closed and its last events are out.
import type { ConnectionState } from '@relay/core/connection/states';
import type { LinkMethod, OutgoingMessage, TransportEvent } from '@relay/core/ports/transport';
import { SendFault } from '@relay/core/ports/transport';
import { WireFault } from '@relay/core/ports/wire-store';
import type { WASocket } from '@whiskeysockets/baileys';
import { type Account, isLinked, ownUsers, whoIs } from './account.ts';
import type { Health } from './health.ts';
import { introducer } from './introduce.ts';
import type { LinkBoard } from './link.ts';
import { followLinking } from './linking.ts';
import { followNews } from './news.ts';
import { AckWaiters } from './outbound/acks.ts';
import { sendMessage } from './outbound/send.ts';
import { watchPulse } from './pulse.ts';
import { followReplay } from './replay.ts';
import { closeCode, cut, openSocket, type SocketDeps } from './socket.ts';

/** Why a connection is no more: the server's code, a state to stop in, a fault of the store, or our wish. */
export type Ending =
  | { readonly kind: 'closed'; readonly code: number | undefined }
  | { readonly kind: 'stopped'; readonly state: ConnectionState }
  | { readonly kind: 'fault'; readonly fault: WireFault }
  | { readonly kind: 'asked' };

export interface SessionDeps extends Omit<SocketDeps, 'keys'> {
  readonly account: Account;
  readonly board: LinkBoard;
  readonly health: Health;
  readonly method: LinkMethod;
  readonly now: () => Date;
  readonly tell: (event: TransportEvent) => Promise<boolean>;
  readonly onOpen: () => void;
}

const CONNECTION_LOST = 408;
const TIME_LOCKED = 463;
const LONGEST_TIMER = 2 ** 31 - 1;

export class Session {
  readonly socket: WASocket;
  readonly ended: Promise<Ending>;
  #isOpen = false;
  #askedForGroups = false;
  #replayed = false;
  #ending: Ending | undefined;
  #unlocking: NodeJS.Timeout | undefined;
  readonly #deps: SessionDeps;
  readonly #acks = new AckWaiters();
  readonly #introduce: (chat: string) => void;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.socket = openSocket({ ...deps, keys: deps.account.keys });
    this.#introduce = introducer(this.socket, deps.tell);
    const { promise, resolve } = Promise.withResolvers<Ending>();
    this.ended = promise;
    this.#follow(resolve);
  }

  get isOpen(): boolean {
    return this.#isOpen && this.#ending === undefined;
  }

  /** Ends the connection for a reason of ours and waits until it is gone. */
  async end(ending: Ending): Promise<void> {
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

  async send(message: OutgoingMessage): Promise<void> {
    if (!this.isOpen) throw new SendFault('not_sent', 'Not connected to WhatsApp.');
    const { account, timings } = this.#deps;
    await sendMessage(message, {
      socket: this.socket,
      acks: this.#acks,
      ended: this.ended,
      own: ownUsers(account.keys.credentials),
      ackMs: timings.ackMs,
      relayMs: timings.relayMs,
    });
    this.#introduce(message.chat);
  }

  #follow(resolve: (ending: Ending) => void): void {
    const { account, groups, health, method, now, tell, timings } = this.#deps;
    const { socket } = this;
    const { keys } = account;
    const wasOffered = followLinking({
      socket,
      board: this.#deps.board,
      method,
      qrMs: timings.qrMs,
      now,
      onPasskey: () => void this.end({ kind: 'stopped', state: 'passkey_required' }),
      onFailure: () => void this.end({ kind: 'closed', code: CONNECTION_LOST }),
    });
    followNews({
      socket,
      acks: this.#acks,
      groups,
      own: () => ownUsers(keys.credentials),
      now,
      tell,
      onRefused: (code) => this.#onRefused(code),
    });
    const stops = [
      watchPulse({ socket, health, timings, onDeaf: () => this.#onDeaf() }),
      followReplay({
        socket,
        patienceMs: timings.replayMs,
        onWaiting: (left) => this.#deps.board.note({ replaying: left }),
        onOver: (count) => void this.#onReplayed(count),
      }),
      keys.onFault((fault) => void this.end({ kind: 'fault', fault })),
    ];
    const flush = setInterval(() => socket.ev.flush(), timings.flushMs);
    socket.registerSocketEndHandler(() => {
      clearInterval(flush);
      socket.ev.flush();
    });
    // Something else answered in WhatsApp's place, and Baileys would wait for it to change its mind.
    socket.ws.on('unexpected-response', () => {
      void this.end({ kind: 'closed', code: CONNECTION_LOST });
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
      const unused = wasOffered() && !isLinked(keys.credentials);
      resolve(this.#ending ?? endingOf(lastDisconnect?.error, unused));
    });
  }

  #save(update: Parameters<Account['keys']['saveCredentials']>[0]): void {
    // A write that fails faults the store, and the store's fault ends this session.
    this.#deps.account.keys.saveCredentials(update).catch(() => undefined);
  }

  #onOpen(): void {
    const { account, board, onOpen } = this.#deps;
    this.#isOpen = true;
    onOpen();
    this.#hide();
    board.enter('syncing', whoIs(account.keys.credentials));
    if (this.#replayed) this.#settle();
  }

  /** Baileys says so only once it knows the name of the account. */
  #hide(): void {
    if (this.#deps.account.keys.credentials.me?.name) return;
    const presence = { tag: 'presence', attrs: { type: 'unavailable' } };
    this.socket.sendNode(presence).catch(() => undefined);
  }

  async #onReplayed(count: number): Promise<void> {
    const { account, board, tell } = this.#deps;
    // What was read may still be on its way to the disk, and `replayed` says that it is there.
    await account.keys.settled().catch(() => undefined);
    if (this.#ending) return;
    this.#replayed = true;
    board.note({ replaying: null });
    void tell({ type: 'replayed', count });
    if (this.#isOpen) this.#settle();
  }

  #settle(): void {
    const { board, now } = this.#deps;
    const left = (board.link.timeLockedUntil?.getTime() ?? 0) - now().getTime();
    clearTimeout(this.#unlocking);
    if (left > 0) {
      board.enter('time_locked');
      this.#unlocking = setTimeout(() => this.#settle(), Math.min(left, LONGEST_TIMER));
    } else board.enter('connected', { timeLockedUntil: null });
    this.#askForGroups();
  }

  /** Once a connection: a group is found by its name before anybody has written there. */
  #askForGroups(): void {
    if (this.#askedForGroups) return;
    this.#askedForGroups = true;
    // Baileys tells of what it is answered as `groups.update`.
    this.socket.groupFetchAllParticipating().catch(() => undefined);
  }

  #onTimeLock(lock: { isActive?: boolean; timeEnforcementEnds?: Date }): void {
    const until = lock.isActive ? (lock.timeEnforcementEnds ?? null) : null;
    this.#deps.board.note({ timeLockedUntil: until });
    if (this.#isOpen && this.#replayed) this.#settle();
  }

  /** Baileys never asks after a 463 whether it is the account that is locked, or only this contact. */
  #onRefused(code: number): void {
    if (code === TIME_LOCKED) this.socket.fetchAccountReachoutTimelock().catch(() => undefined);
  }

  #onDeaf(): void {
    const { health, log } = this.#deps;
    if (this.#ending) return;
    health.restarts += 1;
    log.warn('The line to WhatsApp had gone deaf and is made anew.', { count: health.restarts });
    this.#ending = { kind: 'closed', code: CONNECTION_LOST };
    cut(this.socket);
    void this.socket.end(undefined);
  }

  #cutLater(): void {
    const timer = setTimeout(() => cut(this.socket), this.#deps.timings.closeMs);
    void this.ended.then(() => clearTimeout(timer));
  }
}

function endingOf(error: unknown, unused: boolean): Ending {
  if (error instanceof WireFault) return { kind: 'fault', fault: error };
  const code = closeCode(error);
  // Codes nobody used run out with a 408: showing new ones for ever would help nobody.
  if (unused && code === CONNECTION_LOST) return { kind: 'stopped', state: 'link_expired' };
  return { kind: 'closed', code };
}
