// The four examples of the assistant's own document, end to end: the owner writes in the chat with themselves and reads
// the answer there.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { ME, type OwnersPhone, openPhone } from './owner.ts';

let phone: OwnersPhone;
beforeAll(async () => {
  phone = await openPhone();
});
afterAll(() => phone.world.end());

it('a question that needs no tool gets a signed answer', async () => {
  verifies('001-EX-CHAT', '001-AGENT-TEXT', '001-PIPE-RESPOND');
  phone.whenAsked("What's the weather like?", { text: "I don't have weather info." });
  await phone.types("What's the weather like?");
  await expect
    .poll(() => phone.chat(), { timeout: 30_000 })
    .toEqual(["What's the weather like?", "I don't have weather info.\n\n[BOT]"]);
  expect(phone.asked().at(-1)?.question).toBe("What's the weather like?");
});

it('a message by name is looked up, sent, and reported', async () => {
  verifies(
    '001-EX-SEND-BY-NAME',
    '001-AGENT-CHAIN',
    '001-AGENT-FEEDBACK',
    '001-TOOL-CHATS',
    '001-TOOL-SEND',
  );
  const mum = await phone.world.person('Mum');
  await mum.writes('Are you coming on Sunday?');
  await phone.grant(mum, false, true);
  const id = `${mum.phone}@s.whatsapp.net`;
  phone.whenAsked('Send hello to mum', {
    tool_calls: [{ name: 'get_chats', arguments: { limit: 20 } }],
  });
  phone.whenTold(`"id":"${id}"`, {
    tool_calls: [{ name: 'send_message', arguments: { phone_number: id, message: 'Hello! 👋' } }],
  });
  phone.whenTold('"status":"sent"', { text: "Done! I've sent 'Hello! 👋' to Mum." });
  expect(await phone.asks('Send hello to mum')).toBe("Done! I've sent 'Hello! 👋' to Mum.");
  expect(await mum.reads('Hello! 👋')).toEqual(['Hello! 👋']);
  const [chats, sent] = phone.asked().at(-1)?.results ?? [];
  expect(JSON.parse(chats ?? '')).toMatchObject({
    chats: expect.arrayContaining([expect.objectContaining({ id, name: 'Mum' })]),
  });
  expect(JSON.parse(sent ?? '')).toEqual({ status: 'sent', to: id });
});

it('a daily reminder is scheduled to oneself', async () => {
  verifies('001-EX-REMINDER', '001-TOOL-SCHEDULE', '001-SCHED-SELF');
  const asked = 'Remind me to call the doctor every day at 9am';
  phone.whenAsked(asked, {
    tool_calls: [
      {
        name: 'schedule_message',
        arguments: {
          phone_number: `${ME}@s.whatsapp.net`,
          message: "📞 Don't forget to call the doctor!",
          time: '09:00',
          pattern: 'daily',
        },
      },
    ],
  });
  phone.whenTold('"status":"scheduled"', { text: "All set! I'll remind you daily at 9:00 AM." });
  const said = await phone.asks(asked);
  expect(said).toBe("All set! I'll remind you daily at 9:00 AM.");
  const result = JSON.parse(phone.asked().at(-1)?.results.at(-1) ?? '');
  const [task, ...others] = await phone.world.api.ok<Record<string, unknown>[]>(
    'GET',
    '/api/schedules',
  );
  expect(others).toEqual([]);
  expect(task).toMatchObject({
    id: result.task_id,
    rule: { kind: 'daily', time: '09:00' },
    recipient: `+${ME}`,
    text: "📞 Don't forget to call the doctor!",
  });
  expect(result).toMatchObject({ status: 'scheduled', to: `${ME}@s.whatsapp.net` });
});

it('a question about the past is answered from the messages that were found', async () => {
  verifies('001-EX-SUMMARY', '001-CONTEXT-RETRIEVED', '001-PIPE-RETRIEVE');
  const ahmed = await phone.world.person('Ahmed');
  await phone.grant(ahmed, true, false);
  const day = 86_400_000;
  const said = new Date(Math.floor((Date.now() - 7 * day) / 1_000) * 1_000);
  await phone.world.phones.send(ahmed.phone, ME, 'The deadline is next Friday', { at: said });
  await phone.world.phones.send(ahmed.phone, ME, 'Can you review the PR?', { at: said });
  await expect
    .poll(async () => (await phone.world.api.messages({ contact: ahmed.phone })).length)
    .toBe(2);
  phone.whenAsked('Relevant context from past messages:', {
    text: 'You and Ahmed were discussing the deadline next Friday.',
  });
  expect(await phone.asks('What were we talking about last week with Ahmed?')).toBe(
    'You and Ahmed were discussing the deadline next Friday.',
  );
  const question = phone.asked().at(-1)?.question ?? '';
  expect(question).toMatch(
    /^What were we talking about last week with Ahmed\?\n\nRelevant context from past messages:\n/,
  );
  expect(question).toMatch(
    /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\] Ahmed: The deadline is next Friday$/m,
  );
});
