// The state of the link as the transport publishes it: one object, replaced at every change and sent to all listeners.
// Invariant: a QR or pairing code is set only in its own state, and a retry only while one is planned.
import type { ConnectionState } from '@relay/contract/connection/states';
import type { Log } from '@relay/core/log';
import type { LinkHealth, TransportEvent, WhatsAppLink } from '@relay/core/ports/transport';

export type LinkFacts = Omit<WhatsAppLink, 'state' | 'since' | 'health'>;

const NO_LINK_FACTS: LinkFacts = {
  phone: null,
  lid: null,
  name: null,
  qr: null,
  qrExpiresAt: null,
  pairingCode: null,
  passkey: null,
  replaying: null,
  timeLockedUntil: null,
  retryAt: null,
  fault: null,
};

/** Facts of one state, cleared at the next. */
const TRANSIENT_FACTS = {
  qr: null,
  qrExpiresAt: null,
  pairingCode: null,
  passkey: null,
  retryAt: null,
} as const;

interface LinkBoardOptions {
  readonly now: () => Date;
  readonly health: () => LinkHealth;
  readonly log: Log;
}

export class LinkBoard {
  readonly #now: () => Date;
  readonly #health: () => LinkHealth;
  readonly #log: Log;
  readonly #listeners = new Set<(event: TransportEvent) => unknown>();
  #state: ConnectionState = 'disconnected';
  #since: Date;
  #facts: LinkFacts = NO_LINK_FACTS;

  constructor({ now, health, log }: LinkBoardOptions) {
    this.#log = log;
    this.#now = now;
    this.#health = health;
    this.#since = now();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get link(): WhatsAppLink {
    return {
      state: this.#state,
      since: this.#since,
      ...this.#facts,
      health: this.#health(),
    };
  }

  subscribe(listener: (event: TransportEvent) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether every listener handled the event. Never rejects. */
  async publish(event: TransportEvent): Promise<boolean> {
    const heard = [...this.#listeners].map(async (listener) => {
      // A listener's failure must not affect the connection.
      try {
        await listener(event);
        return true;
      } catch (error) {
        this.#log.error('transport listener failed', { event: event.type, error });
        return false;
      }
    });
    return (await Promise.all(heard)).every((dealt) => dealt);
  }

  setState(state: ConnectionState, facts: Partial<LinkFacts> = {}): void {
    if (state !== this.#state) this.#since = this.#now();
    this.#state = state;
    this.#facts = { ...this.#facts, ...TRANSIENT_FACTS, ...facts };
    void this.publish({ type: 'link', link: this.link });
  }

  setFacts(facts: Partial<LinkFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    void this.publish({ type: 'link', link: this.link });
  }

  /** The account was unlinked here: clears everything about it. */
  forget(): void {
    this.#facts = NO_LINK_FACTS;
  }
}

// Measures the connection: when the server last sent something, how fast it answers, how often it closed.
// Invariant: figures survive reconnects; only closes older than an hour are dropped.

const HOUR = 3_600_000;

interface Counts {
  received: number;
  undecryptable: number;
}

export class ConnectionHealth {
  lastStanzaAt: Date | null = null;
  pingMs: number | null = null;
  restarts = 0;
  clockAheadS: number | null = null;
  #before: Counts = { received: 0, undecryptable: 0 };
  #counts: Readonly<Counts> | undefined;
  #closes: number[] = [];
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  onStanza(): void {
    this.lastStanzaAt = this.#now();
  }

  /** The server's time from the login, in seconds since 1970. */
  onServerTime(seconds: number): void {
    if (seconds > 0) this.clockAheadS = Math.round(this.#now().getTime() / 1_000 - seconds);
  }

  closed(): void {
    this.#closes = [...this.#recent(), this.#now().getTime()];
  }

  /** Continues with new counters and keeps the totals so far. */
  follow(counts: Readonly<Counts> | undefined): void {
    this.#before = this.#total();
    this.#counts = counts;
  }

  snapshot(): LinkHealth {
    const { lastStanzaAt, pingMs, restarts, clockAheadS } = this;
    const flaps = this.#recent().length;
    return { lastStanzaAt, pingMs, flaps, restarts, clockAheadS, ...this.#total() };
  }

  #total(): Counts {
    return {
      received: this.#before.received + (this.#counts?.received ?? 0),
      undecryptable: this.#before.undecryptable + (this.#counts?.undecryptable ?? 0),
    };
  }

  #recent(): number[] {
    const since = this.#now().getTime() - HOUR;
    return this.#closes.filter((at) => at > since);
  }
}
