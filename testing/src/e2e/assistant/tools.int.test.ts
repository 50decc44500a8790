// The assistant's tools, end to end: the model's calls take effect on WhatsApp, and their results report what happened.
import type { Approval } from '@relay/contract/api/approvals';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Person } from '../acceptance/person.ts';
import { eventually } from '../gateway.ts';
import { ME, type OwnersPhone, openPhone, type Permission } from './owner.ts';

let phone: OwnersPhone;
let mum: Person;
let quiet: Person;
let stranger: Person;
beforeAll(async () => {
  phone = await openPhone({ settings: { zone: 'Africa/Cairo' } });
  mum = await phone.world.person('Mum');
  quiet = await phone.world.person('Quiet');
  stranger = await phone.world.person('Stranger');
  // Before there are grants, so that nobody is answered.
  for (const person of [mum, quiet, stranger]) await person.writes(`Words of ${person.name}`);
  await eventually('all that was written', async () =>
    (await phone.world.api.messages()).length >= 3 ? true : undefined,
  );
  await phone.grant(mum, true, true);
  await phone.grant(quiet, false, false);
});
afterAll(() => phone.world.end());

let turns = 0;
/** Makes the model call this tool in a new session; returns the result. */
async function told(name: string, args: Record<string, unknown> = {}) {
  turns += 1;
  await phone.asks('/new');
  phone.whenTold('', { text: `told ${turns}.` });
  phone.whenAsked(`call ${turns}.`, { tool_calls: [{ name, arguments: args }] });
  expect(await phone.asks(`call ${turns}.`)).toBe(`told ${turns}.`);
  return JSON.parse(phone.asked().at(-1)?.results.at(-1) ?? '{}') as Record<string, unknown>;
}

const permissions = () => phone.world.api.ok<Permission[]>('GET', '/api/whatsapp/permissions');
const waiting = () => phone.world.api.ok<Approval[]>('GET', '/api/approvals');
const jid = (person: Person) => `${person.phone}@s.whatsapp.net`;

it('messages are readable only with canRead', async () => {
  verifies('000-TOOL-READ', '000-TOOL-READ-CONTACT', '000-TOOL-READ-ALL');
  const one = await told('whatsapp_read_messages', { contact: mum.phone });
  expect(one).toEqual({
    messages: [expect.objectContaining({ from: jid(mum), body: 'Words of Mum', fromMe: false })],
  });
  const all = (await told('whatsapp_read_messages')) as { messages: { body: string }[] };
  expect(all.messages.map(({ body }) => body)).toContain('Words of Mum');
  expect(JSON.stringify(all)).not.toMatch(/Quiet|Stranger/);
  for (const { phone: contact } of [quiet, stranger])
    expect(await told('whatsapp_read_messages', { contact })).toEqual(
      expect.objectContaining({ error: expect.any(String) }),
    );
});

it('a message is sent only with canReply', async () => {
  verifies('000-TOOL-SEND', '000-TOOL-SEND-PERMISSION', '000-TOOL-SEND-CONFIRM', '001-TOOL-SEND');
  expect(await told('whatsapp_send_message', { phone: mum.phone, message: 'to mum' })).toEqual({
    success: true,
    jid: jid(mum),
  });
  await mum.reads('to mum');
  expect(await told('send_message', { phone_number: jid(mum), message: 'again' })).toEqual({
    status: 'sent',
    to: jid(mum),
  });
  await mum.reads('again');
  for (const person of [quiet, stranger]) {
    const answer = await told('whatsapp_send_message', { phone: person.phone, message: 'no' });
    expect(answer).toEqual(expect.objectContaining({ error: expect.any(String) }));
    expect(await person.has()).toEqual([]);
  }
  const { system = '' } = phone.asked().at(-1) ?? {};
  expect(system).toContain('Always confirm with the user before sending.');
});

it("a permission is widened with the owner's approval and narrowed at once", async () => {
  verifies(
    '000-TOOL-MANAGE',
    '000-TOOL-MANAGE-GRANT',
    '000-TOOL-MANAGE-UPDATE',
    '000-TOOL-MANAGE-REVOKE',
    '000-TOOL-MANAGE-REMOVE',
    '000-TOOL-LIST',
  );
  const { phone: phoneNumber } = stranger;
  const manage = (action: string, more = {}) =>
    told('whatsapp_manage_permission', { action, phoneNumber, ...more });
  const record = async () => (await permissions()).find((each) => each.phoneNumber === phoneNumber);
  const yes = async () => {
    const [asked] = await waiting();
    expect(await phone.asks(`/approve ${asked?.id.slice(0, 8)}`)).toMatch(/^Approved: /);
  };

  expect(await manage('grant')).toEqual({ error: expect.stringContaining('displayName') });
  expect(await manage('grant', { displayName: 'Sam' })).toMatchObject({
    error: expect.stringContaining('waits'),
  });
  expect(await record()).toBeUndefined();
  await yes();
  expect(await record()).toMatchObject({ displayName: 'Sam', canRead: true, canReply: false });

  expect(await manage('update', { canReply: true })).toMatchObject({
    error: expect.stringContaining('waits'),
  });
  expect(await record()).toMatchObject({ canReply: false });
  await yes();
  expect(await record()).toMatchObject({ canRead: true, canReply: true });
  expect(await manage('update', { canRead: false })).toEqual({
    success: true,
    action: 'update',
    phoneNumber,
  });
  expect(await record()).toMatchObject({ canRead: false, canReply: true });

  const { permissions: listed } = (await told('whatsapp_list_permissions')) as {
    permissions: { displayName: string }[];
  };
  expect(listed.map(({ displayName }) => displayName)).toEqual(['Mum', 'Quiet', 'Sam']);
  expect(listed).toContainEqual({
    phoneNumber,
    displayName: 'Sam',
    canRead: false,
    canReply: true,
  });

  expect(await manage('revoke')).toEqual({ success: true, action: 'revoke', phoneNumber });
  expect(await record()).toMatchObject({ displayName: 'Sam', canRead: false, canReply: false });
  expect(await manage('remove')).toEqual({ success: true, action: 'remove', phoneNumber });
  expect(await record()).toBeUndefined();
  expect(await waiting()).toEqual([]);
});

it('messages are found, and a chat is summarised', async () => {
  verifies('001-TOOL-SEARCH', '001-TOOL-SUMMARIZE');
  expect(await told('search_messages', { query: 'words of mum' })).toEqual({
    messages: expect.arrayContaining([
      expect.objectContaining({ sender: 'Mum', text: 'Words of Mum' }),
    ]),
  });
  phone.world.model.rules([
    { when: { system: 'Sum up the chat below' }, reply: { text: 'Mum greets.' } },
  ]);
  expect(await told('summarize_chat', { phone_number: jid(mum) })).toMatchObject({
    name: 'Mum',
    summary: 'Mum greets.',
  });
});

it("tasks are scheduled in the owner's time zone, listed and cancelled", async () => {
  verifies(
    '001-TOOL-SCHEDULE',
    '001-TOOL-LIST-TASKS',
    '001-TOOL-CANCEL-TASK',
    '001-SCHED-TIME',
    '001-SCHED-DAILY',
    '001-SCHED-SELF',
  );
  const made = await told('schedule_message', {
    phone_number: `${ME}@s.whatsapp.net`,
    message: 'Call the doctor',
    time: '09:00',
    pattern: 'daily',
  });
  expect(made).toMatchObject({ status: 'scheduled', when: 'every day at 09:00, Africa/Cairo' });
  const { task_id } = made;
  const [schedule] = await phone.world.api.ok<{ id: string; next: string[] }[]>(
    'GET',
    '/api/schedules',
  );
  expect(schedule?.id).toBe(task_id);
  const [first, second] = (schedule?.next ?? []).map((next) => new Date(next));
  const clock = (at?: Date) =>
    at?.toLocaleTimeString('en-GB', { timeZone: 'Africa/Cairo', timeStyle: 'short' });
  expect([clock(first), clock(second)]).toEqual(['09:00', '09:00']);
  const days = ((second?.getTime() ?? 0) - (first?.getTime() ?? 0)) / 86_400_000;
  expect(Math.round(days)).toBe(1);
  expect(await told('list_scheduled_tasks')).toEqual({
    tasks: [expect.objectContaining({ task_id, message: 'Call the doctor' })],
  });
  expect(await told('cancel_scheduled_task', { task_id })).toEqual({
    status: 'cancelled',
    task_id,
  });
  expect(await told('list_scheduled_tasks')).toEqual({ tasks: [] });
});

it('text that was read goes nowhere else without approval', async () => {
  verifies('001-TOOL-GATE');
  await phone.grant(stranger, false, true);
  await phone.asks('/new');
  phone.whenAsked('read and tell', {
    tool_calls: [{ name: 'whatsapp_read_messages', arguments: { contact: mum.phone } }],
  });
  phone.whenTold('Words of Mum', {
    tool_calls: [
      { name: 'send_message', arguments: { phone_number: jid(stranger), message: 'leak' } },
      {
        name: 'schedule_message',
        arguments: { phone_number: jid(mum), message: 'later', time: '09:00', pattern: 'daily' },
      },
    ],
  });
  phone.whenTold('waiting_for_approval', { text: 'Both wait.' });
  expect(await phone.asks('read and tell')).toBe('Both wait.');
  expect(await stranger.has()).toEqual([]);
  expect((await waiting()).map(({ reason_code }) => reason_code)).toEqual([
    'read_then_send',
    'read_then_schedule',
  ]);
  const [asked] = await waiting();
  await phone.asks(`/approve ${asked?.id.slice(0, 8)}`);
  expect(await stranger.reads('leak')).toEqual(['leak']);
});

it('the WhatsApp tools are missing while it is not connected, and the prompt says so', async () => {
  verifies('000-TOOLS-CONNECTED', '000-PROMPT-TOOLS', '000-PROMPT-PERMISSIONS');
  phone.whenAsked('are you there', { text: 'I am.' });
  const ask = async () => {
    await phone.world.api.call('POST', '/api/assistant/messages', { text: 'are you there' });
    return phone.asked().at(-1);
  };
  await phone.world.api.ok('POST', '/api/whatsapp/disconnect', { clearSession: false });
  const without = await ask();
  expect(without?.tools).toEqual([]);
  expect(without?.system).not.toMatch(/## Available Tools|## WhatsApp Permissions/);
  expect(without?.system).toContain('WhatsApp is not connected');
  await phone.world.api.connect();
  await phone.world.api.connected();
  const again = await ask();
  expect(again?.tools).toContain('whatsapp_read_messages');
  expect(again?.system).toMatch(/## Available Tools[\s\S]*## WhatsApp Permissions/);
});
