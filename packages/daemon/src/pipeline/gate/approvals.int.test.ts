import type { Approval } from '@relay/contract/api/approvals';
import { approvalId, chatId, instanceId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { times } from '@relay/testing/store';
import { expect, onTestFinished, test } from 'vitest';
import { carryOutApproved } from '../../features/conversations/service.ts';
import { findReady } from '../outbox/claim.ts';
import { expireApprovals } from './approval-store.ts';
import { createApprovalService } from './approvals.ts';
import { createHoldService } from './hold.ts';
import { recheckPermits } from './recheck.ts';

const harness = await freshDaemonHarness();
const { account, database, sql, conversations, reaches } = harness;
const { db, lease, gate } = conversations;
const changes: string[] = [];
const gated = { db, lease, gate, onChange: () => changes.push('changed') };
const approvals = createApprovalService({
  ...gated,
  actions: {
    ...carryOutApproved(conversations),
    scheduleMessage: () => Promise.reject(new Error('nothing is scheduled here')),
    cancelSchedule: () => Promise.reject(new Error('nothing is scheduled here')),
  },
});
const hold = createHoldService({ ...gated, onRelease: async () => {} });

const SECRET = 'KEY-4f3a-99bc-1d2e';
const TEXT = `Héllo\n  the key is ${SECRET} \u{1f511} `;

/** A conversation whose agent reveals the owner's key, and the approval that results. */
async function asks(text = TEXT): Promise<Approval> {
  harness.agent(() => ({ messages: [text] }));
  const { id } = await harness.service.create({
    objective: `Sell the bicycle. The lock has the key ${SECRET}`,
    target_contact: newPhone(),
    todos: [],
  });
  await reaches(instanceId(id), 'NEEDS_HUMAN_INTERVENTION');
  const approval = (await approvals.list('pending')).find(({ instance_id }) => instance_id === id);
  if (approval === undefined) throw new Error('nobody was asked');
  return approval;
}

const outboxOf = ({ instance_id }: Approval) =>
  sql<{ body: string }>('SELECT body FROM outbox WHERE instance_id = $1', [instance_id]);
const permitsOf = ({ id }: Approval) => sql('SELECT id FROM permits WHERE approval_id = $1', [id]);
const lastRows = async (count: number) =>
  (await sql('SELECT action, outcome, reason FROM ledger ORDER BY seq DESC LIMIT $1', [count])).map(
    (row) => `${row.action} ${row.outcome} ${row.reason}`,
  );

test('creates an approval for a message that quotes private text, with the recipient and every byte', async () => {
  const approval = await asks();
  expect(approval).toMatchObject({
    state: 'pending',
    kind: 'send_message',
    text: TEXT,
    reason_code: 'quotes_private',
    reason: expect.stringContaining('in confidence'),
    requested_by: `conversation:${approval.instance_id}`,
    recipient: expect.stringMatching(/^\+4915100/),
  });
  expect(await outboxOf(approval)).toEqual([]);
  expect(await lastRows(1)).toEqual(['send_message needs_approval quotes_private']);
});

test('creates one approval when the same text is submitted twice', async () => {
  const approval = await asks();
  const id = instanceId(approval.instance_id ?? '');
  await harness.reply(id, 'What?');
  await harness.quiet();
  const waiting = await approvals.list('pending');
  expect(waiting.filter(({ instance_id }) => instance_id === id)).toHaveLength(1);
});

test('sends an approved message exactly once, however often and concurrently it is approved', async () => {
  const approval = await asks();
  const answers = await Promise.allSettled(
    times(8, () => approvals.approve(approvalId(approval.id))),
  );
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await outboxOf(approval)).map(({ body }) => body)).toEqual([TEXT]);
  expect(await permitsOf(approval)).toHaveLength(1);
  await expect(approvals.approve(approvalId(approval.id))).rejects.toThrow('already approved');
  await expect(approvals.reject(approvalId(approval.id), null)).rejects.toThrow('answered once');
  const [row] = await sql('SELECT state, used_at FROM approvals WHERE id = $1', [approval.id]);
  expect(row).toMatchObject({ state: 'approved', used_at: expect.any(Date) });
  expect((await lastRows(2)).reverse()).toEqual([
    'answer_approval allow owner',
    'send_message allow approved',
  ]);
});

test('sends an approved message, but not if a byte of it was changed afterwards', async () => {
  await harness.acknowledges(false);
  onTestFinished(() => harness.acknowledges(true));
  const approval = await asks();
  await approvals.approve(approvalId(approval.id));
  const verdict = () =>
    database.kysely.transaction().execute(async (tx) => {
      const ready = (
        await findReady(tx, account, {
          now: new Date(),
          room: 100,
          inFlight: [],
          firstContacts: 'open',
          reconciled: true,
          horizon: new Date(0),
        })
      ).filter(({ instance_id }) => instance_id === approval.instance_id);
      return recheckPermits(account, { pacing: pacingSchema.parse({ enabled: false }) })(tx, ready);
    });
  expect(await verdict()).toEqual([{ verdict: 'go' }]);
  await sql("UPDATE outbox SET body = body || ' ' WHERE instance_id = $1", [approval.instance_id]);
  expect(await verdict()).toMatchObject([{ verdict: 'stop' }]);
});

test('does not apply an approval to another text, another chat or a second message', async () => {
  const approval = await asks();
  const id = approvalId(approval.id);
  const chatOf = async ({ instance_id }: Approval) =>
    chatId(
      String((await sql('SELECT chat_id FROM instances WHERE id = $1', [instance_id]))[0]?.chat_id),
    );
  const own = await chatOf(approval);
  const elsewhere = await chatOf(await asks());
  const instance = instanceId(approval.instance_id ?? '');
  await sql("UPDATE approvals SET state = 'approved' WHERE id = $1", [id]);
  const submit = (text: string, chat = own) =>
    database.kysely
      .transaction()
      .execute((tx) =>
        gate.submit(
          tx,
          { kind: 'conversation', instance, chat },
          { kind: 'send_message', chat, text },
          { approval: id },
        ),
      );
  for (const text of [`${TEXT} `, TEXT.trim(), TEXT.normalize('NFD'), 'Hello']) {
    expect(await submit(text)).toMatchObject({
      decision: { outcome: 'deny', reason: 'approval_differs' },
      message: null,
    });
  }
  expect(await submit(TEXT, elsewhere)).toMatchObject({
    decision: { outcome: 'deny', reason: 'approval_differs' },
    message: null,
  });
  await sql('UPDATE approvals SET used_at = now() WHERE id = $1', [id]);
  expect(await submit(TEXT)).toMatchObject({
    decision: { outcome: 'deny', reason: 'approval_spent' },
    message: null,
  });
  expect(await outboxOf(approval)).toEqual([]);
});

test('refuses to alter a stored approval, and sends nothing if one was altered anyway', async () => {
  const approval = await asks();
  const alter = () =>
    sql(`UPDATE approvals SET intent = jsonb_set(intent, '{text}', '"Send money"') WHERE id = $1`, [
      approval.id,
    ]);
  await expect(alter()).rejects.toThrow();
  await sql('ALTER TABLE approvals DISABLE TRIGGER approvals_unaltered');
  await alter();
  await sql('ALTER TABLE approvals ENABLE TRIGGER approvals_unaltered');
  await expect(approvals.approve(approvalId(approval.id))).rejects.toThrow('something else');
  expect(await outboxOf(approval)).toEqual([]);
});

test('refuses a permit in the database for content that was not approved, and a second permit', async () => {
  const approval = await asks();
  await approvals.approve(approvalId(approval.id));
  const second = (hash: string) =>
    sql(
      `INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, content_hash, approval_id)
       SELECT account_id, gen_random_uuid(), ledger_seq, actor, intent, chat_id, ${hash}, approval_id
       FROM permits WHERE approval_id = $1`,
      [approval.id],
    );
  await expect(second('content_hash')).rejects.toThrow('permits_one_per_approval');
  await sql('DELETE FROM outbox WHERE instance_id = $1', [approval.instance_id]);
  const altered = sql(`UPDATE permits SET content_hash = sha256('other') WHERE approval_id = $1`, [
    approval.id,
  ]);
  await expect(altered).rejects.toThrow('permits_for_what_was_approved');
});

test('refuses an approval during a hold with the reason, and accepts it after the release', async () => {
  const approval = await asks();
  await hold.hold('lunch');
  await expect(approvals.approve(approvalId(approval.id))).rejects.toThrow('on hold');
  expect(await lastRows(1)).toEqual(['send_message deny hold']);
  expect((await approvals.list('pending')).map(({ id }) => id)).toContain(approval.id);
  await hold.release();
  expect(await approvals.approve(approvalId(approval.id))).toMatchObject({ state: 'approved' });
  expect(await outboxOf(approval)).toHaveLength(1);
});

test('sends nothing when the owner declines, and stores the reason', async () => {
  const approval = await asks();
  const rejected = await approvals.reject(approvalId(approval.id), 'not that');
  expect(rejected).toMatchObject({ state: 'rejected', answer: 'not that' });
  await expect(approvals.approve(approvalId(approval.id))).rejects.toThrow('already rejected');
  expect(await outboxOf(approval)).toEqual([]);
  expect(await lastRows(1)).toEqual(['answer_approval allow owner']);
});

test('expires an approval when its time is over or its conversation ends', async () => {
  const [late, ended] = [await asks(), await asks()];
  await sql("UPDATE approvals SET expires_at = now() - interval '1 s' WHERE id = $1", [late.id]);
  await harness.service.cancel(instanceId(ended.instance_id ?? ''));
  for (const { id } of [late, ended]) {
    await expect(approvals.approve(approvalId(id))).rejects.toThrow('has expired');
    expect((await approvals.list('pending')).map((waiting) => waiting.id)).not.toContain(id);
  }
  await database.kysely.transaction().execute((tx) => expireApprovals(tx, account));
  const stored = await sql("SELECT id FROM approvals WHERE state = 'expired'");
  expect(stored.map(({ id }) => id).sort()).toEqual([late.id, ended.id].sort());
  expect(await outboxOf(late)).toEqual([]);
});

test('appends an event for each state of an approval', async () => {
  const approval = await asks();
  await approvals.approve(approvalId(approval.id));
  const events = await sql<{ state: string }>(
    "SELECT data->>'state' AS state FROM events WHERE kind = 'approval' AND subject = $1 ORDER BY id",
    [approval.id],
  );
  expect(events.map(({ state }) => state)).toEqual(['pending', 'approved']);
});

test('reports an unknown approval as not found', async () => {
  const id = approvalId('00000000-0000-4000-8000-000000000000');
  await expect(approvals.approve(id)).rejects.toThrow('not found');
  await expect(approvals.reject(id, null)).rejects.toThrow('not found');
});
