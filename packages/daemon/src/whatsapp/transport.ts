// The Transport for WhatsApp through Baileys. It keeps one connection alive, one socket at a time, and asks core what
// to do at every close.
// Invariant: a new socket is created only after the old one is closed.

import type { LinkPasskeyAnswer } from '@relay/contract/api/whatsapp';
import { type ConnectionState, whatsappStatusOf } from '@relay/contract/connection/states';
import { RelayError } from '@relay/contract/errors';
import { decideOnClose } from '@relay/core/connection/close-policy';
import type { Log } from '@relay/core/log';
import {
  type FindSent,
  type LinkMethod,
  MediaFault,
  type OutgoingMessage,
  SendFault,
  type SocketGate,
  type Transport,
  type TransportCapabilities,
  type TransportEvent,
  type TransportStore,
  type WhatsAppLink,
} from '@relay/core/ports/transport';
import { delayFor, RETRY } from '@relay/core/retry';
import {
  closeAccount,
  isLinked,
  linkedIdentityOf,
  type OpenAccount,
  openLinkedAccount,
  toWireFault,
} from './account.ts';
import { personJid, phoneOfJid } from './addresses.ts';
import { downloadMedia, requestMediaAgain } from './inbound/download.ts';
import { ConnectionHealth, LinkBoard } from './link.ts';
import type { ProxyServer } from './proxy.ts';
import { GroupCache, toGroupInfo } from './server-events.ts';
import { type SessionEnd, WhatsAppSession } from './session.ts';
import { DEFAULT_TIMINGS, type IsObservedGroup, type TransportTimings } from './socket.ts';

interface BaileysTransportOptions {
  readonly openStore: () => Promise<TransportStore>;
  readonly findSent: FindSent;
  /** Groups in which Relay must stay invisible; none by default. */
  readonly isSilent?: IsObservedGroup;
  /** Called when received messages are durable. */
  readonly onReceived: () => void;
  readonly log: Log;
  /** Open by default: for a process that needs no lease. */
  readonly gate?: SocketGate;
  /** The account's proxy; without one, a direct connection. */
  readonly proxy?: ProxyServer | undefined;
  readonly now?: () => Date;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly timings?: Partial<TransportTimings>;
}

export const createBaileysTransport = (options: BaileysTransportOptions): Transport =>
  new BaileysTransport(options);

const OPEN_GATE: SocketGate = {
  turn: async () => {},
  mayWrite: () => true,
  onShut: () => () => {},
};

/** The next state, and a delay unless it is final. */
interface NextStep {
  readonly state: ConnectionState;
  readonly delayMs: number | null;
}

class BaileysTransport implements Transport {
  readonly capabilities: TransportCapabilities;
  readonly #options: BaileysTransportOptions;
  readonly #timings: TransportTimings;
  readonly #now: () => Date;
  readonly #random: () => number;
  readonly #health: ConnectionHealth;
  readonly #board: LinkBoard;
  readonly #groups: GroupCache;
  readonly #gate: SocketGate;
  /** Resolves when `disconnect` is called. */
  #stop = Promise.withResolvers<void>();
  #life: Promise<void> | undefined;
  #stopping = false;
  /** Set until it is known whether there is a link to resume; holds what was requested meanwhile. */
  #resuming: { asked: LinkMethod | null } | undefined;
  #account: OpenAccount | undefined;
  #session: WhatsAppSession | undefined;
  #wait: CancellableWait | undefined;
  #closes = 0;
  #faults = 0;
  #openedAt: number | undefined;

  constructor(options: BaileysTransportOptions) {
    this.#options = options;
    this.#timings = { ...DEFAULT_TIMINGS, ...options.timings };
    this.#now = options.now ?? (() => new Date());
    this.#gate = options.gate ?? OPEN_GATE;
    this.#random = options.random ?? Math.random;
    this.#health = new ConnectionHealth(this.#now);
    this.#board = new LinkBoard({
      now: this.#now,
      health: () => this.#health.snapshot(),
      log: options.log,
    });
    this.#groups = new GroupCache((group) => this.#board.publish({ type: 'group', group }));
    this.capabilities = {
      build: async (message) => {
        if (!this.#session) throw new SendFault('not_sent', 'Not connected to WhatsApp.');
        return this.#session.build(message);
      },
      typing: async (chat, on) => {
        const kind = on ? 'composing' : 'paused';
        if (this.#session?.isOpen) await this.#session.socket.sendPresenceUpdate(kind, chat);
      },
      downloadMedia: (message, options) => downloadMedia(this.#mediaDeps(), message, options),
      requestMediaAgain: async (message) => {
        const deps = this.#mediaDeps();
        // Nothing that the group's members could notice is done for an observed group.
        if (await this.#options.isSilent?.(message.chat)) throw new MediaFault('not_there');
        return requestMediaAgain(deps, message);
      },
      groups: async (address) => {
        if (!this.#session?.isOpen) throw new SendFault('not_sent', 'Not connected to WhatsApp.');
        const metadata = await this.#groups.find(address, this.#session.socket);
        return metadata && toGroupInfo(metadata);
      },
      findRegistered: async (address) => {
        if (!this.#session?.isOpen) throw new SendFault('not_sent', 'Not connected to WhatsApp.');
        // Whoever has a LID is registered, and Baileys can ask only about numbers.
        if (phoneOfJid(address) === null) return address;
        const found = await this.#session.socket.onWhatsApp(address);
        if (found === undefined)
          throw new Error('WhatsApp did not answer whether it knows a number.');
        const [person] = found.filter(({ exists }) => exists);
        return person === undefined ? null : personJid(person.jid);
      },
    };
  }

  get link(): WhatsAppLink {
    return this.#board.link;
  }

  #mediaDeps() {
    if (!this.#session?.isOpen) throw new MediaFault('not_connected');
    return { socket: this.#session.socket, timings: this.#timings };
  }

  subscribe(listener: (event: TransportEvent) => unknown): () => void {
    return this.#board.subscribe(listener);
  }

  connect(method: LinkMethod = { kind: 'qr' }): void {
    if (this.#resuming) this.#resuming.asked = method;
    if (this.#life) {
      if (whatsappStatusOf(this.#board.state) === 'disconnected') this.#wait?.cancel();
      return;
    }
    // WhatsApp unlinked this device: its keys no longer decrypt anything, and linking again needs new ones.
    const anew = this.#board.state === 'logged_out';
    this.#begin(() => this.#live(method, anew));
  }

  resume(): void {
    if (this.#life) return;
    const resuming = { asked: null as LinkMethod | null };
    this.#resuming = resuming;
    this.#begin(async () => {
      const linked = await this.#wasLinked();
      if (!linked) await this.#letGo();
      this.#resuming = undefined;
      if (!linked && resuming.asked === null) return 'disconnected';
      return this.#live(resuming.asked ?? { kind: 'qr' }, false);
    });
  }

  /** `life` resolves to its final state, which is shown once the store is closed. */
  #begin(life: () => Promise<ConnectionState>): void {
    this.#stopping = false;
    this.#stop = Promise.withResolvers();
    this.#board.setState('connecting');
    this.#life = life().then(async (state) => {
      await this.#letGo();
      this.#life = undefined;
      if (!this.#stopping) this.#board.setState(state, { replaying: null });
    });
  }

  /** If the store does not answer, the account may still be linked. */
  async #wasLinked(): Promise<boolean> {
    try {
      this.#account = await this.#open();
      return isLinked(this.#account.keys.credentials);
    } catch {
      return true;
    }
  }

  answerPasskey(answer: LinkPasskeyAnswer): void {
    if (!this.#session) throw new RelayError('link_passkey_not_asked');
    this.#session.answerPasskey(answer);
  }

  async disconnect({ forget }: { readonly forget: boolean }): Promise<void> {
    this.#stopping = true;
    this.#stop.resolve();
    this.#wait?.cancel();
    if (forget) await this.#session?.logout();
    else await this.#session?.end({ kind: 'asked' });
    await this.#life;
    if (forget) await this.#forget();
    this.#board.setState('disconnected');
  }

  async send(message: OutgoingMessage): Promise<void> {
    if (!this.#session) throw new SendFault('not_sent', 'Not connected to WhatsApp.');
    await this.#session.send(message);
  }

  close(): Promise<void> {
    return this.disconnect({ forget: false });
  }

  async #live(method: LinkMethod, anew: boolean): Promise<ConnectionState> {
    this.#closes = 0;
    this.#faults = 0;
    const since = this.#now().getTime();
    try {
      for (let first = anew; ; first = false) {
        const ending = await this.#connectOnce(method, first);
        if (this.#stopping || ending.kind === 'asked') return 'disconnected';
        const { delayMs, state } = this.#next(ending, since);
        if (delayMs === null) return state;
        const fault = (ending.kind === 'closed' && ending.fault) || null;
        await this.#pause(state, fault, delayMs * this.#timings.backOff);
        if (this.#stopping) return 'disconnected';
      }
    } catch (error) {
      this.#options.log.error('WhatsApp connection ended unexpectedly', { error });
      return 'closed_unexplained';
    }
  }

  async #pause(state: ConnectionState, fault: WhatsAppLink['fault'], ms: number): Promise<void> {
    const retryAt = new Date(this.#now().getTime() + ms);
    this.#wait = new CancellableWait(ms);
    this.#board.setState(state, { retryAt, fault, replaying: null });
    await this.#wait.over;
    this.#wait = undefined;
    this.#board.setFacts({ retryAt: null });
  }

  async #connectOnce(method: LinkMethod, anew: boolean): Promise<SessionEnd> {
    try {
      if (anew) await this.#forget();
      this.#account ??= await this.#open();
      // With keys that failed while nothing was connected, a new socket could not send a byte.
      await this.#account.keys.settled();
    } catch (error) {
      await this.#letGo();
      return { kind: 'fault', fault: toWireFault(error) };
    }
    await Promise.race([this.#gate.turn(), this.#stop.promise]);
    if (this.#stopping) return { kind: 'asked' };
    this.#board.setFacts(linkedIdentityOf(this.#account.keys.credentials));
    this.#groups.clear();
    this.#openedAt = undefined;
    this.#session = new WhatsAppSession({
      account: this.#account,
      board: this.#board,
      health: this.#health,
      groups: this.#groups,
      findSent: this.#options.findSent,
      isSilent: this.#options.isSilent ?? (async () => false),
      log: this.#options.log,
      proxy: this.#options.proxy,
      timings: this.#timings,
      gate: this.#gate,
      method,
      now: this.#now,
      tell: (event) => this.#board.publish(event),
      onOpen: () => {
        this.#openedAt = this.#now().getTime();
      },
    });
    const ending = await this.#session.ended;
    this.#session = undefined;
    if (ending.kind === 'fault') await this.#letGo();
    return ending;
  }

  async #open(): Promise<OpenAccount> {
    const { openStore, log, onReceived } = this.#options;
    const account = await openLinkedAccount(openStore, { log, onReceived });
    this.#health.follow(account.keys.stats);
    return account;
  }

  #next(ending: Exclude<SessionEnd, { kind: 'asked' }>, since: number): NextStep {
    switch (ending.kind) {
      case 'stopped':
        return { state: ending.state, delayMs: null };
      case 'fault':
        return this.#afterFault(ending.fault.kind);
      case 'closed':
        return this.#afterClose(ending.code, since);
    }
  }

  #afterFault(kind: 'unreadable' | 'unavailable' | 'lease_lost'): NextStep {
    this.#options.log.error('WhatsApp session store failed', { reason: kind });
    if (kind === 'unreadable') return { state: 'credentials_unreadable', delayMs: null };
    if (kind === 'lease_lost') return { state: 'taken_over', delayMs: null };
    this.#faults = this.#wasSteady() ? 1 : this.#faults + 1;
    const delayMs = delayFor(RETRY.whatsapp_reconnect, this.#faults, this.#random());
    return { state: 'reconnecting', delayMs };
  }

  #afterClose(code: number | undefined, since: number): NextStep {
    this.#closes = this.#wasSteady() ? 1 : this.#closes + 1;
    const { action, delayMs = null, state } = decideOnClose(code, this.#closes, this.#random());
    // A reconnect that the server requests, as after linking, does not mean a bad connection.
    if (action !== 'recreate') this.#health.closed();
    this.#options.log.info('WhatsApp closed the connection', {
      code: String(code ?? 'none'),
      attempt: this.#closes,
      state,
    });
    if (whatsappStatusOf(state) === 'disconnected' && state !== this.#board.state) {
      this.#options.log.error('WhatsApp unreachable', {
        code: String(code ?? 'none'),
        attempt: this.#closes,
        state,
      });
    }
    const linked = this.#account !== undefined && isLinked(this.#account.keys.credentials);
    const patience = this.#now().getTime() - since < this.#timings.linkMs;
    return linked || patience ? { state, delayMs } : { state: 'link_expired', delayMs: null };
  }

  /** Otherwise, with a server that accepts and closes at once, every close would count as the first. */
  #wasSteady(): boolean {
    const opened = this.#openedAt;
    return opened !== undefined && this.#now().getTime() - opened >= this.#timings.steadyMs;
  }

  async #letGo(): Promise<void> {
    const account = this.#account;
    this.#account = undefined;
    this.#health.follow(undefined);
    if (!account) return;
    await closeAccount(account).catch((error: unknown) => {
      this.#options.log.warn('closing the WhatsApp session store failed', { error });
    });
  }

  /** Only at the owner's request. Received messages stay. */
  async #forget(): Promise<void> {
    await this.#letGo();
    const store = await this.#options.openStore();
    await store.forget();
    await store.close();
    this.#board.forget();
  }
}

// A wait that can be cut short.

class CancellableWait {
  readonly over: Promise<void>;
  readonly #done: () => void;

  constructor(ms: number) {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.over = promise;
    const timer = setTimeout(resolve, ms);
    this.#done = () => {
      clearTimeout(timer);
      resolve();
    };
  }

  cancel(): void {
    this.#done();
  }
}
