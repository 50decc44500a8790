import { settingsSchema } from '@relay/contract/settings';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { takeInBatch } from '../../pipeline/intake/intake.ts';
import {
  group,
  incoming,
  ME,
  openPlain,
  phone,
  readJson,
  receive,
} from '../../pipeline/intake/testing/inbox.ts';
import { onRoute } from '../../pipeline/router/router.ts';

const harness = await freshDaemonHarness();
const { sql, account, conversations, jobs } = harness;
const { db, lease } = conversations;
const OTHER_PHONE = 99;
const admins = [phone(OTHER_PHONE).split('@')[0] ?? ''];
const settings = settingsSchema.parse({ observer: { assistant_name: 'Annie' } });
const hearing = { ...conversations, settings };
jobs.work('route', 4, onRoute(hearing, admins));

type Said = Parameters<typeof incoming>[0];

async function says(...messages: Said[]): Promise<string[]> {
  const all = messages.map((message) => incoming({ sentAt: new Date(), ...message }));
  await receive(harness, account, all);
  while ((await takeInBatch({ db, lease, jobs, unseal: openPlain, read: readJson }, 200)).rows > 0);
  jobs.wake('route');
  await eventually(async () => {
    const open = await sql(
      "SELECT 1 FROM relay_jobs.job WHERE name = 'route' AND state < 'completed' LIMIT 1",
    );
    return open.length === 0;
  });
  return all.map(({ id }) => id);
}

let groups = 0;
/** An observed group with a read grant. */
async function observed(zone = 'UTC'): Promise<string> {
  const address = group(++groups);
  await says({ chat: address, sender: phone(1), body: 'first' });
  await sql(
    `INSERT INTO grants (account_id, chat_id, display_name, can_read)
     SELECT account_id, id, 'Family', true FROM chats WHERE group_address = $1`,
    [address],
  );
  await sql(
    `INSERT INTO observed_groups (account_id, chat_id, zone)
     SELECT account_id, id, $2 FROM chats WHERE group_address = $1`,
    [address, zone],
  );
  return address;
}

const buffer = async (chat: string) =>
  (
    await sql<{ body: string }>(
      `SELECT m.body FROM observed_messages o JOIN messages m ON m.id = o.message JOIN chats c ON c.id = o.chat_id
       WHERE c.group_address = $1 AND NOT o.noise ORDER BY m.sent_at, m.id`,
      [chat],
    )
  ).map(({ body }) => body);
const requests = (chat: string) =>
  sql(
    `SELECT r.state, r.reason FROM observer_requests r JOIN chats c ON c.id = r.chat_id
     WHERE c.group_address = $1 ORDER BY r.message`,
    [chat],
  );
const usage = (chat: string) =>
  sql(
    `SELECT u.day::text, messages_kept AS kept, messages_cut AS cut, tokens_saved > 0 AS saved, tokens_spent AS spent
     FROM observer_usage u JOIN chats c ON c.id = u.chat_id WHERE c.group_address = $1 ORDER BY day`,
    [chat],
  );

test('keeps or filters messages and counts them by the group’s local days, without a model', async () => {
  const chat = await observed('Asia/Kolkata');
  const at = (time: string) => new Date(`2026-03-02T${time}Z`);
  const said = { chat, sender: phone(1) };
  await says(
    { ...said, sentAt: at('18:00:00'), body: 'Dinner on Saturday at 8, who brings the salad?' },
    { ...said, sentAt: at('18:10:00'), body: '😂😂😂' },
    { ...said, sentAt: at('18:40:00'), body: 'The flight lands at 15:00 on Friday' },
    { ...said, sentAt: at('18:41:00'), fromMe: true, sender: ME, body: 'I pick you up at 15:30' },
  );
  expect(await buffer(chat)).toEqual([
    'Dinner on Saturday at 8, who brings the salad?',
    'The flight lands at 15:00 on Friday',
    'I pick you up at 15:30',
  ]);
  // 00:10 in Kolkata.
  expect(await usage(chat)).toEqual([
    { day: '2026-03-02', kept: 1, cut: 1, saved: true, spent: 0 },
    { day: '2026-03-03', kept: 2, cut: 0, saved: false, spent: 0 },
  ]);
});

test('removes deleted and edited messages from the buffer, but only on behalf of their sender', async () => {
  const chat = await observed();
  const [plan, code] = await says(
    { chat, sender: phone(1), body: 'Dinner is at 8 on Saturday' },
    { chat, sender: phone(2), body: 'The alarm code is 4711' },
  );
  const takesBack = { chat, kind: 'protocolMessage', body: '[protocolMessage]' };
  await says({ ...takesBack, sender: phone(3), quotedId: code ?? '' });
  expect(await buffer(chat)).toHaveLength(2);
  await says(
    { ...takesBack, sender: phone(2), quotedId: code ?? '' },
    {
      chat,
      sender: phone(1),
      body: 'Dinner is at 9 on Saturday',
      quotedId: plan ?? '',
      details: { edits: true },
    },
  );
  expect(await buffer(chat)).toEqual(['Dinner is at 9 on Saturday']);
});

test('accepts requests from both numbers of the owner and answers nobody else', async () => {
  const chat = await observed();
  const body = 'Annie, what is the plan?';
  await says(
    { chat, sender: phone(1), body, pushName: 'Olga Owner' },
    { chat, fromMe: true, sender: ME, body },
    { chat, sender: phone(OTHER_PHONE), body },
    { chat, fromMe: true, sender: ME, body, details: { forwarded: true } },
    { chat, fromMe: true, sender: ME, body: 'I told you the plan' },
  );
  expect(await requests(chat)).toEqual([
    { state: 'silent', reason: 'not_owner' },
    { state: 'asked', reason: null },
    { state: 'asked', reason: null },
  ]);
  const triggers = await sql("SELECT 1 FROM relay_jobs.job WHERE name = 'trigger'");
  expect(triggers).toHaveLength(2);
});

test('takes no request from an old, edited or deleted message', async () => {
  const chat = await observed();
  const asks = { chat, fromMe: true, sender: ME };
  const old = new Date(Date.now() - 6 * 60_000);
  const [, fresh] = await says(
    { ...asks, sentAt: old, late: true, body: 'Annie, are we there yet?' },
    { ...asks, body: 'Annie, are we there now?' },
  );
  await says({
    ...asks,
    body: 'Annie, are we there now??',
    quotedId: fresh ?? '',
    details: { edits: true },
  });
  expect(await requests(chat)).toEqual([
    { state: 'silent', reason: 'too_old' },
    { state: 'silent', reason: 'taken_back' },
  ]);
});

test('counts and asks once when a job runs again', async () => {
  const chat = await observed();
  const [id] = await says({ chat, fromMe: true, sender: ME, body: 'Annie, dinner is at 8 today?' });
  const [row] = await sql<{ id: number; sent_at: Date }>(
    'SELECT id, sent_at FROM messages WHERE message_id = $1',
    [id],
  );
  const again = onRoute(hearing, admins);
  const data = { account, message: row?.id ?? 0, sentAt: row?.sent_at.toISOString() ?? '' };
  await again({ data, complete: async () => {} });
  expect(await requests(chat)).toHaveLength(1);
  expect(await usage(chat)).toMatchObject([{ kept: 1, cut: 0 }]);
});

test('stores nothing without a read grant', async () => {
  const chat = await observed();
  await sql(
    `UPDATE grants g SET can_read = false FROM chats c WHERE c.id = g.chat_id AND c.group_address = $1`,
    [chat],
  );
  await says({ chat, sender: phone(1), body: 'Dinner on Saturday at 8, who brings the salad?' });
  expect(await buffer(chat)).toEqual([]);
});
