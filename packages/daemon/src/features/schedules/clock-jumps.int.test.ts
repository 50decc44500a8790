import { ruleSchema } from '@relay/contract/schedule/rule';
import { nextOccurrences } from '@relay/core/schedule/occurrences';
import { findZone } from '@relay/core/schedule/zone';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { HOUR, MINUTE, openScheduleFixture } from './testing/fixture.ts';

const fixture = await openScheduleFixture('2026-03-20T07:00:00Z');
const { create, jump, restart, sql } = fixture;
afterAll(() => fixture.close());

type Step = { kind: 'jump' | 'away'; minutes: number } | { kind: 'restart' | 'hold' };
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('jump' as const), minutes: fc.integer({ min: -600, max: 1_200 }) }),
  fc.record({ kind: fc.constant('away' as const), minutes: fc.integer({ min: 0, max: 1_200 }) }),
  fc.record({ kind: fc.constantFrom('restart' as const, 'hold' as const) }),
);

/** Never sets the clock back before `began`; the test below covers that. */
async function take(step: Step, began: Date): Promise<void> {
  const back = began.getTime() - fixture.now().getTime();
  if (step.kind === 'jump') await jump(Math.max(step.minutes * MINUTE, back));
  else if (step.kind === 'away') await restart(step.minutes * MINUTE);
  else if (step.kind === 'restart') await restart();
  else {
    await fixture.harness().hold();
    await jump(HOUR);
    await fixture.harness().release();
    await fixture.harness().quiet();
  }
}

test('decides every run once with one message, under any order of clock jumps, restarts and holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 3, maxLength: 10 }), async (steps) => {
      await fixture.clear();
      const began = fixture.now();
      const made = await create('0 */3 * * *', { catch_up: 'all' });
      let latest = began;
      for (const step of steps) {
        await take(step, began);
        if (fixture.now() > latest) latest = fixture.now();
      }
      const zone = findZone(made.zone) ?? expect.fail();
      const expected = nextOccurrences(ruleSchema.parse(made.rule), zone, began, 400)
        .filter((at) => at <= latest)
        .map((at) => at.toISOString());
      const runs = await sql<{ due_at: Date; outcome: string; messages: number }>(
        `SELECT r.due_at, r.outcome, (SELECT count(*)::int FROM outbox o WHERE o.permit_id = r.permit_id) AS messages
         FROM schedule_runs r WHERE r.schedule_id = $1 ORDER BY r.due_at`,
        [made.id],
      );
      expect(runs.map(({ due_at }) => due_at.toISOString())).toEqual(expected);
      expect(runs.every(({ outcome, messages }) => outcome === 'queued' && messages === 1)).toBe(
        true,
      );
      expect(await fixture.sent(made)).toBe(expected.length);
    }),
    { numRuns: process.env.PROPERTY_RUNS ? 15 : 6, endOnFailure: true },
  );
});

test('runs each run once that is due again when the clock was ahead at creation', async () => {
  await fixture.clear();
  // Away from a clock change, wherever the previous test left the clock.
  await jump(Date.parse('2026-06-01T07:00:00Z') - fixture.now().getTime());
  const made = await create('0 */3 * * *', { catch_up: 'all' });
  await restart(-6 * HOUR);
  const back = fixture.now();
  await jump(9 * HOUR);
  const zone = findZone(made.zone) ?? expect.fail();
  const expected = nextOccurrences(ruleSchema.parse(made.rule), zone, back, 10)
    .filter((at) => at <= fixture.now())
    .map((at) => at.toISOString());
  const runs = await sql<{ due_at: Date }>(
    'SELECT due_at FROM schedule_runs WHERE schedule_id = $1 ORDER BY due_at',
    [made.id],
  );
  expect(expected).toHaveLength(3);
  expect(runs.map(({ due_at }) => due_at.toISOString())).toEqual(expected);
  expect(await fixture.sent(made)).toBe(3);
});
