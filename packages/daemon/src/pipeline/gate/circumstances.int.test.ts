import { approvalId, grantId, type ScheduleId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { expect, test } from 'vitest';
import { assistant, autoReply, freshGate } from './testing/fixture.ts';

const fixture = await freshGate({ notifyOwner: true });
const { account, approvals, chatOf, granted, grants, ledger, scheduled, sql, submit, verdicts } =
  fixture;

const said = (chat: string, text: string) =>
  ({ kind: 'send_message', chat, text }) as { kind: 'send_message'; chat: never; text: string };
const empty = () => sql('DELETE FROM outbox');

test('asks the owner before each send where confirmation is required, and sends after their approval', async () => {
  await empty();
  const mom = await granted();
  const chat = await chatOf(mom);
  const run = assistant();
  const asked = await submit(run, said(chat, 'Hi'), { needsConfirmation: true, run: run.run });
  expect(asked).toMatchObject({ decision: { outcome: 'needs_approval', reason: 'confirm' } });
  await approvals.approve(approvalId(asked.approval ?? ''));
  expect(await ledger(1)).toMatchObject([
    {
      action: 'send_message',
      reason: 'approved',
      detail: { run: run.run, grant: mom.id, approval: asked.approval },
    },
  ]);
  expect(await sql('SELECT run_id FROM permits WHERE approval_id = $1', [asked.approval])).toEqual([
    { run_id: run.run },
  ]);
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
});

test('sends nothing on approval if the grant was revoked meanwhile', async () => {
  await empty();
  const mom = await granted();
  const chat = await chatOf(mom);
  const { approval } = await submit(assistant(), said(chat, 'Hi'), { needsConfirmation: true });
  await grants.update(grantId(mom.id), { canReply: false });
  await expect(approvals.approve(approvalId(approval ?? ''))).rejects.toThrow(
    'not allowed replies',
  );
  expect(await verdicts()).toEqual([]);
});

test('asks the owner about what an agent schedules after reading, showing text and time', async () => {
  const mom = await granted();
  const chat = await chatOf(mom);
  const run = assistant();
  const schedule = {
    kind: 'schedule_message',
    chat,
    text: 'Good morning \ud83d',
    rule: { kind: 'daily', time: '09:00' },
    zone: 'Europe/Berlin',
    catchUp: 'skip',
  } as const;
  const read = { chats: [chat], outside: false };
  const { approval, decision } = await submit(run, schedule, { taint: read, run: run.run });
  expect(decision.reason).toBe('read_then_schedule');
  const [shown] = (await approvals.list('pending')).filter(({ id }) => id === approval);
  expect(shown).toMatchObject({
    kind: 'schedule_message',
    text: 'Good morning \ufffd',
    when: 'every day at 09:00, Europe/Berlin; if Relay is offline: skip missed runs',
  });
  await approvals.approve(approvalId(approval ?? ''));
  expect(scheduled).toMatchObject([
    { approval, actor: run, evaluated: { decision: { reason: 'approved' } }, schedule: { chat } },
  ]);
});

const newSchedule = async (
  chat: string,
  body: string,
  by: string,
  approval: string | null = null,
) => {
  const [row] = await sql<{ id: ScheduleId }>(
    `INSERT INTO schedules (account_id, rule, zone, chat_id, body, created_by, approval_id)
     VALUES ($1, '{}', 'UTC', $2, $3, $4, $5) RETURNING id`,
    [account, chat, body, by, approval],
  );
  if (row === undefined) throw new Error('no schedule');
  return row.id;
};
const SCHEDULER = { kind: 'scheduler' } as const;

test('lets the scheduler send only the text of its schedule to its chat, until it is cancelled', async () => {
  await empty();
  const mom = await granted();
  const [chat, other] = [await chatOf(mom), await chatOf(await granted())];
  const schedule = await newSchedule(chat, 'Good morning', 'owner');
  const words = said(chat, 'Good morning');
  expect((await submit(SCHEDULER, words)).decision.reason).toBe('no_schedule');
  expect((await submit(SCHEDULER, said(chat, 'Other words'), { schedule })).decision.reason).toBe(
    'schedule_changed',
  );
  expect((await submit(SCHEDULER, said(other, 'Good morning'), { schedule })).decision.reason).toBe(
    'schedule_changed',
  );
  const sent = await submit(SCHEDULER, words, { schedule });
  expect(sent).toMatchObject({ decision: { reason: 'scheduled' }, permit: expect.any(String) });
  expect((await ledger(1))[0]?.detail).toMatchObject({ schedule });
  // What the owner scheduled needs no grant when it is due.
  await grants.remove(grantId(mom.id));
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  await sql("UPDATE schedules SET state = 'cancelled' WHERE id = $1", [schedule]);
  expect(await verdicts()).toEqual([
    {
      verdict: 'stop',
      reason: 'unscheduled',
      sentence: expect.stringContaining('cancelled'),
    },
  ]);
  expect((await submit(SCHEDULER, words, { schedule })).decision.reason).toBe('no_schedule');
});

test('requires a grant when an agent’s scheduled message is due, and an approval for a draft', async () => {
  await empty();
  const mom = await granted();
  const chat = await chatOf(mom);
  const schedule = await newSchedule(chat, 'Hello', 'assistant:x');
  const words = said(chat, 'Hello');
  expect((await submit(SCHEDULER, words, { schedule })).decision.reason).toBe('standing_grant');
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  await grants.update(grantId(mom.id), { canReply: false });
  expect(await verdicts()).toMatchObject([{ verdict: 'stop', lost: true }]);
  await empty();
  await grants.update(grantId(mom.id), { canReply: true, replyMode: 'draft' });
  const { approval, decision } = await submit(SCHEDULER, words, { schedule });
  expect(decision.reason).toBe('draft');
  await approvals.approve(approvalId(approval ?? ''));
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
});

test('notifies the owner once in their own chat about an approval and how to answer it', async () => {
  await empty();
  await sql("UPDATE accounts SET phone = '4915100000001' WHERE id = $1", [account]);
  const mom = await granted({ displayName: 'Mom', replyMode: 'draft' });
  const chat = await chatOf(mom);
  const draft = said(chat, 'See you at 8\nRelay: send me money');
  const { approval } = await submit(autoReply(chat), draft);
  await submit(autoReply(chat), draft);
  const short = approval?.slice(0, 8);
  expect(await sql('SELECT body FROM outbox')).toEqual([
    {
      body: `Relay: a message to Mom (+${mom.phoneNumber}) needs your approval.\n\n│ See you at 8\n│ Relay: send me money\n\nReplies in this chat are drafts that you approve.\nApprove: 👍 or /approve ${short}. Decline: 👎 or /reject ${short}`,
    },
  ]);
  expect(await approvals.find(short ?? '')).toBe(approval);
  await expect(approvals.find('zz')).rejects.toThrow('not found');
  await expect(approvals.find('0000')).rejects.toThrow('not found');
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
});

test('closes the notice of an edited draft and shows a new one', async () => {
  verifies('TRUST-APPROVE-REPLACED');
  await empty();
  const chat = await chatOf(await granted({ displayName: 'Mom', replyMode: 'draft' }));
  const { approval } = await submit(autoReply(chat), said(chat, 'the first words'));
  await approvals.edit(approvalId(approval ?? ''), 'other words');
  const notices = (await sql<{ body: string }>('SELECT body FROM outbox ORDER BY seq')).map(
    ({ body }) => body,
  );
  expect(notices).toEqual([
    expect.stringContaining('│ the first words\n'),
    expect.stringContaining('│ other words\n'),
    expect.stringContaining(`Relay: approval ${approval?.slice(0, 8)} can no longer be answered.`),
  ]);
});

test('asks the owner about text with invisible characters, even with a grant', async () => {
  verifies('TRUST-HIDDEN-CHARACTERS');
  const chat = await chatOf(await granted());
  const text = 'to account \u202e4321\u202c please';
  await sql('UPDATE accounts SET phone = NULL WHERE id = $1', [account]);
  const { approval, decision } = await submit(assistant(), said(chat, text));
  expect(decision.reason).toBe('hidden_characters');
  const shown = (await approvals.list('pending')).find(({ id }) => id === approval);
  expect(shown).toMatchObject({ text, hidden_characters: ['U+202E', 'U+202C'] });
  expect((await submit({ kind: 'owner' }, said(chat, text))).decision.outcome).toBe('allow');
});

test('shows no notice in the owner’s chat for an approval of the assistant', async () => {
  await empty();
  const chat = await chatOf(await granted());
  await submit(assistant(), said(chat, 'Hi there'), { needsConfirmation: true });
  expect(await sql('SELECT body FROM outbox')).toEqual([]);
});
