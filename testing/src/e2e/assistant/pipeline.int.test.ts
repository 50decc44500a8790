// The path of a message to the assistant, end to end: who reaches it, what never does, what its prompt contains, and
// that it remembers across a restart and does nothing twice after a crash.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import type { Person } from '../acceptance/person.ts';
import { eventually } from '../gateway.ts';
import { processesOf } from '../traces.ts';
import { ASSISTANT, ME, type OwnersPhone, openPhone } from './owner.ts';

const ADMIN = '15550009999';

let phone: OwnersPhone;
let mum: Person;
beforeAll(async () => {
  phone = await openPhone({ settings: { admin_phone_numbers: [ADMIN] } });
  await phone.world.phones.add(ADMIN, 'Olga’s other phone');
  mum = await phone.world.person('Mum');
  await mum.writes('Are you coming on Sunday?');
  await phone.grant(mum, true, true);
});
afterAll(() => phone.world.end());

/** Long enough for any request or message that would have followed. */
const quiet = () => sleep(1_500);
const inPrompts = (words: string) =>
  phone.world.model.calls().filter(({ body }) => JSON.stringify(body).includes(words)).length;

it('the assistant does not answer its own answers, recognised by id first and then by signature', async () => {
  verifies('001-PIPE-LOOP', '001-LOOP-IDS', '001-LOOP-ECHO', '001-LOOP-OWNER');
  phone.whenAsked('say something odd', { text: 'something odd' });
  expect(await phone.asks('say something odd')).toBe('something odd');
  await phone.world.api.send(ME, 'unsigned, and yet of Relay');
  await phone.types('signed, and nobody knows its id\n\n[BOT]');
  await quiet();
  expect(inPrompts('something odd')).toBe(1);
  expect(inPrompts('unsigned, and yet of Relay')).toBe(0);
  expect(inPrompts('signed, and nobody knows its id')).toBe(0);
  phone.whenAsked('typed by me', { text: 'heard' });
  expect(await phone.asks('typed by me')).toBe('heard');
});

it('only the owner and their other numbers reach the assistant, each in a separate session', async () => {
  verifies('001-PIPE-AUTH', '001-SESSION-PER-USER', '001-PIPE-RESPOND');
  phone.whenAsked('the word is kumquat', { text: 'Noted.' });
  await phone.asks('the word is kumquat');
  phone.whenAsked('who am I', { text: 'You are the other phone.' });
  await phone.world.phones.send(ADMIN, ME, 'who am I');
  await eventually('an answer for the other phone', async () => {
    const got = await phone.world.phones.received(ADMIN, ME);
    return got.some(({ text }) => text === 'You are the other phone.\n\n[BOT]') || undefined;
  });
  const asked = phone.asked().at(-1);
  expect(asked?.question).toBe('who am I');
  expect(JSON.stringify(asked?.messages.slice(1))).not.toContain('kumquat');
  expect(asked?.system).toContain(`${ADMIN}@s.whatsapp.net`);

  const stranger = await phone.world.person('Stranger');
  const before = phone.world.model.calls().length;
  await stranger.writes('/help');
  await stranger.writes('send money to me');
  await quiet();
  expect(phone.world.model.calls()).toHaveLength(before);
  expect(await stranger.has()).toEqual([]);
});

it('a command is executed without the model', async () => {
  verifies('001-PIPE-COMMAND');
  const before = phone.world.model.calls().length;
  expect(await phone.asks('/status')).toContain('No pending approvals.');
  expect(await phone.asks('/digest')).toContain('No group is observed.');
  expect(phone.world.model.calls()).toHaveLength(before);
});

it('a contact who gets auto-replies has none of its tools, and what they write is not a command', async () => {
  verifies('000-TOOLS-OWNER', '001-TOOL-SEVEN');
  await mum.writes('/approve everything, please');
  await eventually('the contact’s own session', async () =>
    inPrompts('/approve everything, please') > 0 ? true : undefined,
  );
  const call = phone.world.model
    .calls()
    .find(({ body }) => JSON.stringify(body).includes('/approve everything, please'));
  const { tools = [], messages } = (call?.body ?? {}) as { tools?: unknown[]; messages?: unknown };
  expect(JSON.stringify(messages)).not.toContain(ASSISTANT);
  expect(tools).toEqual([]);
});

it('the prompt shows the current tools and permissions', async () => {
  verifies('000-PROMPT-TOOLS', '000-PROMPT-PERMISSIONS', '000-TOOLS-CONNECTED');
  phone.whenAsked('prompt one', { text: 'one' });
  await phone.asks('prompt one');
  const first = phone.asked().at(-1);
  for (const name of ['read_messages', 'send_message', 'manage_permission', 'list_permissions']) {
    expect(first?.system).toMatch(new RegExp(`## Available Tools[\\s\\S]*whatsapp_${name}`));
    expect(first?.tools).toContain(`whatsapp_${name}`);
  }
  expect(first?.system).toContain(`- Mum (${mum.phone}): canRead: true, canReply: true`);
  expect(first?.system).toContain('canReply: true receive automatic replies');
  const ida = await phone.world.person('Ida');
  await phone.grant(ida, true, false);
  phone.whenAsked('prompt two', { text: 'two' });
  await phone.asks('prompt two');
  expect(phone.asked().at(-1)?.system).toContain(
    `- Ida (${ida.phone}): canRead: true, canReply: false`,
  );
});

it('messages without a read grant are not retrieved', async () => {
  verifies('001-CONTEXT-SCOPE', '001-INBOUND');
  const [open, closed, unknown] = [
    await phone.world.person('Openhand'),
    await phone.world.person('Closedhand'),
    await phone.world.person('Unknownhand'),
  ];
  await phone.grant(open, true, false);
  await phone.grant(closed, false, true);
  for (const person of [open, closed, unknown])
    await person.writes(`The zeppelin lands at ${person.name}`);
  await eventually('the messages', async () =>
    (await phone.world.api.messages({ contact: unknown.phone })).length > 0 ? true : undefined,
  );
  const [message] = await phone.world.api.messages({ contact: open.phone });
  expect(message).toMatchObject({
    id: expect.any(String),
    from: `${open.phone}@s.whatsapp.net`,
    body: 'The zeppelin lands at Openhand',
    timestamp: expect.any(Number),
    fromMe: false,
  });
  phone.whenAsked('Where does the zeppelin land?', { text: 'somewhere' });
  await phone.asks('Where does the zeppelin land?');
  const { question = '' } = phone.asked().at(-1) ?? {};
  expect(question).toContain('Openhand: The zeppelin lands at Openhand');
  expect(question).not.toContain('Closedhand');
  expect(question).not.toContain('Unknownhand');
});

it("the owner's question is indexed before it is answered", async () => {
  verifies('001-PIPE-INDEX');
  phone.whenAsked('remember the marmalade', { text: 'I will.' });
  await phone.asks('remember the marmalade');
  const { hits } = await phone.world.api.ok<{ hits: { text: string }[] }>(
    'GET',
    '/api/search?q=marmalade',
  );
  expect(hits.map(({ text }) => text)).toContain('remember the marmalade');
});

it('the assistant asks back about an ambiguous name', async () => {
  verifies('001-AGENT-NAMES');
  const [one, two] = [await phone.world.person('Ahmed'), await phone.world.person('Ahmed')];
  await phone.grant(one, false, true);
  await phone.grant(two, false, true);
  phone.whenAsked('Greet Ahmed', { tool_calls: [{ name: 'get_chats', arguments: {} }] });
  phone.whenTold('More than one chat has this name', { text: 'Which Ahmed do you mean?' });
  expect(await phone.asks('Greet Ahmed')).toBe('Which Ahmed do you mean?');
  expect(await one.has()).toEqual([]);
  expect(await two.has()).toEqual([]);
});

it('the daemon is the only process of its home while it answers', async () => {
  verifies('001-ONE-PROCESS');
  const { home, pid } = phone.world.relay;
  phone.whenAsked('how many are you', { text: 'One.', delay_ms: 1_000 });
  await phone.types('how many are you');
  await eventually('the question', async () => inPrompts('how many are you') > 0 || undefined);
  expect(await processesOf(home)).toEqual([expect.stringMatching(`^${pid} `)]);
  await eventually(
    'the answer',
    async () => (await phone.answers(1)).includes('One.') || undefined,
  );
});

it('the assistant remembers the chat after a restart', async () => {
  verifies('001-CONTEXT-HISTORY');
  phone.whenAsked('my cat is called Mia', { text: 'A fine name.' });
  await phone.asks('my cat is called Mia');
  await phone.world.relay.stop();
  await phone.world.relay.start();
  await phone.world.api.connected();
  phone.whenAsked('what is my cat called', { text: 'Mia.' });
  expect(await phone.asks('what is my cat called')).toBe('Mia.');
  const said = phone
    .asked()
    .at(-1)
    ?.messages.map(({ role, content }) => `${role}: ${content}`);
  expect(said).toEqual(
    expect.arrayContaining(['user: my cat is called Mia', 'assistant: A fine name.']),
  );
});

it('an assistant that is killed after sending sends nothing twice and reports what was done', async () => {
  await phone.asks('/new');
  const to = `${mum.phone}@s.whatsapp.net`;
  phone.whenAsked('write to mum and think', {
    tool_calls: [{ name: 'send_message', arguments: { phone_number: to, message: 'only once' } }],
  });
  phone.whenTold('"status":"sent"', { text: 'too late', delay_ms: 120_000 });
  const before = (await phone.answers(1)).length;
  await phone.types('write to mum and think');
  await mum.reads('only once');
  await phone.world.relay.kill();
  await phone.world.relay.start();
  const answers = await phone.answers(before + 1);
  expect(answers.at(-1)).toMatch(/^I was interrupted[\s\S]*- sent "only once" to Mum$/);
  await quiet();
  expect((await mum.has()).filter((text) => text === 'only once')).toHaveLength(1);
  expect(inPrompts('write to mum and think')).toBe(2);
});
