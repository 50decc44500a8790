// A person whom Relay knows by a number and by a LID turns out to be one, at any moment: between two steps, beside one,
// or in the middle of a turn, of an automatic answer, of a send, or of taking a message in. Everything goes on to its end
// afterwards: nothing is lost, nothing fails, nothing is sent twice.
import type { InstanceId } from '@relay/core/ids';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALL } from '../store/testing/people.ts';
import { freshMergeWorld, type Person } from './testing/known-twice.ts';
import { belongingsOf, checkCarried, checkEnd } from './testing/merge-checks.ts';

const RUNS = process.env.PROPERTY_RUNS ? 1_000 : 50;
const ROUNDS = 20;

const world = await freshMergeWorld();

const side = fc.constantFrom('phone', 'lid');
const is = <K extends string>(kind: K) => fc.constant(kind);
const STEPS = [
  [4, fc.record({ kind: is('converse'), side, first: fc.constantFrom('one', 'two', 'secret') })],
  [6, fc.record({ kind: is('receive'), side, words: fc.constantFrom('hm', 'yes', 'secret') })],
  [3, fc.record({ kind: is('send'), side })],
  [2, fc.record({ kind: is('schedule'), side, minutes: fc.integer({ min: 1, max: 8 }) })],
  [2, fc.record({ kind: is('propose'), side, what: fc.constantFrom('send', 'schedule') })],
  [2, fc.record({ kind: is('approve') })],
  [2, fc.record({ kind: is('offline') })],
  [2, fc.record({ kind: is('break'), answer: fc.constantFrom('left and cut', 'lost and cut') })],
  [2, fc.record({ kind: is('online'), receipts: fc.boolean() })],
  [1, fc.record({ kind: fc.constantFrom('hold', 'release') })],
  [3, fc.record({ kind: is('pass'), minutes: fc.constantFrom(1, 5, 6, 90) })],
] as const;
const step = fc.oneof(...STEPS.map(([weight, arbitrary]) => ({ weight, arbitrary })));
type Step = (typeof STEPS)[number][1] extends fc.Arbitrary<infer S> ? S : never;

const plans = fc.record({
  kept: side,
  replyMode: fc.constantFrom('auto', 'draft', null),
  /** `waits`: whether its effects are waited for before the next step. */
  steps: fc.array(fc.record({ step, waits: fc.boolean() }), { minLength: 2, maxLength: 8 }),
  merge: fc.record({
    moment: fc.constantFrom('between', 'beside', 'turn', 'answer', 'send', 'message'),
    at: fc.nat({ max: 7 }),
    side,
  }),
});
type Plan = typeof plans extends fc.Arbitrary<infer P> ? P : never;

/** What the runs have met, and how often. */
const figures = new Map<string, number>();
const count = (what: string) => figures.set(what, (figures.get(what) ?? 0) + 1);

class Run {
  readonly #person: Person;
  readonly #plan: Plan;
  readonly violations: string[] = [];
  #merging: Promise<void> | null = null;

  constructor(person: Person, plan: Plan) {
    this.#person = person;
    this.#plan = plan;
  }

  async go(): Promise<void> {
    const { steps, merge } = this.#plan;
    for (const [n, { step, waits }] of steps.entries()) {
      if (n === merge.at) await this.#reach(merge.moment);
      count(`step: ${step.kind}`);
      await this.#take(step as Step);
      if (waits) await world.quiet();
    }
    await this.#merge('at the end');
    await this.#finish();
    this.violations.push(...(await checkEnd(world, this.#person)));
  }

  async #reach(moment: Plan['merge']['moment']): Promise<void> {
    const { side } = this.#plan.merge;
    if (moment === 'between') return this.#merge(moment);
    if (moment === 'beside') return void this.#merge(moment);
    if (moment === 'message') {
      const alsoKnownAs = [this.#person[side === 'phone' ? 'lid' : 'phone']];
      const message = { words: 'hm', group: this.#person.written.length, alsoKnownAs } as const;
      return this.#merge(moment, () => world.receive(this.#person, side, message));
    }
    world.during(async (now) => {
      if (now === moment) await this.#merge(moment);
    });
  }

  #merge(moment: string, merge = () => this.#person.merge()): Promise<void> {
    this.#merging ??= this.#carryOver(moment, merge);
    return this.#merging;
  }

  async #carryOver(moment: string, merge: () => Promise<void>): Promise<void> {
    count(`merge: ${moment}`);
    const person = this.#person;
    const before = await belongingsOf(world, person);
    for (const { what, state } of before) count(`carried over: ${what} ${state}`);
    const chats = await world.chatsOf(person);
    await merge();
    const left = await world.chatsOf(person);
    person.goneChats = chats.filter((chat) => !left.includes(chat));
    this.violations.push(...(await checkCarried(world, person, before)));
  }

  async #take(step: Step): Promise<void> {
    const person = this.#person;
    switch (step.kind) {
      case 'converse':
        return world.converse(person, step.side, step.first);
      case 'receive':
        return world.receive(person, step.side, {
          words: step.words,
          group: person.written.length,
        });
      case 'send':
        return world.sendByHand(person, step.side);
      case 'schedule':
        return world.scheduleByHand(person, step.side, step.minutes);
      case 'propose':
        return world.propose(person, step.side, step.what);
      case 'approve':
        return world.approveAll();
      case 'offline':
        return world.offline();
      case 'break':
        return world.break(step.answer);
      case 'online':
        return world.online(step.receipts);
      case 'hold':
        return world.hold();
      case 'release':
        return world.release();
      case 'pass':
        return world.pass(step.minutes);
    }
  }

  /** Whatever is open comes to its end: the owner approves and resumes, the contact answers under either address. */
  async #finish(): Promise<void> {
    world.during(async () => {});
    await world.release();
    await world.online(false);
    for (let round = 0; round < ROUNDS; round++) {
      await world.quiet();
      const open = await world.underWay(this.#person);
      if (open === null) return;
      await world.approveAll();
      for (const { id, state } of open) {
        if (state === 'PAUSED' || state === 'NEEDS_HUMAN_INTERVENTION') await resume(id);
      }
      if (open.some(({ state }) => state === 'WAITING_FOR_REPLY')) {
        const from = round % 2 === 0 ? 'phone' : 'lid';
        const group = this.#person.written.length;
        await world.receive(this.#person, from, { words: 'yes', group });
      }
      world.pass(round < ROUNDS / 2 ? 5 : 12 * 60);
    }
  }
}

/** Refused where the approval has let it go on. */
const resume = (id: InstanceId) => world.verbs.resume(id).catch(() => {});

test(`in ${RUNS} worlds a merge at any moment loses nothing, fails nothing and sends nothing twice`, {
  timeout: RUNS * 5_000,
}, async () => {
  verifies('IDENTITY-MERGE-ANY-MOMENT');
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const grant = plan.replyMode && { ...ALL, replyMode: plan.replyMode };
      const run = new Run(await world.meetPerson(plan.kept, grant), plan);
      await run.go();
      expect(run.violations).toEqual([]);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  if (process.env.PROPERTY_RUNS) console.table(Object.fromEntries([...figures].sort()));
});
