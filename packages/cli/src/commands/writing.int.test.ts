// What the owner writes from the command line: replies, messages for later, drafts, and approvals that they change.
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';
import { conversationFixture, ONE } from '../testing/conversation-fixture.ts';

const fixture = conversationFixture();
const ANA = '+491701234567';
const SENT = {
  success: true,
  jid: '491701234567@s.whatsapp.net',
  chatId: 'c1',
  id: 'o1',
  messageId: '3EB0AA',
  state: 'pending',
};
const SEND = 'POST /api/whatsapp/messages';
const PREVIEW = 'POST /api/schedules/preview';
const SCHEDULE = 'POST /api/schedules';
const RULE = { kind: 'once', at: '2026-11-20T08:00:00.000Z' };
const scheduling = {
  [PREVIEW]: { rule: RULE, zone: 'Europe/Berlin', words: 'once, on 20 November at 09:00' },
  [SCHEDULE]: {
    id: '5c5c5c5c-0000-4000-8000-000000000001',
    words: 'once, on 20 November at 09:00',
  },
};

const person = (id: string, name: string, phone: string) => ({
  ...{ id, kind: 'person', name, phone_number: phone, lid: null, jid: `${phone}@s.whatsapp.net` },
  ...{ grant: null, chat_id: null, last_message_at: null, knocks: null, resting_until: null },
});

describe('relay messages', () => {
  test('shows the messages with the person who has the name', async () => {
    const contacts = [person('p1', 'Ana', '491701234567')];
    fixture.routes({
      'GET /api/contacts?query=Ana&kind=person&limit=6': { contacts, meant: null, number: null },
      'GET /api/contacts?limit=500': { contacts },
      'GET /api/whatsapp/messages?limit=50&contact=%2B491701234567': {
        messages: [
          {
            id: '3A',
            from: SENT.jid,
            fromName: null,
            to: 'me',
            body: 'Hi',
            timestamp: 1,
            fromMe: false,
            isGroup: false,
          },
        ],
      },
    });
    const { exit, out } = await fixture.run('messages', 'Ana');
    expect(exit).toBe(0);
    expect(out).toContain('Ana → you  Hi');
  });
});

describe('relay messages send', () => {
  test('sends to the contact who has the name', async () => {
    const contacts = [person('p1', 'Ana Ruiz', '491701234567')];
    fixture.routes({
      [SEND]: SENT,
      'GET /api/contacts?query=Ana&kind=all&limit=6': { contacts, meant: 'p1', number: null },
    });
    expect((await fixture.run('messages', 'send', 'Ana', 'At eight')).exit).toBe(0);
    expect(fixture.asked().at(-1)).toEqual({ asked: SEND, body: { to: ANA, text: 'At eight' } });
  });

  test('sends nothing to somebody who is found only by the name of their profile', async () => {
    const contacts = [person('p1', 'Ana', '491701234567')];
    fixture.routes({
      'GET /api/contacts?query=Ana&kind=all&limit=6': { contacts, meant: null, number: null },
    });
    const { exit, err } = await fixture.run('messages', 'send', 'Ana', 'At eight');
    expect(exit).toBe(2);
    expect(err).toContain('Ana could mean: Ana (+491701234567).');
    expect(fixture.asked().map(({ asked }) => asked)).not.toContain(SEND);
  });

  test('quotes the message that --reply-to names', async () => {
    verifies('WRITE-QUOTE');
    fixture.routes({ [SEND]: SENT });
    const { exit, out } = await fixture.run(
      ...['messages', 'send', ANA, 'At eight', '--reply-to', '3EB0'],
    );
    expect({ exit, out }).toEqual({
      exit: 0,
      out: 'Queued. `relay messages` shows it when it is sent. (3EB0AA)\n',
    });
    expect(fixture.asked()).toEqual([
      { asked: SEND, body: { to: ANA, text: 'At eight', replyTo: '3EB0' } },
    ]);
  });

  test('schedules a message with --at, and says how to cancel it', async () => {
    verifies('WRITE-LATER');
    fixture.routes(scheduling);
    const { exit, out } = await fixture.run(
      ...['messages', 'send', ANA, 'Happy birthday', '--at', 'friday 9:00'],
    );
    expect(exit).toBe(0);
    expect(out).toMatch(
      /^Scheduled: once, on 20 November at 09:00\. Cancel it with `relay schedule cancel 5c5c/,
    );
    const to = { to: ANA, text: 'Happy birthday' };
    expect(fixture.asked()).toEqual([
      { asked: PREVIEW, body: { ...to, when: 'friday 9:00' } },
      { asked: SCHEDULE, body: { ...to, rule: RULE, zone: 'Europe/Berlin' } },
    ]);
  });

  test('refuses --at for what repeats, and together with --reply-to', async () => {
    const rule = { kind: 'weekly' };
    fixture.routes({ [PREVIEW]: { rule, zone: 'Europe/Berlin', words: 'every Friday' } });
    const every = await fixture.run('messages', 'send', ANA, 'Hi', '--at', 'every friday');
    expect(every).toMatchObject({
      exit: 2,
      err: '"every friday" is not a single time. It means every Friday.\n',
    });
    const both = await fixture.run(
      ...['messages', 'send', ANA, 'Hi', '--at', 'friday', '--reply-to', '3EB0'],
    );
    expect(both).toMatchObject({ exit: 2, err: 'Give --at without --reply-to and --key.\n' });
    expect(fixture.asked().map(({ asked }) => asked)).toEqual([PREVIEW]);
  });
});

describe('relay send', () => {
  test('quotes with --reply-to', async () => {
    verifies('WRITE-QUOTE');
    fixture.instances({ id: ONE });
    expect((await fixture.run('send', ONE, 'Yes', '--reply-to', '3EB0')).exit).toBe(0);
    expect(fixture.asked()).toContainEqual({
      asked: `POST /api/instances/${ONE}/send`,
      body: { message: 'Yes', replyTo: '3EB0' },
    });
  });

  test('schedules for the conversation’s contact with --at, and sends nothing now', async () => {
    verifies('WRITE-LATER');
    fixture.instances({ id: ONE, target_contact: ANA });
    fixture.routes(scheduling);
    expect((await fixture.run('send', ONE, 'Later', '--at', 'friday')).exit).toBe(0);
    const asked = fixture.asked();
    expect(asked.map(({ asked }) => asked)).not.toContain(`POST /api/instances/${ONE}/send`);
    expect(asked.at(-1)).toMatchObject({ asked: SCHEDULE, body: { to: ANA, text: 'Later' } });
  });
});

describe('relay suggest', () => {
  const chat = (id: string, name: string, kind = 'direct') => ({ id, name, kind });

  test('prints the draft for the chat of that contact, with the hint', async () => {
    verifies('WRITE-DRAFT');
    fixture.routes({
      'GET /api/chats?q=Ana&limit=10': {
        chats: [chat('g1', 'Ana’s party', 'group'), chat('c1', 'Ana Ruiz')],
      },
      'POST /api/chats/c1/draft': { text: 'Gladly!' },
    });
    const { exit, out } = await fixture.run('suggest', 'Ana', 'say', 'yes');
    expect({ exit, out }).toEqual({ exit: 0, out: 'Gladly!\n' });
    expect(fixture.asked().at(-1)?.body).toEqual({ hint: 'say yes' });
  });

  test('names the candidates if a name fits several contacts, and asks no model', async () => {
    fixture.routes({
      'GET /api/chats?q=Ana&limit=10': { chats: [chat('c1', 'Ana Ruiz'), chat('c2', 'Ana Weiss')] },
    });
    const { exit, err } = await fixture.run('suggest', 'Ana');
    expect(exit).not.toBe(0);
    expect(err).toContain('Ana Ruiz, Ana Weiss');
    expect(fixture.asked()).toHaveLength(1);
  });

  test('says so if a name fits nobody', async () => {
    fixture.routes({ 'GET /api/chats?q=Zoe&limit=10': { chats: [] } });
    const { exit, err } = await fixture.run('suggest', 'Zoe');
    expect(exit).not.toBe(0);
    expect(err).toContain('Zoe');
  });
});

describe('relay create --contact', () => {
  test('names the candidates if a name fits several contacts, and creates nothing', async () => {
    const contacts = [
      person('p1', 'Ana Ruiz', '491701234567'),
      person('p2', 'Ana Weiss', '491701234568'),
    ];
    fixture.routes({
      'GET /api/contacts?query=Ana&kind=person&limit=6': { contacts, meant: null, number: null },
    });
    const { exit, err } = await fixture.run(
      ...['create', '--objective', 'Get a quote', '--contact', 'Ana'],
    );
    expect(exit).not.toBe(0);
    expect(err).toContain('Ana Ruiz');
    expect(err).toContain('Ana Weiss');
    expect(fixture.asked().every(({ asked }) => asked.startsWith('GET '))).toBe(true);
  });
});

describe('relay approvals edit', () => {
  const approval = (id: string, state: string) => ({
    ...{ id, state, kind: 'send_message', recipient: ANA, recipient_name: null, chat_id: 'c1' },
    ...{ text: 'New text', hidden_characters: [], when: null, shown: 'ab'.repeat(32), risks: [] },
    ...{ reason: 'Changed.', reason_code: 'edited', requested_by: 'conversation:c1' },
    ...{ requested_by_name: null, instance_id: null, decided_at: null, answer: null },
    ...{ created_at: '2026-11-15T11:00:00.000Z', expires_at: '2026-11-17T12:00:00.000Z' },
    replaced_by: null,
  });
  const EDIT = 'POST /api/approvals/a1/edit';
  const APPROVE = 'POST /api/approvals/a2/approve';

  test('shows the new text and approves nothing', async () => {
    fixture.routes({ [EDIT]: approval('a2', 'pending') });
    const { exit, out } = await fixture.run('approvals', 'edit', 'a1', 'New', 'text');
    expect(exit).toBe(0);
    expect(out).toContain('a2  Message to +491701234567');
    expect(fixture.asked()).toEqual([{ asked: EDIT, body: { text: 'New text' } }]);
  });

  test('with --approve, approves exactly the new text in one step', async () => {
    fixture.routes({ [EDIT]: approval('a2', 'pending'), [APPROVE]: approval('a2', 'approved') });
    const { exit, out } = await fixture.run('approvals', 'edit', 'a1', 'New text', '--approve');
    expect({ exit, out }).toEqual({
      exit: 0,
      out: 'Approved: message to +491701234567. It is queued for sending.\n',
    });
    expect(fixture.asked()).toEqual([
      { asked: EDIT, body: { text: 'New text' } },
      { asked: APPROVE, body: { shown: 'ab'.repeat(32) } },
    ]);
  });
});
