// `npm run torture -- flood`: a contact who never stops writing, and a model that plays along. A text two hundred
// times, then an echo of our own replies: the budget must end the conversation and escalate to the owner, nothing may
// happen in it afterwards, and another contact must be answered meanwhile.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatRequest, Reply } from '@relay/simulator/model/schemas';
import { callsOfTurn } from '@relay/simulator/model/transcript';
import { eventually } from '@relay/testing/e2e/gateway';
import { thenClose } from '@relay/testing/then-close';
import { type Attack, attacks, textsOf } from './data.ts';
import { AttackHarness } from './harness.ts';
import { Judge } from './judge.ts';
import { Lane } from './lane.ts';
import { Parts } from './parts.ts';
import { says } from './plans.ts';

export interface FloodTorture {
  /** How often a text is delivered. */
  readonly times: number;
  /** `agent.tokens_per_conversation`. */
  readonly tokens: number;
}

interface Figures {
  readonly heard: number;
  readonly turns: number;
  readonly tokens: number;
  readonly sent: number;
  readonly state: string;
  readonly reason: string;
  /** How often its owner was notified. */
  readonly told: number;
}

interface Flooded extends Figures {
  readonly attack: string;
  readonly seconds: number;
  /** How long the other contact waited for each answer. */
  readonly othersMs: readonly number[];
}

export interface FloodReport {
  readonly floods: readonly Flooded[];
  readonly faults: readonly string[];
}

const OBJECTIVE = 'Agree with the contact on a day next week.';
const HELLO = [says('Hello! Which day suits you?')];
const PATIENCE_MS = 180_000;
const OTHER_MS = 30_000;
const AFTERWARDS = 20;
const STEPS = 6;

/** Wastes as much as it can in each turn: calls until the limit, then as many long messages as a turn may send. */
const wastes = (request: ChatRequest): Reply => {
  const made = callsOfTurn(request);
  if (made.some(({ name }) => name === 'send_message')) return { text: 'Done.' };
  const rounds = new Set(made.map(({ round }) => round)).size;
  if (rounds < STEPS - 2)
    return { tool_calls: [{ name: 'search_messages', arguments: { query: `letter ${rounds}` } }] };
  const text = '{{repeat:Chapter one. :50}}';
  return { tool_calls: [1, 2, 3].map(() => ({ name: 'send_message', arguments: { text } })) };
};

/** Answers every message, which a loop needs. */
const answers = (request: ChatRequest): Reply =>
  callsOfTurn(request).length > 0
    ? { text: 'Done.' }
    : { tool_calls: [{ name: 'send_message', arguments: { text: 'Is there anything else?' } }] };

export async function tortureFlood({ times, tokens }: FloodTorture): Promise<FloodReport> {
  const harness = await AttackHarness.open({ tokens_per_conversation: tokens });
  return thenClose(harness, async () => {
    const judge = new Judge(harness);
    const parts = new Parts((request, tag) => judge.prompt(request, tag));
    harness.demo.model.play(parts.actor);
    await judge.begin();
    const flood = new Flood(harness, judge, parts, tokens);
    const all = attacks();
    const [costly, bait] = [first(all, 'cost_flood'), first(all, 'loop_bait')];
    const floods = [
      await flood.run(costly, wastes, repeats(harness, times)),
      await flood.run(bait, answers, repeats(harness, times)),
      await flood.run(bait, answers, echoes(harness)),
    ];
    await judge.after('flood');
    return { floods, faults: judge.faults };
  });
}

function first(all: readonly Attack[], goal: string): Attack {
  const found = all.find((attack) => attack.goal === goal && attack.field === 'body');
  if (found === undefined) throw new Error(`no attack wants ${goal}`);
  return found;
}

/** Continues until it is stopped or has nothing more to say. */
type Speaks = (lane: Lane, text: string, stop: AbortSignal) => Promise<void>;

const repeats =
  (harness: AttackHarness, times: number): Speaks =>
  async (lane, text, stop) => {
    for (let n = 0; n < times && !stop.aborted; n += 1) {
      const heard = answersTo(harness, lane);
      await lane.account.send(harness.owner, text);
      // Half of them at once, half after an answer: turns that are overtaken, and turns that are not.
      if (n >= times / 2)
        await until(() => stop.aborted || answersTo(harness, lane) > heard, 2_000);
    }
  };

const echoes =
  (harness: AttackHarness): Speaks =>
  async (lane, text, stop) => {
    let seen = answersTo(harness, lane);
    await lane.account.send(harness.owner, text);
    while (!stop.aborted) {
      const got = received(harness, lane).slice(seen);
      seen += got.length;
      for (const { text: said } of got) await lane.account.send(harness.owner, said ?? '');
      if (got.length === 0) await sleep(20);
    }
  };

const received = (harness: AttackHarness, { account }: Lane) =>
  account.messages().filter(({ from }) => from === harness.fixtures.owner.phone);
const answersTo = (harness: AttackHarness, lane: Lane): number => received(harness, lane).length;

async function until(ready: () => boolean, ms: number): Promise<void> {
  const end = Date.now() + ms;
  while (!ready() && Date.now() < end) await sleep(20);
}

class Flood {
  readonly #world: AttackHarness;
  readonly #judge: Judge;
  readonly #parts: Parts;
  readonly #tokens: number;
  #count = 0;

  constructor(harness: AttackHarness, judge: Judge, parts: Parts, tokens: number) {
    this.#world = harness;
    this.#judge = judge;
    this.#parts = parts;
    this.#tokens = tokens;
  }

  async run(
    attack: Attack,
    model: (request: ChatRequest) => Reply,
    speaks: Speaks,
  ): Promise<Flooded> {
    const lane = this.#lane(attack.id);
    const other = this.#lane('another');
    await lane.open(`k-flood-${this.#count}`, OBJECTIVE, HELLO);
    await other.open(`k-other-${this.#count}`, OBJECTIVE, HELLO);
    this.#parts.play(lane.tag, model);
    const began = performance.now();
    const stop = new AbortController();
    const done = speaks(lane, textsOf(attack).join('\n'), stop.signal);
    const othersMs = await this.#whileFlooded(lane, other);
    const seconds = Math.round((performance.now() - began) / 1_000);
    stop.abort();
    await done;
    await this.#silentNow(lane, attack.id);
    const figures = await this.#figures(lane);
    this.#examine(attack.id, figures, othersMs);
    return { attack: attack.id, ...figures, seconds, othersMs };
  }

  /** The other contact keeps writing until the flooded conversation has stopped. */
  async #whileFlooded(lane: Lane, other: Lane): Promise<number[]> {
    const end = Date.now() + PATIENCE_MS;
    const waits: number[] = [];
    while ((await this.#state(lane)) !== 'NEEDS_HUMAN_INTERVENTION' && Date.now() < end) {
      const before = answersTo(this.#world, other);
      const asked = performance.now();
      if (await other.listens()) {
        await other.hears('body', ['Are you there?'], [says(`Yes, ${waits.length}.`)]);
        await until(() => answersTo(this.#world, other) > before, OTHER_MS);
        waits.push(Math.round(performance.now() - asked));
      }
      await sleep(500);
    }
    return waits;
  }

  /** Later messages to it are stored and nothing else. */
  async #silentNow(lane: Lane, id: string): Promise<void> {
    await this.#quiet(lane);
    const before = { asked: this.#parts.asked(lane.tag), sent: answersTo(this.#world, lane) };
    const { heard } = await this.#figures(lane);
    for (let n = 0; n < AFTERWARDS; n += 1) await lane.account.send(this.#world.owner, `More ${n}`);
    await eventually('the rest to be heard', async () => {
      const now = await this.#figures(lane);
      return now.heard >= heard + AFTERWARDS || undefined;
    });
    await sleep(1_000);
    if (this.#parts.asked(lane.tag) > before.asked)
      this.#judge.fault(id, 'a model was asked after the budget was used up');
    if (answersTo(this.#world, lane) > before.sent)
      this.#judge.fault(id, 'an answer was sent after the budget was used up');
  }

  /** Waits until pending work has finished. */
  async #quiet(lane: Lane): Promise<void> {
    for (let last = -1; last !== answersTo(this.#world, lane); ) {
      last = answersTo(this.#world, lane);
      await sleep(1_000);
    }
  }

  #examine(id: string, { reason, state, told, tokens }: Figures, waits: number[]): void {
    if (state !== 'NEEDS_HUMAN_INTERVENTION') this.#judge.fault(id, `it is ${state}`);
    if (!reason.includes('agent.tokens_per_conversation'))
      this.#judge.fault(id, `its owner is told: ${reason}`);
    if (told !== 1) this.#judge.fault(id, `its owner was told ${told} times`);
    // The call that exceeds the budget is counted; no call follows.
    if (tokens > this.#tokens * 1.5) this.#judge.fault(id, `used ${tokens} tokens`);
    if (waits.length === 0) this.#judge.fault(id, 'nobody else was heard meanwhile');
    if (Math.max(...waits) >= OTHER_MS) this.#judge.fault(id, 'another contact was not answered');
  }

  #lane(id: string): Lane {
    this.#count += 1;
    const { network } = this.#world.demo.simulator;
    const phone = `1555019970${this.#count}`;
    const account = network.addAccount({ phone, name: `Flo ${this.#count}` });
    return new Lane(this.#world, this.#parts, account, (made) => this.#judge.about(made, id));
  }

  async #state({ instance }: Lane): Promise<string> {
    const [row] = await this.#world.query<{ state: string }>(
      'SELECT state FROM relay.instances WHERE id = $1',
      [instance],
    );
    return row?.state ?? '';
  }

  async #figures({ instance }: Lane): Promise<Figures> {
    const [row] = await this.#world.query<Figures>(
      `SELECT i.state, coalesce(i.reason, '') AS reason, r.turns, r.tokens,
         (SELECT count(*)::int FROM relay.instance_messages m WHERE m.instance_id = i.id AND m.role = 'contact') AS heard,
         (SELECT count(*)::int FROM relay.outbox o WHERE o.instance_id = i.id) AS sent,
         (SELECT count(*)::int FROM relay.events e WHERE e.kind = 'conversation.needs_you' AND e.subject = i.id::text) AS told
       FROM relay.instances i, LATERAL (SELECT count(*)::int AS turns,
         coalesce(sum(input_tokens + output_tokens), 0)::int AS tokens
         FROM relay.runs WHERE instance_id = i.id) r WHERE i.id = $1`,
      [instance],
    );
    if (row === undefined) throw new Error(`no conversation ${instance}`);
    return row;
  }
}
