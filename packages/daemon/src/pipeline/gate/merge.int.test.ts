// Tests of the gate when two contacts are merged: permits and approvals move to the chat that is kept and allow no more
// than before.
import { randomUUID } from 'node:crypto';
import { approvalId, type ChatId, runId, tokenId } from '@relay/contract/ids';
import type { Grant } from '@relay/core/contacts/grants';
import type { Actor } from '@relay/core/policy/actors';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, describe, expect, test } from 'vitest';
import { type KnownTwice, knownTwice } from '../../platform/db/testing/people.ts';
import { findOrMakeChat, sendAsOwner } from './send-as-owner.ts';
import { ALL, assistant, autoReply, freshGate } from './testing/fixture.ts';

const fixture = await freshGate();
const { account, approvals, db, gate, lease, sql, submit, verdicts } = fixture;
const owner = { db, lease, gate };
const GO = { verdict: 'go' };

let person: KnownTwice;
const chatOf = (jid: string): Promise<ChatId> =>
  db.transaction().execute((tx) => findOrMakeChat(tx, account, jid));
/** Both contacts get the same grant and have written before. */
async function grant(of: readonly string[], given: Grant = ALL): Promise<void> {
  for (const jid of of) {
    const chat = await chatOf(jid);
    await sql(
      `INSERT INTO grants (account_id, contact_id, display_name, can_read, can_reply, reply_mode, can_initiate)
       SELECT account_id, contact_id, 'Mom', $2, $3, $4, $5 FROM chats WHERE id = $1`,
      [chat, given.canRead, given.canReply, given.replyMode, given.canInitiate],
    );
    await sql(
      `INSERT INTO message_keys (account_id, chat_id, sender, message_id, sent_at, id)
       VALUES ($1, $2, 'x', $3, now(), 1)`,
      [account, chat, randomUUID()],
    );
  }
}
const says = (actor: Actor, chat: ChatId, text: string) =>
  submit(actor, { kind: 'send_message', chat, text });
const waiting = async () =>
  (await approvals.list('pending')).map(({ text, chat_id }) => ({ text, chat_id }));
const approve = async (text: string) => {
  const asked = (await approvals.list('pending')).find((one) => one.text === text);
  return approvals.approve(approvalId(asked?.id ?? ''), asked?.shown);
};
const bodies = async () =>
  (await sql<{ body: string }>('SELECT body FROM outbox ORDER BY seq')).map(({ body }) => body);

describe.each(['phone', 'lid'] as const)('a merge that keeps the contact known by %s', (kept) => {
  const [keptJid, goneJid] = [() => person[kept], () => person[kept === 'phone' ? 'lid' : 'phone']];

  beforeEach(async () => {
    await sql('DELETE FROM outbox');
    await sql("UPDATE approvals SET state = 'rejected' WHERE state = 'pending'");
    person = await knownTwice(fixture, lease, kept);
  });

  test('sends messages to either contact, in the order they were written', async () => {
    verifies('IDENTITY-MERGE-CARRIES');
    await sendAsOwner(owner, { to: person.lid, text: 'one' });
    await sendAsOwner(owner, { to: person.phone, text: 'two' });
    await sendAsOwner(owner, { to: person.lid, text: 'three' });
    await person.merge();
    expect(await verdicts()).toEqual([GO, GO, GO]);
    expect(await bodies()).toEqual(['one', 'two', 'three']);
    expect(await sql('SELECT DISTINCT chat_id FROM outbox')).toEqual([
      { chat_id: await chatOf(person.phone) },
    ]);
  });

  test('sends an automatic reply that the grants of both contacts allow', async () => {
    verifies('IDENTITY-MERGE-CARRIES');
    await grant([person.phone, person.lid]);
    for (const jid of [person.phone, person.lid]) {
      const chat = await chatOf(jid);
      await says(autoReply(chat), chat, `to ${jid}`);
    }
    await person.merge();
    expect(await verdicts()).toEqual([GO, GO]);
  });

  test.each(['phone', 'lid'] as const)(
    'stops an automatic reply if only the contact known by %s may be answered',
    async (granted) => {
      verifies('IDENTITY-MERGE-NARROWS');
      await grant([person[granted]]);
      const chat = await chatOf(person[granted]);
      await chatOf(person[granted === 'lid' ? 'phone' : 'lid']);
      await says(autoReply(chat), chat, 'Hello');
      await person.merge();
      expect(await verdicts()).toMatchObject([{ verdict: 'stop', reason: 'no_grant' }]);
    },
  );

  test('sends a message that was approved before', async () => {
    verifies('IDENTITY-MERGE-CARRIES');
    await grant([person.phone, person.lid], { ...ALL, replyMode: 'draft' });
    const gone = await chatOf(goneJid());
    await says(autoReply(gone), gone, 'Approved');
    await approve('Approved');
    await person.merge();
    expect(await verdicts()).toEqual([GO]);
  });

  test('keeps pending approvals, and a newer draft still replaces an older one', async () => {
    verifies('IDENTITY-MERGE-CARRIES');
    await grant([person.phone, person.lid], { ...ALL, replyMode: 'draft' });
    const gone = await chatOf(goneJid());
    await says(autoReply(gone), gone, 'Draft');
    const [before] = await approvals.list('pending');
    await person.merge();
    const chat = await chatOf(keptJid());
    const [after] = await approvals.list('pending');
    expect(after).toMatchObject({
      id: before?.id,
      text: 'Draft',
      chat_id: chat,
      recipient: `+${person.phone.split('@')[0]}`,
      requested_by: `auto_reply:${chat}`,
    });
    await approve('Draft');
    expect(await verdicts()).toEqual([GO]);
  });

  test('keeps approvals of conversations, schedules and cancellations', async () => {
    verifies('IDENTITY-MERGE-CARRIES');
    await grant([person.phone, person.lid]);
    const chat = await chatOf(goneJid());
    const rule = { kind: 'once', at: '2030-01-01T08:00' } as never;
    const schedule = { chat, text: 'Call', rule, zone: 'UTC' };
    const request = { objective: 'Ask', target_contact: '+49 30 1', todos: [] };
    await submit(
      assistant(),
      { kind: 'create_conversation', chat, request },
      { taint: { chats: [chat], outside: false } },
    );
    await submit(
      assistant(),
      { kind: 'schedule_message', ...schedule, catchUp: 'skip' },
      { taint: { chats: [chat], outside: false } },
    );
    expect(await waiting()).toHaveLength(2);
    await person.merge();
    const kept = await chatOf(keptJid());
    expect(await waiting()).toEqual([
      { text: 'Ask', chat_id: kept },
      { text: 'Call', chat_id: kept },
    ]);
    await approve('Call');
    expect(fixture.scheduled.at(-1)?.schedule.chat).toBe(kept);
  });

  test('keeps one approval of a message that a client submitted for both contacts', async () => {
    verifies('IDENTITY-MERGE-CARRIES');
    await grant([person.phone, person.lid], { ...ALL, replyMode: 'draft' });
    const run = runId(randomUUID());
    for (const jid of [person.phone, person.lid]) {
      await says(assistant(run), await chatOf(jid), 'Same');
    }
    expect(await waiting()).toHaveLength(2);
    await person.merge();
    expect(await waiting()).toEqual([{ text: 'Same', chat_id: await chatOf(keptJid()) }]);
    await approve('Same');
    expect(await bodies()).toEqual(['Same']);
    expect(await verdicts()).toEqual([GO]);
  });

  test('expires an approval about the grant of one of the contacts', async () => {
    verifies('IDENTITY-MERGE-NARROWS');
    const [{ contact_id } = { contact_id: '' }] = await sql<{ contact_id: string }>(
      'SELECT contact_id FROM contact_aliases WHERE value = $1',
      [person.lid.split('@')[0]],
    );
    await submit(assistant(), {
      kind: 'manage_grant',
      of: { kind: 'contact', contact: contact_id as never },
      displayName: null,
      grant: ALL,
    });
    const [asked] = await approvals.list('pending');
    await person.merge();
    expect(await approvals.show(approvalId(asked?.id ?? ''))).toMatchObject({
      state: 'expired',
      answer: expect.stringContaining('merged contact'),
    });
  });

  test('does not sign a permit that the gate did not give', async () => {
    verifies('TRUST-FORGED-PERMIT');
    for (const jid of [goneJid(), keptJid()]) {
      await sendAsOwner(owner, { to: jid, text: 'Genuine' });
    }
    await sql("UPDATE permits SET actor = 'notifier' WHERE id IN (SELECT permit_id FROM outbox)");
    await person.merge();
    expect(await verdicts()).toMatchObject([{ reason: 'forged' }, { reason: 'forged' }]);
  });

  test('does not permit text that was altered before the merge', async () => {
    verifies('TRUST-FORGED-PERMIT');
    await sendAsOwner(owner, { to: keptJid(), text: 'Hello' });
    await sendAsOwner(owner, { to: goneJid(), text: 'Hello' });
    await sql("UPDATE outbox SET body = 'Something else'");
    await person.merge();
    expect(await verdicts()).toMatchObject([{ reason: 'altered' }, { reason: 'altered' }]);
  });

  test('keeps a permit revoked', async () => {
    await sendAsOwner(owner, { to: keptJid(), text: 'Hello' });
    await sendAsOwner(owner, { to: goneJid(), text: 'Hello' });
    await sql('UPDATE permits SET revoked_at = now(), mac = NULL');
    await person.merge();
    expect(await verdicts()).toMatchObject([{ reason: 'revoked' }, { reason: 'revoked' }]);
  });

  test('lets only a client that may use both contacts send to the merged contact', async () => {
    verifies('IDENTITY-MERGE-NARROWS');
    await grant([person.phone, person.lid]);
    const contacts = (await sql('SELECT contact_id FROM contact_aliases WHERE value = ANY($1)', [
      [person.phone, person.lid].map((jid) => jid.split('@')[0]),
    ])) as { contact_id: string }[];
    const ids = contacts.map(({ contact_id }) => contact_id);
    const chat = await chatOf(goneJid());
    await chatOf(keptJid());
    for (const allowed of [ids, ids.slice(0, 1), ids.slice(1)]) {
      const token = tokenId(randomUUID());
      await sql(
        `INSERT INTO tokens (account_id, id, name, hash, scopes, contacts, confirm)
         VALUES ($1, $2, $3, $4, '{messages:send}', $5, false)`,
        [account, token, token, Buffer.from(token), allowed],
      );
      await says(
        { kind: 'token', token, scopes: ['messages:send'], contacts: [] } as never,
        chat,
        token,
      );
    }
    const sent = (await bodies()).length;
    await person.merge();
    const after = await verdicts();
    expect(after).toHaveLength(sent);
    expect(after.filter(({ verdict }) => verdict === 'go')).toHaveLength(1);
  });
});

test('refuses to change the chat of an approval for any other reason', async () => {
  await sql("UPDATE approvals SET state = 'rejected' WHERE state = 'pending'");
  person = await knownTwice(fixture, lease, 'phone');
  await grant([person.phone, person.lid], { ...ALL, replyMode: 'draft' });
  const [from, to] = [await chatOf(person.phone), await chatOf(person.lid)];
  await says(assistant(), from, 'Draft');
  const changed = (set: string) => sql(`UPDATE approvals SET ${set} WHERE state = 'pending'`);
  const refusal = 'what an approval is about never changes';
  await expect(changed(`intent = intent || '{"chat": "${to}"}'`)).rejects.toThrow(refusal);
  await expect(changed(`intent = intent || '{"text": "Other"}'`)).rejects.toThrow(refusal);
  await expect(changed("intent_hash = '\\x00'")).rejects.toThrow(refusal);
  await expect(changed("requested_by = 'owner'")).rejects.toThrow(refusal);
});
