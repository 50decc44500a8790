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
  qrExpiresAt: null,
  pairingCode: null,
  replaying: null,
  timeLockedUntil: null,
  retryAt: null,
};

/** What belongs to a moment of the connection and is gone at the next state. */
const PASSING = { qr: null, qrExpiresAt: null, pairingCode: null, retryAt: null } as const;

export interface LinkBoardOptions {
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

  subscribe(listener: (event: TransportEvent) => unknown): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Never rejects: whether every listener has dealt with it. */
  async tell(event: TransportEvent): Promise<boolean> {
    const heard = [...this.#listeners].map(async (listener) => {
      // A listener's failure is not the connection's.
      try {
        await listener(event);
        return true;
      } catch (error) {
        this.#log.error('A listener of the transport failed.', { event: event.type, error });
        return false;
      }
    });
    return (await Promise.all(heard)).every((dealt) => dealt);
  }

  enter(state: ConnectionState, facts: Partial<LinkFacts> = {}): void {
    if (state !== this.#state) this.#since = this.#now();
    this.#state = state;
    this.#facts = { ...this.#facts, ...PASSING, ...facts };
    void this.tell({ type: 'link', link: this.link });
  }

  note(facts: Partial<LinkFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
    void this.tell({ type: 'link', link: this.link });
  }

  /** The account was unlinked here: nothing of it is shown any longer. */
  forget(): void {
    this.#facts = NOTHING;
  }
}
