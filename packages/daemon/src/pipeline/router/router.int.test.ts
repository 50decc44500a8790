import { randomUUID } from 'node:crypto';
import type { ChatId, ContactId, MessageId } from '@relay/contract/ids';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import { eventually, times } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { takeInBatch } from '../intake/intake.ts';
import {
  group,
  incoming,
  ME,
  openPlain,
  phone,
  readJson,
  receive,
} from '../intake/testing/inbox.ts';
import { onRoute } from './router.ts';

const harness = await freshDaemonHarness();
const { sql, account, conversations, jobs } = harness;
const intake = {
  db: conversations.db,
  lease: conversations.lease,
  jobs,
  unseal: openPlain,
  read: readJson,
};
jobs.work('route', 4, onRoute(conversations));

async function arrives(...messages: Parameters<typeof incoming>[0][]): Promise<string[]> {
  const all = messages.map(incoming);
  await receive(harness, account, all);
  while ((await takeInBatch(intake, 200)).rows > 0);
  jobs.wake('route');
  await eventually(async () => {
    const open = await sql(
      "SELECT 1 FROM relay_jobs.job WHERE name = 'route' AND state < 'completed' LIMIT 1",
    );
    return open.length === 0;
  });
  return all.map(({ id }) => id);
}

const decisions = async (ids: readonly string[]) =>
  (
    await sql(
      `SELECT outcome || ': ' || reason AS said FROM ledger WHERE subject_kind = 'message' AND subject_id = ANY($1) ORDER BY seq`,
      [ids],
    )
  ).map((row) => row.said);

const knocks = async (address: string) =>
  (
    await sql<{ count: number }>(
      `SELECT count FROM knocks JOIN contact_aliases USING (account_id, contact_id) WHERE value = $1`,
      [address.split('@')[0]],
    )
  )[0]?.count ?? 0;

test('makes one decision with a reason for each message', async () => {
  const ids = await arrives(
    { chat: phone(1) },
    { chat: phone(1), fromMe: true, sender: ME },
    { chat: group(1), sender: phone(1) },
  );
  expect((await decisions(ids)).toSorted()).toEqual([
    'ignored: own_message',
    'stored: group',
    'stored: no_grant',
  ]);
});

test('counts messages without a grant as message requests, and lists them again after a dismissal', async () => {
  await arrives({ chat: phone(2) }, { chat: phone(2) }, { chat: phone(2) });
  expect(await knocks(phone(2))).toBe(3);
  await sql('UPDATE knocks SET dismissed_at = now()');
  await arrives({ chat: phone(2) });
  expect(await knocks(phone(2))).toBe(4);
  expect(await sql('SELECT 1 FROM knocks WHERE count = 4 AND dismissed_at IS NULL')).toHaveLength(
    1,
  );
});

test('counts no message request for a contact with a grant to read', async () => {
  await arrives({ chat: phone(3) });
  await sql(
    `INSERT INTO grants (account_id, contact_id, display_name, can_read)
     SELECT account_id, contact_id, 'x', true FROM contact_aliases WHERE value = $1`,
    [phone(3).split('@')[0]],
  );
  expect(await decisions(await arrives({ chat: phone(3) }))).toEqual([
    'handed_over: readable_contact',
  ]);
  expect(await knocks(phone(3))).toBe(1);
});

test('adds the contact’s messages to an open conversation, in order, once each', async () => {
  const id = await harness.create('+49 151 00000004');
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  harness.agent(() => ({ messages: [], nextHeartbeatMs: 3_600_000 }));
  const ids = await arrives(...times(5, (n) => ({ chat: phone(4), body: `words ${n}` })));
  await harness.quiet();
  expect((await harness.lines(id)).filter((line) => line.startsWith('contact'))).toEqual(
    times(5, (n) => `contact: words ${n}`),
  );
  expect(new Set(await decisions(ids))).toEqual(new Set(['handed_over: open_conversation']));
  expect(await knocks(phone(4))).toBe(0);
});

test('finds one contact and one chat for a conversation created while its contact first writes', async () => {
  const numbers = times(8, (n) => 100 + n);
  await Promise.all(
    numbers.flatMap((n) => [
      harness.create(`+${phone(n).split('@')[0]}`),
      receive(harness, account, [incoming({ chat: phone(n) })]).then(() =>
        takeInBatch(intake, 200),
      ),
    ]),
  );
  await arrives();
  const values = numbers.map((n) => phone(n).split('@')[0]);
  const found = await sql(
    `SELECT c.id FROM chats c JOIN contact_aliases a USING (account_id, contact_id)
     JOIN messages m ON m.chat_id = c.id JOIN instances i ON i.chat_id = c.id WHERE a.value = ANY($1)`,
    [values],
  );
  expect(found).toHaveLength(8);
});

test('leaves no trace of a failure before the end of the job, and hands the message over once on retry', async () => {
  const id = await harness.create('+49 151 00000005');
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  const [place] = await oneMessage('49151' + '00000005');
  if (place === undefined) throw new Error('no message');
  const job = { data: { account, ...place }, complete: async () => {} };
  const failing = { ...job, complete: () => Promise.reject(new Error('killed here')) };
  await expect(onRoute(conversations)(failing)).rejects.toThrow('killed here');
  const heard = async () =>
    (await harness.lines(id)).filter((line) => line.startsWith('contact')).length;
  expect(await heard()).toBe(0);
  await onRoute(conversations)(job);
  expect(await heard()).toBe(1);
});

test('completes no job after losing its lease to another worker', async () => {
  const { lease } = conversations;
  const lost = { ...conversations, lease: { ...lease, epoch: lease.epoch + 1 } };
  let completed = 0;
  const routing = onRoute(lost)({
    data: { account, message: 999_999, sentAt: new Date().toISOString() },
    complete: async () => {
      completed++;
    },
  });
  await expect(routing).rejects.toThrow();
  expect(completed).toBe(0);
});

test('completes the job of a message that was erased meanwhile', async () => {
  let done = 0;
  await onRoute(conversations)({
    data: { account, message: 999_999, sentAt: new Date().toISOString() },
    complete: async () => {
      done++;
    },
  });
  expect(done).toBe(1);
});

/** A message that is stored without a job. */
async function oneMessage(digits: string): Promise<{ message: number; sentAt: string }[]> {
  const rows = await sql<{ chat: ChatId; contact: ContactId }>(
    `SELECT c.id AS chat, c.contact_id AS contact FROM chats c JOIN contact_aliases a USING (account_id, contact_id)
     WHERE a.value = $1`,
    [digits],
  );
  const sentAt = '2026-02-21T10:00:00.000Z';
  await sql('SELECT ensure_message_month($1)', [sentAt]);
  const stored = await sql<{ id: number }>(
    `INSERT INTO messages (account_id, sent_at, chat_id, sender_id, from_me, message_id, kind, body)
     VALUES ($1, $2, $3, $4, false, $5, 'conversation', 'hello') RETURNING id`,
    [account, sentAt, rows[0]?.chat, rows[0]?.contact, randomUUID() as unknown as MessageId],
  );
  return stored.map(({ id }) => ({ message: id, sentAt }));
}
