// Tests reading digests: the context of a group, search, and the owner's service. Missing digests are explained.
import { buildGroupContext, CONTEXT_SLOTS } from '@relay/core/observer/context';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';
import { scripted } from '../../../models/agent/testing/scripted.ts';
import { readGroupContext, tokensSparedBy } from '../../../platform/db/observer/context.ts';
import { openSearch } from '../../search/feature.ts';
import { noChoice } from '../../search/testing/chatter.ts';
import { createDigestService } from './service.ts';
import { observedGroup, type TestGroup } from './testing/group.ts';

const harness = await freshDaemonHarness();
const model = scripted();
let now = new Date();
let group: TestGroup;
const { account, database, conversations } = harness;
const db = database.kysely;
const reader = { account, admins: [], dailyAt: '04:00' };

beforeEach(async () => {
  await harness.sql('DELETE FROM observed_groups');
  await harness.sql('DELETE FROM digests');
  now = new Date('2026-03-06T22:31:00Z');
  group = await observedGroup(harness, model, {
    zone: 'Asia/Kolkata',
    since: '2026-03-01T00:00:00Z',
    now: () => now,
  });
});

const service = createDigestService({
  db,
  account,
  now: () => now,
  zone: 'Asia/Kolkata',
  dailyAt: '04:00',
});

async function digestUntil(moment: string): Promise<void> {
  now = new Date(moment);
  for (;;) {
    await group.wake();
    if ((await group.nextLook())?.getTime() !== now.getTime()) return;
  }
}

const day = (n: number, time: string) => `2026-03-${String(n).padStart(2, '0')}T${time}:00Z`;

/** Nine days in a row, and the morning of the tenth. */
async function nineDays(): Promise<void> {
  for (let n = 1; n <= 9; n++)
    await group.say({ at: day(n, '05:00'), who: 'Mum', text: `Plan ${n} is final, Sunday 12:30` });
  await group.say(
    { at: day(10, '02:35'), who: 'Papa', text: 'The cake is booked for tomorrow' },
    { at: day(10, '05:40'), who: 'Priya', text: 'Landed, see you at ten' },
  );
  await digestUntil(day(10, '06:00'));
}

test('builds a context of seven days, the hours of today, and the last 24 hours verbatim', async () => {
  verifies('004-T1-TODAY', '004-T2-SEVEN', '004-ROTATE-24H');
  await nineDays();
  const context = await readGroupContext(db, reader, group.chat, now);
  if (context === null) throw new Error('no context');
  expect(context.daily.map(({ text }) => /Plan \d/.exec(text)?.[0])).toEqual(
    [3, 4, 5, 6, 7, 8, 9].map((n) => `Plan ${n}`),
  );
  expect(context.hourly.map(({ text }) => text)).toEqual([
    '08:00-09:00: Papa said “The cake is booked for tomorrow”.',
  ]);
  expect(context.raw.map(({ text }) => text)).toEqual([
    expect.stringContaining('Papa: The cake is booked'),
    expect.stringContaining('Priya: Landed, see you at ten'),
  ]);
  // Older than the week shown: facts, with their day.
  expect(context.briefing.map(({ text }) => /Plan \d/.exec(text)?.[0])).toEqual([
    'Plan 1',
    'Plan 2',
  ]);
  const { text, tokens } = buildGroupContext('Rules', context, now);
  expect(text).toContain('[Sun 1 Mar] Mum: Plan 1 is final');
  for (const slot of Object.keys(CONTEXT_SLOTS) as (keyof typeof CONTEXT_SLOTS)[])
    expect(tokens[slot]).toBeLessThanOrEqual(CONTEXT_SLOTS[slot]);
});

test('leaves yesterday’s hours out of the context but keeps them readable for at least 48 hours', async () => {
  verifies('004-T1-TODAY', '004-T1-KEEP');
  await group.say({ at: day(4, '22:40'), who: 'Mum', text: 'Breakfast is final at nine' });
  await digestUntil(day(7, '00:30'));
  const context = await readGroupContext(db, reader, group.chat, now);
  expect(context?.hourly).toEqual([]);
  const { digests } = await service.digests({ day: '2026-03-05', kind: 'hourly' });
  expect(digests[0]?.hourly.map(({ text }) => text)).toEqual([
    '04:00-05:00: Mum said “Breakfast is final at nine”.',
  ]);
});

test('computes the saved tokens as the cost of the messages minus that of the digests', async () => {
  for (let n = 0; n < 60; n++)
    await group.say({
      at: `2026-03-04T05:${String(n).padStart(2, '0')}:00Z`,
      who: 'Mum',
      text: `Plan ${n}: ${'a long talk about the lunch '.repeat(8)}`,
    });
  await digestUntil(day(6, '06:00'));
  const context = await readGroupContext(db, reader, group.chat, now);
  if (context === null) throw new Error('no context');
  expect(context.behindDigests).toBeGreaterThan(3_000);
  expect(tokensSparedBy(context)).toBeGreaterThan(2_000);
  expect(tokensSparedBy(context)).toBeLessThan(context.behindDigests);
});

test('keeps other groups out of the context of a group', async () => {
  await group.say({ at: day(6, '05:00'), who: 'Mum', text: 'A secret of the first group' });
  await digestUntil(day(6, '06:00'));
  const other = await observedGroup(harness, model, {
    zone: 'Europe/London',
    since: '2026-03-01T00:00:00Z',
    now: () => now,
  });
  const context = await readGroupContext(db, reader, other.chat, now);
  expect(JSON.stringify(context)).not.toContain('secret');
});

test('finds digests and facts by search, with their time, within the scope of the group', async () => {
  verifies('004-T2-SEARCH', '004-BRIDGE-ENTITIES');
  await group.say({
    at: day(5, '05:00'),
    who: 'Mum',
    text: 'Venue is final: Amber Court, Sunday 12:30',
  });
  await digestUntil(day(6, '00:00'));
  const opened = openSearch({
    ...conversations,
    now: () => now,
    admins: [],
    zone: 'Asia/Kolkata',
    embeddings: noChoice(async () => null),
  });
  opened.indexer.start();
  const found = async (scope: Parameters<typeof opened.search.search>[0], question: string) =>
    (await opened.search.search(scope, question)).map(({ digestKind, at }) => [
      digestKind,
      at.toISOString(),
    ]);
  await opened.search.caughtUp();
  const hits = await found({ kind: 'owner' }, 'Amber Court');
  expect(hits).toContainEqual(['fact', '2026-03-05T04:30:00.000Z']);
  expect(hits).toContainEqual(['digest', '2026-03-04T22:30:00.000Z']);
  expect(await found({ kind: 'chat', chat: group.chat }, 'Amber Court')).toEqual(hits);
  expect(await found({ kind: 'assistant' }, 'Amber Court')).toEqual([]);
  const { hits: shown } = await opened.service.search({ q: 'Amber Court', limit: 20 });
  expect(shown.map(({ source }) => source)).toContain('fact');
  expect(shown.find(({ source }) => source === 'fact')).toMatchObject({
    from_me: false,
    chat_name: 'Holliday',
  });
  const mine = await opened.service.search({ q: 'Amber Court', limit: 20, contact: 'me' });
  expect(mine.hits.filter(({ source }) => source !== 'message')).toEqual([]);
  // Deleted with the digest.
  await harness.sql('DELETE FROM digests WHERE chat_id = $1', [group.chat]);
  expect((await found({ kind: 'owner' }, 'Amber Court')).map(([told]) => told)).toEqual([
    undefined,
  ]);
  await opened.indexer.stop();
});

test('shows the hours of an unfinished day and says when its digest is made', async () => {
  await group.say({ at: day(6, '05:00'), who: 'Mum', text: 'Lunch is final' });
  await digestUntil(day(6, '06:00'));
  const { digests } = await service.digests({ day: 'today' });
  expect(digests[0]).toMatchObject({
    group: 'Holliday',
    day: '2026-03-06',
    daily: null,
    instead: 'The day is not over. The daily digest is written at 04:00. Hours so far:',
    hourly: [{ text: '10:00-11:00: Mum said “Lunch is final”.' }],
  });
});

test('shows the last day with content without a given day, and finds a group by part of its name', async () => {
  await group.say({ at: day(5, '05:00'), who: 'Mum', text: 'Lunch is final' });
  await digestUntil(day(6, '06:00'));
  const [found] = (await service.digests({ group: 'holli' })).digests;
  expect(found?.day).toBe('2026-03-05');
  expect(found?.daily?.text).toContain('Lunch is final');
  expect(found?.daily?.cost_tokens).toBeGreaterThan(0);
  const same = async (said: string) => (await service.digests({ day: said })).digests[0]?.day;
  expect(await same('yesterday')).toBe('2026-03-05');
  expect(await same('thursday')).toBe('2026-03-05');
  expect((await service.digests({ group: 'the family group' })).digests).toHaveLength(1);
});

test('refuses an unknown day or group with a sentence', async () => {
  await expect(service.digests({ day: 'whenever' })).rejects.toThrow('"whenever" is not a day');
  await expect(service.digests({ day: 'last week' })).rejects.toThrow('is not a day');
  await expect(service.digests({ group: 'nobody' })).rejects.toThrow('Observed groups: Holliday');
  await harness.sql('DELETE FROM observed_groups');
  await expect(service.digests({})).rejects.toThrow('No group is observed');
});

test('stores nothing about a member except that they took part', async () => {
  verifies('004-PRIV-NO-PROFILES');
  await nineDays();
  await digestUntil(day(11, '00:00'));
  const facts = await harness.sql<{ kind: string; body: string; data: Record<string, unknown> }>(
    "SELECT kind, body, data FROM digest_facts WHERE kind = 'participant'",
  );
  expect(new Set(facts.map(({ body }) => body))).toEqual(new Set(['Mum', 'Papa', 'Priya']));
  for (const { data } of facts) expect(data).toMatchObject({ who: null, when: null });
  const asked = model.server.calls().map(({ body }) => JSON.stringify(body));
  expect(
    asked.every((prompt) => prompt.includes('Say nothing about what kind of person somebody is')),
  ).toBe(true);
  const found = await harness.sql(
    "SELECT FROM search_documents d JOIN digest_facts f ON d.source_kind = 'fact' AND d.source_id = f.id::text WHERE f.kind IN ('participant', 'mood')",
  );
  expect(found).toEqual([]);
});
