import { randomUUID } from 'node:crypto';
import { reportSentence } from '@relay/core/restart-report';
import { freshStore } from '@relay/testing/store';
import { expect, onTestFinished, test } from 'vitest';
import { noteDaemonStart, noteDaemonStop } from './account.ts';
import { type Lease, takeLease } from './lease.ts';
import {
  beginRestartReport,
  finishRestartReport,
  lastDaemonSeen,
  lastRestartReport,
  noteDaemonSeen,
} from './restart-report.ts';

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000);

async function fresh() {
  const store = await freshStore(onTestFinished);
  const db = store.database.kysely;
  const lease = (await takeLease(db, store.account, randomUUID())) as Lease;
  await store.sql(
    "SELECT ensure_message_month(now() + d) FROM unnest('{-1 day,0,-40 days}'::interval[]) d",
  );
  /** `chats` chats with `each` messages in each. */
  const messages = (
    chats: number,
    each: number,
    over: { late?: boolean; fromMe?: boolean; receivedAt?: Date; sentAt?: Date } = {},
  ) =>
    store.sql(
      `INSERT INTO messages (account_id, sent_at, chat_id, from_me, message_id, kind, body, late, received_at)
       SELECT $1, $2, md5('chat' || c)::uuid, $3, 'M', 'conversation', '', $4, $5
       FROM generate_series(1, $6) c, generate_series(1, $7)`,
      [
        store.account,
        over.sentAt ?? ago(30),
        over.fromMe ?? false,
        over.late ?? true,
        over.receivedAt ?? new Date(),
        chats,
        each,
      ],
    );
  return { ...store, db, lease, messages };
}

test('a restart is reported with its duration, messages, chats and open items', async () => {
  const { db, lease, account, messages, sql } = await fresh();
  await beginRestartReport(db, lease, { cause: 'daemon', since: ago(62) });
  await messages(12, 40);
  await messages(5, 4);
  await messages(3, 3, { late: false });
  await messages(1, 2, { fromMe: true });
  await messages(2, 2, { receivedAt: ago(70), sentAt: ago(80) });
  await sql(
    `INSERT INTO approvals (account_id, intent, intent_hash, reason, requested_by, instance_id, expires_at)
     VALUES ($1, '{}', '', 'draft', 'x', NULL, now() + interval '1 h'),
       ($1, '{}', '', 'quotes_private', 'a conversation', gen_random_uuid(), now() + interval '1 h')`,
    [account],
  );
  const report = await finishRestartReport(db, lease, 507);
  expect(report).toMatchObject({
    messages: 500,
    chats: 12,
    replayed: 507,
    unknownSends: 0,
    needsYou: 1,
  });
  expect(report && reportSentence(report)).toMatch(
    /^Relay was offline for 1 h 2 min: 500 messages received from 12 chats, 1 item needs you\.$/,
  );
  expect(await lastRestartReport(db, account)).toEqual(report);
  expect(await sql("SELECT data FROM events WHERE kind = 'report'")).toEqual([{ data: report }]);
});

test('an absence that begins during another is part of it', async () => {
  const { db, lease } = await fresh();
  const first = ago(90);
  await beginRestartReport(db, lease, { cause: 'link', since: first });
  await beginRestartReport(db, lease, { cause: 'link', since: ago(50) });
  await beginRestartReport(db, lease, { cause: 'daemon', since: ago(40) });
  expect(await finishRestartReport(db, lease, 0)).toMatchObject({
    cause: 'daemon',
    since: first.toISOString(),
  });
});

test('a lost link is reported if it was long or missed messages, and a short one changes nothing', async () => {
  const { db, lease, account, messages } = await fresh();
  await beginRestartReport(db, lease, { cause: 'link', since: ago(5) });
  const long = await finishRestartReport(db, lease, 0);
  expect(long && reportSentence(long)).toBe(
    'WhatsApp was disconnected for 5 min: no messages missed.',
  );
  await beginRestartReport(db, lease, { cause: 'link', since: new Date() });
  expect(await finishRestartReport(db, lease, 0)).toBeNull();
  expect(await lastRestartReport(db, account)).toEqual(long);
  await beginRestartReport(db, lease, { cause: 'link', since: new Date(Date.now() - 1_000) });
  await messages(1, 1);
  expect(await finishRestartReport(db, lease, 1)).toMatchObject({ messages: 1, chats: 1 });
});

test('without an absence there is no report', async () => {
  const { db, lease, account } = await fresh();
  expect(await finishRestartReport(db, lease, 3)).toBeNull();
  expect(await lastRestartReport(db, account)).toBeNull();
});

test('a daemon was running until it was last seen or stopped', async () => {
  const { db, sql } = await fresh();
  const holder = randomUUID();
  expect(await lastDaemonSeen(db, holder)).toBeNull();
  await noteDaemonStart(db, holder, '0');
  await sql("UPDATE daemon_runs SET last_seen_at = now() - interval '1 h'");
  expect((await lastDaemonSeen(db, holder))?.getTime()).toBeLessThan(ago(59).getTime());
  await noteDaemonSeen(db, holder);
  expect((await lastDaemonSeen(db, holder))?.getTime()).toBeGreaterThan(ago(1).getTime());
  await sql("UPDATE daemon_runs SET last_seen_at = now() - interval '1 h'");
  await noteDaemonStop(db, holder);
  expect((await lastDaemonSeen(db, holder))?.getTime()).toBeGreaterThan(ago(1).getTime());
});
