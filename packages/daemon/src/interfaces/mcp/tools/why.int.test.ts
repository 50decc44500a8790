// Tests what a client learns from `why`: the state of its own approvals and messages, and of others only where it may
// read; no message text, and no names it may not know.
import { expect, test } from 'vitest';
import { openReading, type Scopes } from '../testing/reading.ts';

const reading = await openReading();
const { chatter, grant, call, token, sql, deps, approvals, conversations } = reading;
const { db } = deps;
const SCOPES: Readonly<Scopes> = ['ledger:read', 'messages:send'];
const ben = await chatter.person('Benjamin', '4915100200002');
const cy = await chatter.person('Cyril', '4915100200003');
await grant(ben, 'Ben', { reply: true });
await grant(cy, 'Cy', { read: false, reply: true });
const [fromBen = '', fromCy = ''] = await chatter.say(
  { chat: ben.chat, by: ben.contact, text: 'canary of Ben' },
  { chat: cy.chat, by: cy.contact, text: 'canary of Cy' },
);
const client = await token(SCOPES);
const other = await token(SCOPES);

const submit = (id: string, chat: typeof ben.chat, text: string, needsConfirmation: boolean) =>
  db
    .transaction()
    .execute((tx) =>
      conversations.gate.submit(
        tx,
        { kind: 'token', token: id as never, scopes: SCOPES, contacts: null },
        { kind: 'send_message', chat, text },
        { needsConfirmation },
      ),
    );
const asked = async (id: string, chat: typeof ben.chat, text: string): Promise<string> => {
  const { approval } = await submit(id, chat, text, true);
  if (approval === null) throw new Error('nothing waits');
  return approval;
};
const unknown = /that this client may see/;

test('reports an approval as pending, approved with its message, or declined', async () => {
  const yes = await asked(client.id, ben.chat, 'canary to send');
  const ask = () => call(client, 'why', { id: yes });
  expect(await ask()).toMatchObject({
    kind: 'approval',
    state: 'pending',
    reason: 'confirm',
    chat: { name: 'Ben' },
    message_id: null,
    sentence: expect.stringMatching(
      /^Waiting for your approval until .*: each message needs your confirmation before it is sent\.$/,
    ),
  });
  await approvals.approve(yes as never);
  const answer = await ask();
  expect(answer).toMatchObject({ state: 'approved', message_id: expect.any(String) });
  expect(answer.sentence).toMatch(/^You approved it .*; it is queued\.$/);
  expect(await call(client, 'why', { id: answer.message_id })).toMatchObject({
    kind: 'message',
    state: 'pending',
    approval_id: yes,
  });

  const no = await asked(client.id, ben.chat, 'canary that is rejected');
  await approvals.reject(no as never, 'canary of the owner');
  const refused = await call(client, 'why', { id: no });
  expect(refused).toMatchObject({ state: 'rejected', message_id: null });
  expect(JSON.stringify([answer, refused])).not.toContain('canary');
});

test('reports a readable message by its whole id', async () => {
  const answer = await call(client, 'why', { id: fromBen });
  expect(answer).toMatchObject({ kind: 'message', state: 'received', chat: { name: 'Ben' } });
  expect(JSON.stringify(answer)).not.toContain('canary');
  for (const id of [fromBen.slice(0, 8), fromCy, 'ABCDEF', crypto.randomUUID()])
    await expect(call(client, 'why', { id }), id).rejects.toThrow(unknown);
});

test('reports what others requested only where the client may read', async () => {
  const here = await asked(other.id, ben.chat, 'from another');
  const there = await asked(other.id, cy.chat, 'from another');
  expect(await call(client, 'why', { id: here })).toMatchObject({ state: 'pending' });
  await expect(call(client, 'why', { id: there })).rejects.toThrow(unknown);
  expect(await call(other, 'why', { id: there })).toMatchObject({ chat: { name: 'Cy' } });
});

test('still reports its own message without the name when the grant is gone', async () => {
  const dee = await chatter.person('Deirdre', '4915100200004');
  await chatter.say({ chat: dee.chat, by: dee.contact, text: 'Hi' });
  await grant(dee, 'Canary Dee', { reply: true });
  const { message } = await submit(client.id, dee.chat, 'Hello', false);
  await sql('DELETE FROM grants WHERE contact_id = $1', [dee.contact]);
  const answer = await call(client, 'why', { id: message?.messageId });
  expect(answer).toMatchObject({ kind: 'message', state: 'pending', chat: null });
  expect(JSON.stringify(answer)).not.toMatch(/Canary|Deirdre|4915100200004/);
  await expect(call(other, 'why', { id: message?.messageId })).rejects.toThrow(unknown);
});

test('finds a conversation by its id, not by its objective', async () => {
  await grant(ben, 'Ben', { reply: true });
  const id = await reading.create('+4915100200002');
  await sql('UPDATE instances SET objective = $2 WHERE id = $1', [id, 'canary objective']);
  await reading.quiet();
  const [row] = await sql<{ message_id: string }>(
    'SELECT message_id FROM outbox WHERE instance_id = $1',
    [id],
  );
  const answer = await call(client, 'why', { id: row?.message_id ?? '' });
  expect(answer.sentence).toContain(id.slice(0, 8));
  expect(answer.sentence).not.toContain('canary');
});
