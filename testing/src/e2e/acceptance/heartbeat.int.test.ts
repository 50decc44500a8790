// AC-6: without a reply the agent follows up on time and as often as configured; while paused it does not.
import type { ConversationInstance } from '@relay/contract/api/instances';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import type { Person } from './person.ts';
import { FIRST, FOLLOW_UP, send } from './script.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

/** A person who was written to and gets a follow-up whenever they do not answer. */
async function silent(name: string): Promise<Person> {
  const person = await harness.person(name);
  person.meets(FIRST, send('Which day?'));
  person.meets(FOLLOW_UP, send(FOLLOWED_UP));
  return person;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FOLLOWED_UP = 'Have you had time to look?';

const span = (from: string, to: string | null) => Date.parse(to ?? '') - Date.parse(from);

it('a contact who does not answer in time gets a follow-up', async () => {
  verifies('AC-6.1', '003-NFR-HEARTBEAT', '003-T-HEARTBEAT_SCHEDULED-followup_sent');
  const giselle = await silent('Giselle');
  const began = performance.now();
  const id = await harness.create(giselle, '--heartbeat', '2s', '--max-followups', '1');
  await giselle.reads('Which day?');
  const messageTook = performance.now() - began;
  const { next_follow_up_at } = await harness.waits(id);
  await giselle.reads(FOLLOWED_UP);
  const late = harness.clock.now().getTime() - Date.parse(next_follow_up_at ?? '');
  expect(late).toBeGreaterThanOrEqual(0);
  // 30 s are for the timer. Writing and delivering the message may take as long as for the first one.
  expect(late).toBeLessThan(30_000 + messageTook);
  const reminded = await harness.becomes(id, 'reminded', (it) => it.follow_up_count === 1);
  expect(reminded.state).toBe('WAITING_FOR_REPLY');
});

it('the conversation is abandoned after the last follow-up without an answer', async () => {
  verifies('AC-6.2', '003-T-HEARTBEAT_SCHEDULED-max_followups_exceeded');
  const hildebrand = await silent('Hildebrand');
  const id = await harness.create(hildebrand, '--heartbeat', '1s', '--max-followups', '2');
  const given = await harness.reaches(id, 'ABANDONED');
  expect(given).toMatchObject({ next_follow_up_at: null, follow_up_count: 2 });
  expect(await hildebrand.has()).toEqual(['Which day?', FOLLOWED_UP, FOLLOWED_UP]);
  expect((await harness.moves(id)).at(-1)).toBe(
    'HEARTBEAT_SCHEDULED max_followups_exceeded ABANDONED',
  );
});

it('a conversation without a heartbeat gets three follow-ups, a day apart, and is then abandoned', async () => {
  verifies('AC-6.1', 'AC-6.2');
  const kunigunde = await silent('Kunigunde');
  const id = await harness.create(kunigunde);
  const due: number[] = [];
  for (const count of [0, 1, 2, 3]) {
    const waits = (it: ConversationInstance) =>
      it.follow_up_count === count && it.next_follow_up_at !== null;
    const { next_follow_up_at } = await harness.becomes(id, `waiting after ${count}`, waits);
    due.push(Date.parse(next_follow_up_at ?? ''));
    harness.clock.advance(DAY - MINUTE);
    expect((await harness.get(id)).follow_up_count).toBe(count);
    harness.clock.advance(MINUTE);
  }
  await harness.reaches(id, 'ABANDONED');
  expect(await kunigunde.has()).toEqual(['Which day?', ...Array(3).fill(FOLLOWED_UP)]);
  const gaps = due.slice(1).map((at, n) => at - (due[n] ?? 0));
  for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(DAY);
});

it('a conversation that allows no follow-up sends none', async () => {
  verifies('AC-6.2');
  const ignatius = await silent('Ignatius');
  const id = await harness.create(ignatius, '--heartbeat', '1s', '--max-followups', '0');
  await harness.reaches(id, 'ABANDONED');
  expect(await ignatius.has()).toEqual(['Which day?']);
});

it('a paused conversation sends no follow-up and keeps its remaining time', async () => {
  verifies('AC-6.3', '003-OPEN-TIMER-LEFT');
  const jolanthe = await silent('Jolanthe');
  // Long enough not to expire before the conversation is paused.
  const id = await harness.create(jolanthe, '--heartbeat', '1h', '--max-followups', '1');
  await jolanthe.reads('Which day?');
  const waiting = await harness.waits(id);
  const timers = () =>
    harness.relay.query('SELECT due_at FROM relay.timers WHERE subject_id = $1', [id]);
  expect(await timers()).toHaveLength(1);
  const paused = await harness.gives<ConversationInstance>('pause', id);
  expect(paused).toMatchObject({ state: 'PAUSED', next_follow_up_at: null });
  expect(await timers()).toEqual([]);
  const resumed = await harness.gives<ConversationInstance>('resume', id);
  const left = span(paused.updated_at, waiting.next_follow_up_at);
  expect(left).toBeLessThan(3_600_000);
  expect(span(resumed.updated_at, resumed.next_follow_up_at)).toBe(left);
  expect(await jolanthe.has()).toEqual(['Which day?']);
  await harness.relay.query('UPDATE relay.timers SET due_at = now() WHERE subject_id = $1', [id]);
  await jolanthe.reads(FOLLOWED_UP);
});
