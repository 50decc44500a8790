// `npm run torture -- crowd`: many contacts with a grant write at once, some of them a lot, some to a model that is ten
// times slower for them, and the daemon is killed midway. Every message is answered once and in order, and nobody waits
// behind a slow or chatty contact.
import { setTimeout as sleep } from 'node:timers/promises';
import { autoReplySchema } from '@relay/contract/settings';
import type { ChatRequest, Reply } from '@relay/simulator/model/schemas';
import { newestUserText } from '@relay/simulator/model/transcript';
import type { SimulatedAccount } from '@relay/simulator/whatsapp/people/account';
import type { Demo } from '@relay/testing/e2e/demo';
import { onServer } from '@relay/testing/postgres';
import { thenClose } from '@relay/testing/then-close';
import { OWNER, openTortureHarness } from './harness.ts';
import { quantile } from './quantile.ts';

export interface CrowdTorture {
  readonly contacts: number;
  /** How long the model takes for an answer. */
  readonly modelMs: number;
}

export interface CrowdReport {
  readonly contacts: number;
  readonly messages: number;
  /**
   * The wait of the last contact in a round in which everybody is answered once: contacts × the model's time ÷
   * concurrency.
   */
  readonly fairShareMs: number;
  /** From each contact's first message to its answer on their phone. */
  readonly waitMs: { readonly p50: number; readonly p95: number; readonly worst: number };
  /** How long no daemon was ready to answer. */
  readonly downMs: number;
  /** True if 19 of 20 contacts waited no longer than twice the fair share plus the downtime. */
  readonly fair: boolean;
  readonly seconds: number;
  readonly faults: readonly string[];
}

const { concurrency } = autoReplySchema.parse({});
/** One in so many writes a lot, one in so many gets slow answers. */
const CHATTY = { every: 10, messages: 5 };
const SLOW = { every: 50, times: 10, mostMs: 30_000 };
/** Without progress for this long, none is expected. */
const STUCK_MS = 60_000;

export async function tortureCrowd({ contacts, modelMs }: CrowdTorture): Promise<CrowdReport> {
  const ground = await openTortureHarness([], (demo) => new Crowd(demo, contacts));
  const { demo, people: crowd, url } = ground;
  return thenClose(ground, async () => {
    demo.model.play((request) => answer(request, modelMs));
    await permit(demo, crowd.people);
    const began = performance.now();
    await crowd.write();
    await crowd.until(() => crowd.answeredOnce >= contacts / 2);
    const downMs = await killAndRestart(demo);
    await crowd.until(() => crowd.open === 0);
    // A duplicate would follow soon after.
    await sleep(Math.max(3_000, modelMs));
    const seconds = Math.round((performance.now() - began) / 1_000);
    const waits = crowd.waits();
    const fairShareMs = Math.round((contacts * modelMs) / concurrency);
    const p95 = quantile(waits, 0.95);
    return {
      contacts,
      messages: crowd.messages,
      fairShareMs,
      waitMs: { p50: quantile(waits, 0.5), p95, worst: quantile(waits, 1) },
      downMs,
      fair: p95 <= 2 * fairShareMs + downMs,
      seconds,
      faults: [...crowd.faults(), ...(await unsettled(url))],
    };
  });
}

async function killAndRestart(demo: Demo): Promise<number> {
  const killed = performance.now();
  await demo.kill();
  await demo.restart();
  await demo.relay.connected();
  return Math.round(performance.now() - killed);
}

const isSlow = (contact: number): boolean => contact % SLOW.every === SLOW.every - 1;
const isChatty = (contact: number): boolean => contact % CHATTY.every === 0;
const phoneOf = (contact: number): string => `1555${String(2_000_000 + contact)}`;
const said = (contact: number, n: number): string => `This is c${contact} m${n}, are you there?`;
const replyTo = (contact: number, n: number): string => `Yes c${contact} m${n}, I am.`;

function answer(request: ChatRequest, modelMs: number): Reply | undefined {
  const [, contact, n] = /c(\d+) m(\d+)/.exec(newestUserText(request))?.map(Number) ?? [];
  if (contact === undefined || n === undefined) return undefined;
  return {
    text: replyTo(contact, n),
    delay_ms: isSlow(contact) ? Math.min(modelMs * SLOW.times, SLOW.mostMs) : modelMs,
  };
}

interface Person {
  readonly account: SimulatedAccount;
  readonly due: readonly string[];
  /** What their phone showed, by message id, with the time. */
  readonly seen: Map<string, { readonly text: string; readonly at: number }>;
  wroteAt: number;
}

class Crowd {
  readonly people: readonly Person[];
  readonly #owner: SimulatedAccount;
  #changedAt = performance.now();

  constructor({ simulator: { network } }: Demo, contacts: number) {
    this.#owner = network.addAccount({ phone: OWNER, name: 'Owner' });
    this.people = Array.from({ length: contacts }, (_, contact) => ({
      account: network.addAccount({ phone: phoneOf(contact), name: `Person ${contact}` }),
      due: Array.from({ length: isChatty(contact) ? CHATTY.messages : 1 }, (_, n) =>
        replyTo(contact, n),
      ),
      seen: new Map(),
      wroteAt: 0,
    }));
    const byPhone = new Map(this.people.map((person) => [person.account.phone, person]));
    network.events.on('message', ({ account, message }) => {
      if (message.from !== OWNER) return;
      const person = byPhone.get(account.phone);
      if (person === undefined || person.seen.has(message.id)) return;
      person.seen.set(message.id, { text: message.text ?? '', at: performance.now() });
      this.#changedAt = performance.now();
    });
  }

  get messages(): number {
    return this.people.reduce((sum, { due }) => sum + due.length, 0);
  }

  /** How many contacts have had an answer. */
  get answeredOnce(): number {
    return this.people.filter(({ seen }) => seen.size > 0).length;
  }

  /** How many messages are still unanswered. */
  get open(): number {
    return this.people.reduce((sum, { due, seen }) => sum + Math.max(0, due.length - seen.size), 0);
  }

  /** All contacts at once, each in order. */
  async write(): Promise<void> {
    await Promise.all(
      this.people.map(async (person, contact) => {
        person.wroteAt = performance.now();
        for (const n of person.due.keys()) await person.account.send(this.#owner, said(contact, n));
      }),
    );
  }

  async until(holds: () => boolean): Promise<void> {
    this.#changedAt = performance.now();
    let told = performance.now();
    while (!holds() && performance.now() - this.#changedAt < STUCK_MS) {
      await sleep(50);
      if (performance.now() - told < 20_000) continue;
      told = performance.now();
      console.log(`${this.answeredOnce} contacts answered, ${this.open} messages wait`);
    }
  }

  waits(): number[] {
    return this.people.flatMap(({ seen, wroteAt }) => {
      const first = [...seen.values()][0];
      return first === undefined ? [] : [first.at - wroteAt];
    });
  }

  faults(): string[] {
    return this.people.flatMap(({ account, due, seen }) => {
      const got = [...seen.values()].map(({ text }) => text);
      return got.join('\n') === due.join('\n')
        ? []
        : [`${account.phone} was answered ${JSON.stringify(got)}`];
    });
  }
}

/** Grants access as the owner would. */
async function permit({ relay }: Demo, people: readonly Person[]): Promise<void> {
  for (const { account } of people) {
    await relay.ok('POST', '/api/whatsapp/permissions', {
      phoneNumber: account.phone,
      displayName: `Person ${account.phone}`,
      canRead: true,
      canReply: true,
    });
  }
}

/** Lines that still wait, runs that still run, and messages that the ledger does not record as answered. */
async function unsettled(url: string): Promise<string[]> {
  const { rows } = await onServer(url, (client) =>
    client.query<{ fault: string }>(
      `SELECT 'a line waits: ' || id AS fault FROM relay.session_messages WHERE waiting
       UNION ALL SELECT 'a run was left: ' || id FROM relay.runs WHERE state = 'running'
       UNION ALL SELECT 'the ledger says ' || coalesce(string_agg(reason, ', '), 'nothing') || ' of ' || m.message_id
         FROM relay.session_messages m LEFT JOIN relay.ledger l
           ON l.action = 'answer_message' AND l.subject_id = m.message_id
         WHERE m.role = 'user' GROUP BY m.message_id HAVING coalesce(string_agg(reason, ', '), '') <> 'replied'`,
    ),
  );
  return rows.map(({ fault }) => fault);
}
