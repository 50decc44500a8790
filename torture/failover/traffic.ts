// Messages to and from every account of a cell, each with a text of its own, when it was sent, and when it arrived.
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { Cell } from './cell.ts';

export interface CellAccount {
  readonly name: string;
  readonly phone: string;
  readonly owner: SimulatedAccount;
}

interface CellMessage {
  readonly text: string;
  readonly account: string;
  readonly at: number;
  /** When Relay confirmed a received message, or a friend saw a sent one. */
  arrivedAt: number | null;
}

const FRIENDS = 4;

export class CellTraffic {
  readonly toOwners: CellMessage[] = [];
  readonly accepted: CellMessage[] = [];
  readonly friends: readonly SimulatedAccount[];
  readonly accounts: readonly CellAccount[];
  readonly #cell: Cell;
  readonly #open = new Map<string, { account: CellAccount; to: string; text: string }>();
  readonly #byText = new Map<string, CellMessage>();
  readonly #byId = new Map<string, CellMessage>();
  #count = 0;

  constructor(cell: Cell, accounts: number) {
    const { network } = cell.simulator;
    this.#cell = cell;
    this.friends = Array.from({ length: FRIENDS }, (_, n) =>
      network.addAccount({ phone: `1555000000${n}`, name: `Friend ${n}` }),
    );
    this.accounts = Array.from({ length: accounts }, (_, n) => {
      const phone = `1555${String(1_000_000 + n)}`;
      const name = n === 0 ? 'default' : `account-${n}`;
      return { name, phone, owner: network.addAccount({ phone, name: `Owner ${n}` }) };
    });
    const owners = new Set(this.accounts.map(({ phone }) => phone));
    network.events.on('message', ({ account, message }) => {
      if (owners.has(account.phone)) return;
      const found = this.#byText.get(message.text ?? '');
      if (found) found.arrivedAt ??= performance.now();
    });
    network.events.on('receipt', ({ id, from, device, type }) => {
      if (device === 0 || type === 'retry' || !owners.has(from.phone)) return;
      const found = this.#byId.get(id);
      if (found) found.arrivedAt ??= performance.now();
    });
  }

  /** One message to an account, and one of it, in turn for all accounts. */
  async step(): Promise<void> {
    const n = this.#count++;
    const account = this.accounts[n % this.accounts.length];
    const friend = this.friends[n % this.friends.length];
    if (account === undefined || friend === undefined) return;
    const into = { text: `in ${n}`, account: account.name, at: performance.now(), arrivedAt: null };
    this.toOwners.push(into);
    this.#byId.set(await friend.send(account.owner, into.text), into);
    this.#open.set(`out-${n}`, { account, to: friend.phone, text: `out ${n}` });
    await this.#askAll();
  }

  /** Asks for what no process has accepted yet. Returns how many are left. */
  async settle(): Promise<number> {
    await this.#askAll();
    return this.#open.size;
  }

  async #askAll(): Promise<void> {
    await Promise.all(
      [...this.#open].map(async ([key, { account, to, text }]) => {
        const at = performance.now();
        const message = this.#byText.get(text) ?? {
          ...{ text, account: account.name, at, arrivedAt: null },
        };
        this.#byText.set(text, message);
        try {
          await this.#cell.api(account.name).send(`+${to}`, text, key);
        } catch {
          return;
        }
        if (this.#open.delete(key)) this.accepted.push({ ...message, at });
        // Both names are one message: the record of its arrival is that of the text.
        const last = this.accepted.at(-1);
        if (last?.text === text) this.#byText.set(text, last);
        if (last && message.arrivedAt !== null) last.arrivedAt = message.arrivedAt;
      }),
    );
  }

  /** The longest that a message sent between the two moments was on its way, in milliseconds. */
  longestDelay(from: number, to: number): { readonly received: number; readonly sent: number } {
    const longest = (messages: readonly CellMessage[]) =>
      messages
        .filter(({ at }) => at >= from && at <= to)
        .reduce((most, { at, arrivedAt }) => Math.max(most, (arrivedAt ?? Infinity) - at), 0);
    return { received: longest(this.toOwners), sent: longest(this.accepted) };
  }
}
