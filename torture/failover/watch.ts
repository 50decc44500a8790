// What the simulated server sees of the sockets of a cell: when each account was connected, and whether a connection
// that another one has replaced still acts.
import type { Network } from '@relay/simulator/whatsapp/network';

export class SocketWatch {
  /** Stanzas that a replaced connection sent. */
  readonly late: string[] = [];
  /** Logins while the former connection of the device was still open. */
  overlaps = 0;
  readonly #connectedAt = new Map<string, number>();
  readonly #online = new Set<string>();

  constructor(network: Network) {
    network.events.on('online', ({ account }) => {
      this.#online.add(account.phone);
      this.#connectedAt.set(account.phone, performance.now());
    });
    network.events.on('offline', ({ account }) => this.#online.delete(account.phone));
    network.events.on('replaced', () => {
      this.overlaps += 1;
    });
    network.events.on('stanza', ({ account, current, direction, stanza }) => {
      if (direction === 'in' && !current) this.late.push(`${account}: ${stanza.tag}`);
    });
  }

  isOnline(phone: string): boolean {
    return this.#online.has(phone);
  }

  /** Whether the account logged in after this moment and is connected. */
  cameBack(phone: string, after: number): boolean {
    return this.#online.has(phone) && (this.#connectedAt.get(phone) ?? 0) > after;
  }

  connectedAt(phone: string): number {
    return this.#connectedAt.get(phone) ?? Number.POSITIVE_INFINITY;
  }
}
