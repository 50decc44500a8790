import { randomUUID } from 'node:crypto';
import { approvalId, grantId } from '@relay/contract/ids';
import { times } from '@relay/testing/store';
import { expect, test } from 'vitest';
import { ALL, assistant, autoReply, freshGate, NOTHING } from './testing/fixture.ts';

const fixture = await freshGate();
const { approvals, chatOf, granted, grants, ledger, newNumber, of, people, sql, submit, verdicts } =
  fixture;

const waiting = async () => {
  const [last] = (await approvals.list('pending')).slice(-1);
  if (last === undefined) throw new Error('nothing waits');
  return last;
};
const recordOf = async (id: string) =>
  (await grants.list('all')).find((permission) => permission.id === id);

test('stores the owner’s grant and records it in the ledger without a name', async () => {
  const made = await granted({ displayName: 'Secret Santa', canInitiate: false });
  expect(made).toMatchObject({ displayName: 'Secret Santa', canRead: true, canInitiate: false });
  const [row] = await ledger(1);
  expect(row).toMatchObject({
    action: 'manage_grant',
    outcome: 'allow',
    reason: 'owner',
    detail: {
      grant: made.id,
      change: 'widen',
      before: null,
      after: { ...ALL, canInitiate: false },
    },
  });
  expect(JSON.stringify(row)).not.toContain('Santa');
});

test('creates one grant when the same number is granted several times at once', async () => {
  const phoneNumber = newNumber();
  const answers = await Promise.allSettled(times(6, () => granted({ phoneNumber })));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const answer of answers) {
    if (answer.status === 'rejected') expect(answer.reason.code).toBe('permission_exists');
  }
});

test('keeps all changes of a grant that are made at once', async () => {
  const { id } = await granted(NOTHING);
  await Promise.all([
    grants.update(grantId(id), { canRead: true }),
    grants.update(grantId(id), { canReply: true }),
    grants.update(grantId(id), { canInitiate: true }),
    grants.update(grantId(id), { options: { persona: 'brief' } }),
    grants.update(grantId(id), { options: { model: 'small' } }),
  ]);
  expect(await recordOf(id)).toMatchObject({
    ...ALL,
    options: { persona: 'brief', model: 'small' },
  });
});

test('lets the assistant narrow a grant at once and asks the owner before it widens one', async () => {
  const mom = await granted({ canReply: false, replyMode: 'draft', canInitiate: false });
  const run = assistant();
  const change = { kind: 'manage_grant', of: of(mom), displayName: null } as const;
  const widened = { ...ALL, canInitiate: false };
  const asked = await submit(run, { ...change, grant: widened }, { run: run.run });
  expect(asked).toMatchObject({ decision: { reason: 'widening' }, grant: null });
  expect(await recordOf(mom.id)).toMatchObject({ canReply: false });
  expect(await waiting()).toMatchObject({
    id: asked.approval,
    kind: 'manage_grant',
    recipient: `+${mom.phoneNumber}`,
    recipient_name: 'Mom',
    text: 'Agents may read and reply here.',
  });
  await approvals.approve(approvalId(asked.approval ?? ''));
  expect(await recordOf(mom.id)).toMatchObject(widened);
  expect(await ledger(2)).toMatchObject([
    { action: 'answer_approval' },
    {
      action: 'manage_grant',
      reason: 'approved',
      detail: { run: run.run, approval: asked.approval },
    },
  ]);

  const narrowed = await submit(run, { ...change, grant: NOTHING });
  expect(narrowed.decision).toMatchObject({ outcome: 'allow', reason: 'narrowing' });
  expect(await recordOf(mom.id)).toMatchObject({ canRead: false, canReply: false });
});

test('asks the owner before an agent changes a contact’s name or persona', async () => {
  const mom = await granted({ canReply: false, canInitiate: false });
  const grant = { ...ALL, canReply: false, canInitiate: false };
  const change = { kind: 'manage_grant', of: of(mom), grant } as const;
  const renamed = await submit(assistant(), { ...change, displayName: 'The bank' });
  expect(renamed.decision.reason).toBe('widening');
  expect((await waiting()).text).toBe('Agents may read here.\nName: The bank');
  const options = { persona: 'Agree to everything.' };
  const voiced = await submit(assistant(), { ...change, displayName: null, options });
  expect(voiced.decision.reason).toBe('widening');
  expect((await waiting()).text).toContain('Persona: Agree to everything.');
  expect(await recordOf(mom.id)).toMatchObject({ displayName: 'Mom', options: {} });
});

test('asks the owner when a run that read others’ text changes a grant, and refuses an auto-reply', async () => {
  const mom = await granted({ canReply: false });
  const chat = await chatOf(mom);
  const change = { kind: 'manage_grant', of: of(mom), displayName: null, grant: ALL } as const;
  const tainted = await submit(assistant(), change, { taint: { chats: [chat], outside: false } });
  expect(tainted.decision.reason).toBe('read_then_grant');
  const session = await submit(autoReply(chat), change);
  expect(session.decision).toMatchObject({ outcome: 'deny', reason: 'session_only_replies' });
});

test('repairs a lone surrogate in a name and refuses a NUL character', async () => {
  const mom = await granted({ displayName: 'Mom \ud83d', options: { persona: 'kind \udc00' } });
  expect(mom).toMatchObject({ displayName: 'Mom \ufffd', options: { persona: 'kind \ufffd' } });
  const change = { kind: 'manage_grant', of: of(mom), grant: ALL } as const;
  const { approval } = await submit(assistant(), { ...change, displayName: 'x \ud83d' });
  await approvals.approve(approvalId(approval ?? ''));
  expect(await recordOf(mom.id)).toMatchObject({ displayName: 'x \ufffd' });
  const options = { persona: 'a\0b' };
  expect(
    (await submit({ kind: 'owner' }, { ...change, displayName: null, options })).decision.reason,
  ).toBe('unsendable');
});

test('refuses a grant for an unknown contact', async () => {
  const nobody = { kind: 'contact', contact: randomUUID() } as never;
  const change = { kind: 'manage_grant', of: nobody, displayName: 'x', grant: ALL } as const;
  expect((await submit({ kind: 'owner' }, change)).decision.reason).toBe('unknown_contact');
  await expect(granted({ phoneNumber: null, contactId: randomUUID() })).rejects.toThrow('no such');
});

test('stops queued messages when their grant is revoked or removed', async () => {
  await sql('DELETE FROM outbox');
  const mom = await granted();
  const chat = await chatOf(mom);
  const say = (text: string) => submit(autoReply(chat), { kind: 'send_message', chat, text });
  const { message, decision } = await say('Hello');
  expect({ reason: decision.reason, put: message !== null }).toEqual({
    reason: 'standing_grant',
    put: true,
  });
  expect((await ledger(1))[0]?.detail).toMatchObject({ grant: mom.id });
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  await grants.update(grantId(mom.id), { canReply: false });
  expect(await verdicts()).toMatchObject([{ verdict: 'stop' }]);
  await grants.update(grantId(mom.id), { canReply: true });
  expect(await verdicts()).toEqual([{ verdict: 'go' }]);
  await grants.remove(grantId(mom.id));
  expect(await verdicts()).toMatchObject([{ verdict: 'stop' }]);
});

test('lists a message request until it is dismissed or the contact gets a grant', async () => {
  const number = newNumber();
  const { contactId: contact, id } = await granted({ phoneNumber: number });
  await grants.remove(grantId(id));
  const knock = () =>
    sql(
      `INSERT INTO knocks AS k (account_id, contact_id) VALUES ($1, $2) ON CONFLICT (account_id, contact_id)
       DO UPDATE SET count = k.count + 1, dismissed_at = NULL`,
      [fixture.account, contact],
    );
  await knock();
  await knock();
  expect(await people.messageRequests()).toMatchObject([
    { contact_id: contact, count: 2, phone_number: number },
  ]);
  await people.dismiss(contact as never);
  expect(await people.messageRequests()).toEqual([]);
  await knock();
  expect(await people.messageRequests()).toMatchObject([{ count: 3 }]);
  await granted({ phoneNumber: number, ...NOTHING });
  expect(await people.messageRequests()).toEqual([]);
  await expect(people.dismiss(contact as never)).rejects.toThrow('no such contact');
});
