// What the transport shows of itself: one Link, replaced whole at every change and told to whoever listens.
// Invariant: a QR or pairing code is there only in its own state, and a retry only while one is planned.
import type { ConnectionState } from '@relay/core/connection/states';
import type { Log } from '@relay/core/log';
import type { Link, LinkHealth, TransportEvent } from '@relay/core/ports/transport';

export type LinkFacts = Omit<Link, 'state' | 'since' | 'health'>;

const NOTHING: LinkFacts = {
  phone: null,
  lid: null,
  name: null,
  qr: null,
  pairingCode: null,
  replaying: null,
  timeLockedUntil: null,
  retryAt: null,
};

/** What belongs to a moment of the connection and is gone at the next state. */
const PASSING = { qr: null, pairingCode: null, retryAt: null } as const;

export interface LinkBoardOptions {
  readonly now: () => Date;
  readonly health: () => LinkHealth;
  readonly log: Log;
}

export class LinkBoard {
  readonly #now: () => Date;
  readonly #health: () => LinkHealth;
  readonly #log: Log;
  readonly #listeners = new Set<(event: TransportEvent) => void>();
  #state: ConnectionState = 'disconnected';
  #since: Date;
  #facts: LinkFacts = NOTHING;

  constructor({ now, health, log }: LinkBoardOptions) {
    this.#log = log;
    this.#now = now;
    this.#health = health;
    this.#since = now();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get link(): Link {
    return {
      state: this.#state,
      since: this.#since,
      ...this.#facts,
      health: this.#health(),
    };
  }

  subscribe(listener: (event: TransportEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(event: TransportEvent): void {
    for (const listener of [...this.#listeners]) {
      // A listener's failure is not the connection's.
      try {
        listener(event);
      } catch (error) {
        this.#log.error('A listener of the transport failed.', { event: event.type, error });
      }
    }
  }

  enter(state: ConnectionState, facts: Partial<LinkFacts> = {}): void {
    if (state !== this.#state) this.#since = this.#now();
    this.#state = state;
    this.#facts = { ...this.#facts, ...PASSING, ...facts };
    this.tell({ type: 'link', link: this.link });
  }

  note(facts: Partial<LinkFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    this.tell({ type: 'link', link: this.link });
  }

  /** The account was unlinked here: nothing of it is shown any longer. */
  forget(): void {
    this.#facts = NOTHING;
  }
}
