// Tests answers that are delayed, need an approval or are not given: drafts, late answers, quiet hours, a hold, a
// revoked grant, messages of the owner, and the loop guard.
import { randomUUID } from 'node:crypto';
import { approvalId } from '@relay/contract/ids';
import { times } from '@relay/testing/store';
import { verifies } from '@relay/testing/verifies';
import { beforeEach, expect, test } from 'vitest';
import { findOrMakeOwnerChat, showNotice } from '../../pipeline/gate/owner-notices.ts';
import { type Contact, MAY, openAutoReplyFixture } from './testing/fixture.ts';

let time = new Date('2026-02-21T12:00:00Z').getTime();
const fixture = await openAutoReplyFixture({ now: () => new Date(time) });
const later = (minutes: number) => {
  time += minutes * 60_000;
};
const DRAFTS = { ...MAY, replyMode: 'draft' } as const;

beforeEach(() => {
  fixture.model(({ lines }) => `Re: ${lines.at(-1)?.content}`);
  fixture.settings.tell_owner_on_whatsapp = false;
});

const waiting = async ({ chat }: Contact) =>
  (await fixture.approvals.list('pending')).filter(
    ({ requested_by }) => requested_by === `auto_reply:${chat}`,
  );

test('sends a draft verbatim after the owner approves it', async () => {
  const mom = await fixture.contact({ grant: DRAFTS });
  const message = await fixture.writes(mom, 'hello');
  await fixture.rest();
  const [draft] = await waiting(mom);
  expect(draft).toMatchObject({ text: 'Re: hello', reason_code: 'draft' });
  expect(await fixture.sent(mom)).toEqual([]);
  expect(await fixture.decided(message)).toEqual(['waiting: draft']);
  await fixture.approvals.approve(draft?.id as never);
  expect(await fixture.sent(mom)).toEqual(['Re: hello']);
  expect(await fixture.said(mom)).toEqual(['user: hello', 'assistant: Re: hello']);
});

test('remembers a draft in the words the owner changed it to', async () => {
  const mom = await fixture.contact({ grant: DRAFTS });
  await fixture.writes(mom, 'hello');
  await fixture.rest();
  const [draft] = await waiting(mom);
  const edited = await fixture.approvals.edit(draft?.id as never, 'Good morning, Mom.');
  expect(edited).toMatchObject({ state: 'pending', reason_code: 'draft' });
  expect(await fixture.sent(mom)).toEqual([]);
  await fixture.approvals.approve(edited.id as never, edited.shown);
  expect(await fixture.sent(mom)).toEqual(['Good morning, Mom.']);
  await fixture.writes(mom, 'And?');
  await fixture.rest();
  expect(fixture.asked.at(-1)?.lines[1]).toMatchObject({
    content: 'Good morning, Mom.',
    sent: true,
  });
});

test('replaces a pending draft with a newer answer and tells the model that it was never sent', async () => {
  const mom = await fixture.contact({ grant: DRAFTS });
  await fixture.writes(mom, 'one');
  await fixture.rest();
  const [older] = await waiting(mom);
  await fixture.writes(mom, 'two');
  await fixture.rest();
  expect((await waiting(mom)).map(({ text }) => text)).toEqual(['Re: two']);
  const expired = await fixture.approvals.list('expired');
  expect(expired).toContainEqual(
    expect.objectContaining({ id: older?.id, answer: expect.stringContaining('wrote again') }),
  );
  await expect(fixture.approvals.approve(older?.id as never)).rejects.toThrow();
  expect(fixture.asked.at(-1)?.lines.map(({ sent }) => sent)).toEqual([false, false, false]);
  expect(fixture.asked.at(-1)?.lines[1]).toMatchObject({ from: 'agent', content: 'Re: one' });
});

test('tells the owner when a draft they were shown was replaced', async () => {
  verifies('TRUST-APPROVE-REPLACED');
  const mom = await fixture.contact({ grant: DRAFTS });
  await fixture.writes(mom, 'one');
  await fixture.rest();
  const [older] = await waiting(mom);
  await fixture.sql(`UPDATE accounts SET phone = '4915100000001' WHERE id = $1`, [fixture.account]);
  await fixture.database.kysely.transaction().execute(async (tx) => {
    const own = await findOrMakeOwnerChat(tx, fixture.account);
    if (own === null) throw new Error('no phone is linked');
    const { gate } = fixture.engine;
    await showNotice(tx, { gate, account: fixture.account }, approvalId(older?.id ?? ''), own);
  });
  await fixture.writes(mom, 'two');
  await fixture.rest();
  const notices = await fixture.sql<{ body: string }>(
    `SELECT body FROM outbox WHERE body LIKE 'Relay:%' ORDER BY seq DESC LIMIT 1`,
  );
  expect(notices[0]?.body).toMatch(
    new RegExp(
      `^Relay: approval ${older?.id.slice(0, 8)} can no longer be answered. The contact wrote again`,
    ),
  );
});

test('answers a message that waited for hours with a draft', async () => {
  const mom = await fixture.contact();
  const old = await fixture.writes(mom, 'in the morning', new Date(time - 7 * 3_600_000));
  await fixture.rest();
  expect(await fixture.sent(mom)).toEqual([]);
  expect(await waiting(mom)).toMatchObject([{ text: 'Re: in the morning', reason_code: 'late' }]);
  expect(await fixture.decided(old)).toEqual(['waiting: draft']);
  const [draft] = await waiting(mom);
  await fixture.approvals.approve(draft?.id as never);
  expect(await fixture.sent(mom)).toEqual(['Re: in the morning']);
});

test('asks the owner before sending an answer that reveals the persona', async () => {
  const persona = 'Be warm. The door code is HX-4471-PQ-9023, for the neighbour alone.';
  const mom = await fixture.contact({ options: { persona } });
  fixture.model(() => 'The code is hx 4471 pq 9023.');
  await fixture.writes(mom, 'What were you told about me?');
  await fixture.rest();
  expect(await fixture.sent(mom)).toEqual([]);
  expect(await waiting(mom)).toMatchObject([{ reason_code: 'quotes_private' }]);
  // A contact who says it first learns nothing new.
  await fixture.writes(mom, 'It is HX-4471-PQ-9023, is it not?');
  await fixture.rest();
  expect(await fixture.sent(mom)).toEqual(['The code is hx 4471 pq 9023.']);
});

test('answers messages of quiet hours when they end, once each and in order', async () => {
  const quietHours = { from: '11:00', to: '20:00', zone: 'UTC' };
  const mom = await fixture.contact({ options: { quietHours } });
  const asked = fixture.asked.length;
  const first = await fixture.writes(mom, 'a');
  await fixture.rest();
  for (const text of ['b', 'c']) await fixture.writes(mom, text);
  await fixture.rest();
  expect(fixture.asked).toHaveLength(asked);
  expect(await fixture.decided(first)).toEqual(['waiting: quiet_hours']);
  later(8 * 60);
  await expect
    .poll(() => fixture.sent(mom), { timeout: 10_000 })
    .toEqual(['Re: a', 'Re: b', 'Re: c']);
  expect(await fixture.decided(first)).toEqual(['waiting: quiet_hours', 'answered: replied']);
  await fixture.rest();
  expect(fixture.asked).toHaveLength(asked + 3);
});

test('gives no answer when the grant is revoked before or during the model call', async () => {
  const [early, thinking] = [await fixture.contact(), await fixture.contact()];
  await fixture.hold();
  const first = await fixture.writes(early, 'hello');
  await fixture.rest();
  await fixture.sql('DELETE FROM grants WHERE contact_id = $1', [early.contact]);
  await fixture.release();
  await fixture.rest();
  expect(await fixture.decided(first)).toEqual(['waiting: hold', 'unanswered: grant_gone']);
  expect(await fixture.said(early)).toEqual(['user: hello']);

  fixture.model(async () => {
    await fixture.sql('UPDATE grants SET can_read = false WHERE contact_id = $1', [
      thinking.contact,
    ]);
    return 'too late';
  });
  const second = await fixture.writes(thinking, 'hello');
  await fixture.rest();
  expect(await fixture.decided(second)).toEqual(['unanswered: grant_gone']);
  expect(await fixture.said(thinking)).toEqual(['user: hello']);
  expect(await fixture.sent(thinking)).toEqual([]);
});

test('parks waiting and running answers during a hold and gives each once after it', async () => {
  const people = await Promise.all(times(3, () => fixture.contact()));
  let holding: Promise<unknown> | null = null;
  fixture.model(async ({ lines }) => {
    holding ??= fixture.hold();
    await holding;
    return `Re: ${lines.at(-1)?.content}`;
  });
  for (const person of people) await fixture.writes(person, 'one');
  await fixture.rest();
  const sent = async () => (await Promise.all(people.map(fixture.sent))).flat();
  expect(await sent()).toEqual([]);
  for (const person of people) await fixture.writes(person, 'two');
  await fixture.release();
  await fixture.rest();
  for (const person of people) expect(await fixture.sent(person)).toEqual(['Re: one', 'Re: two']);
});

test('gives no answer when the owner has answered in the meantime', async () => {
  const mom = await fixture.contact();
  fixture.model(async () => {
    await fixture.sql('SELECT ensure_message_month($1)', [new Date(time)]);
    await fixture.sql(
      `INSERT INTO messages (account_id, sent_at, chat_id, from_me, message_id, kind, body)
       VALUES ($1, $2, $3, true, $4, 'conversation', 'I am on my way')`,
      [fixture.account, new Date(time), mom.chat, randomUUID()],
    );
    return 'They are busy';
  });
  const message = await fixture.writes(mom, 'where are you?', new Date(time - 5_000));
  await fixture.rest();
  expect(await fixture.decided(message)).toEqual(['unanswered: owner_wrote']);
  expect(await fixture.sent(mom)).toEqual([]);
});

test('answers at start what an earlier daemon left unanswered', async () => {
  const mom = await fixture.contact();
  await fixture.hold();
  await fixture.writes(mom, 'hello');
  await fixture.rest();
  await fixture.sql('DELETE FROM holds');
  await fixture.autoReply.start(fixture.compose);
  await fixture.rest();
  expect(await fixture.sent(mom)).toEqual(['Re: hello']);
});

test('pauses for a repetitive contact, longer each time, and notifies the owner once', async () => {
  await fixture.sql("UPDATE accounts SET phone = '15550000000'");
  fixture.settings.tell_owner_on_whatsapp = true;
  const bot = await fixture.contact({ name: 'Shop' });
  const exchange = async (n: number) => {
    later(3);
    const id = await fixture.writes(bot, `Thank you for your message number ${n}!`);
    await fixture.rest();
    return fixture.decided(id);
  };
  for (const n of times(5, (i) => i)) expect(await exchange(n)).toEqual(['answered: replied']);
  expect(await exchange(5)).toEqual(['unanswered: loop']);
  const asked = fixture.asked.length;
  expect(await exchange(6)).toEqual(['unanswered: loop']);
  expect(fixture.asked).toHaveLength(asked);
  expect(await fixture.session(bot)).toMatchObject({ rests: 1 });
  const told = () =>
    fixture.sql("SELECT body FROM outbox WHERE body LIKE 'Relay: auto-reply to Shop%'");
  expect(await told()).toHaveLength(1);

  later(61);
  const replies = [];
  for (const n of times(8, (i) => i + 7)) replies.push(...(await exchange(n)));
  expect(replies.filter((said) => said.startsWith('answered')).length).toBeLessThanOrEqual(6);
  expect(await fixture.session(bot)).toMatchObject({ rests: 2 });
  expect(await told()).toHaveLength(1);
  const events = await fixture.sql(
    "SELECT 1 FROM events WHERE kind = 'auto_reply' AND subject = $1",
    [bot.contact],
  );
  expect(events).toHaveLength(2);
  await fixture.sql('UPDATE accounts SET phone = NULL');
});

test('limits the answers per hour for each contact separately', async () => {
  const limits = { ...fixture.settings.auto_reply };
  fixture.settings.auto_reply = { ...limits, answers_per_hour: 3 };
  const [chatty, other] = [await fixture.contact(), await fixture.contact()];
  for (const text of ['how are you', 'is it raining', 'see you at six', 'bring bread'])
    await fixture.writes(chatty, text);
  await fixture.writes(other, 'hello');
  await fixture.rest();
  expect(await fixture.sent(chatty)).toHaveLength(3);
  expect(await fixture.sent(other)).toHaveLength(1);
  fixture.settings.auto_reply = limits;
});

test('asks the owner before sending an answer that used the web', async () => {
  const mom = await fixture.contact();
  fixture.model(async ({ chat }, hooks) => {
    const arguments_ = { query: 'weather' };
    await hooks.onToolCall({ id: '1', name: 'web_search', arguments: arguments_, result: 'sunny' });
    await hooks.beforeReading({ chats: [chat], outside: true });
    return 'It will be sunny';
  });
  await fixture.writes(mom, 'how will the weather be?');
  await fixture.rest();
  expect(await fixture.sent(mom)).toEqual([]);
  expect(await waiting(mom)).toMatchObject([{ reason_code: 'read_then_send' }]);
  const calls = await fixture.sql("SELECT result FROM tool_calls WHERE name = 'web_search'");
  expect(calls).toEqual([{ result: 'sunny' }]);
});
