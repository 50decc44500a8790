// Messages both ways, each with a unique text, and an exact record of them: sent by phones, in order; sent by the owner
// through Relay's API, retried with the same key until accepted.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { GroupChat } from '@relay/simulator/whatsapp/people/group';
import type { Demo } from '@relay/testing/e2e/demo';
import { OWNER } from './harness.ts';

const FRIENDS = ['15550000001', '15550000002', '15550000003'];

export interface TrafficMessage {
  readonly text: string;
  /** Phone number of the author, or of the recipient of the owner's message. */
  readonly phone: string;
  /** Where it was said: a phone number, or the group's JID. */
  readonly chat: string;
  /** False if the network itself was set to reorder it. */
  readonly ordered: boolean;
}

export class Traffic {
  /** In the order of sending, which within a chat must be the order of arrival. */
  readonly toOwner: TrafficMessage[] = [];
  readonly accepted: TrafficMessage[] = [];
  /** Whether messages from now on arrive in order. */
  ordered = true;
  readonly #demo: Demo;
  readonly #friends: SimulatedAccount[] = [];
  readonly #unanswered = new Map<string, TrafficMessage>();
  readonly #owner: SimulatedAccount;
  readonly #group: GroupChat;
  #count = 0;

  constructor(demo: Demo) {
    const { network } = demo.simulator;
    this.#demo = demo;
    this.#owner = network.addAccount({ phone: OWNER, name: 'Owner' });
    for (const phone of FRIENDS)
      this.#friends.push(network.addAccount({ phone, name: `Friend ${phone.at(-1)}` }));
    const members = [this.#owner, ...this.#friends.slice(1)];
    const [first = this.#owner] = this.#friends;
    this.#group = network.createGroup({ subject: 'Torture', owner: first, members });
  }

  get owner(): SimulatedAccount {
    return this.#owner;
  }

  get friends(): readonly SimulatedAccount[] {
    return this.#friends;
  }

  /** Each friend writes in turn, now and then into the group. */
  async phonesWrite(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const friend = this.#friends[this.#count % this.#friends.length] as SimulatedAccount;
      const toGroup = this.#count % 5 === 4;
      const text = this.#text('in');
      const chat = toGroup ? this.#group.jid : friend.phone;
      this.toOwner.push({ text, phone: friend.phone, chat, ordered: this.ordered });
      await friend.send(toGroup ? this.#group : this.#owner, text);
    }
  }

  /** A request without an answer is repeated, by a later call if the daemon is down. */
  async ownerWrites(count: number): Promise<void> {
    const asked = [...this.#unanswered];
    for (let n = 0; n < count; n++) {
      const friend = this.#friends[this.#count % this.#friends.length] as SimulatedAccount;
      const text = this.#text('out');
      const said = { text, phone: friend.phone, chat: friend.phone, ordered: true };
      this.#unanswered.set(text, said);
      asked.push([text, said]);
    }
    for (const [key, said] of asked) await this.#ask(key, said);
  }

  /** Waits until every message has been accepted. */
  async settle(): Promise<void> {
    while (this.#unanswered.size > 0) {
      await this.ownerWrites(0);
      await sleep(50);
    }
  }

  async #ask(key: string, said: TrafficMessage): Promise<void> {
    try {
      await this.#demo.relay.send(`+${said.phone}`, said.text, key);
    } catch {
      return;
    }
    if (this.#unanswered.delete(key)) this.accepted.push(said);
  }

  #text(way: 'in' | 'out'): string {
    this.#count += 1;
    return `${way} ${this.#count}`;
  }
}
