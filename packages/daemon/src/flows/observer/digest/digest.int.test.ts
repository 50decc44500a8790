// Digests over a real database and the scripted model: which are made, what they hold, what a model is shown,
// and what a model, a budget or a kill that fails leaves behind.
import { freshWorld } from '@relay/testing/world';
import { beforeEach, expect, test } from 'vitest';
import { scripted } from '../../../agent/testing/scripted.ts';
import { observedGroup, type TestGroup } from './testing/group.ts';

const world = await freshWorld();
const model = scripted();
let now = new Date();
const at = (moment: string) => {
  now = new Date(moment);
};
let group: TestGroup;

beforeEach(async () => {
  at('2026-03-06T06:30:00Z');
  await world.sql('DELETE FROM spending');
  group = await observedGroup(world, model, {
    zone: 'Asia/Kolkata',
    since: '2026-03-05T00:00:00Z',
    now: () => now,
  });
});

const bodies = async (kind?: 'hourly' | 'daily') =>
  (await group.digests(kind)).map(({ body }) => body);

test('an hour with messages gets one digest when it is over, an hour without none', async () => {
  await group.say(
    { at: '2026-03-06T04:32:00Z', who: 'Mum', text: 'Lunch at Amber Court is final, Sunday 12:30' },
    { at: '2026-03-06T04:40:00Z', who: 'Papa', text: 'Who picks up the cake?' },
    { at: '2026-03-06T06:20:00Z', who: 'Priya', text: 'We land Friday 05:40' },
  );
  at('2026-03-06T06:31:30Z');
  await group.wake();
  expect(await bodies()).toEqual([
    '10:00-11:00: Mum said “Lunch at Amber Court is final, Sunday 12:30”. Papa asked “Who picks up the cake?”.',
    '11:00-12:00: Priya said “We land Friday 05:40”.',
  ]);
  expect(await group.nextLook()).toEqual(new Date('2026-03-06T07:31:00Z'));
});
