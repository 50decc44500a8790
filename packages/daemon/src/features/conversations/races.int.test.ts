import type { InstanceId } from '@relay/contract/ids';
import { freshDaemonHarness, heldTurn } from '@relay/testing/daemon-harness';
import { eventually, sleep } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';
import { hintTimerClock } from '../../platform/jobs/timers.ts';

const harness = await freshDaemonHarness();
const { agent, create, heartbeat, lines, reaches, reply, sql, state, steps, service } = harness;

beforeEach(() => agent(() => ({ messages: ['Hello'] })));

async function waiting(): Promise<InstanceId> {
  const id = await create();
  await reaches(id, 'WAITING_FOR_REPLY');
  return id;
}

/** A conversation whose agent is in the middle of its turn. */
async function inTurn(begin: 'first' | 'follow-up' = 'first') {
  const id = begin === 'first' ? null : await waiting();
  const turn = heldTurn({ messages: ['Held'] });
  agent(turn.act);
  const mine = id ?? (await create());
  if (id !== null) await heartbeat(id);
  await turn.begun;
  const finish = () => {
    turn.release();
    return harness.quiet();
  };
  return { id: mine, finish };
}

describe('during a turn of the agent', () => {
  test('a reply discards the follow-up', async () => {
    const { id, finish } = await inTurn('follow-up');
    await reply(id, 'Here I am');
    await finish();
    expect(await lines(id)).toEqual(['agent: Hello', 'contact: Here I am', 'agent: Next']);
    expect((await service.get(id)).follow_up_count).toBe(0);
  });

  test('a reply is answered right after the turn', async () => {
    const { id, finish } = await inTurn();
    await reply(id, 'Wait');
    await finish();
    expect(await lines(id)).toEqual(['contact: Wait', 'agent: Held', 'agent: Next']);
    expect(await state(id)).toBe('WAITING_FOR_REPLY');
  });

  test('a pause discards the outcome, and resuming takes the turn again', async () => {
    const { id, finish } = await inTurn();
    await service.pause(id);
    await finish();
    expect(await lines(id)).toEqual([]);
    expect(await state(id)).toBe('PAUSED');
    await service.resume(id);
    await harness.quiet();
    expect(await lines(id)).toEqual(['agent: Next']);
  });

  test('a cancel ends the conversation and discards the outcome', async () => {
    const { id, finish } = await inTurn();
    expect(await service.cancel(id)).toMatchObject({
      state: 'FAILED',
      failure_reason: 'cancelled',
    });
    await finish();
    expect(await lines(id)).toEqual([]);
    expect(await sql('SELECT 1 FROM outbox WHERE instance_id = $1', [id])).toEqual([]);
  });

  test('a message of the owner is sent at once, and the turn still counts', async () => {
    const { id, finish } = await inTurn();
    expect(await service.send(id, 'Mine')).toMatchObject({ role: 'manual', content: 'Mine' });
    await finish();
    expect(await lines(id)).toEqual(['manual: Mine', 'agent: Held']);
  });
});

test('keeps the remaining time of the timer during a pause', async () => {
  verifies('003-OPEN-TIMER-LEFT');
  const id = await waiting();
  await sql("UPDATE instances SET timer_due_at = now() + interval '90 seconds' WHERE id = $1", [
    id,
  ]);
  expect((await service.pause(id)).next_follow_up_at).toBeNull();
  expect(await sql('SELECT 1 FROM timers WHERE subject_id = $1', [id])).toEqual([]);
  await sleep(20);
  const { next_follow_up_at } = await service.resume(id);
  const left = Date.parse(next_follow_up_at ?? '') - Date.now();
  expect(left).toBeGreaterThan(60_000);
  expect(left).toBeLessThanOrEqual(90_000);
  expect(await sql('SELECT 1 FROM timers WHERE subject_id = $1', [id])).toHaveLength(1);
});

test('ignores a timer of an earlier epoch', async () => {
  verifies('003-OPEN-STALE-TIMER');
  const id = await waiting();
  await sql('UPDATE timers SET epoch = epoch - 1, due_at = now() WHERE subject_id = $1', [id]);
  hintTimerClock(harness.account);
  await eventually(
    async () => (await sql('SELECT 1 FROM timers WHERE subject_id = $1', [id])).length === 0,
  );
  await harness.quiet();
  expect(await state(id)).toBe('WAITING_FOR_REPLY');
  expect(await steps(id)).toHaveLength(2);
});

describe('an operation that the state does not allow', () => {
  test.each<[string, (id: InstanceId) => Promise<unknown>, string]>([
    ['resume', (id) => service.resume(id), 'resuming'],
    ['pause', (id) => service.pause(id), 'pausing'],
    ['send', (id) => service.send(id, 'x'), 'sending your message'],
    ['cancel', (id) => service.cancel(id), 'cancelling'],
  ])(
    '%s after the end is refused with state and event, and leaves no trace',
    async (_, move, event) => {
      verifies('003-ERR-TRANSITION');
      const id = await waiting();
      await service.cancel(id);
      const before = [await steps(id), await lines(id), await service.get(id)];
      await expect(move(id)).rejects.toMatchObject({
        code: 'illegal_transition',
        status: 409,
        params: { id, state: 'FAILED', event },
      });
      expect([await steps(id), await lines(id), await service.get(id)]).toEqual(before);
    },
  );
});
