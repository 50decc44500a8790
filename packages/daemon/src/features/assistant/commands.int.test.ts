// Tests slash commands, which are run and answered without a model, on every channel.
import { verifies } from '@relay/testing/verifies';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { ALL, type Bed, type Contact, calling, freshBed } from './testing/bed.ts';

let bed: Bed;
let mum: Contact;
beforeAll(async () => {
  bed = await freshBed();
  mum = await bed.contact('Mum', { ...ALL, replyMode: 'draft' });
  await bed.store(mum.chat, mum.contact, 'Hello from mum');
});
beforeEach(async () => {
  await bed.sql(`UPDATE approvals SET state = 'expired' WHERE state = 'pending'`);
  bed.script({ when: { tool_result: '' }, reply: { text: 'It waits.' } });
  await bed.forgetCalls();
});

let drafts = 0;
async function draft(): Promise<string> {
  drafts += 1;
  const text = `draft ${drafts}`;
  bed.script({
    when: { contains: text },
    reply: calling('send_message', { phone_number: mum.id, message: text }),
  });
  await bed.asks(text);
  await bed.forgetCalls();
  return text;
}

const bodies = async () => (await bed.sent()).map(({ body }) => body);

test.each([
  ['/help', /\/status: .*\n[\s\S]*\/new/],
  ['/HELP', /\/status/],
  ['/digest', /No group is observed, so there is nothing to sum up/],
  ['/stop', /Nothing is running/],
  ['/approve', /Nothing waits for your yes/],
  ['/reject abc', /Nothing waits for your yes/],
  ['/pause', /no conversation to pause/],
  ['/schedule', /Nothing is scheduled/],
  ['/schedule whenever', /Say when and what/],
  ['/schedule nonsense: text', /nonsense/],
  ['/frobnicate now', /There is no command \/frobnicate\.\n\/help/],
  ['/', /There is no command \//],
])('answers %s without a model', async (text, answer) => {
  verifies('001-PIPE-COMMAND');
  expect(await bed.asks(text)).toMatch(answer);
  expect(bed.calls()).toEqual([]);
  expect((await bodies()).at(-1)).toMatch(/\[BOT\]$/);
});

test('never shows a command or its answer to the model', async () => {
  await bed.asks('/help');
  bed.script({ when: { contains: 'hi there' }, reply: { text: 'hi' } });
  await bed.asks('hi there');
  expect(JSON.stringify(bed.lastCall()?.messages.slice(1))).not.toContain('/help');
});

/** A draft from elsewhere, so that nothing of it is in the owner's chat. */
const drafted = (text: string) =>
  bed.database.kysely
    .transaction()
    .execute((tx) =>
      bed.engine.gate.submit(
        tx,
        { kind: 'auto_reply', chat: mum.chat },
        { kind: 'send_message', chat: mum.chat, text },
      ),
    );

const idOf = async (text: string) =>
  (await bed.approvals.list('pending')).find((each) => each.text === text)?.id ?? '';
const noticeOf = async (text: string): Promise<{ body: string; message_id: string }> => {
  const [notice] = await bed.sql<{ body: string; message_id: string }>(
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
  expect(await bed.asks('/approve')).toContain(one);
  expect(await bodies()).toContain(one);
  const [two, three] = [await draft(), await draft()];
  const listed = await bed.asks('/approve');
  expect(listed).toContain(two);
  expect(listed).toContain(three);
  expect(await bodies()).not.toContain(two);
  const id = (await idOf(three)).slice(0, 8);
  expect(await bed.asks(`/approve ${id}`)).toBe(`Yes to: send to Mum (+${mum.phone}): ${three}`);
  expect(await bodies()).toContain(three);
  expect(await bodies()).not.toContain(two);
  expect(await bed.asks(`/approve ${id}`)).toContain(`Nothing that waits has an id like ${id}`);
});

test('approves on WhatsApp only what was shown there in full', async () => {
  verifies('TRUST-APPROVE-SHOWN');
  const text = `Yes, Sunday is fine. ${'And so on. '.repeat(60)}The code is 4711.`;
  await drafted(text);
  const listed = await bed.asks('/approve');
  expect(listed).toContain(`(${text.length} characters`);
  expect(listed).not.toContain('Sunday');
  const id = (await idOf(text)).slice(0, 8);
  expect(await bed.asks(`/approve ${id}`)).toContain('I had not shown you all of it here');
  expect(await bodies()).not.toContain(text);
  expect((await noticeOf('4711')).body).toContain(`│ ${text}\n`);
  expect(await bed.asks(`/approve ${id}`)).toContain('Yes to');
  expect(await bodies()).toContain(text);
});

test('refers to the console or command for an approval too long for the chat', async () => {
  const text = 'x'.repeat(3_500);
  await drafted(text);
  const id = (await idOf(text)).slice(0, 8);
  for (const command of [`/approve ${id}`, `/approve ${id}`, '/approve']) {
    expect(await bed.asks(command)).not.toContain('Yes to');
  }
  expect(await bodies()).not.toContain(text);
});

test('does not approve with a message sent before the notice arrived', async () => {
  const text = await draft();
  await bed.sql(`UPDATE outbox SET sent_at = now() + interval '1 hour', state = 'sent'
    WHERE body LIKE '%${text}%'`);
  expect(await bed.asks('/approve')).toContain(text);
  expect(await bodies()).not.toContain(text);
});

test('answers exactly the notice that a reaction is on', async () => {
  verifies('TRUST-APPROVE-REACTION');
  const [one, two] = [await draft(), await draft()];
  const react = async (emoji: string, text: string) => {
    const on = (await noticeOf(text)).message_id;
    return bed.asks('[Reaction]', new Date(), { reaction: { emoji, on } });
  };
  await bed.types('[Reaction]', new Date(), {
    reaction: { emoji: '❤️', on: (await noticeOf(one)).message_id },
  });
  expect(await react('👍🏽', two)).toContain('Yes to');
  expect(await bodies()).toContain(two);
  expect(await bodies()).not.toContain(one);
  expect(await react('👎', one)).toContain('No to');
  expect((await bed.approvals.list('rejected'))[0]).toMatchObject({ text: one });
  expect(await bodies()).not.toContain(one);
});

test('declines with /reject and stores a given reason', async () => {
  const text = await draft();
  const [asked] = await bed.approvals.list('pending');
  await bed.asks(`/reject ${asked?.id.slice(0, 8)} not like that`);
  expect(await bodies()).not.toContain(text);
  expect((await bed.approvals.list('rejected'))[0]).toMatchObject({ answer: 'not like that' });
});

test('schedules a message to the owner with /schedule and lists it', async () => {
  expect(await bed.asks('/schedule every weekday 9:00: stand-up')).toBe(
    'Scheduled, every weekday at 09:00, Africa/Cairo: stand-up',
  );
  expect(await bed.asks('/schedule')).toContain('every weekday at 09:00, Africa/Cairo');
});

test('pauses and resumes a conversation, or asks which one', async () => {
  const id = await bed.create();
  await bed.quiet();
  expect(await bed.asks('/pause')).toMatch(/^Paused: Get a quote/);
  expect(await bed.state(id)).toBe('PAUSED');
  expect(await bed.asks(`/resume ${id.slice(0, 8)}`)).toMatch(/^Resumed: Get a quote/);
  await bed.quiet();
  await bed.create();
  await bed.quiet();
  expect(await bed.asks('/pause')).toMatch(/^Which one\? \/pause id\n/);
});

test('stops all sending with /hold until /release, whose answer is sent', async () => {
  await bed.asks('/hold');
  const [row] = await bed.sql('SELECT count(*)::int AS held FROM holds');
  expect(row).toEqual({ held: 1 });
  const before = (await bodies()).length;
  await bed.asks('/help');
  expect(await bodies()).toHaveLength(before);
  expect(await bed.asks('/release')).toBe('The hold is over.');
  expect(await bodies()).toHaveLength(before + 1);
});

test('ignores old commands that allow something, and runs old commands that restrict', async () => {
  const text = await draft();
  const long = new Date(Date.now() - 3_600_000);
  expect(await bed.asks('/approve', long)).toContain('while I was away');
  expect(await bodies()).not.toContain(text);
  await bed.asks('/hold', long);
  expect(await bed.sql('SELECT 1 FROM holds')).toHaveLength(1);
  expect(await bed.asks('/release', long)).toContain('while I was away');
  expect(await bed.sql('SELECT 1 FROM holds')).toHaveLength(1);
  expect(await bed.asks('/release')).toBe('The hold is over.');
});
