import type { Approval } from '@relay/contract/api/approvals';
import { approvalId, instanceId } from '@relay/contract/ids';
import { createLedgerReader } from '@relay/daemon/platform/db/ledger-reader';
import { freshDaemonHarness, newPhone } from '@relay/testing/daemon-harness';
import { times } from '@relay/testing/store';
import { expect, test } from 'vitest';

const harness = await freshDaemonHarness();
const { account, database, sql, approvals, reaches } = harness;
const ledger = createLedgerReader({
  db: database.kysely,
  account,
  admins: [],
  now: () => new Date(),
  zone: 'UTC',
});

const SECRET = 'KEY-4f3a-99bc-1d2e';
const TEXT = `The key is ${SECRET}.`;

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

const edit = ({ id }: Approval, text: string) => approvals.edit(approvalId(id), text);
const approve = ({ id }: Approval, shown?: string) => approvals.approve(approvalId(id), shown);
const show = ({ id }: Approval) => approvals.show(approvalId(id));
const sentBy = async ({ instance_id }: Approval) =>
  (
    await sql<{ body: string }>('SELECT body FROM outbox WHERE instance_id = $1 ORDER BY seq', [
      instance_id,
    ])
  ).map(({ body }) => body);
const lastRows = async (count: number) =>
  (await sql('SELECT action, outcome, reason FROM ledger ORDER BY seq DESC LIMIT $1', [count])).map(
    (row) => `${row.action} ${row.outcome} ${row.reason}`,
  );

test('asks the owner to approve an edited text, even if nothing else requires an approval', async () => {
  const asked = await asks();
  const edited = await edit(asked, 'I write to you about the lock later.');
  expect(edited).toMatchObject({
    state: 'pending',
    text: 'I write to you about the lock later.',
    reason_code: 'edited',
    instance_id: asked.instance_id,
    requested_by: asked.requested_by,
    replaced_by: null,
  });
  expect(edited.id).not.toBe(asked.id);
  expect(edited.shown).not.toBe(asked.shown);
  expect(await sentBy(asked)).toEqual([]);
  expect(await show(asked)).toMatchObject({ state: 'rejected', replaced_by: edited.id });
  expect((await lastRows(2)).reverse()).toEqual([
    'send_message needs_approval edited',
    'answer_approval allow owner',
  ]);
  const waiting = await approvals.list('pending');
  expect(waiting.filter(({ instance_id }) => instance_id === asked.instance_id)).toEqual([edited]);
});

test('continues the conversation with the approved text only', async () => {
  const asked = await asks();
  const edited = await edit(asked, 'It is blue.');
  expect(await harness.state(instanceId(asked.instance_id ?? ''))).toBe('NEEDS_HUMAN_INTERVENTION');
  await approve(edited, edited.shown);
  expect(await sentBy(asked)).toEqual(['It is blue.']);
  await reaches(instanceId(asked.instance_id ?? ''), 'WAITING_FOR_REPLY');
  expect((await harness.lines(instanceId(asked.instance_id ?? ''))).at(-1)).toBe(
    'agent: It is blue.',
  );
  const [sent] = await sql<{ message_id: string }>(
    'SELECT message_id FROM outbox WHERE instance_id = $1',
    [asked.instance_id],
  );
  expect((await ledger.why(sent?.message_id ?? '')).sentence).toContain(
    'which you edited and approved',
  );
});

test('asks about an edited text that still reveals something private for that reason', async () => {
  expect(await edit(await asks(), `Psst, ${SECRET}`)).toMatchObject({
    reason_code: 'quotes_private',
  });
});

test('links all edits of an approval to the first one', async () => {
  const asked = await asks();
  const once = await edit(asked, 'One.');
  const twice = await edit(once, 'Two.');
  await approve(twice);
  for (const earlier of [asked, once]) {
    expect(await show(earlier)).toMatchObject({ state: 'rejected', replaced_by: twice.id });
  }
  const rows = await ledger.linesAboutApproval(approvalId(asked.id));
  expect(rows.map(({ action, reason }) => `${action} ${reason}`)).toEqual([
    'send_message quotes_private',
    'send_message edited',
    'answer_approval owner',
    'send_message edited',
    'answer_approval owner',
    'answer_approval owner',
    'send_message approved',
  ]);
  expect(await ledger.linesAboutApproval(approvalId(twice.id))).toEqual(rows);
});

test('returns the same approval if the text did not change', async () => {
  const asked = await asks();
  expect(await edit(asked, TEXT)).toEqual(asked);
});

test('sends nothing on an approval of an earlier text', async () => {
  const asked = await asks();
  const edited = await edit(asked, 'Other words.');
  await expect(approve(edited, asked.shown)).rejects.toThrow('changed since it was shown');
  await expect(approve(asked, asked.shown)).rejects.toThrow('changed since it was shown');
  await expect(approvals.reject(approvalId(asked.id), null)).rejects.toThrow('changed');
  expect(await sentBy(asked)).toEqual([]);
  await approve(edited, edited.shown);
  expect(await sentBy(asked)).toEqual(['Other words.']);
});

test('applies either the approval or the edit when both happen at once', async () => {
  const rounds = await Promise.all(times(6, () => asks()));
  await Promise.all(
    rounds.map(async (asked, round) => {
      const acts = [() => approve(asked, asked.shown), () => edit(asked, `Words ${round}`)];
      const [first, second] = round % 2 === 0 ? acts : acts.toReversed();
      const done = await Promise.allSettled([first?.(), second?.()]);
      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { state, replaced_by } = await show(asked);
      const isSent = state === 'approved';
      expect(await sentBy(asked)).toEqual(isSent ? [TEXT] : []);
      expect(replaced_by === null).toBe(isSent);
    }),
  );
});

test('refuses to edit an expired or answered approval', async () => {
  const [late, answered] = [await asks(), await asks()];
  await sql("UPDATE approvals SET expires_at = now() - interval '1 s' WHERE id = $1", [late.id]);
  await approvals.reject(approvalId(answered.id), 'no');
  await expect(edit(late, 'Too late.')).rejects.toThrow('has expired');
  await expect(edit(answered, 'Again.')).rejects.toThrow('already rejected');
  const waiting = await sql(
    "SELECT id FROM approvals WHERE intent->>'text' IN ('Too late.', 'Again.')",
  );
  expect(waiting).toEqual([]);
});

test('allows an edit during a hold and sends nothing', async () => {
  const asked = await asks();
  await harness.hold();
  const edited = await edit(asked, 'After lunch.');
  await expect(approve(edited, edited.shown)).rejects.toThrow('on hold');
  await harness.release();
  await approve(edited, edited.shown);
  expect(await sentBy(asked)).toEqual(['After lunch.']);
});

test('lists answered approvals newest first, page by page', async () => {
  const all = await approvals.list('rejected');
  const times = all.map(({ decided_at }) => Date.parse(decided_at ?? ''));
  expect(times).toEqual(times.toSorted((a, b) => b - a));
  const first = await approvals.list('rejected', { limit: 2 });
  const next = await approvals.list('rejected', { limit: 2, after: first[1]?.id });
  expect([...first, ...next]).toEqual(all.slice(0, 4));
});
