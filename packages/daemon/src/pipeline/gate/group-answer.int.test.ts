import { randomUUID } from 'node:crypto';
import { type ChatId, chatId, type RunId, runId } from '@relay/contract/ids';
import { observerSchema } from '@relay/contract/settings';
import { expect, test } from 'vitest';
import { beginObserverRun } from '../../platform/db/observer/runs.ts';
import { ALL, assistant, freshGate } from './testing/fixture.ts';

let now = new Date('2026-03-06T12:00:00Z');
const CODE = '4711-0815-2342';
const fixture = await freshGate({
  observer: observerSchema.parse({}),
  now: () => now,
  instructions: `The code of the alarm is ${CODE}.`,
});
const { account, db, gate, grants, ledger, sql, submit, verdicts } = fixture;
let groups = 0;

/** An observed group in which Relay may answer. */
async function observed(grant: Partial<typeof ALL> = {}): Promise<ChatId> {
  const { jid } = await grants.create({
    group: `12036300000${String(++groups).padStart(4, '0')}@g.us`,
    displayName: 'Family',
    options: {},
    ...ALL,
    ...grant,
  });
  const [row] = await sql<{ id: string }>('SELECT id FROM chats WHERE group_address = $1', [jid]);
  const chat = chatId(row?.id ?? '');
  await sql(`INSERT INTO observed_groups (account_id, chat_id, zone) VALUES ($1, $2, 'UTC')`, [
    account,
    chat,
  ]);
  return chat;
}

let messages = 0;
/** The owner asked there, and this run answers. */
async function asked(chat: ChatId, row: { state?: string; verdict?: string } = {}): Promise<RunId> {
  const group = { chat, name: 'Family' };
  const run = await db
    .transaction()
    .execute((tx) => beginObserverRun(tx, account, group, 'assistant'));
  const { state = 'answering', verdict = 'direct_request' } = row;
  await sql(
    `INSERT INTO observer_requests (account_id, chat_id, message, sent_at, state, verdict, run_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $4)`,
    [account, chat, ++messages, now, state, verdict, run],
  );
  return run;
}

const says = (chat: ChatId, run: RunId, text = 'At eight.') =>
  submit(
    assistant(run),
    { kind: 'send_message', chat, text },
    { run, taint: { chats: [chat], outside: false } },
  );
const reason = async (chat: ChatId, run: RunId) => (await says(chat, run)).decision.reason;
const minutes = (count: number) => {
  now = new Date(now.getTime() + count * 60_000);
};
/** Marks what was permitted there as sent. */
const left = (chat: ChatId) =>
  sql(`UPDATE outbox SET state = 'sent', sent_at = $2 WHERE chat_id = $1 AND state = 'pending'`, [
    chat,
    now,
  ]);
const requests = (chat: ChatId) =>
  sql('SELECT state, answered_at, outbox_id FROM observer_requests WHERE chat_id = $1', [chat]);

test('permits one answer, only in the group where the owner asked and only by the run that answers', async () => {
  const [chat, other] = [await observed(), await observed()];
  const run = await asked(chat);
  expect(await reason(other, run)).toBe('observed_group');
  expect(await reason(chat, runId(randomUUID()))).toBe('observed_group');
  const { message } = await says(chat, run);
  expect(await requests(chat)).toEqual([
    { state: 'answered', answered_at: now, outbox_id: message?.id },
  ]);
  expect(await reason(chat, run)).toBe('observed_group');
});

test('refuses a second answer in the same transaction, even after the gate was asked about the first', async () => {
  const chat = await observed();
  const run = await asked(chat);
  const proposed = [
    assistant(run),
    { kind: 'send_message', chat, text: 'At eight.' },
    { run, taint: { chats: [chat], outside: false } },
  ] as const;
  const decisions = await db.transaction().execute(async (tx) => {
    const evaluated = await gate.evaluate(tx, ...proposed);
    const first = await evaluated.submit();
    expect(() => evaluated.submit()).toThrow('a proposal is submitted once');
    const second = await gate.submit(tx, ...proposed);
    return [evaluated.decision, first.decision, second.decision];
  });
  expect(decisions.map(({ outcome }) => outcome)).toEqual(['allow', 'allow', 'deny']);
});

test('asks the owner before an answer reveals their instructions for all agents, unless the group knows them', async () => {
  const [chat, other] = [await observed(), await observed()];
  const text = `It is ${CODE}.`;
  expect((await says(chat, await asked(chat), text)).decision.reason).toBe('quotes_private');
  await sql('SELECT ensure_message_month($1)', [now]);
  await sql(
    `INSERT INTO messages (account_id, sent_at, chat_id, from_me, message_id, kind, body)
     VALUES ($1, $2, $3, false, 'M', 'conversation', $4)`,
    [account, now, other, `The alarm has ${CODE}`],
  );
  expect((await says(other, await asked(other), text)).decision.outcome).toBe('allow');
});

test.each([
  ['a mention that asks for nothing', { verdict: 'mention_only' }],
  ['one that nobody has sorted', { state: 'asked' }],
  ['one that is met with silence', { state: 'silent' }],
])('%s permits no answer in a group, whichever run submits it', async (_, row) => {
  const chat = await observed();
  expect(await reason(chat, await asked(chat, row))).toBe('observed_group');
});

test('permits at most one answer in five minutes and five a day, in the group’s time zone', async () => {
  const chat = await observed();
  const decided = async () => {
    const run = await asked(chat);
    const why = await reason(chat, run);
    await left(chat);
    await sql(
      `UPDATE observer_requests SET state = 'silent' WHERE run_id = $1 AND state = 'answering'`,
      [run],
    );
    return why;
  };
  expect(await decided()).toBe('standing_grant');
  minutes(4);
  expect(await decided()).toBe('group_rests');
  for (let answers = 2; answers <= 5; answers++) {
    minutes(6);
    expect(await decided()).toBe('standing_grant');
  }
  minutes(60);
  expect(await decided()).toBe('group_rests');
  expect((await ledger(1))[0]).toMatchObject({ outcome: 'deny', reason: 'group_rests' });
  minutes(24 * 60);
  expect(await decided()).toBe('standing_grant');
});

test('refuses the next answer while an earlier one is queued, however long ago it was permitted', async () => {
  const chat = await observed();
  expect(await reason(chat, await asked(chat))).toBe('standing_grant');
  minutes(30);
  expect(await reason(chat, await asked(chat))).toBe('group_rests');
});

test('applies the limits that the owner set for one group', async () => {
  const chat = await observed();
  await sql(`UPDATE observed_groups SET options = '{"answers_per_day": 1}' WHERE chat_id = $1`, [
    chat,
  ]);
  expect(await reason(chat, await asked(chat))).toBe('standing_grant');
  minutes(30);
  expect(await reason(chat, await asked(chat))).toBe('group_rests');
});

test('decides two concurrent answers one after the other', async () => {
  const chat = await observed();
  const runs = [await asked(chat), await asked(chat)];
  // Both are pending, so each blocks the other until one is dropped.
  await sql(
    `UPDATE observer_requests SET created_at = created_at - interval '1 hour' WHERE chat_id = $1`,
    [chat],
  );
  const reasons = await Promise.all(runs.map((run) => reason(chat, run)));
  expect(reasons.toSorted()).toEqual(['group_rests', 'standing_grant']);
});

test('refuses an answer without a grant to reply, and asks the owner about a draft', async () => {
  const silent = await observed({ canReply: false });
  expect(await reason(silent, await asked(silent))).toBe('no_reply_grant');
  const drafted = await observed({ replyMode: 'draft' });
  const run = await asked(drafted);
  const { approval, decision } = await says(drafted, run);
  expect(decision.reason).toBe('draft');
  minutes(120);
  await fixture.approvals.approve(approval ?? ('' as never));
  expect(await requests(drafted)).toMatchObject([{ state: 'answered' }]);
});

const waiting = async (spoil: (chat: ChatId, run: RunId) => Promise<unknown>) => {
  await sql('DELETE FROM outbox');
  const chat = await observed();
  const run = await asked(chat);
  expect((await says(chat, run)).message).not.toBeNull();
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  await spoil(chat, run);
  return (await verdicts())[0];
};

test('checks everything again just before an answer is sent', async () => {
  const stops = async (spoil: Parameters<typeof waiting>[0], why: string) =>
    expect(await waiting(spoil)).toMatchObject({ verdict: 'stop', reason: why });
  await stops(
    (chat) => sql('UPDATE grants SET can_reply = false WHERE chat_id = $1', [chat]),
    'no_reply_grant',
  );
  await stops(
    (chat) => sql('DELETE FROM observed_groups WHERE chat_id = $1', [chat]),
    'not_observed',
  );
  await stops(
    (chat) => sql(`UPDATE observer_requests SET state = 'silent' WHERE chat_id = $1`, [chat]),
    'not_observed',
  );
  await stops(async () => minutes(16), 'too_old');
});

test('stops an answer before sending if the previous one was sent later than it was permitted', async () => {
  await sql('DELETE FROM outbox');
  const chat = await observed();
  await says(chat, await asked(chat), 'first');
  await left(chat);
  minutes(6);
  await says(chat, await asked(chat), 'second');
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  await sql(`UPDATE outbox SET sent_at = $1 WHERE body = 'first'`, [now]);
  expect(await verdicts()).toMatchObject([{ verdict: 'stop', reason: 'group_rests' }]);
});

test('refuses messages to an observed group from other agents, tokens and the observer', async () => {
  const chat = await observed();
  await asked(chat);
  const proposal = { kind: 'send_message', chat, text: 'hi' } as const;
  const decide = async (actor: Parameters<typeof submit>[0]) =>
    (await submit(actor, proposal)).decision.reason;
  expect(await decide({ kind: 'observer', chat })).toBe('observer_is_silent');
  expect(await decide({ kind: 'auto_reply', chat })).toBe('direct_chats_only');
  expect(await decide({ kind: 'scheduler' })).toBe('observed_group');
  expect(await decide({ kind: 'notifier' })).toBe('observed_group');
});
