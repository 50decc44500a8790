import { randomUUID } from 'node:crypto';
import { approvalId, type ChatId } from '@relay/contract/ids';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';
import { noteLinkedIdentity, noteNewLink } from '../../platform/db/account.ts';
import { loadChatRisks } from './load-facts.ts';
import { findOrMakeChat } from './send-as-owner.ts';
import { assistant, freshGate } from './testing/fixture.ts';

let wakings = 0;
const fixture = await freshGate({ notifyOwner: true, wakeOutbox: () => wakings++ });
const { account, approvals, chatOf, db, granted, lease, newNumber, sql, submit } = fixture;

const ME = { phone: '4915100000', lid: null };
const monthsAgo = (months: number) => new Date(Date.now() - months * 30 * 86_400_000);

beforeEach(async () => {
  await sql('DELETE FROM outbox');
  await sql('DELETE FROM freezes');
  await noteNewLink(db, lease);
  await noteLinkedIdentity(db, lease, ME, monthsAgo(6));
});

const strangersChat = (number = newNumber()) =>
  db.transaction().execute((tx) => findOrMakeChat(tx, account, number));
const says = (chat: ChatId, text = randomUUID()) => ({ kind: 'send_message', chat, text }) as const;
const codes = async (chat: ChatId) =>
  (await loadChatRisks(db, account, [chat])).get(chat)?.map(({ code }) => code) ?? [];

/** Their chat with a message of one side, and whether it is the owner's. */
async function writes(chat: ChatId, sender: 'me' | 'them') {
  await sql(
    `INSERT INTO message_keys (account_id, chat_id, sender, message_id, sent_at, id)
     VALUES ($1, $2, $3, $4, now(), 1)`,
    [account, chat, sender === 'me' ? 'me' : randomUUID(), randomUUID()],
  );
}

/** As if the owner had sent it an hour ago. */
async function sent(chat: ChatId) {
  const { message } = await submit({ kind: 'owner' }, says(chat));
  await sql(
    "UPDATE outbox SET state = 'sent', attempted_at = now() - interval '1 hour' WHERE id = $1",
    [message?.id],
  );
}

test('an approval of a first message names the risk, and one for a known contact names none', async () => {
  verifies('TRUST-APPROVE-RISK');
  const stranger = await granted();
  const cold = await strangersChat(stranger.jid ?? '');
  const known = await chatOf(await granted());
  const first = await submit(assistant(), says(cold));
  const confirmed = await submit(assistant(), says(known), { needsConfirmation: true });
  const shown = await approvals.show(approvalId(first.approval ?? ''));
  expect(shown).toMatchObject({
    reason_code: 'first_contact',
    risks: [{ code: 'first_contact' }, { code: 'registration_unknown' }],
  });
  expect(await approvals.show(approvalId(confirmed.approval ?? ''))).toMatchObject({ risks: [] });
  const listed = await approvals.list('pending');
  expect(listed.find(({ id }) => id === first.approval)?.risks).toEqual(shown.risks);

  await writes(cold, 'them');
  expect(await approvals.show(approvalId(first.approval ?? ''))).toMatchObject({ risks: [] });
  await approvals.reject(approvalId(first.approval ?? ''), null);
});

test('names no risk once an approval was answered', async () => {
  const cold = await strangersChat((await granted()).jid ?? '');
  const { approval } = await submit(assistant(), says(cold));
  const declined = await approvals.reject(approvalId(approval ?? ''), null);
  expect(declined).toMatchObject({ state: 'rejected', risks: [] });
});

test('the notice in the owner’s chat names the risk', async () => {
  verifies('TRUST-APPROVE-RISK');
  const cold = await strangersChat((await granted()).jid ?? '');
  const noticeChat = await strangersChat(ME.phone);
  await submit(assistant(), says(cold), { noticeChat });
  const [notice] = await sql<{ body: string }>('SELECT body FROM outbox ORDER BY seq DESC LIMIT 1');
  expect(notice?.body).toContain('⚠️ It is not known yet whether this number is on WhatsApp.');
  expect(notice?.body).toContain('Safer: ask them to write to you first.');
});

test('a question of the gate wakes the outbox once its notice is committed', async () => {
  const cold = await strangersChat((await granted()).jid ?? '');
  const noticeChat = await strangersChat(ME.phone);
  wakings = 0;
  await db.transaction().execute(async (tx) => {
    await fixture.gate.submit(tx, assistant(), says(cold), { noticeChat });
    expect(wakings).toBe(0);
  });
  expect(wakings).toBe(1);
});

test('tells a chat in which only the owner has written from one in which nobody has', async () => {
  const chat = await strangersChat();
  expect(await codes(chat)).toContain('first_contact');
  await writes(chat, 'me');
  expect(await codes(chat)).toContain('no_message_from_them');
  await writes(chat, 'them');
  expect(await codes(chat)).toEqual([]);
});

test('names what WhatsApp has said about a number, and a time lock', async () => {
  const number = newNumber();
  const chat = await strangersChat(number);
  const note = (registered: boolean) =>
    sql(
      'UPDATE contact_aliases SET is_registered = $2, asked_at = now() WHERE account_id = $1 AND value = $3',
      [account, registered, number],
    );
  await note(false);
  expect(await codes(chat)).toEqual(['not_registered', 'first_contact']);
  await note(true);
  expect(await codes(chat)).toEqual(['first_contact']);
  await sql(
    "INSERT INTO freezes (account_id, cause, until) VALUES ($1, 'time_lock', now() + interval '1 day')",
    [account],
  );
  expect(await codes(chat)).toEqual(['time_locked', 'first_contact']);
});

test('counts as cold only messages of the last day to people who never wrote, and none to the owner', async () => {
  const chat = await strangersChat();
  const own = await strangersChat(ME.phone);
  for (let each = 0; each < 3; each++) await sent(await strangersChat());
  for (let each = 0; each < 20; each++) await sent(own);
  const answered = await strangersChat();
  await sent(answered);
  await writes(answered, 'them');
  const [risk] = (await loadChatRisks(db, account, [chat])).get(chat)?.slice(-1) ?? [];
  expect(risk).toMatchObject({ code: 'many_cold_messages', values: { cold: 3, sent: 4 } });
  await sql("UPDATE outbox SET attempted_at = now() - interval '25 hours'");
  expect(await codes(chat)).not.toContain('many_cold_messages');
});

test('names a new link for a week, also of a number that was linked before', async () => {
  const chat = await strangersChat();
  expect(await codes(chat)).not.toContain('new_link');
  // Every connection reports the identity; a known link keeps its age.
  await noteLinkedIdentity(db, lease, ME);
  expect(await codes(chat)).not.toContain('new_link');
  await noteNewLink(db, lease);
  await noteLinkedIdentity(db, lease, ME);
  expect(await codes(chat)).toContain('new_link');
});
