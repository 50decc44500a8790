// Tests slash commands, which are run and answered without a model, on every channel.
import { verifies } from '@relay/testing/verifies';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ALL,
  type AssistantFixture,
  type Contact,
  calling,
  openAssistantFixture,
} from './testing/fixture.ts';

let fixture: AssistantFixture;
let mum: Contact;
beforeAll(async () => {
  fixture = await openAssistantFixture();
  mum = await fixture.contact('Mum', { ...ALL, replyMode: 'draft' });
  await fixture.store(mum.chat, mum.contact, 'Hello from mum');
});
beforeEach(async () => {
  await fixture.sql(`UPDATE approvals SET state = 'expired' WHERE state = 'pending'`);
  fixture.script({ when: { tool_result: '' }, reply: { text: 'It waits.' } });
  await fixture.forgetCalls();
});

let drafts = 0;
async function draft(): Promise<string> {
  drafts += 1;
  const text = `draft ${drafts}`;
  fixture.script({
    when: { contains: text },
    reply: calling('send_message', { phone_number: mum.id, message: text }),
  });
  await fixture.asks(text);
  await fixture.forgetCalls();
  return text;
}

const bodies = async () => (await fixture.sent()).map(({ body }) => body);

test.each([
  ['/help', /\/status: .*\n[\s\S]*\/new/],
  ['/HELP', /\/status/],
  ['/digest', /No group is observed\./],
  ['/stop', /Nothing is running/],
  ['/approve', /No pending approvals/],
  ['/reject abc', /No pending approvals/],
  ['/pause', /no conversation to pause/],
  ['/schedule', /No schedules/],
  ['/schedule whenever', /Give the time and the text/],
  ['/schedule nonsense: text', /nonsense/],
  ['/frobnicate now', /There is no command \/frobnicate\.\n\/help/],
  ['/', /There is no command \//],
])('answers %s without a model', async (text, answer) => {
  verifies('001-PIPE-COMMAND');
  expect(await fixture.asks(text)).toMatch(answer);
  expect(fixture.calls()).toEqual([]);
  expect((await bodies()).at(-1)).toMatch(/\[BOT\]$/);
});

test('never shows a command or its answer to the model', async () => {
  await fixture.asks('/help');
  fixture.script({ when: { contains: 'hi there' }, reply: { text: 'hi' } });
  await fixture.asks('hi there');
  expect(JSON.stringify(fixture.lastCall()?.messages.slice(1))).not.toContain('/help');
});

/** A draft from elsewhere, so that nothing of it is in the owner's chat. */
const drafted = (text: string) =>
  fixture.database.kysely
    .transaction()
    .execute((tx) =>
      fixture.engine.gate.submit(
        tx,
        { kind: 'auto_reply', chat: mum.chat },
        { kind: 'send_message', chat: mum.chat, text },
      ),
    );

const idOf = async (text: string) =>
  (await fixture.approvals.list('pending')).find((each) => each.text === text)?.id ?? '';
const noticeOf = async (text: string): Promise<{ body: string; message_id: string }> => {
  const [notice] = await fixture.sql<{ body: string; message_id: string }>(
    `SELECT body, message_id FROM outbox WHERE body LIKE 'Relay:%' AND body LIKE '%' || $1 || '%'`,
    [text],
  );
  if (notice === undefined) throw new Error(`no notice shows ${text.slice(0, 30)}`);
  return notice;
};

test('approves the only open notice with /approve, and asks which one with several', async () => {
  verifies('TRUST-APPROVE-SHOWN');
  const one = await draft();
  expect(await bodies()).not.toContain(one);
  expect((await noticeOf(one)).body).toContain(`│ ${one}\n`);
  expect(await fixture.asks('/approve')).toContain(one);
  expect(await bodies()).toContain(one);
  const [two, three] = [await draft(), await draft()];
  const listed = await fixture.asks('/approve');
  expect(listed).toContain(two);
  expect(listed).toContain(three);
  expect(await bodies()).not.toContain(two);
  const id = (await idOf(three)).slice(0, 8);
  expect(await fixture.asks(`/approve ${id}`)).toBe(
    `Approved: send to Mum (+${mum.phone}): ${three}`,
  );
  expect(await bodies()).toContain(three);
  expect(await bodies()).not.toContain(two);
  expect(await fixture.asks(`/approve ${id}`)).toContain(`No approval id starts with ${id}`);
});

test('approves on WhatsApp only what was shown there in full', async () => {
  verifies('TRUST-APPROVE-SHOWN');
  const text = `Yes, Sunday is fine. ${'And so on. '.repeat(60)}The code is 4711.`;
  await drafted(text);
  const listed = await fixture.asks('/approve');
  expect(listed).toContain(`(${text.length} characters`);
  expect(listed).not.toContain('Sunday');
  const id = (await idOf(text)).slice(0, 8);
  expect(await fixture.asks(`/approve ${id}`)).toContain('You have not seen all of it here yet');
  expect(await bodies()).not.toContain(text);
  expect((await noticeOf('4711')).body).toContain(`│ ${text}\n`);
  expect(await fixture.asks(`/approve ${id}`)).toContain('Approved');
  expect(await bodies()).toContain(text);
});

test('refers to the console or command for an approval too long for the chat', async () => {
  const text = 'x'.repeat(3_500);
  await drafted(text);
  const id = (await idOf(text)).slice(0, 8);
  for (const command of [`/approve ${id}`, `/approve ${id}`, '/approve']) {
    expect(await fixture.asks(command)).not.toContain('Approved');
  }
  expect(await bodies()).not.toContain(text);
});

test('does not approve with a message sent before the notice arrived', async () => {
  const text = await draft();
  await fixture.sql(`UPDATE outbox SET sent_at = now() + interval '1 hour', state = 'sent'
    WHERE body LIKE '%${text}%'`);
  expect(await fixture.asks('/approve')).toContain(text);
  expect(await bodies()).not.toContain(text);
});

test('answers exactly the notice that a reaction is on', async () => {
  verifies('TRUST-APPROVE-REACTION');
  const [one, two] = [await draft(), await draft()];
  // This computer's clock is ahead of WhatsApp's, which tells the time of the reactions.
  await fixture.sql(`UPDATE outbox SET sent_at = now() + interval '1 minute', state = 'sent'
    WHERE body LIKE '%${two}%'`);
  const react = async (emoji: string, text: string) => {
    const on = (await noticeOf(text)).message_id;
    return fixture.asks('[Reaction]', new Date(), { reaction: { emoji, on } });
  };
  await fixture.types('[Reaction]', new Date(), {
    reaction: { emoji: '❤️', on: (await noticeOf(one)).message_id },
  });
  expect(await react('👍🏽', two)).toContain('Approved');
  expect(await bodies()).toContain(two);
  expect(await bodies()).not.toContain(one);
  expect(await react('👎', one)).toContain('Declined');
  expect((await fixture.approvals.list('rejected'))[0]).toMatchObject({ text: one });
  expect(await bodies()).not.toContain(one);
});

test('declines with /reject and stores a given reason', async () => {
  const text = await draft();
  const [asked] = await fixture.approvals.list('pending');
  await fixture.asks(`/reject ${asked?.id.slice(0, 8)} not like that`);
  expect(await bodies()).not.toContain(text);
  expect((await fixture.approvals.list('rejected'))[0]).toMatchObject({ answer: 'not like that' });
});

test('schedules a message to the owner with /schedule and lists it', async () => {
  expect(await fixture.asks('/schedule every weekday 9:00: stand-up')).toBe(
    'Scheduled, every weekday at 09:00, Africa/Cairo: stand-up',
  );
  expect(await fixture.asks('/schedule')).toContain('every weekday at 09:00, Africa/Cairo');
});

test('pauses and resumes a conversation, or asks which one', async () => {
  const id = await fixture.create();
  await fixture.quiet();
  expect(await fixture.asks('/pause')).toMatch(/^Paused: Get a quote/);
  expect(await fixture.state(id)).toBe('PAUSED');
  expect(await fixture.asks(`/resume ${id.slice(0, 8)}`)).toMatch(/^Resumed: Get a quote/);
  await fixture.quiet();
  await fixture.create();
  await fixture.quiet();
  expect(await fixture.asks('/pause')).toMatch(
    /^Several conversations match\. Send \/pause with one of these ids:\n/,
  );
});

test('stops all sending with /hold until /release, whose answer is sent', async () => {
  await fixture.asks('/hold');
  const [row] = await fixture.sql('SELECT count(*)::int AS held FROM holds');
  expect(row).toEqual({ held: 1 });
  const before = (await bodies()).length;
  await fixture.asks('/help');
  expect(await bodies()).toHaveLength(before);
  expect(await fixture.asks('/release')).toBe('Sending resumed.');
  expect(await bodies()).toHaveLength(before + 1);
});

test('ignores old commands that allow something, and runs old commands that restrict', async () => {
  const text = await draft();
  const long = new Date(Date.now() - 3_600_000);
  expect(await fixture.asks('/approve', long)).toContain('I received this late');
  expect(await bodies()).not.toContain(text);
  await fixture.asks('/hold', long);
  expect(await fixture.sql('SELECT 1 FROM holds')).toHaveLength(1);
  expect(await fixture.asks('/release', long)).toContain('I received this late');
  expect(await fixture.sql('SELECT 1 FROM holds')).toHaveLength(1);
  expect(await fixture.asks('/release')).toBe('Sending resumed.');
});
