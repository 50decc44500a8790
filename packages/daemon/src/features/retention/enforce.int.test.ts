import { randomUUID } from 'node:crypto';
import type { ChatId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { pruneOldRows } from '../../platform/db/prune.ts';
import { openRetention } from './feature.ts';
import { openRetentionFixture } from './testing/fixture.ts';

const fixture = await openRetentionFixture();
const { account, database, retention, sql, deps } = fixture;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = new Date('2026-11-15T12:00:00Z');
fixture.setNow(NOW);
const ago = (ms: number) => new Date(NOW.getTime() - ms);

async function group({ observed = true } = {}): Promise<ChatId> {
  const id = randomUUID() as ChatId;
  await sql(
    `INSERT INTO chats (account_id, id, kind, group_address, subject) VALUES ($1, $2, 'group', $3, 'Family')`,
    [account, id, `${id}@g.us`],
  );
  if (observed) {
    await sql(`INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'UTC')`, [
      account,
      id,
    ]);
  }
  return id;
}

async function say(chat: ChatId, at: Date, count = 1): Promise<void> {
  await sql('SELECT ensure_message_month($1)', [at]);
  await sql(
    `INSERT INTO messages (account_id, chat_id, sent_at, from_me, message_id, kind, body)
     SELECT $1, $2, $3, false, gen_random_uuid()::text, 'conversation', 'hello' FROM generate_series(1, $4)`,
    [account, chat, at, count],
  );
  await sql(
    `INSERT INTO message_keys (account_id, chat_id, sender, message_id, id, sent_at)
     SELECT account_id, chat_id, 'them', message_id, id, sent_at FROM messages WHERE chat_id = $1
     ON CONFLICT DO NOTHING`,
    [chat],
  );
  await sql(
    `INSERT INTO observed_messages SELECT account_id, chat_id, id, sent_at, 'content', false, 1 FROM messages
     WHERE chat_id = $1 AND chat_id IN (SELECT chat_id FROM observed_groups) ON CONFLICT DO NOTHING`,
    [chat],
  );
}

async function digest(chat: ChatId, ended: Date, kind = 'hourly'): Promise<string> {
  const id = randomUUID();
  await sql(
    `INSERT INTO digests (account_id, id, chat_id, kind, period_start, period_end, body, tokens)
     VALUES ($1, $2, $3, $4, $5, $6, 'so it was', 3)`,
    [account, id, chat, kind, new Date(ended.getTime() - HOUR), ended],
  );
  await sql(
    `INSERT INTO digest_facts (account_id, digest_id, kind, body) VALUES ($1, $2, 'event', 'a fact')`,
    [account, id],
  );
  return id;
}

const left = async (table: string, chat: ChatId) =>
  Number((await sql(`SELECT count(*) FROM ${table} WHERE chat_id = $1`, [chat]))[0]?.count);
const groupOf = async (chat: ChatId) =>
  (await retention.service.status()).groups.find(({ chat_id }) => chat_id === chat);

test('keeps messages of an observed group for 30 days, as the rows prove', async () => {
  verifies('004-PRIV-RAW-30');
  const chat = await group();
  await say(chat, ago(30 * DAY + 1), 3);
  await say(chat, ago(29 * DAY + 3 * HOUR), 2);
  await say(chat, ago(HOUR));
  expect(await groupOf(chat)).toMatchObject({ within_limits: false, messages: 6 });
  const run = await retention.service.run();
  expect(run).toMatchObject({ messages: 3, cause: 'owner', scoured: true });
  expect(await groupOf(chat)).toMatchObject({
    name: 'Family',
    observed: true,
    within_limits: true,
    messages: 3,
    oldest_message_at: ago(29 * DAY + 3 * HOUR).toISOString(),
  });
  for (const table of ['messages', 'message_keys', 'observed_messages'])
    expect([table, await left(table, chat)]).toEqual([table, 3]);
  // A day later the next two are due, and the nightly run deletes them.
  fixture.setNow(new Date(NOW.getTime() + DAY));
  await retention.nightly();
  expect(await left('messages', chat)).toBe(1);
  expect((await retention.service.status()).runs[0]).toMatchObject({ cause: 'night', messages: 2 });
  fixture.setNow(NOW);
});

test('keeps a digest and its facts for 4 weeks, and removes exported copies first', async () => {
  verifies('004-PRIV-DIGEST-4W');
  const chat = await group();
  const old = await digest(chat, ago(28 * DAY + 1_000));
  const daily = await digest(chat, ago(40 * DAY), 'daily');
  const young = await digest(chat, ago(28 * DAY - 1_000));
  const told: string[] = [];
  const exportedCopies = {
    erase: async (digests: readonly string[]) => {
      expect(await left('digests', chat)).toBe(3);
      told.push(...digests);
      return digests.length;
    },
  };
  const run = await openRetention({ ...deps, exportedCopies }).service.run();
  expect(run.digests).toBe(2);
  expect(told.sort()).toEqual([old, daily].sort());
  expect(await sql('SELECT id FROM digests WHERE chat_id = $1', [chat])).toEqual([{ id: young }]);
  expect(
    await sql('SELECT digest_id FROM digest_facts WHERE digest_id = ANY($1)', [[old, young]]),
  ).toEqual([{ digest_id: young }]);
  expect(await groupOf(chat)).toMatchObject({ within_limits: true, digests: 1 });
});

test('keeps messages of groups that are not observed, and deletes the earlier ones of a former one', async () => {
  const [never, once] = [await group({ observed: false }), await group()];
  await say(never, ago(100 * DAY), 2);
  await say(once, ago(20 * DAY), 2);
  await digest(once, ago(20 * DAY));
  await sql('DELETE FROM observed_groups WHERE chat_id = $1', [once]);
  await sql('UPDATE once_observed SET until = $2 WHERE chat_id = $1', [once, ago(10 * DAY)]);
  await say(once, ago(5 * DAY));
  expect(await groupOf(once)).toMatchObject({ observed: false, messages: 2 });
  fixture.setNow(new Date(NOW.getTime() + 40 * DAY));
  await retention.service.run();
  expect([await left('messages', never), await left('messages', once)]).toEqual([2, 1]);
  expect([await left('digests', once), await left('once_observed', once)]).toEqual([0, 0]);
  fixture.setNow(NOW);
});

test('keeps what is exactly as old as the limit', async () => {
  const chat = await group();
  await say(chat, ago(30 * DAY));
  await digest(chat, ago(28 * DAY));
  await retention.service.run();
  expect([await left('messages', chat), await left('digests', chat)]).toEqual([1, 1]);
});

test('deletes more than fits into one transaction', async () => {
  const chat = await group();
  await say(chat, ago(31 * DAY), 2_500);
  await say(chat, ago(DAY));
  expect((await retention.service.run()).messages).toBe(2_500);
  expect(await left('messages', chat)).toBe(1);
});

test('deletes at the start what became too old while the daemon was not running', async () => {
  const chat = await group();
  await say(chat, ago(31 * DAY));
  await retention.start()();
  expect(await left('messages', chat)).toBe(0);
  expect((await retention.service.status()).runs[0]).toMatchObject({
    cause: 'start',
    messages: 1,
    scoured: false,
  });
});

/** A contact with a direct chat in which both wrote, 10 and 100 days ago. */
async function acquaintance(): Promise<{ contact: string; chat: ChatId }> {
  const [contact, chat] = [randomUUID(), randomUUID() as ChatId];
  await sql('INSERT INTO contacts (account_id, id, display_name) VALUES ($1, $2, $3)', [
    account,
    contact,
    'Ana',
  ]);
  await sql(`INSERT INTO chats (account_id, id, kind, contact_id) VALUES ($1, $2, 'direct', $3)`, [
    account,
    chat,
    contact,
  ]);
  await say(chat, ago(100 * DAY), 2);
  await say(chat, ago(10 * DAY), 2);
  return { contact, chat };
}

async function sendLongAgo(chat: ChatId, instance: string | null): Promise<void> {
  const permit = randomUUID();
  await sql(
    `INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, instance_id, content_hash)
     SELECT $1, $2, seq, 'owner', 'send_message', $3::uuid, $4, ''
     FROM ledger_add($1, 'owner', 'send_message', 'chat', $3::uuid::text, 'allow', 'owner', '{}')`,
    [account, permit, chat, instance],
  );
  await sql(
    `INSERT INTO outbox (account_id, id, permit_id, chat_id, instance_id, message_id, body, state, created_at, sent_at)
     VALUES ($1, gen_random_uuid(), $2, $3, $4, $5, 'hello', 'read', $6, $6)`,
    [account, permit, chat, instance, randomUUID(), ago(100 * DAY)],
  );
}

const countDecisions = async () => Number((await sql('SELECT count(*) FROM ledger'))[0]?.count);

const runWithLimit = (days: number) =>
  openRetention({ ...deps, limits: { ...deps.limits, messages_days: days } }).service.run();

test('keeps all messages by default, and deletes older ones of all chats but those with another limit', async () => {
  verifies('STORE-LIMIT-ALL');
  const [ana, ben, mom] = [await acquaintance(), await acquaintance(), await acquaintance()];
  const family = await group();
  await say(family, ago(20 * DAY), 1);
  await retention.service.run();
  expect(await left('messages', ana.chat)).toBe(4);

  // A contact's id and a chat's id both name the chat.
  await retention.service.setChat(ben.contact, 5);
  expect(await retention.service.setChat(mom.chat, 0)).toMatchObject({ days: 0, messages: 4 });
  await runWithLimit(30);
  const counts = [ana, ben, mom].map(({ chat }) => left('messages', chat));
  expect(await Promise.all(counts)).toEqual([2, 0, 4]);
  expect(await left('message_keys', ben.chat)).toBe(0);
  expect(await left('messages', family)).toBe(1);
  const { chats } = await retention.service.status();
  expect(chats.map(({ chat_id, days }) => [chat_id, days])).toEqual(
    expect.arrayContaining([
      [ben.chat, 5],
      [mom.chat, 0],
    ]),
  );

  // The limit of observed groups still applies to a group that is kept longer.
  await say(family, ago(31 * DAY), 1);
  await retention.service.setChat(family, 365);
  await retention.service.setChat(mom.chat, null);
  await runWithLimit(99);
  expect([await left('messages', family), await left('messages', mom.chat)]).toEqual([1, 2]);
  await expect(retention.service.setChat(randomUUID(), 5)).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('deletes what Relay sent under a limit, but nothing of an open conversation, its transcript or the ledger', async () => {
  verifies('STORE-LIMIT-KEEPS');
  const { contact, chat } = await acquaintance();
  const [open, ended] = [randomUUID(), randomUUID()];
  for (const [instance, state] of [
    [open, 'WAITING_FOR_REPLY'],
    [ended, 'COMPLETED'],
  ] as const) {
    await sql(
      `INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, state, interval_ms, max_followups)
       VALUES ($1, $2, $3, $4, '+1', 'o', $5, 1, 1)`,
      [account, instance, contact, chat, state],
    );
    await sql(
      `INSERT INTO instance_messages (account_id, instance_id, role, content) VALUES ($1, $2, 'agent', 'hello')`,
      [account, instance],
    );
    await sendLongAgo(chat, instance);
  }
  await sendLongAgo(chat, null);
  const decisions = await countDecisions();
  await retention.service.setChat(chat, 90);
  await retention.service.run();
  expect(await sql('SELECT instance_id FROM outbox WHERE chat_id = $1', [chat])).toEqual([
    { instance_id: open },
  ]);
  expect(await left('permits', chat)).toBe(1);
  expect(
    await sql('SELECT FROM instance_messages WHERE instance_id = ANY($1)', [[open, ended]]),
  ).toHaveLength(2);
  expect(await countDecisions()).toBe(decisions + 1);
});

test('reports the next run and the other limits', async () => {
  const status = await retention.service.status();
  expect(status.next_run_at).toBe('2026-11-16T04:17:00.000Z');
  expect(status.others).toContainEqual({
    what: 'received messages that are not stored',
    limit: '7 days',
  });
  await pruneOldRows(database.kysely, deps.log);
});

test('records in the ledger how much was deleted, without naming anybody', async () => {
  const rows =
    await sql(`SELECT actor, outcome, reason, detail FROM ledger WHERE action = 'enforce_retention'
    ORDER BY seq LIMIT 1`);
  expect(rows).toEqual([
    { actor: 'owner', outcome: 'erased', reason: 'too_old', detail: { messages: 3, digests: 0 } },
  ]);
});
