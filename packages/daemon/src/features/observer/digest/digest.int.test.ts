// Tests digests with a real database and the scripted model: which are made, what they contain, what a model is shown,
// and what remains after a model failure, a spent budget or a kill.
import { dayIn } from '@relay/core/schedule/zone';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';
import { scripted } from '../../../models/agent/testing/scripted.ts';
import { openDigests } from '../feature.ts';
import { observedGroup, type TestGroup } from './testing/group.ts';

const harness = await freshDaemonHarness();
const model = scripted();
let now = new Date();
const at = (moment: string) => {
  now = new Date(moment);
};
let group: TestGroup;

beforeEach(async () => {
  at('2026-03-06T06:30:00Z');
  await harness.sql('DELETE FROM spending');
  group = await another();
});

const another = () =>
  observedGroup(harness, model, {
    zone: 'Asia/Kolkata',
    since: '2026-03-05T00:00:00Z',
    now: () => now,
  });

const bodies = async (kind?: 'hourly' | 'daily') =>
  (await group.digests(kind)).map(({ body }) => body);

test('makes one digest for a finished hour with messages and none for an empty hour', async () => {
  verifies('004-T1-HOURLY', '004-T1-FORMAT');
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

const MORNING = [
  { at: '2026-03-06T04:32:00Z', who: 'Mum', text: 'Lunch at Amber Court is final, Sunday 12:30' },
  { at: '2026-03-06T04:40:00Z', who: 'Papa', text: 'Who picks up the cake?' },
] as const;

const calls = () => model.server.calls().map(({ body }) => JSON.stringify(body));
const questions = () => calls().filter((body) => body.includes('You sum up one'));

test('makes the digest of a day after 04:00 local time, from its hours, with facts', async () => {
  verifies('004-T2-DAILY', '004-T2-EXTRACT');
  await group.say(...MORNING, {
    at: '2026-03-06T09:00:00Z',
    who: 'Rohan',
    text: "I'll call the hotel tomorrow",
  });
  at('2026-03-06T22:30:30Z');
  await group.wake();
  expect(await bodies('daily')).toEqual([]);
  expect(await group.nextLook()).toEqual(new Date('2026-03-06T22:31:00Z'));
  at('2026-03-06T22:31:00Z');
  await group.wake();
  const [day] = await group.digests('daily');
  expect(day?.start).toEqual(new Date('2026-03-05T22:30:00Z'));
  expect(questions().at(-1)).toContain('10:00-11:00: Mum said');
  expect(questions().at(-1)).not.toContain('[Fri 10:02]');
  const facts = await harness.sql<{ kind: string; body: string; data: object }>(
    'SELECT f.kind, f.body, f.data FROM digest_facts f JOIN digests d ON d.id = f.digest_id WHERE d.chat_id = $1 ORDER BY f.id',
    [group.chat],
  );
  expect(facts.map(({ kind, body }) => `${kind}: ${body}`)).toEqual([
    'decision: Lunch at Amber Court is final, Sunday 12:30',
    "event: I'll call the hotel tomorrow",
    "action_item: I'll call the hotel tomorrow",
    'open_question: Who picks up the cake?',
    'participant: Mum',
    'participant: Papa',
    'participant: Rohan',
  ]);
  expect(facts[0]?.data).toEqual({
    who: 'Mum',
    when: 'Sunday 12:30',
    said_at: '2026-03-06T04:30:00.000Z',
  });
});

test('asks no model and writes nothing twice when nothing is due', async () => {
  await group.say(...MORNING);
  await group.wake();
  const made = await group.digests();
  const told = () =>
    harness.sql("SELECT data FROM events WHERE kind = 'digest' AND subject = $1", [group.chat]);
  expect(await told()).toEqual([{ data: { kind: 'hourly', day: '2026-03-06' } }]);
  const asked = calls().length;
  await group.wake();
  expect(await told()).toHaveLength(1);
  expect(await group.digests()).toEqual(made);
  expect(calls()).toHaveLength(asked);
});

test('makes no model call for hours without content or with media only', async () => {
  verifies('004-PRIV-HONEST', '004-ANTI-MEDIA');
  await group.say(
    { at: '2026-03-06T02:40:00Z', who: 'Nani', text: 'Good morning', category: 'greeting' },
    {
      at: '2026-03-06T03:40:00Z',
      who: 'Nani',
      text: '',
      kind: 'audioMessage',
      category: 'media_only',
    },
    {
      at: '2026-03-06T03:41:00Z',
      who: 'Mum',
      text: '',
      kind: 'imageMessage',
      category: 'media_only',
    },
    {
      at: '2026-03-06T03:42:00Z',
      who: 'Mum',
      text: '',
      kind: 'imageMessage',
      category: 'media_only',
    },
  );
  await group.wake();
  expect(await bodies()).toEqual([
    '09:00-10:00: Not seen or heard by me: Nani sent a voice note, Mum sent 2 photos.',
  ]);
  expect(calls()).toEqual([]);
});

test('adds its own note about media, whatever the model says of it', async () => {
  verifies('004-PRIV-HONEST', '004-ANTI-MEDIA');
  model.server.rules([
    {
      when: { system: 'You sum up one hour' },
      reply: { text: '{"digest": "Mum shared a lovely sunset."}' },
    },
  ]);
  await group.say(
    {
      at: '2026-03-06T04:31:00Z',
      who: 'Mum',
      text: '',
      kind: 'imageMessage',
      category: 'media_only',
    },
    ...MORNING,
  );
  await group.wake();
  expect((await bodies())[0]).toMatch(/Not seen or heard by me: Mum sent a photo\.$/);
  expect(questions()[0]).toContain('Nobody has seen or heard photos');
});

test('never shows private text to the model', async () => {
  verifies('004-PRIV-ANONYMISE');
  await group.say(...MORNING, {
    at: '2026-03-06T04:50:00Z',
    who: 'Amy',
    text: "I'm at A&E with kidney stones. My account is GB33BUKB20201555555555",
  });
  await group.wake();
  const shown = calls().join('\n');
  expect(shown).toContain('A member: ');
  for (const secret of ['kidney', 'A&E', 'GB33', 'Amy']) expect(shown).not.toContain(secret);
});

test('marks replies, so that neighbouring lines are not read as one discussion', async () => {
  verifies('004-ANTI-INTERLEAVED');
  await group.say(
    { at: '2026-03-06T04:31:00Z', who: 'Mum', text: 'When do you land?', id: 'ask' },
    { at: '2026-03-06T04:32:00Z', who: 'Papa', text: 'Lunch at 12:30?' },
    { at: '2026-03-06T04:33:00Z', who: 'Priya', text: '10:20', quotes: 'ask' },
    // Written first, delivered last.
    { at: '2026-03-06T04:30:30Z', who: 'Rohan', text: 'Call me at five' },
  );
  await group.wake();
  const prompt = questions()[0] ?? '';
  expect(prompt).toContain(
    'Priya (answers Mum\'s \\\\\\"When do you land?\\\\\\"): 10:20'.replaceAll('\\\\\\', '\\'),
  );
  expect(prompt.indexOf('Call me at five')).toBeLessThan(prompt.indexOf('When do you land?'));
  expect(prompt).toContain('Do not read neighbouring lines as one talk');
});

test('replaces the digest of an hour when a message arrives late or is deleted', async () => {
  const [, cake] = await group.say(...MORNING);
  await group.wake();
  await group.say({ at: '2026-03-06T04:45:00Z', who: 'Priya', text: 'We land Friday 05:40' });
  await group.takeBack(cake ?? 0);
  await group.wake();
  expect(await bodies()).toEqual([
    '10:00-11:00: Mum said “Lunch at Amber Court is final, Sunday 12:30”. Priya said “We land Friday 05:40”.',
  ]);
});

test('removes a digest from storage and search when all its messages were deleted', async () => {
  const numbers = await group.say(...MORNING);
  await group.wake();
  for (const number of numbers) await group.takeBack(number);
  await group.wake();
  expect(await bodies()).toEqual([]);
  expect(
    await harness.sql(
      "SELECT FROM search_documents WHERE chat_id = $1 AND source_kind = 'digest'",
      [group.chat],
    ),
  ).toEqual([]);
});

test('asks the model again after an answer without a digest', async () => {
  model.server.rules([
    { when: { system: 'You sum up one hour' }, reply: { text: '{"digest":' }, times: 1 },
  ]);
  await group.say(...MORNING);
  await group.wake();
  expect((await bodies())[0]).toMatch(/^10:00-11:00: Mum said/);
  expect(questions()).toHaveLength(2);
  expect(questions()[1]).toContain('could not be read');
});

test('stores a failure instead of a digest after unreadable answers and stops after three attempts', async () => {
  model.server.rules([{ when: { system: 'You sum up one' }, reply: { text: '<garbage>' } }]);
  await group.say(...MORNING);
  for (const tries of [1, 2, 3, 3]) {
    await group.wake();
    expect(await bodies()).toEqual([]);
    const [failure] = await harness.sql(
      'SELECT tries, reason FROM digest_failures WHERE chat_id = $1',
      [group.chat],
    );
    expect(failure).toEqual({ tries, reason: expect.stringContaining('no digest') });
  }
  expect(questions()).toHaveLength(6);
  // A new message allows another attempt.
  model.server.rules([]);
  await group.say({ at: '2026-03-06T04:55:00Z', who: 'Priya', text: 'We land Friday 05:40' });
  await group.wake();
  expect(await bodies()).toHaveLength(1);
  expect(await harness.sql('SELECT FROM digest_failures WHERE chat_id = $1', [group.chat])).toEqual(
    [],
  );
});

test('retries soon when the model cannot be reached', async () => {
  model.server.rules([{ when: { system: 'You sum up one' }, reply: { status: 401 } }]);
  await group.say(...MORNING);
  await group.wake();
  expect(await bodies()).toEqual([]);
  expect(await group.nextLook()).toEqual(new Date('2026-03-06T06:31:00Z'));
  model.server.rules([]);
  await group.wake();
  expect(await bodies()).toHaveLength(1);
});

test('asks nothing when the daily tokens are used up, and catches up the next day', async () => {
  await harness.sql('INSERT INTO spending (account_id, day, tokens) VALUES ($1, $2, 2000000)', [
    harness.account,
    dayIn(harness.conversations.zone, now),
  ]);
  await group.say(...MORNING);
  await group.wake();
  expect(calls()).toEqual([]);
  const [failure] = await harness.sql<{ reason: string }>(
    'SELECT reason FROM digest_failures WHERE chat_id = $1',
    [group.chat],
  );
  expect(failure?.reason).toContain('agent.tokens_per_day');
  at('2026-03-07T12:00:00Z');
  await group.wake();
  expect(await bodies('hourly')).toHaveLength(1);
  expect(await bodies('daily')).toHaveLength(1);
});

test('counts each call as a run of the group’s session and its usage for the group', async () => {
  verifies('004-TOKENS-SHOWN');
  await group.say(...MORNING);
  await group.wake();
  const runs = await harness.sql<{ kind: string; state: string; tokens: number }>(
    `SELECT s.kind, r.state, r.input_tokens + r.output_tokens AS tokens FROM runs r
     JOIN sessions s ON s.id = r.session_id WHERE s.chat_id = $1`,
    [group.chat],
  );
  expect(runs).toEqual([{ kind: 'observer', state: 'done', tokens: expect.any(Number) }]);
  const usage = await harness.sql<{ spent: number }>(
    'SELECT tokens_spent AS spent FROM observer_usage WHERE chat_id = $1',
    [group.chat],
  );
  expect(usage[0]?.spent).toBe(runs[0]?.tokens);
  expect(usage[0]?.spent).toBeGreaterThan(0);
});

test('catches up after days offline, oldest first, a few per job', async () => {
  const days = ['2026-03-05', '2026-03-06', '2026-03-07'];
  for (const day of days)
    await group.say(
      { at: `${day}T04:32:00Z`, who: 'Mum', text: `Lunch is final for ${day}` },
      { at: `${day}T09:32:00Z`, who: 'Papa', text: `Dinner is final for ${day}` },
    );
  at('2026-03-08T00:00:00Z');
  await group.wake();
  expect(await group.digests()).toHaveLength(4);
  expect(await group.nextLook()).toEqual(now);
  await group.wake();
  await group.wake();
  expect((await group.digests()).map(({ kind }) => kind)).toHaveLength(9);
  expect(await bodies('daily')).toHaveLength(3);
});

test('makes no digest for a group that is no longer observed', async () => {
  await group.say(...MORNING);
  await harness.sql('DELETE FROM observed_groups WHERE chat_id = $1', [group.chat]);
  await group.wake();
  expect(await bodies()).toEqual([]);
  expect(await group.nextLook()).toBeNull();
});

test('checks an hour that ends during a model call right after it, not an hour later', async () => {
  await group.say(...MORNING);
  model.server.play(() => {
    at('2026-03-06T07:33:00Z');
    return { text: '{"digest": "Mum fixed lunch for Sunday."}' };
  });
  await group.wake();
  model.server.play(undefined);
  expect(await group.nextLook()).toEqual(new Date('2026-03-06T06:31:00Z'));
});

test('stores no digest for a group that stops being observed during the model call', async () => {
  model.server.play(() => {
    void harness.sql('DELETE FROM observed_groups WHERE chat_id = $1', [group.chat]);
    return { text: '{"digest": "Mum fixed lunch for Sunday."}', delay_ms: 200 };
  });
  await group.say(...MORNING);
  await group.wake();
  model.server.play(undefined);
  expect(await bodies()).toEqual([]);
});

test('stores nothing twice after a kill at any point', async () => {
  for (const point of KILLS) {
    group = await another();
    await group.say(...MORNING);
    at('2026-03-06T22:31:00Z');
    await group.wake(killedAt(point)).catch(() => {});
    await group.wake();
    await group.wake();
    expect({ point, kinds: (await group.digests()).map(({ kind }) => kind).sort() }).toEqual({
      point,
      kinds: ['daily', 'hourly'],
    });
    const documents = await harness.sql(
      "SELECT source_kind FROM search_documents WHERE chat_id = $1 AND source_kind = 'digest'",
      [group.chat],
    );
    expect(documents).toHaveLength(2);
    const facts = await harness.sql<{ body: string }>(
      'SELECT f.body FROM digest_facts f JOIN digests d ON d.id = f.digest_id WHERE d.chat_id = $1',
      [group.chat],
    );
    expect(new Set(facts.map(({ body }) => body)).size).toBe(facts.length);
    const running = await harness.sql(
      "SELECT FROM runs r JOIN sessions s ON s.id = r.session_id WHERE s.chat_id = $1 AND r.state = 'running'",
      [group.chat],
    );
    expect(running).toEqual([]);
  }
});

/** Before any call, during the call for the hour, and during the call for the day. */
const KILLS = ['before', 'hour', 'day'] as const;

function killedAt(point: (typeof KILLS)[number]): AbortSignal {
  const killer = new AbortController();
  if (point === 'before') killer.abort(new Error('killed'));
  model.server.play((request) => {
    if (!JSON.stringify(request).includes(`You sum up one ${point}`)) return undefined;
    model.server.play(undefined);
    killer.abort(new Error('killed'));
    return { text: 'too late', delay_ms: 50 };
  });
  return killer.signal;
}

test('checks a group without a timer, such as one from a backup, when the daemon starts', async () => {
  await group.say(...MORNING);
  expect(await group.nextLook()).toBeNull();
  await openDigests(group.deps).enqueueForgotten();
  expect(await group.nextLook()).toEqual(now);
});

test('removes noise before a model sees it, and shows a day as its hourly digests', async () => {
  verifies('004-ANTI-ROT');
  await group.say(
    { at: '2026-03-06T04:31:00Z', who: 'Nani', text: 'Suprabhat ji', category: 'greeting' },
    { at: '2026-03-06T04:33:00Z', who: 'Ishaan', text: 'lmaooo', category: 'chatter' },
    ...MORNING,
  );
  at('2026-03-06T22:31:00Z');
  await group.wake();
  expect(questions()).toHaveLength(2);
  for (const noise of ['Suprabhat', 'lmaooo']) expect(calls().join()).not.toContain(noise);
});
