import type { LogFields } from '@relay/core/log';
import { silentLog } from '@relay/core/log';
import { freshStore } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { pruneOldRows } from './prune.ts';

const { database, account, sql } = await freshStore();

const OLD = "now() - interval '15 days'";
const RECENT = "now() - interval '6 days'";

test('deletes expired rows, keeps the others, and logs how many were deleted', async () => {
  for (const [name, at] of [
    ['old', OLD],
    ['kept', RECENT],
  ]) {
    await sql(`INSERT INTO events (account_id, kind, at) VALUES (${account}, '${name}', ${at})`);
    await sql(`INSERT INTO idempotency_keys (account_id, actor, key, request_hash, created_at)
      VALUES (${account}, 'owner', '${name}', '', ${at})`);
    await sql(`INSERT INTO decrypt_journal VALUES (${account}, '${name}', '', ${at})`);
    await sql(`INSERT INTO inbox (account_id, chat, sender, message_id, stanza, content, done_at)
      VALUES (${account}, 'c', 's', '${name}', '', '', ${at})`);
    const expires = name === 'old' ? OLD : "now() + interval '1 minute'";
    await sql(`INSERT INTO login_codes (hash, expires_at) VALUES ('${name}', ${expires})`);
    await sql(`INSERT INTO browser_sessions (hash, expires_at) VALUES ('${name}', ${expires})`);
  }
  // Not yet routed: it stays, however old it is.
  await sql(`INSERT INTO inbox (account_id, chat, sender, message_id, stanza, content, received_at)
    VALUES (${account}, 'c', 's', 'waiting', '', '', now() - interval '90 days')`);

  const logged: LogFields[] = [];
  await pruneOldRows(database.kysely, {
    ...silentLog,
    info: (_, fields = {}) => logged.push(fields),
  });

  expect(logged.map(({ event, count }) => `${event} ${count}`)).toEqual([
    'events 1',
    'login_codes 1',
    'browser_sessions 1',
    'idempotency_keys 1',
    'decrypt_journal 1',
    'inbox 1',
  ]);
  const left = await sql(`SELECT kind AS name FROM events
    UNION ALL SELECT key FROM idempotency_keys
    UNION ALL SELECT convert_from(digest, 'UTF8') FROM decrypt_journal
    UNION ALL SELECT convert_from(hash, 'UTF8') FROM login_codes
    UNION ALL SELECT convert_from(hash, 'UTF8') FROM browser_sessions
    UNION ALL SELECT message_id FROM inbox ORDER BY 1`);
  expect(left.map(({ name }) => name)).toEqual([...Array(6).fill('kept'), 'waiting']);
});

test('runs and unapproved approvals are kept for 30 days', async () => {
  const [run] = await sql<{ id: string }>(`INSERT INTO runs (account_id, actor, state)
    VALUES (${account}, 'owner', 'done') RETURNING id`);
  for (const [n, days] of [29, 31].entries()) {
    const at = `now() - interval '${days} days'`;
    await sql(`INSERT INTO tool_calls (account_id, run_id, call_id, name, arguments, at)
      VALUES (${account}, '${run?.id}', '${days}', 'x', '{}', ${at})`);
    for (const state of ['approved', 'rejected', 'expired']) {
      await sql(`INSERT INTO approvals (account_id, intent, intent_hash, reason, requested_by, state, expires_at, decided_at)
        VALUES (${account}, '{}', '${n}', 'draft', '${days}', '${state}', ${at}, ${at})`);
    }
  }
  await pruneOldRows(database.kysely, silentLog);
  expect(await sql('SELECT call_id FROM tool_calls')).toEqual([{ call_id: '29' }]);
  const left = await sql('SELECT requested_by, state FROM approvals ORDER BY 1, 2');
  expect(left.map(({ requested_by, state }) => `${requested_by} ${state}`)).toEqual([
    '29 approved',
    '29 expired',
    '29 rejected',
    '31 approved',
  ]);
});

test('repeats a step until all expired rows are deleted', async () => {
  await sql(`INSERT INTO events (account_id, kind, at)
    SELECT ${account}, 'old', ${OLD} FROM generate_series(1, 12000)`);
  await pruneOldRows(database.kysely, silentLog);
  expect(await sql("SELECT 1 FROM events WHERE kind = 'old'")).toEqual([]);
});
