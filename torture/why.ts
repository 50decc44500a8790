// `npm run torture -- why`: random messages of every kind, from people with every kind of grant, while drafts are
// answered, sending is on hold, a conversation is paused and schedules run; then `why` is asked for each message, and
// the sentence is compared with what the phones and the model saw.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LedgerPage, LedgerVerdict, MessageExplanation } from '@relay/contract/api/ledger';
import { createFinder } from '@relay/simulator/control/sending';
import type { Demo } from '@relay/testing/e2e/demo';
import { thenClose } from '@relay/testing/then-close';
import { OWNER, openTortureHarness, type TortureHarness } from './harness.ts';
import { randomFrom } from './random.ts';
import {
  ADMINS,
  beginConversations,
  type Company,
  grantAll,
  invite,
  PEOPLE,
  withRole,
} from './why/cast.ts';
import { faultsOf, outboundSentence, type Truth } from './why/judge.ts';
import { Mail, type SentMail } from './why/mail.ts';

export interface WhyTorture {
  readonly messages: number;
  readonly seed: number;
}

export interface WhyReport {
  readonly seed: number;
  readonly messages: number;
  /** How many sentences begin this way. */
  readonly sentences: Readonly<Record<string, number>>;
  /** Messages that Relay sent, for which `why` is asked too. */
  readonly outbound: number;
  readonly ledgerRows: number;
  readonly askMs: number;
  readonly faults: readonly string[];
  readonly seconds: number;
}

const AT_ONCE = 8;
const SETTLE_MS = 180_000;
const SCHEDULES = 3;

export async function tortureWhy({ messages, seed }: WhyTorture): Promise<WhyReport> {
  const began = performance.now();
  const ground = await openTortureHarness([], invite, {
    admin_phone_numbers: ADMINS,
    // The people here write as fast as the machines that the loop guard looks for, so its limits are changed.
    auto_reply: {
      rapid_exchanges: 500,
      similar_exchanges: 500,
      answers_per_hour: 40,
      answers_per_day: 40,
    },
  });
  return thenClose(ground, async () => {
    const report = await new Torture(ground, seed).run(messages);
    return { seed, messages, ...report, seconds: Math.round((performance.now() - began) / 1_000) };
  });
}

class Torture {
  readonly #demo: Demo;
  readonly #company: Company;
  readonly #mail: Mail;
  readonly #random: () => number;

  constructor({ demo, people }: TortureHarness<Company>, seed: number) {
    this.#demo = demo;
    this.#company = people;
    this.#random = randomFrom(seed);
    this.#mail = new Mail(demo.simulator.network, people, this.#random);
  }

  async run(messages: number): Promise<Omit<WhyReport, 'seed' | 'messages' | 'seconds'>> {
    const { relay } = this.#demo;
    await grantAll(this.#demo);
    const talks = await beginConversations(this.#demo);
    await this.#schedule();
    const faults: string[] = [];

    const part = Math.floor(messages / 5);
    await this.#write(messages - 2 * part, 'open');
    await this.#settled();
    await this.#answerDrafts();

    await relay.ok('POST', '/api/hold', { reason: 'a test' });
    await this.#write(part, 'hold');
    await sleep(1_500);
    faults.push(...(await this.#whileHeld()));
    await relay.ok('POST', '/api/release', {});
    await this.#settled();

    for (const id of talks.values()) await relay.ok('POST', `/api/instances/${id}/pause`);
    await this.#write(part, 'pause');
    await this.#settled();

    const { sentences, askMs } = await this.#askAll(faults);
    const outbound = await this.#askOutbound(faults);
    const verdict = await relay.ok<LedgerVerdict>('GET', '/api/ledger/verify?full=true');
    if (!verdict.whole) faults.push(verdict.sentence);
    return { sentences, outbound, askMs, ledgerRows: verdict.rows, faults };
  }

  async #write(count: number, during: SentMail['during']): Promise<void> {
    let left = count;
    const writer = async () => {
      while (left-- > 0) await this.#mail.next(during);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, writer));
  }

  /** Nothing is pending any more, or nothing makes progress. */
  async #settled(): Promise<void> {
    const deadline = performance.now() + SETTLE_MS;
    let quiet = 0;
    let last: string | null = null;
    while (quiet < 4 && performance.now() < deadline) {
      const { jobs, sending } = await this.#demo.relay.ok<Status>('GET', '/api/status');
      const { cursor } = await this.#demo.relay.ok<LedgerPage>('GET', '/api/ledger?limit=1');
      const still = jobs.waiting + jobs.running + sending.waiting === 0 && cursor === last;
      last = cursor;
      quiet = still ? quiet + 1 : 0;
      await sleep(300);
    }
    if (quiet < 4) throw new Error('it does not come to rest');
    // Receipts of the last messages are still pending.
    await sleep(1_000);
  }

  async #schedule(): Promise<void> {
    const at = new Date(Date.now() + 4_000).toISOString().replace(/\.\d+Z$/, 'Z');
    for (let n = 0; n < SCHEDULES; n++) {
      const to = `+${withRole('granted')[n]?.phone}`;
      await this.#demo.relay.ok('POST', '/api/schedules', {
        to,
        text: `on time ${n}`,
        rule: { kind: 'once', at },
      });
    }
  }

  /** A third each is approved, declined and left pending. */
  async #answerDrafts(): Promise<void> {
    const drafts = await this.#demo.relay.ok<{ id: string }[]>('GET', '/api/approvals');
    for (const [n, { id }] of drafts.entries()) {
      if (n % 3 === 2) continue;
      await this.#demo.relay.ok(
        'POST',
        `/api/approvals/${id}/${n % 3 === 0 ? 'approve' : 'reject'}`,
        {},
      );
    }
    await this.#settled();
  }

  #why(id: string): Promise<MessageExplanation> {
    return this.#demo.relay.ok('GET', `/api/messages/${id}/why`);
  }

  /** Messages that would be answered wait, and `why` says for what. */
  async #whileHeld(): Promise<string[]> {
    const faults: string[] = [];
    for (const { id, kind, person, during } of this.#mail.sent) {
      const asks = person?.role === 'granted' && kind !== 'reaction' && kind !== 'group';
      if (during !== 'hold' || !asks) continue;
      const { sentence } = await this.#why(id);
      if (!ON_HOLD.test(sentence)) faults.push(`on hold: ${sentence}`);
    }
    return faults;
  }

  /** What this phone received from the owner's account, by id. */
  #received(phone: string): ReadonlyMap<string, string> {
    const { person } = createFinder(this.#demo.simulator.network);
    const messages = person(phone).messages({ with: person(OWNER) });
    const got = phone === OWNER ? messages : messages.filter(({ fromMe }) => !fromMe);
    return new Map(got.map(({ id, text }) => [id, text ?? '']));
  }

  #truth(): Truth {
    const seen = new Map<string, ReadonlyMap<string, string>>();
    for (const { phone } of [...PEOPLE, { phone: OWNER }]) seen.set(phone, this.#received(phone));
    return { received: (phone) => seen.get(phone) ?? new Map(), shown: this.#company.model.shown };
  }

  async #askAll(faults: string[]) {
    const truth = this.#truth();
    const sentences: Record<string, number> = {};
    let spent = 0;
    for (const sent of this.#mail.sent) {
      const began = performance.now();
      const why = await this.#why(sent.id);
      spent += performance.now() - began;
      const head =
        /^(Answered by \S+|Carried out|Handed to the conversation|Waiting|Not answered|Stored, not answered|Ignored)/.exec(
          why.sentence,
        )?.[0] ?? 'other';
      sentences[head] = (sentences[head] ?? 0) + 1;
      faults.push(...faultsOf(sent, why, truth));
    }
    return { sentences, askMs: Math.round((10 * spent) / this.#mail.sent.length) / 10 };
  }

  /** For each message of Relay, asks who caused it. */
  async #askOutbound(faults: string[]): Promise<number> {
    let asked = 0;
    let scheduled = 0;
    for (const person of PEOPLE) {
      for (const [id, text] of this.#received(person.phone)) {
        if (!/^(re |on time|Hello$)/.test(text)) continue;
        const { sentence } = await this.#why(id);
        const timed = text.startsWith('on time');
        if (timed) scheduled += 1;
        if (!outboundSentence(person, timed).test(sentence)) {
          faults.push(`outbound “${text}” to ${person.name}: ${sentence}`);
        }
        asked += 1;
      }
    }
    if (scheduled !== SCHEDULES) faults.push(`${scheduled} of ${SCHEDULES} schedules were seen`);
    return asked;
  }
}

const ON_HOLD =
  /^Waiting: it was handed to auto-reply, because .*, and (sending is on hold|is queued)\.$/;

interface Status {
  readonly jobs: { readonly waiting: number; readonly running: number };
  readonly sending: { readonly waiting: number };
}
