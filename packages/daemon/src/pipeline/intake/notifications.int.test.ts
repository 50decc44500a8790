// Tests with messages of an observed group that arrive from WhatsApp and as notifications, in every order: each is
// stored once, and the one from WhatsApp wins.
import { randomUUID } from 'node:crypto';
import type { ForwardedNotification } from '@relay/contract/api/ingest';
import type { ChatId } from '@relay/contract/ids';
import { settingsSchema } from '@relay/contract/settings';
import { PAIRING_SKEW_MS } from '@relay/core/ingest/pairing';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { verifies } from '@relay/testing/verifies';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { onRoute, type StoredMessageRef } from '../router/router.ts';
import { takeInBatch } from './intake.ts';
import { createIngestService } from './notifications.ts';
import { group, incoming, openPlain, phone, readJson, receive } from './testing/inbox.ts';

const NOW = new Date('2026-03-12T12:00:00Z');
const AT = Date.UTC(2026, 2, 12, 10);
const MINUTE = 60_000;

const harness = await freshDaemonHarness();
const { sql, account, conversations, jobs } = harness;
const { db, lease, events } = conversations;
const ingest = createIngestService({ db, lease, jobs, events, now: () => NOW });
const ADMIN = '4915100000009';
const route = onRoute({ ...conversations, settings: settingsSchema.parse({}) }, [ADMIN]);

let chat: ChatId;

/** A group "Holliday" with Ana (1), Ben (2) and somebody else called Ben (3). */
beforeEach(async () => {
  await sql(
    'TRUNCATE messages, message_keys, inbox, notifications, chats, contacts, observed_groups CASCADE',
  );
  await sql('DELETE FROM relay_jobs.job');
  chat = await observe('Holliday', group(1));
  for (const [n, name] of [
    [1, 'Ana'],
    [2, 'Ben'],
    [3, 'Ben'],
  ] as const) {
    const id = randomUUID();
    await sql('INSERT INTO contacts (account_id, id, push_name) VALUES ($1, $2, $3)', [
      account,
      id,
      name,
    ]);
    await sql("INSERT INTO contact_aliases VALUES ($1, 'phone', $2, $3)", [
      account,
      phone(n).split('@')[0],
      id,
    ]);
    await sql('INSERT INTO chat_members (account_id, chat_id, contact_id) VALUES ($1, $2, $3)', [
      account,
      chat,
      id,
    ]);
  }
});

async function observe(subject: string, address: string): Promise<ChatId> {
  const id = randomUUID();
  await sql(
    `INSERT INTO chats (account_id, id, kind, group_address, subject) VALUES ($1, $2, 'group', $3, $4)`,
    [account, id, address, subject],
  );
  await sql(
    "INSERT INTO observed_groups (account_id, chat_id, zone, since) VALUES ($1, $2, 'UTC', '2026-01-01')",
    [account, id],
  );
  await sql(
    "INSERT INTO grants (account_id, chat_id, display_name, can_read) VALUES ($1, $2, '', true)",
    [account, id],
  );
  return id as ChatId;
}

const note = (text: string, over: Partial<ForwardedNotification> = {}): ForwardedNotification => ({
  sender: 'Ana',
  group: 'Holliday',
  text,
  timestamp: new Date(AT).toISOString(),
  ...over,
});

async function hear(...messages: Parameters<typeof incoming>[0][]): Promise<void> {
  const all = messages.map((message) =>
    incoming({ chat: group(1), sender: phone(1), sentAt: new Date(AT), ...message }),
  );
  await receive(harness, account, all);
  while ((await takeInBatch({ db, lease, jobs, unseal: openPlain, read: readJson }, 200)).rows > 0);
}

/** Routes in order like the workers, but only when the test says so. */
async function routeAll(): Promise<void> {
  const waiting = await sql<{ id: string; data: StoredMessageRef }>(
    "SELECT id, data FROM relay_jobs.job WHERE name = 'route' AND state = 'created' ORDER BY created_on, id",
  );
  for (const { id, data } of waiting) {
    await route({ data, complete: async () => {} });
    await sql("DELETE FROM relay_jobs.job WHERE name = 'route' AND id = $1", [id]);
  }
}

const stored = () =>
  sql(
    `SELECT m.body, m.source, m.sender_name, p.push_name, m.from_me FROM messages m
      LEFT JOIN contacts p ON p.account_id = m.account_id AND p.id = m.sender_id ORDER BY m.body, m.id`,
  );

test('stores a notification as a group message and finds its sender by name', async () => {
  verifies('004-IN-WEBHOOK');
  expect(await ingest.take([note('Flight is at 3pm'), note('See you', { sender: 'Ben' })])).toEqual(
    {
      taken: 2,
      repeated: 0,
      left_out: 0,
    },
  );
  expect(await stored()).toEqual([
    {
      body: 'Flight is at 3pm',
      source: 'notification',
      sender_name: 'Ana',
      push_name: 'Ana',
      from_me: false,
    },
    // Two members have this name, so none is chosen.
    {
      body: 'See you',
      source: 'notification',
      sender_name: 'Ben',
      push_name: null,
      from_me: false,
    },
  ]);
  expect(await sql("SELECT 1 FROM relay_jobs.job WHERE name = 'route'")).toHaveLength(2);
});

test('stores media from its placeholder or type, in the same words as a WhatsApp message', async () => {
  await ingest.take([
    note('🎤 Voice message (0:27)'),
    note('Goa!', { media_type: 'image' }),
    note('🚫 This message was deleted'),
  ]);
  expect(await sql('SELECT kind, body, media FROM messages ORDER BY kind')).toEqual([
    {
      kind: 'audioMessage',
      body: '[Audio message]',
      media: expect.objectContaining({ seconds: 27 }),
    },
    { kind: 'imageMessage', body: '[Image] Goa!', media: expect.anything() },
  ]);
});

test('stores nothing for a group that is not observed, or if two groups share its name', async () => {
  await observe('Work', group(2));
  await observe('Work', group(3));
  await sql(
    `INSERT INTO chats (account_id, kind, group_address, subject) VALUES ($1, 'group', $2, 'Neighbours')`,
    [account, group(4)],
  );
  const refused = (name: string) =>
    expect(ingest.take([note('Hello'), note('Hello', { group: name })])).rejects;
  await refused('Neighbours').toMatchObject({ code: 'notification_group_unknown', status: 404 });
  await refused('Nowhere').toMatchObject({ code: 'notification_group_unknown' });
  await refused('Work').toMatchObject({ code: 'notification_group_ambiguous', status: 409 });
  const old = new Date(+NOW - 30 * 86_400_000).toISOString();
  await expect(ingest.take([note('Hello', { timestamp: old })])).rejects.toMatchObject({
    code: 'notification_time',
  });
  expect(await stored()).toEqual([]);
  expect(await sql('SELECT 1 FROM notifications')).toEqual([]);
});

test('does not store a notification again, even if the phone shows it again', async () => {
  verifies('004-IN-DEDUPE');
  await ingest.take([note('ok')]);
  const again = new Date(AT + MINUTE).toISOString();
  expect(
    await ingest.take([
      note('ok'),
      note('ok', { timestamp: again }),
      note('ok', { sender: 'Ben' }),
    ]),
  ).toEqual({ taken: 1, repeated: 2, left_out: 0 });
  const both = await Promise.all([ingest.take([note('yes')]), ingest.take([note('yes')])]);
  expect(both.map(({ taken }) => taken).sort()).toEqual([0, 1]);
  expect(await stored()).toHaveLength(3);
});

test('does not store a notification of a message that the account has received', async () => {
  await hear({ body: 'Flight is at 3pm ✈️', sentAt: new Date(AT - 4 * MINUTE) });
  expect(await ingest.take([note('Flight is at 3pm')])).toMatchObject({ taken: 0, repeated: 1 });
  await routeAll();
  expect(await stored()).toMatchObject([{ source: 'whatsapp' }]);
  expect(await ingest.take([note('Flight is at 3pm')])).toMatchObject({ taken: 0, repeated: 1 });
});

test('replaces a notification and everything derived from it with the received message', async () => {
  await ingest.take([note('Relay, what is the plan for Saturday?')]);
  await routeAll();
  const [row] = await sql<{ id: number }>('SELECT id FROM messages');
  const made = () =>
    sql(`SELECT (SELECT json_agg(message) FROM observed_messages) AS judged,
      (SELECT json_agg(message) FROM observer_requests) AS asked,
      (SELECT sum(messages_kept + messages_cut)::int FROM observer_usage) AS counted`);
  expect(await made()).toEqual([{ judged: [row?.id], asked: [row?.id], counted: 1 }]);
  await hear({ body: 'Relay, what is the plan for Saturday?', sentAt: new Date(AT + 3 * MINUTE) });
  await routeAll();
  const [real] = await sql<{ id: number }>('SELECT id FROM messages');
  expect(await stored()).toMatchObject([{ source: 'whatsapp' }]);
  expect(await made()).toEqual([{ judged: [real?.id], asked: [real?.id], counted: 1 }]);
});

test('does not treat a notification as a request, although it has the owner’s name', async () => {
  await sql('UPDATE contact_aliases SET value = $1 WHERE value = $2', [
    ADMIN,
    phone(1).split('@')[0],
  ]);
  const timestamp = NOW.toISOString();
  await ingest.take([note('Relay, what is the plan for Saturday?', { timestamp })]);
  await routeAll();
  const asked = () => sql('SELECT state, reason FROM observer_requests');
  expect(await asked()).toEqual([{ state: 'silent', reason: 'not_owner' }]);
  expect(await sql("SELECT 1 FROM relay_jobs.job WHERE name <> 'route'")).toEqual([]);
  // The same message from WhatsApp is a request of the owner.
  const sender = `${ADMIN}@s.whatsapp.net`;
  await hear({ body: 'Relay, who brings what?', sender, sentAt: new Date() });
  await routeAll();
  expect(await asked()).toContainEqual({ state: 'asked', reason: null });
});

const WORDS = ['ok', 'on my way', '😂😂', '📷 Photo'];

/** What was really said; how it reaches us is random. */
const anyTruth = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 40 * MINUTE }),
    words: fc.nat(WORDS.length - 1),
    sender: fc.constantFrom({ n: 1, name: 'Ana' }, { n: 2, name: 'Ben' }, { n: 2, name: 'Benny' }),
    skew: fc.integer({ min: -PAIRING_SKEW_MS, max: PAIRING_SKEW_MS - MINUTE }),
    repeats: fc.array(fc.integer({ min: 0, max: MINUTE }), { maxLength: 2 }),
    way: fc.constantFrom('both' as const, 'both' as const, 'wire' as const, 'note' as const),
  }),
  { minLength: 1, maxLength: 7 },
);

test('stores each message once, in any order, with any clock skew and any repetition', {
  timeout: 240_000,
}, async () => {
  verifies('004-IN-DEDUPE');
  await fc.assert(
    fc.asyncProperty(
      anyTruth,
      fc.infiniteStream(fc.double({ noNaN: true })),
      async (truth, dice) => {
        await sql('TRUNCATE messages, message_keys, inbox, notifications CASCADE');
        const die = () => dice.next().value ?? 0;
        const steps = truth.flatMap(({ at, words, sender, skew, repeats, way }, n) => {
          // Only messages that arrive in both ways may share a text, and only time tells those apart.
          const text = way === 'both' ? (WORDS[words] as string) : `only ${n}`;
          const photo = text === '📷 Photo';
          const wire = () =>
            hear({
              sender: phone(sender.n),
              sentAt: new Date(AT + at),
              ...(photo ? { kind: 'imageMessage', body: '[Image]' } : { body: text }),
            });
          const notes = [0, ...repeats].map((later) => async () => {
            const timestamp = new Date(AT + at + skew + later).toISOString();
            await ingest.take([note(text, { sender: sender.name, timestamp })]);
          });
          return way === 'wire' ? [wire] : way === 'note' ? notes : [wire, ...notes];
        });
        for (const { step } of steps
          .map((step) => ({ step, die: die() }))
          .sort((a, b) => a.die - b.die)) {
          await step();
          if (die() > 0) await routeAll();
        }
        await routeAll();
        const rows = await stored();
        expect(rows.filter(({ source }) => source === 'whatsapp')).toHaveLength(
          truth.filter(({ way }) => way !== 'note').length,
        );
        expect(
          rows.filter(({ source }) => source === 'notification').map(({ body }) => body),
        ).toEqual(truth.flatMap(({ way }, n) => (way === 'note' ? [`only ${n}`] : [])));
      },
    ),
    { numRuns: process.env.PROPERTY_RUNS ? 40 : 15 },
  );
});
