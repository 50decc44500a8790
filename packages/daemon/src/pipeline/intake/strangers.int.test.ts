import { randomUUID } from 'node:crypto';
import { silentLog } from '@relay/core/log';
import type { IncomingMessage } from '@relay/core/messages/message';
import { freshStore, times } from '@relay/testing/store';
import { expect, onTestFinished, test } from 'vitest';
import { takeLease } from '../../platform/db/lease.ts';
import { listMessageRequests } from '../../platform/db/message-requests.ts';
import { Jobs } from '../../platform/jobs/jobs.ts';
import { takeInBatch } from './intake.ts';
import type { StrangerBudget } from './stranger-budget.ts';
import { group, incoming, ME, openPlain, phone, readJson, receive } from './testing/inbox.ts';

const ADMIN = 99;

/** An intake that stores 12 kB of one stranger and 25 kB of all strangers in a day. */
async function freshDesk(limits = { perSender: 12_000, inAll: 25_000 }) {
  const store = await freshStore(onTestFinished);
  const db = store.database.kysely;
  const lease = await takeLease(db, store.account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  const jobs = await Jobs.start(store.database, silentLog);
  onTestFinished(() => jobs.stop(0));
  const strangers: StrangerBudget = {
    admins: [phone(ADMIN).split('@')[0] ?? ''],
    limits: () => limits,
  };
  const deps = { db, lease, jobs, unseal: openPlain, read: readJson, strangers };
  const { account, sql } = store;
  return {
    ...store,
    db,
    async receive(...messages: IncomingMessage[]) {
      await receive(store, account, messages);
      while ((await takeInBatch(deps, 3)).rows > 0);
    },
    stored: async () =>
      (await sql<{ body: string }>('SELECT body FROM messages ORDER BY id')).map(({ body }) =>
        body.slice(0, 8).trim(),
      ),
    bytesIn: async (table: string) =>
      Number((await sql(`SELECT sum(octet_length(t::text)) FROM ${table} t`))[0]?.sum),
    contactOf: async (n: number) =>
      (
        await sql<{ contact_id: string }>(
          "SELECT contact_id FROM contact_aliases WHERE kind = 'phone' AND value = $1",
          [phone(n).split('@')[0]],
        )
      )[0]?.contact_id,
  };
}

const long = (text: string, over: Partial<IncomingMessage> = {}) =>
  incoming({ ...over, body: text.padEnd(4_000, ' x') });

test('counts a stranger’s messages above the daily budget and no longer stores them', async () => {
  const desk = await freshDesk();
  await desk.receive(...times(60, (n) => long(`m${n}`)));
  expect(await desk.stored()).toEqual(['m0 x x x', 'm1 x x x']);
  expect(await desk.sql('SELECT not_stored FROM stranger_use')).toEqual([{ not_stored: 58 }]);
  expect(await listMessageRequests(desk.db, desk.account)).toMatchObject([
    { count: 58, not_stored: 58 },
  ]);
  expect(await desk.sql('SELECT FROM inbox WHERE done_at IS NULL')).toEqual([]);
});

test('removes the content of messages that are not stored from the inbox, and still recognizes them', async () => {
  const desk = await freshDesk();
  const messages = times(60, (n) => long(`m${n}`));
  await desk.receive(...messages);
  expect(await desk.bytesIn('inbox')).toBeLessThan(60 * 1_000);
  await desk.receive(...messages.slice(-1));
  expect(await desk.sql('SELECT not_stored FROM stranger_use')).toEqual([{ not_stored: 58 }]);
});

test('stores messages of all strangers together up to the total budget', async () => {
  const desk = await freshDesk();
  await desk.receive(...times(9, (n) => long(`m${n}`, { chat: phone(n + 1) })));
  expect(await desk.stored()).toHaveLength(4);
});

test('applies the same budget to a stranger in a group that is not observed', async () => {
  const desk = await freshDesk();
  const inGroup = times(5, (n) => long(`m${n}`, { chat: group(1), sender: phone(1) }));
  await desk.receive(...inGroup);
  expect(await desk.stored()).toHaveLength(2);
  expect(await listMessageRequests(desk.db, desk.account)).toEqual([]);
});

test('resets the budget on the next day', async () => {
  const desk = await freshDesk();
  await desk.receive(...times(5, (n) => long(`m${n}`)));
  await desk.sql('UPDATE stranger_use SET day = day - 1');
  await desk.receive(long('tomorrow'));
  expect(await desk.stored()).toContain('tomorrow');
});

test('stores messages of everybody the owner deals with, whatever the budget', async () => {
  const desk = await freshDesk({ perSender: 0, inAll: 0 });
  const { sql, account } = desk;
  const hello = (n: number, body: string) => incoming({ chat: phone(n), body });
  // They are known from here on, but none of their messages is stored.
  await desk.receive(...times(4, (n) => hello(n + 1, 'before')));
  expect(await desk.stored()).toEqual([]);

  await sql(`INSERT INTO grants (account_id, contact_id, display_name) VALUES ($1, $2, 'Mom')`, [
    account,
    await desk.contactOf(1),
  ]);
  await sql(
    `INSERT INTO instances (account_id, id, objective, target_contact, contact_id, chat_id, state, interval_ms, max_followups)
     SELECT $1, gen_random_uuid(), 'x', 'x', contact_id, id, 'COMPLETED', 1000, 1 FROM chats WHERE contact_id = $2`,
    [account, await desk.contactOf(2)],
  );
  await desk.receive(
    incoming({ chat: phone(3), sender: ME, fromMe: true, body: 'the owner writes' }),
  );
  await desk.receive(hello(1, 'granted'), hello(2, 'delegated'), hello(3, 'answered'));
  await desk.receive(hello(4, 'nobody'), hello(ADMIN, 'the owner’s other number'));
  // A contact with a grant is no stranger in a group either.
  await desk.receive(incoming({ chat: group(1), sender: phone(1), body: 'granted, in a group' }));
  expect(await desk.stored()).toEqual(
    [
      'the owner writes',
      'granted',
      'delegated',
      'answered',
      'the owner’s other number',
      'granted, in a group',
    ].map((text) => text.slice(0, 8).trim()),
  );
});
