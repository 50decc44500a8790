// One attacker's phone and their conversation with Relay, which is reopened whenever it has ended. Several run in
// parallel; each knows only its own conversation.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import { type Carrier, deliver } from './carrier.ts';
import type { Field } from './data.ts';
import type { AttackHarness } from './harness.ts';
import { type Parts, type Round, tagged } from './parts.ts';

/** Only against hanging: a busy machine is slow. */
const PATIENCE_MS = 300_000;
const BUSY = ['CREATED', 'ACTIVE', 'WAITING_FOR_AGENT'];
const OVER = ['COMPLETED', 'ABANDONED', 'FAILED'];
const LISTENING = ['WAITING_FOR_REPLY', 'HEARTBEAT_SCHEDULED'];

interface Standing {
  readonly state: string;
  readonly unread: number;
  readonly heard: number;
}

export class Lane {
  readonly account: SimulatedAccount;
  /** Of the currently open conversation. */
  tag = '';
  instance = '';
  /** The previous conversation, which a late message of the contact may have reopened. */
  #previous = '';
  readonly #world: AttackHarness;
  readonly #parts: Parts;
  readonly #carrier: Carrier;
  readonly #opened: (instance: string) => void;

  constructor(
    harness: AttackHarness,
    parts: Parts,
    account: SimulatedAccount,
    opened: (instance: string) => void,
  ) {
    this.#world = harness;
    this.#parts = parts;
    this.account = account;
    this.#opened = opened;
    const { network } = harness.demo.simulator;
    const group = network.createGroup({
      ...{ subject: `Tiles ${account.phone}`, owner: account, members: [harness.owner] },
    });
    this.#carrier = { from: account, to: harness.owner, group };
  }

  /** Starts a conversation in which the model plays these rounds; resolves when the first turn has ended. */
  async open(tag: string, objective: string, rounds: readonly Round[]): Promise<void> {
    await this.end();
    this.tag = tag;
    this.#parts.give(tag, rounds);
    const made = await this.#world.demo.relay.ok<{ id: string }>('POST', '/api/instances', {
      objective: `${objective} ${tagged(tag)}`,
      target_contact: `+${this.account.phone}`,
      todos: [{ text: 'Agree on a day' }, { text: 'Hear the price' }],
      heartbeat_config: { interval_ms: 3_600_000, max_followups: 1 },
    });
    this.#previous = this.instance;
    this.instance = made.id;
    this.#opened(made.id);
    await this.#settled(0, 0);
  }

  /** The contact writes and the model plays these rounds; resolves when its turns have ended. */
  async hears(field: Field, texts: readonly string[], rounds: readonly Round[]): Promise<void> {
    const { heard } = await this.#standing();
    const asked = this.#parts.asked(this.tag);
    this.#parts.give(this.tag, rounds);
    await deliver(this.#carrier, field, texts);
    await this.#settled(heard + texts.length, asked);
  }

  async listens(): Promise<boolean> {
    return LISTENING.includes((await this.#standing()).state);
  }

  async end(): Promise<void> {
    if (this.instance === '' || OVER.includes((await this.#standing()).state)) return;
    await this.#cancel(this.instance);
    this.#parts.drop(this.tag);
  }

  async #cancel(instance: string): Promise<void> {
    const answer = await this.#world.demo.relay.call('POST', `/api/instances/${instance}/cancel`);
    if (answer.status >= 500) throw new Error(`cancelling answered ${answer.status}`);
  }

  async #settled(heard: number, asked: number): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const now = await this.#standing();
      const over = OVER.includes(now.state);
      const calm =
        !BUSY.includes(now.state) && (now.unread === 0 || !LISTENING.includes(now.state));
      if (over || (calm && now.heard >= heard && this.#parts.asked(this.tag) > asked)) return;
      if (now.state === 'QUEUED') await this.#cancel(this.#previous);
      if (Date.now() > end) throw new Error(`still ${JSON.stringify(now)} after ${PATIENCE_MS} ms`);
      await sleep(40);
    }
  }

  async #standing(): Promise<Standing> {
    const [row] = await this.#world.query<Standing>(
      `SELECT i.state, i.unread, (SELECT count(*)::int FROM relay.instance_messages m
         WHERE m.account_id = i.account_id AND m.instance_id = i.id AND m.role = 'contact') AS heard
       FROM relay.instances i WHERE i.id = $1`,
      [this.instance],
    );
    if (row === undefined) throw new Error(`no conversation ${this.instance}`);
    return row;
  }
}
