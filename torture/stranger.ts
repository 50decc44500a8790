// `npm run torture -- stranger`: people without a grant send every kind of message, to the owner and into a group: no
// model is asked, nothing is sent, and rows are bounded. Then the owner gives one of them a grant, and the next message
// is answered, which proves that only the grant was missing.
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { GroupChat } from '@relay/simulator/whatsapp/people/group';
import type { Demo } from '@relay/testing/e2e/demo';
import { eventually } from '@relay/testing/e2e/gateway';
import pg from 'pg';
import { OWNER, openTortureHarness, type TortureHarness } from './harness.ts';
import { KINDS, type Kind } from './stranger/kinds.ts';
import { beyondBounds, countRows, growth, type Rows } from './stranger/rows.ts';
import { Watch } from './stranger/watch.ts';

export interface StrangerTorture {
  /** Of each kind. */
  readonly messages: number;
  /** Kinds; all if empty. */
  readonly only?: readonly string[];
}

export interface StrangerReport {
  readonly kinds: number;
  readonly sent: number;
  readonly modelCalls: number;
  /** Messages, read receipts, presence, typing, and queries that name a stranger. */
  readonly outbound: number;
  /** What WhatsApp requires: counted, and visible to a stranger as two grey ticks. */
  readonly required: Readonly<Record<string, number>>;
  readonly rows: Rows;
  readonly faults: readonly string[];
  readonly seconds: number;
}

const PATIENCE_MS = 120_000;
/** A burst, but short enough that pending work does not fill the memory. */
const AT_ONCE = 100;
const IN_GROUP = 5;
const ANSWER = 'Good to hear from you.';

interface People {
  readonly owner: SimulatedAccount;
  readonly strangers: readonly Stranger[];
}

interface Stranger {
  readonly account: SimulatedAccount;
  readonly group: GroupChat;
  /** How their messages address people. */
  readonly addressing: 'lid' | 'pn';
}

export async function tortureStranger({
  messages,
  only = [],
}: StrangerTorture): Promise<StrangerReport> {
  const began = performance.now();
  const kinds = KINDS.filter(({ name }) => only.length === 0 || only.includes(name));
  const ground = await openTortureHarness([], invite, { strangers: {} });
  const pool = new pg.Pool({ connectionString: ground.url, max: 2 });
  try {
    const torture = new Torture(ground, pool, kinds);
    const report = await torture.run(messages);
    return { ...report, seconds: Math.round((performance.now() - began) / 1_000) };
  } finally {
    await pool.end();
    await ground.close();
  }
}

function invite({ simulator: { network }, model }: Demo): People {
  model.play(() => ({ text: ANSWER }));
  const owner = network.addAccount({ phone: OWNER, name: 'Owner' });
  const strangers = (['lid', 'pn'] as const).map((addressing, n) => {
    const account = network.addAccount({ phone: `1555009000${n}`, name: `Stranger ${n}` });
    const members = [owner];
    const group = network.createGroup({ subject: `Prizes ${n}`, owner: account, members });
    return { account, group, addressing };
  });
  return { owner, strangers };
}

class Torture {
  readonly #demo: Demo;
  readonly #people: People;
  readonly #pool: pg.Pool;
  readonly #kinds: readonly Kind[];
  readonly #faults: string[] = [];
  #sent = 0;

  constructor({ demo, people }: TortureHarness<People>, pool: pg.Pool, kinds: readonly Kind[]) {
    this.#kinds = kinds;
    this.#demo = demo;
    this.#people = people;
    this.#pool = pool;
  }

  async run(messages: number): Promise<Omit<StrangerReport, 'seconds'>> {
    const { strangers } = this.#people;
    const { network } = this.#demo.simulator;
    const names = strangers.flatMap(({ account, group }) => [
      account.phone,
      account.lid,
      group.jid,
    ]);
    await this.#quiet();
    const before = await countRows(this.#pool);
    const watch = new Watch(network, OWNER, names);
    await Promise.all(strangers.map((stranger, n) => this.#write(stranger, n, messages)));
    await this.#quiet();

    const modelCalls = this.#demo.model.calls().length;
    const [outbound, required] = [watch.breaches.length, watch.counts];
    const rows = growth(before, await countRows(this.#pool));
    const { length: people } = strangers;
    const added = {
      messages: this.#sent,
      again: watch.askedAgain,
      people,
      groups: people,
      lines: network.connections,
    };
    if (modelCalls > 0) this.#faults.push(`a model was asked ${modelCalls} times`);
    this.#faults.push(...watch.breaches.slice(0, 20).map((breach) => `Relay sent ${breach}`));
    this.#faults.push(...beyondBounds(rows, added));
    await this.#knocks();
    this.#phones();
    await this.#granted(watch);
    for (const failure of network.failures) this.#faults.push(`the simulator: ${failure}`);
    const { length: kinds } = this.#kinds;
    const faults = this.#faults;
    return { kinds, sent: this.#sent, modelCalls, outbound, required, rows, faults };
  }

  /** One stranger's share of every kind. */
  async #write(stranger: Stranger, nth: number, messages: number): Promise<void> {
    const { network } = this.#demo.simulator;
    const { owner } = this.#people;
    const { account: from, addressing, group } = stranger;
    const first = {
      direct: await from.send(owner, 'Hello?'),
      group: await from.send(group, 'Hello!'),
    };
    this.#sent += 2;
    let since = 0;
    for (const [at, kind] of this.#kinds.entries()) {
      for (let n = nth; n < messages; n += this.#people.strangers.length) {
        const grouped = (at + n) % IN_GROUP === 0;
        const to = grouped ? group : owner;
        const before = grouped ? first.group : first.direct;
        await kind.send({ network, from, to, before }, `${kind.name} ${n}`, addressing);
        this.#sent += 1;
        since += 1;
      }
      if (since < AT_ONCE) continue;
      since = 0;
      await this.#taken();
      if (nth === 0 && messages >= AT_ONCE) console.log(`${at + 1} of ${this.#kinds.length} kinds`);
    }
  }

  /** The server has nothing left for Relay; undecryptable messages are requested again one by one. */
  async #taken(): Promise<void> {
    let last = '';
    for (let still = performance.now(); performance.now() - still < PATIENCE_MS; ) {
      const [companion] = this.#people.owner.companions.values();
      const first = companion?.pending[0];
      if (companion !== undefined && first === undefined) return;
      if (first?.attrs.id !== last) still = performance.now();
      last = first?.attrs.id ?? '';
      await sleep(25);
    }
    throw new Error(`Relay does not take ${last}`);
  }

  /** Nothing is pending, neither at the server nor in Relay. */
  async #quiet(): Promise<void> {
    await this.#taken();
    await eventually(
      'Relay to come to rest',
      async () => {
        const { rows } = await this.#pool.query<{ busy: boolean }>(
          `SELECT EXISTS (SELECT FROM relay.inbox WHERE done_at IS NULL)
             OR EXISTS (SELECT FROM relay_jobs.job WHERE state < 'completed' AND name NOT LIKE '\\_\\_%') AS busy`,
        );
        return rows[0]?.busy === false || undefined;
      },
      PATIENCE_MS,
    );
  }

  /** Message requests are only counted: the owner gets neither a name nor a text. */
  async #knocks(): Promise<void> {
    const { rows } = await this.#pool.query<{ count: number }>('SELECT count FROM relay.knocks');
    if (rows.length !== this.#people.strangers.length)
      this.#faults.push(`${rows.length} people have knocked`);
  }

  #phones(): void {
    for (const { account } of this.#people.strangers)
      for (const message of account.messages())
        if (!message.fromMe || Object.values(message.receipts).includes('read'))
          this.#faults.push(`${account.phone} sees ${message.id} answered or read`);
  }

  /** The same person and the same checks: only the grant changes. */
  async #granted(watch: Watch): Promise<void> {
    const [stranger] = this.#people.strangers;
    if (stranger === undefined) return;
    const { account } = stranger;
    await this.#demo.relay.ok('POST', '/api/whatsapp/permissions', {
      ...{ phoneNumber: `+${account.phone}`, displayName: 'No stranger any more' },
      ...{ canRead: true, canReply: true },
    });
    await account.send(this.#people.owner, 'And now?');
    await eventually(
      'an answer to somebody with a grant',
      async () => account.messages().some(({ text }) => text === ANSWER) || undefined,
    ).catch((error: Error) => this.#faults.push(error.message));
    if (watch.messages === 0) this.#faults.push('an answer was sent that the watch did not see');
  }
}
