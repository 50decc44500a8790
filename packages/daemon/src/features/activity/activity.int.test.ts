import { randomUUID } from 'node:crypto';
import { freshStore } from '@relay/testing/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createActivityReader } from './activity.ts';

const NOW = new Date('2026-11-12T14:20:00Z');
const at = (text: string) => new Date(`2026-11-${text}:00Z`);

async function fresh(zone = 'UTC') {
  const store = await freshStore(onTestFinished);
  const { account, sql } = store;
  await sql("SELECT ensure_message_month('2026-11-01'), ensure_message_month('2026-10-01')");
  const reader = createActivityReader({
    db: store.database.kysely,
    account,
    zone,
    tokensPerDay: 1_000,
    now: () => NOW,
  });
  const contact = randomUUID();
  const chat = randomUUID();
  await sql('INSERT INTO contacts (account_id, id) VALUES ($1, $2)', [account, contact]);
  await sql("INSERT INTO chats (account_id, id, kind, contact_id) VALUES ($1, $2, 'direct', $3)", [
    account,
    chat,
    contact,
  ]);
  const heard = (
    when: Date,
    over: { fromMe?: boolean; kind?: string; late?: boolean; at?: Date } = {},
  ) =>
    sql(
      `INSERT INTO messages (account_id, sent_at, chat_id, from_me, message_id, kind, body, late, received_at)
       VALUES ($1, $2, $3, $4, $5, $6, '', $7, $8)`,
      [
        ...[account, when, chat, over.fromMe ?? false, randomUUID(), over.kind ?? 'conversation'],
        ...[over.late ?? false, over.at ?? when],
      ],
    );
  const said = async (when: Date, actor: string, state = 'sent') => {
    const [row] = await sql<{ seq: number }>(
      "SELECT seq FROM ledger_add($1, $2, 'send_message', 'chat', $3, 'allow', 'x', '{}')",
      [account, actor, chat],
    );
    const permit = randomUUID();
    await sql(
      `INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, content_hash)
       VALUES ($1, $2, $3, $4, 'send_message', $5, '')`,
      [account, permit, row?.seq, actor, chat],
    );
    await sql(
      `INSERT INTO outbox (account_id, id, permit_id, chat_id, message_id, body, state, attempted_at)
       VALUES ($1, $2, $3, $4, $5, '', $6, $7)`,
      [account, randomUUID(), permit, chat, randomUUID(), state, when],
    );
  };
  const instance = async (state: string, born: Date) => {
    const id = randomUUID();
    await sql(
      `INSERT INTO instances (account_id, id, contact_id, chat_id, target_contact, objective, state, interval_ms,
         max_followups, created_at) VALUES ($1, $2, $3, $4, '', '', $5, 1, 1, $6)`,
      [account, id, contact, chat, state, born],
    );
    return {
      id,
      moved: (when: Date, from: string, to: string) =>
        sql(
          `INSERT INTO instance_transitions (account_id, instance_id, from_state, to_state, trigger, epoch, at)
           VALUES ($1, $2, $3, $4, 'x', 1, $5)`,
          [account, id, from, to, when],
        ),
    };
  };
  return { ...store, reader, heard, said, instance };
}

test('counts messages in the hour they were sent, without reactions and the like', async () => {
  const { reader, heard, said } = await fresh();
  await heard(at('12T14:05'));
  await heard(at('12T13:59'));
  await heard(at('12T13:00'));
  await heard(at('11T15:00'));
  await heard(at('11T14:59'));
  await heard(at('12T14:06'), { kind: 'reactionMessage' });
  await heard(at('12T14:07'), { fromMe: true });
  await said(at('12T14:10'), 'owner');
  await said(at('12T14:11'), 'owner', 'failed');
  // Relay's notices to the owner are not counted as sent messages.
  await said(at('12T14:12'), 'notifier');
  const { buckets, total, today, unit } = await reader.read(24);
  expect(unit).toBe('hour');
  expect(buckets).toHaveLength(24);
  expect(buckets.at(0)).toMatchObject({ at: '2026-11-11T15:00:00.000Z', received: 1 });
  expect(buckets.at(-2)).toMatchObject({ at: '2026-11-12T13:00:00.000Z', received: 2, sent: 0 });
  expect(buckets.at(-1)).toMatchObject({ received: 1, sent: 1 });
  expect(total).toMatchObject({ received: 4, sent: 1 });
  expect(today).toMatchObject({ since: '2026-11-12T00:00:00.000Z', received: 3, sent: 1 });
});

test('divides a week into seven of the owner’s own days', async () => {
  const { reader, heard } = await fresh('America/Los_Angeles');
  await heard(at('12T07:59'));
  await heard(at('12T08:00'));
  const { buckets, unit } = await reader.read(168);
  expect(unit).toBe('day');
  expect(buckets.map(({ received }) => received)).toEqual([0, 0, 0, 0, 0, 1, 1]);
  expect(buckets.at(-1)?.at).toBe('2026-11-12T08:00:00.000Z');
  expect((await reader.read(720)).buckets).toHaveLength(30);
});

describe('a response time', () => {
  test('begins with the first unanswered message', async () => {
    const { reader, heard, said } = await fresh();
    await heard(at('12T13:00'));
    await heard(at('12T13:01'));
    await said(at('12T13:03'), 'auto_reply:x');
    await heard(at('12T13:10'));
    await said(at('12T13:11'), 'conversation:x');
    const { buckets, total, today } = await reader.read(24);
    expect(buckets.at(-2)).toMatchObject({ answers: 2, answer_ms: 120_000 });
    expect(total).toMatchObject({ answers: 2, answer_ms: 120_000, slow_answer_ms: 174_000 });
    expect(today.answers).toBe(2);
  });

  test('is not counted without an open message, after the owner’s answer, or for the owner’s own message', async () => {
    const { reader, heard, said } = await fresh();
    await heard(at('12T12:00'));
    await said(at('12T12:01'), 'conversation:x');
    await said(at('12T12:30'), 'conversation:x');
    await heard(at('12T13:00'));
    await heard(at('12T13:01'), { fromMe: true });
    await said(at('12T13:02'), 'conversation:x');
    await heard(at('12T13:10'));
    await said(at('12T13:11'), 'owner');
    expect((await reader.read(24)).total).toMatchObject({ answers: 1, answer_ms: 60_000 });
  });

  test('begins when a message was sent, even if it was delivered late', async () => {
    const { reader, heard, said } = await fresh();
    await heard(at('12T10:00'), { late: true, at: at('12T13:00') });
    await said(at('12T13:01'), 'auto_reply:x');
    expect((await reader.read(24)).total.answer_ms).toBe(3 * 3_600_000 + 60_000);
  });
});

test('counts model tokens by the feature that used them', async () => {
  const { reader, sql, account, instance } = await fresh();
  const { id } = await instance('ACTIVE', at('12T09:00'));
  await sql(
    `INSERT INTO runs (account_id, actor, instance_id, state, input_tokens, output_tokens, started_at)
     VALUES ($1, 'conversation:x', $2, 'failed', 100, 10, $3), ($1, 'assistant', NULL, 'done', 20, 5, $3),
       ($1, 'token:x', NULL, 'done', 1, 1, $4)`,
    [account, id, at('12T14:00'), at('11T20:00')],
  );
  const { buckets, total, today } = await reader.read(24);
  expect(buckets.at(-1)?.tokens).toMatchObject({ conversations: 110, assistant: 25, other: 0 });
  expect(total.tokens).toMatchObject({ conversations: 110, assistant: 25, other: 2 });
  expect(today).toMatchObject({ tokens: 135, tokens_per_day: 1_000 });
});

test('derives whose turn it was from the current states and the transitions', async () => {
  const { reader, instance, sql, account } = await fresh();
  const old = await instance('COMPLETED', at('10T09:00'));
  await old.moved(at('10T09:01'), 'CREATED', 'WAITING_FOR_REPLY');
  await old.moved(at('12T10:30'), 'WAITING_FOR_REPLY', 'NEEDS_HUMAN_INTERVENTION');
  await old.moved(at('12T12:30'), 'NEEDS_HUMAN_INTERVENTION', 'COMPLETED');
  const young = await instance('WAITING_FOR_REPLY', at('12T13:05'));
  await young.moved(at('12T13:06'), 'CREATED', 'WAITING_FOR_REPLY');
  const { buckets, today } = await reader.read(24);
  const turnsAt = (hour: string) =>
    buckets.find((bucket) => bucket.at.includes(`12T${hour}`))?.turns;
  expect(turnsAt('09')).toEqual({ you: 0, agent: 0, them: 1, parked: 0 });
  expect(turnsAt('10')).toEqual({ you: 1, agent: 0, them: 0, parked: 0 });
  expect(turnsAt('12')).toEqual({ you: 0, agent: 0, them: 0, parked: 0 });
  expect(turnsAt('14')).toEqual({ you: 0, agent: 0, them: 1, parked: 0 });
  expect(today.completed).toBe(1);
  await sql('DELETE FROM instances WHERE account_id = $1', [account]);
  expect((await reader.read(24)).buckets.every(({ turns }) => turns.them === 0)).toBe(true);
});
