// Property test of merges: contacts known by a number and by a LID are merged at any moment: between two steps, by a
// message that reveals it, while a message is routed, during a turn, an automatic answer or a send, or after any
// statement of a transaction. Then all pending work is finished, and nothing may be lost, failed or sent twice.
import { sleep } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL } from '../platform/db/testing/people.ts';
import {
  DAY,
  freshMergeWorld,
  type Middle,
  otherSide,
  type Person,
} from './testing/known-twice.ts';
import {
  belongingsOf,
  chatsOf,
  checkCarried,
  checkPerson,
  checkWorld,
  referencesTo,
} from './testing/merge-checks.ts';

const WORLDS = process.env.PROPERTY_RUNS ? 30 : 2;
const STEPS = 6;
const ROUNDS = 20;
const WAIT_MS = 20;

const harness = await freshMergeWorld();

const side = fc.constantFrom('phone', 'lid');
const is = <Kind extends string>(kind: Kind) => fc.constant(kind);
const steps = [
  fc.record({ kind: is('converse'), side, first: fc.constantFrom('one', 'two', 'secret') }),
  fc.record({ kind: is('receive'), side, words: fc.constantFrom('hm', 'yes', 'secret') }),
  fc.record({ kind: is('receive'), side, words: fc.constantFrom('hm', 'yes', 'secret') }),
  fc.record({ kind: is('send'), side }),
  fc.record({ kind: is('schedule'), side, minutes: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ kind: is('propose'), side, what: fc.constantFrom('send', 'schedule') }),
  fc.record({ kind: is('copy') }),
  fc.record({ kind: is('approve') }),
  fc.record({ kind: is('nothing') }),
] as const;
type Step = (typeof steps)[number] extends fc.Arbitrary<infer S> ? S : never;

/** Events that affect all contacts. */
const events = [
  fc.record({ kind: is('online'), receipts: fc.boolean() }),
  fc.record({ kind: is('break'), answer: fc.constantFrom('left and cut', 'lost and cut') }),
  fc.record({ kind: is('break'), answer: fc.constantFrom('left and cut', 'lost and cut') }),
  fc.record({ kind: is('offline') }),
  fc.record({ kind: fc.constantFrom('hold', 'release', 'nothing') }),
  // Routing is paused until the steps of the round are done.
  fc.record({ kind: is('unrouted') }),
  fc.record({ kind: is('pass'), minutes: fc.constantFrom(1, 5, 6, 90) }),
] as const;
type Event = (typeof events)[number] extends fc.Arbitrary<infer E> ? E : never;

const exactly = (length: number) => ({ minLength: length, maxLength: length });
/** What happened under an address before. */
const past = fc.constantFrom('nothing', 'wrote', 'converses', 'converses');
const wrote = fc.record({ phone: is('wrote'), lid: is('wrote') });
/** The moments at which contacts are merged. */
const MOMENTS = [
  'between',
  'message',
  'route',
  'turn',
  'turn',
  'answer',
  'send',
  'copy',
  'statement',
  'statement',
  'statement',
] as const;
type Moment = (typeof MOMENTS)[number];
/** Each run merges one contact. The contacts of one world are merged concurrently. */
const RUNS = WORLDS * MOMENTS.length;

const planFor = (moment: Moment) =>
  fc.record({
    moment: fc.constant(moment),
    /** The step before which it is merged. */
    at: fc.integer({ min: 1, max: STEPS }),
    side,
    /** The statement after which it is merged. */
    nth: fc.integer({ min: 1, max: 12 }),
    keeps: side,
    // An automatic answer needs a grant and no open conversation.
    replyMode:
      moment === 'answer'
        ? fc.constantFrom('auto', 'draft')
        : fc.constantFrom('auto', 'draft', null),
    past: moment === 'answer' ? wrote : fc.record({ phone: past, lid: past }),
    steps: fc.array(fc.oneof(...steps), exactly(STEPS)),
  });
type Plan = ReturnType<typeof planFor> extends fc.Arbitrary<infer P> ? P : never;

const worlds = fc.record({
  people: fc.tuple(...MOMENTS.map(planFor)),
  /** `waits`: whether the effects of a step are awaited. */
  rounds: fc.array(fc.record({ event: fc.oneof(...events), waits: fc.boolean() }), exactly(STEPS)),
});

/** Ids of contacts and chats that were merged away. */
const gone: string[] = [];

/** How often each moment occurred, and each kind of row was carried over. */
const met = new Map<string, number>();
const count = (what: string) => met.set(what, (met.get(what) ?? 0) + 1);
const MET = [
  ...MOMENTS.filter((moment) => moment !== 'answer').map((moment) => `merge: ${moment}`),
  ...['conversation WAITING_FOR_REPLY', 'approval pending', 'approval approved', 'schedule active'],
  ...['message pending', 'message in doubt', 'line done', 'route job active', 'route job created'],
];

class Run {
  readonly #person: Person;
  readonly #plan: Plan;
  readonly violations: string[] = [];
  #merging: Promise<void> | null = null;

  constructor(person: Person, plan: Plan) {
    this.#person = person;
    this.#plan = plan;
  }

  async begin(): Promise<void> {
    const person = this.#person;
    for (const side of ['phone', 'lid'] as const) {
      const past = this.#plan.past[side];
      if (past !== 'nothing') await harness.receive(person, side, 'hm');
      if (past === 'converses') await harness.converse(person, side, 'one');
    }
  }

  async take(n: number): Promise<void> {
    const { at, moment, keeps, steps } = this.#plan;
    if (n === at - 1 && moment === 'copy') {
      return harness.receive(this.#person, otherSide(keeps), 'hm');
    }
    if (n === at) await this.#reach();
    const step = steps[n];
    if (step === undefined) return;
    await this.#take(step);
  }

  async #reach(): Promise<void> {
    const { moment, side, nth, keeps } = this.#plan;
    const person = this.#person;
    switch (moment) {
      case 'between':
        return this.merge(moment);
      case 'message':
        return this.merge(moment, () => harness.receive(person, side, 'hm', true));
      case 'copy': {
        const resume = harness.pauseRouting();
        await harness.receiveCopy(person);
        // In the same chat, so that its job waits behind the one of the copy.
        await harness.receive(person, keeps, 'hm');
        await this.merge(moment).finally(resume);
        return;
      }
      case 'send':
        this.#arm(moment);
        return harness.sendByHand(person, side);
      case 'answer':
        this.#arm(moment);
        return harness.receive(person, otherSide(keeps), 'hm');
      case 'route':
      case 'turn':
      case 'statement':
        this.#arm(moment, moment === 'statement' ? nth : 1);
        return harness.receive(person, side, 'hm');
    }
  }

  #arm(moment: Middle, nth = 1): void {
    const person = this.#person;
    let left = nth;
    person.isMidway = moment === 'statement';
    person.during = async (now) => {
      if (now !== moment || --left > 0) return;
      person.isMidway = false;
      const merging = this.merge(moment);
      // The merge may have to wait for the statement's transaction.
      await (moment === 'statement' ? Promise.race([merging, sleep(WAIT_MS)]) : merging);
    };
  }

  merge(moment: string, merge = () => this.#person.merge()): Promise<void> {
    this.#merging ??= this.#carryOver(moment, merge);
    return this.#merging;
  }

  async #carryOver(moment: string, merge: () => Promise<void>): Promise<void> {
    count(`merge: ${moment}`);
    const person = this.#person;
    const before = await belongingsOf(harness, person);
    for (const { what, state } of before) count(`${what} ${state}`);
    const chats = await chatsOf(harness, person);
    await merge();
    person.isMerged = true;
    const left = await chatsOf(harness, person);
    const goneChats = chats.filter((chat) => !left.includes(chat));
    gone.push(person.gone, ...goneChats);
    this.violations.push(...(await checkCarried(harness, person, before, goneChats)));
  }

  async #take(step: Step): Promise<void> {
    const person = this.#person;
    switch (step.kind) {
      case 'converse':
        return harness.converse(person, step.side, step.first);
      case 'receive':
        return harness.receive(person, step.side, step.words);
      case 'copy':
        return harness.receiveCopy(person);
      case 'send':
        return harness.sendByHand(person, step.side);
      case 'schedule':
        return harness.scheduleByHand(person, step.side, step.minutes);
      case 'propose':
        return harness.propose(person, step.side, step.what);
      case 'approve':
        return harness.approveAll(person);
      case 'nothing':
    }
  }

  /** The owner approves and resumes, and the contact answers. Returns false when nothing is pending any more. */
  async goOn(round: number): Promise<boolean> {
    if (round > 0) await this.merge('at the end');
    const person = this.#person;
    const open = await harness.underWay(person);
    if (open === null) return round === 0;
    await harness.approveAll(person);
    for (const { id, state } of open) {
      const isStopped = state === 'PAUSED' || state === 'NEEDS_HUMAN_INTERVENTION';
      // Refused if the approval has already resumed it.
      if (isStopped) await harness.service.resume(id).catch(() => {});
    }
    if (open.some(({ state }) => state === 'WAITING_FOR_REPLY')) {
      const { side } = this.#plan;
      await harness.receive(person, round % 2 === 0 ? side : otherSide(side), 'yes');
    }
    return true;
  }

  async check(): Promise<void> {
    this.violations.push(...(await checkPerson(harness, this.#person)));
  }
}

async function happen(event: Event): Promise<void> {
  switch (event.kind) {
    case 'online':
      return harness.online(event.receipts);
    case 'break':
      return harness.break(event.answer);
    case 'offline':
      return harness.offline();
    case 'hold':
      return harness.hold();
    case 'release':
      return harness.release();
    case 'pass':
      return harness.pass(event.minutes);
    case 'unrouted':
    case 'nothing':
  }
}

/** Finishes all pending work. */
async function finish(runs: readonly Run[]): Promise<void> {
  await harness.release();
  await harness.online(false);
  for (let round = 0; round < ROUNDS; round++) {
    await harness.quiet();
    const goingOn = await Promise.all(runs.map((run) => run.goOn(round)));
    if (!goingOn.includes(true)) return;
    harness.pass(round < 2 ? 5 : DAY);
  }
}

test(`${RUNS} merges at any moment lose nothing, fail nothing and send nothing twice`, {
  timeout: RUNS * 5_000,
}, async () => {
  verifies('IDENTITY-MERGE-ANY-MOMENT');
  await fc.assert(
    fc.asyncProperty(worlds, async ({ people, rounds }) => {
      harness.forgetPeople();
      const runs = await Promise.all(
        people.map(async (plan) => {
          const grant = plan.replyMode && { ...ALL, replyMode: plan.replyMode };
          return new Run(await harness.meetPerson(plan.keeps, grant), plan);
        }),
      );
      await Promise.all(runs.map((run) => run.begin()));
      await harness.quiet();
      for (const [n, { event, waits }] of rounds.entries()) {
        await happen(event);
        const resume = event.kind === 'unrouted' ? harness.pauseRouting() : () => {};
        await Promise.all(runs.map((run) => run.take(n))).finally(resume);
        if (waits) await harness.quiet();
      }
      await Promise.all(runs.map((run) => run.take(rounds.length)));
      await finish(runs);
      for (const run of runs) await run.check();
      const violations = runs.flatMap((run) => run.violations);
      expect([...violations, ...(await checkWorld(harness))]).toEqual([]);
    }),
    { numRuns: WORLDS, endOnFailure: true },
  );
  expect(await referencesTo(harness, gone)).toEqual([]);
  expect(MET.filter((what) => !met.has(what))).toEqual([]);
});
