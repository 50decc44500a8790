// Seed 000's auto-reply, end to end: people write from simulated phones, the scripted model answers over HTTP, and the
// answers are checked on the phones, in the API and in the database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { type AcceptanceHarness, ME, openAcceptanceHarness } from './acceptance/harness.ts';
import type { Person } from './acceptance/person.ts';
import { eventually } from './gateway.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

interface Permission {
  readonly id: string;
  readonly chatId: string | null;
}

const permit = (person: Person, more: object = {}): Promise<Permission> =>
  harness.api.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: person.phone,
    displayName: person.name,
    canRead: true,
    canReply: true,
    ...more,
  });

const permission = async ({ id }: Permission): Promise<Permission | undefined> =>
  (await harness.api.ok<Permission[]>('GET', '/api/whatsapp/permissions')).find(
    (one) => one.id === id,
  );

interface Asked {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly unknown[];
}

/** The model's requests about a person, whose name is in the prompt. */
const askedAbout = ({ name }: Person): Asked[] =>
  harness.model
    .calls()
    .map(({ body }) => body as Asked)
    .filter(({ messages }) => messages[0]?.content.includes(name));

function says(person: Person, contains: string, reply: object): void {
  harness.model.rules([{ when: { system: person.name, contains }, reply }]);
}

/** `role: content` of the session with a person, with times. */
const lines = (person: Person) =>
  harness.relay.query(
    `SELECT m.role, m.content, m.at FROM relay.session_messages m JOIN relay.sessions s ON s.id = m.session_id
     WHERE s.title = $1 ORDER BY coalesce(m.answers, m.id), m.id`,
    [`WhatsApp: ${person.name}`],
  );
const said = async (person: Person) =>
  (await lines(person)).map(({ role, content }) => `${role}: ${content}`);

/** The router has decided on a message, and the feature is done with it. */
const settled = (message: string) =>
  eventually('a message to be dealt with', async () => {
    const rows = await harness.relay.query(
      `SELECT reason, action FROM relay.ledger WHERE subject_kind = 'message' AND subject_id = $1 ORDER BY seq`,
      [message],
    );
    const last = rows.at(-1);
    return last === undefined || last.reason === 'readable_contact' ? undefined : last.reason;
  });

describe('the eleven steps', () => {
  it("the model answers the message, and both are stored in the contact's own session", async () => {
    verifies(
      ...['000-AUTO-5', '000-AUTO-6', '000-AUTO-7', '000-AUTO-8', '000-AUTO-10', '000-AUTO-11'],
    );
    const mom = await harness.person('Mathilda');
    const granted = await permit(mom);
    expect(granted.chatId).toBe(null);
    says(mom, 'dinner', { text: 'Yes, at seven.' });
    const at = new Date(Date.now() - 90_000);
    await harness.phones.send(mom.phone, ME, 'Are you coming to dinner?', { at });
    expect(await mom.reads('Yes, at seven.')).toEqual(['Yes, at seven.']);
    const [first] = await lines(mom);
    // WhatsApp timestamps are whole seconds.
    expect(first?.at).toEqual(new Date(Math.floor(at.getTime() / 1_000) * 1_000));
    expect(await said(mom)).toEqual([
      'user: Are you coming to dinner?',
      'assistant: Yes, at seven.',
    ]);
    const [session] = await harness.relay.query('SELECT id FROM relay.sessions WHERE title = $1', [
      'WhatsApp: Mathilda',
    ]);
    expect((await permission(granted))?.chatId).toBe(session?.id);
    const [asked] = askedAbout(mom);
    expect(asked?.messages[0]?.content).toMatch(/## WhatsApp Auto-Reply Context\n.*Mathilda/);
    expect(asked?.tools ?? []).toEqual([]);
  });

  it('own messages and group messages are skipped', async () => {
    verifies('000-AUTO-1');
    const ned = await harness.person('Nedward');
    await permit(ned);
    const group = await harness.phones.group('Bowling', ned.phone, [ME]);
    const inGroup = await harness.phones.send(ned.phone, group, 'Who comes on Friday?');
    const own = await harness.phones.send(ME, ned.phone, 'I do!');
    expect(await settled(inGroup)).toBe('group');
    expect(await settled(own)).toBe('own_message');
    expect(askedAbout(ned)).toEqual([]);
  });

  it('the sender is one contact by number and by alias; an unresolved or unreadable one is skipped', async () => {
    verifies('000-AUTO-2', '000-AUTO-3');
    const [pat, stranger, unread] = [
      await harness.person('Patroclus'),
      await harness.person('Stranger'),
      await harness.person('Unread'),
    ];
    await permit(pat);
    await permit(unread, { canRead: false });
    says(pat, 'by number', { text: 'One.' });
    says(pat, 'by alias', { text: 'Two.' });
    await harness.phones.send(pat.phone, ME, 'by number', { addressing: 'pn' });
    await pat.reads('One.');
    await harness.phones.send(pat.phone, ME, 'by alias', { addressing: 'lid' });
    await pat.reads('Two.');
    expect(await said(pat)).toHaveLength(4);
    const before = harness.model.calls().length;
    for (const addressing of ['pn', 'lid'] as const) {
      const message = await harness.phones.send(stranger.phone, ME, 'Hello?', { addressing });
      expect(await settled(message)).toBe('no_grant');
    }
    expect(await settled(await unread.writes('Hello?'))).toBe('no_read_grant');
    expect(harness.model.calls()).toHaveLength(before);
    expect(await unread.has()).toEqual([]);
    expect(await stranger.has()).toEqual([]);
  });

  it('the primary model answers, unless the contact has its own', async () => {
    verifies('000-AUTO-4');
    const [ida, jan] = [await harness.person('Idaline'), await harness.person('Janneke')];
    await permit(ida);
    await permit(jan, { options: { model: 'gpt-small', persona: 'Speak like a sailor' } });
    says(ida, 'hello', { text: 'Hi Ida.' });
    says(jan, 'hello', { text: 'Ahoy.' });
    await ida.writes('hello');
    await jan.writes('hello');
    await ida.reads('Hi Ida.');
    await jan.reads('Ahoy.');
    expect(askedAbout(ida).map(({ model }) => model)).toEqual(['scripted']);
    expect(askedAbout(jan).map(({ model }) => model)).toEqual(['gpt-small']);
    expect(askedAbout(jan)[0]?.messages[0]?.content).toContain('Speak like a sailor');
  });

  it('nothing is sent before the model has finished, and then one plain text', async () => {
    verifies('000-AUTO-9', '000-LIMIT-TEXT-OUT');
    const ole = await harness.person('Oleander');
    await permit(ole);
    const text = 'This takes a while. '.repeat(20).trim();
    says(ole, 'slowly', { text, chunk_delay_ms: 30 });
    await ole.writes('slowly');
    expect(await ole.reads(text)).toEqual([text]);
    const [got] = await harness.phones.received(ole.phone, ME);
    expect(got).toMatchObject({ text, media: null });
  });

  it('messages without canReply are stored, no model is asked and nothing is sent', async () => {
    verifies('000-AUTO-11');
    const una = await harness.person('Unamuno');
    await permit(una, { canReply: false });
    says(una, 'hello', { text: 'For nobody.' });
    expect(await settled(await una.writes('hello'))).toBe('read_only');
    expect(await said(una)).toEqual(['user: hello']);
    expect(askedAbout(una)).toEqual([]);
    expect(await una.has()).toEqual([]);
  });
});

const WORDS = 'apple bread cherry date elder fig grape hazel iris juniper kale lemon'.split(' ');

describe('sessions', () => {
  it('a contact has one session, which is reused and recreated after deletion', async () => {
    verifies('000-AUTO-SESSION');
    const rita = await harness.person('Ritornell');
    const granted = await permit(rita);
    says(rita, 'again', { text: 'Again.' });
    for (const expected of [1, 2]) {
      await settled(await rita.writes('again'));
      await eventually(
        'the answer',
        async () => (await rita.has()).length === expected || undefined,
      );
    }
    const chatId = (await permission(granted))?.chatId;
    expect(await said(rita)).toHaveLength(4);
    await harness.relay.query('DELETE FROM relay.sessions WHERE id = $1', [chatId]);
    await settled(await rita.writes('again'));
    const anew = (await permission(granted))?.chatId;
    expect(anew).not.toBe(chatId);
    expect(await said(rita)).toEqual(['user: again', 'assistant: Again.']);
  });

  it('a call has the last 20 messages as context, and all are stored', async () => {
    verifies('000-AUTO-HISTORY');
    const sue = await harness.person('Suetonia');
    await permit(sue);
    says(sue, 'the', { text: 'Noted.' });
    for (const word of WORDS) await settled(await sue.writes(`${word}, the ${word}`));
    const last = askedAbout(sue).at(-1)?.messages.slice(1) ?? [];
    expect(last).toHaveLength(20);
    expect(last[0]).toMatchObject({ role: 'assistant', content: 'Noted.' });
    expect(last[1]?.content).toContain('cherry');
    expect(last.at(-1)?.content).toContain('lemon');
    expect(await said(sue)).toHaveLength(24);
  });
});

it('messages of one contact are answered in order, and a slow one delays nobody else', async () => {
  verifies('000-AUTO-QUEUE');
  const [slow, quick] = [await harness.person('Slowenia'), await harness.person('Quicksilver')];
  await permit(slow);
  await permit(quick);
  for (const n of [1, 2])
    says(slow, `question ${n}`, { text: `Answer ${n}.`, delay_ms: n === 1 ? 4_000 : 0 });
  says(quick, 'hello', { text: 'At once.' });
  await slow.writes('question 1');
  await slow.writes('question 2');
  await quick.writes('hello');
  await quick.reads('At once.');
  expect(await slow.has()).toEqual([]);
  expect(await slow.reads('Answer 2.')).toEqual(['Answer 1.', 'Answer 2.']);
});

describe('errors', () => {
  const chunk = (content: string) =>
    `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] })}\n\n`;

  it('a model error is logged and sends nothing; the next message is answered', async () => {
    verifies('000-AUTO-ERROR', '000-AUTO-ERROR-QUEUE');
    const vic = await harness.person('Victorine');
    await permit(vic);
    says(vic, 'good', { text: 'Good.' });
    says(vic, 'bad', { status: 400 });
    const bad = await vic.writes('bad');
    await vic.writes('good');
    expect(await settled(bad)).toBe('model_failed');
    await vic.reads('Good.');
    expect(await said(vic)).toEqual(['user: bad', 'user: good', 'assistant: Good.']);
    expect(harness.log()).toContainEqual(
      expect.objectContaining({ level: 'error', msg: 'answer failed' }),
    );
  });

  it('partial text is saved and not sent', { timeout: 240_000 }, async () => {
    verifies('000-AUTO-ERROR');
    const wes = await harness.person('Wesselina');
    await permit(wes);
    const body = chunk('I was about to ');
    says(wes, 'partly', { raw: { body, cut: true, content_type: 'text/event-stream' } });
    const message = await wes.writes('partly');
    const reason = await eventually(
      'the model to be given up',
      async () => {
        const now = await settled(message);
        return now === 'try_again' ? undefined : now;
      },
      200_000,
    );
    expect(reason).toBe('model_failed');
    expect(await said(wes)).toEqual(['user: partly', 'assistant: I was about to']);
    expect(await wes.has()).toEqual([]);
  });
});

it('media reaches the model as its placeholder', async () => {
  verifies('000-LIMIT-TEXT-IN');
  const xia = await harness.person('Xiaomeng');
  await permit(xia);
  says(xia, '[Image] our garden', { text: 'I cannot see pictures.' });
  const data = Buffer.from('not really a picture').toString('base64');
  await harness.phones.ok(`POST /accounts/${xia.phone}/messages`, {
    to: ME,
    text: 'our garden',
    media: { kind: 'image', data, mimetype: 'image/jpeg' },
  });
  await xia.reads('I cannot see pictures.');
  const [asked] = askedAbout(xia);
  expect(asked?.messages.at(-1)?.content).toContain('[Image] our garden');
  expect(asked?.messages[0]?.content).toContain('never pretend');
  expect(JSON.stringify(asked)).not.toContain(data);
});

it('a draft waits for the owner and is sent when they approve it by command', async () => {
  const yara = await harness.person('Yaroslava');
  await permit(yara, { replyMode: 'draft' });
  says(yara, 'hello', { text: 'Hello Yara.' });
  expect(await settled(await yara.writes('hello'))).toBe('draft');
  expect(await yara.has()).toEqual([]);
  const [draft] = await harness.gives<{ id: string; text: string }[]>('approvals', 'list');
  expect(draft).toMatchObject({ text: 'Hello Yara.' });
  await harness.says('approvals', 'approve', draft?.id ?? '');
  expect(await yara.reads('Hello Yara.')).toEqual(['Hello Yara.']);
});
