// A family's yesterday end to end: digests by hour and by day, and the owner's questions about it by command, in a
// chat, on WhatsApp and over HTTP. The digests are those of the scripted summariser.
import type { DigestsResponse } from '@relay/contract/api/digests';
import { dayBefore, dayContaining } from '@relay/core/observer/digest/periods';
import { findZone } from '@relay/core/schedule/zone';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { OwnersPhone } from '../assistant/owner.ts';
import { eventually } from '../gateway.ts';
import { type Group, type GroupHarness, openGroupHarness } from './group.ts';

const zone = findZone('UTC');
if (zone === null) throw new Error('no UTC');
const cut = { zone, dailyAt: '04:00' };
const YESTERDAY = dayBefore(dayContaining(new Date(), cut), cut);
/** Times of yesterday; the group's day begins at four. */
const at = (hour: number, minute: number) =>
  new Date(YESTERDAY.start.getTime() + ((hour - 4) * 60 + minute) * 60_000);

let harness: GroupHarness;
let owner: OwnersPhone;
let family: Group;

beforeAll(async () => {
  harness = await openGroupHarness({ settings: { zone: 'UTC' } });
  owner = new OwnersPhone(harness.world);
  const mum = await harness.world.person('Mum');
  const papa = await harness.world.person('Papa');
  family = await harness.observed('Holliday', mum, papa);
  const said = [
    await family.says(mum.phone, 'Good morning 🌞', { at: at(9, 58) }),
    await family.says(mum.phone, 'Saturday dinner is final: 8 pm at our place', { at: at(10, 2) }),
    await family.says(papa.phone, 'I will bring the salad on Saturday', { at: at(10, 5) }),
    await family.asks('I will bring wine on Saturday', { at: at(10, 6) }),
    await family.says(mum.phone, 'My account for the gift is GB33BUKB20201555555555', {
      at: at(11, 1),
    }),
    await family.says(papa.phone, 'Who picks up the cake on Friday at 5 pm?', { at: at(11, 30) }),
  ];
  for (const id of said) await harness.known(id);
  await digested();
});
afterAll(() => harness.world.end());

/** Skips the minute of waiting for late messages. */
const digested = () =>
  eventually(
    'the digest of yesterday',
    async () => {
      await harness.world.relay.query(
        "UPDATE relay.timers SET due_at = now() - interval '1 minute' WHERE kind = 'digest'",
      );
      const rows = await harness.world.relay.query(
        "SELECT id FROM relay.digests WHERE kind = 'daily'",
      );
      return rows[0];
    },
    60_000,
  );

it('the command shows the day: its text, decisions, open questions, participants and cost', async () => {
  verifies('004-T2-DAILY', '004-T1-FORMAT');
  const out = await harness.world.says('digest', 'holliday', '--day', 'yesterday', '--hours');
  expect(out).toMatch(/^Holliday {2}\w{3} \d+ \w{3}$/m);
  expect(out).toContain('Decisions\n    • Mum: Saturday dinner is final: 8 pm at our place');
  expect(out).toContain('Action items\n    • Papa: I will bring the salad on Saturday');
  expect(out).toContain('Open questions\n    ? Papa: Who picks up the cake on Friday at 5 pm?');
  expect(out).toMatch(/Took part\n {4}Mum, Papa, Owner/);
  expect(out).toMatch(/^ {2}10:00-11:00 {2}Mum said “Saturday dinner is final/m);
  expect(out).toMatch(/[\d,]+ model tokens for 3 digests/);
  expect(out).not.toContain('GB33');
});

it('the route returns the same, and the shown tokens are those recorded', async () => {
  verifies('004-TOKENS-SHOWN');
  const { digests } = await harness.world.api.ok<DigestsResponse>(
    'GET',
    `/api/digests?group=holliday&day=${YESTERDAY.name}`,
  );
  const [day] = digests;
  expect(day?.hourly.map(({ text }) => text.slice(0, 12))).toEqual([
    '10:00-11:00:',
    '11:00-12:00:',
  ]);
  expect(day?.daily?.facts.map(({ kind }) => kind)).toContain('decision');
  expect(day?.daily?.cost_tokens).toBeGreaterThan(0);
  expect(day?.messages_cut).toBeGreaterThan(0);
  expect(day?.tokens_saved).toBeGreaterThan(0);
  const { digests: hours } = await harness.world.api.ok<DigestsResponse>(
    'GET',
    `/api/digests?kind=hourly&day=yesterday`,
  );
  expect(hours[0]).toMatchObject({ daily: null, day: YESTERDAY.name });
});

it('a question in a chat on the computer is answered from the digest', async () => {
  verifies('004-BRIDGE-ANY-CHANNEL');
  const out = await harness.world.says(
    'chat',
    'Who is bringing what on Saturday, in the family group?',
  );
  expect(out).toContain('bring the salad');
  expect(out).toContain('bring wine');
});

it('a question on WhatsApp is answered from the digest, there and nowhere else', async () => {
  verifies('004-BRIDGE-ANY-CHANNEL');
  expect(await owner.asks('What happened in the family group about the cake?')).toContain(
    'Who picks up the cake',
  );
  const asked = owner.asked().at(-1);
  expect(asked?.tools).toContain('get_digest');
  expect(asked?.results.join()).toContain('Saturday dinner is final');
  expect(family.traces()).toEqual({});
});

it('/digest answers without a model', async () => {
  const calls = harness.world.model.calls().length;
  const said = await owner.asks('/digest holliday yesterday');
  expect(said).toContain('Decisions:\n- Mum: Saturday dinner is final: 8 pm at our place');
  expect(harness.world.model.calls()).toHaveLength(calls);
});

it('digests and facts are found by search, with their time', async () => {
  verifies('004-T2-SEARCH', '004-BRIDGE-ENTITIES');
  const { hits } = JSON.parse(
    (await harness.world.relay.run('search', 'dinner final', '--in', 'holliday', '--json')).out,
  ) as { hits: { source: string; at: string; text: string }[] };
  const fact = hits.find(({ source }) => source === 'fact');
  expect(fact?.text).toContain('Saturday dinner is final');
  expect(fact?.at).toBe(at(10, 0).toISOString());
  expect(hits.map(({ source }) => source)).toContain('digest');
});

it('a whole day of reading, digests and questions sent nothing to the group', () => {
  expect(family.traces()).toEqual({});
});
