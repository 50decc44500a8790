// Tests the assistant in a chat on the owner's computer: the events of a turn, and that nothing is sent before the
// owner approves exactly that.
import { approvalId } from '@relay/contract/ids';
import { eventually } from '@relay/testing/store';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  ALL,
  type AssistantFixture,
  type Contact,
  calling,
  openAssistantFixture,
  READ,
} from './testing/fixture.ts';

let fixture: AssistantFixture;
let mum: Contact;
beforeAll(async () => {
  fixture = await openAssistantFixture();
  mum = await fixture.contact('Mum', ALL);
  await fixture.store(mum.chat, mum.contact, 'Hello from mum');
});
beforeEach(async () => {
  await fixture.assistant.service.reset();
  fixture.script(
    {
      when: { contains: 'write to mum' },
      reply: calling('send_message', { phone_number: mum.id, message: 'from chat' }),
    },
    { when: { tool_result: '"status":"sent"' }, reply: { text: 'It is sent.' } },
    { when: { tool_result: 'said no' }, reply: { text: 'Then not.' } },
    { when: { tool_result: 'waiting_for_approval' }, reply: { text: 'It waits.' } },
    { when: { contains: 'hello' }, reply: { text: 'Hello!' } },
  );
  await fixture.forgetCalls();
});

const sends = async () => (await fixture.sent()).filter(({ body }) => body === 'from chat').length;

/** The approval that the owner is shown. */
async function shown(events: readonly { type: string }[]) {
  await eventually(() => events.some(({ type }) => type === 'approval'));
  const event = events.find(({ type }) => type === 'approval') as
    | { approval: { id: string; text: string; reason_code: string } }
    | undefined;
  if (event === undefined) throw new Error('nothing was asked');
  return event.approval;
}

test('streams an answer, ends with the whole text and stores it', async () => {
  const { events, over } = await fixture.chats('hello');
  await over;
  const [run, ...rest] = events;
  expect(run).toMatchObject({ type: 'run', id: expect.any(String) });
  const words = rest.flatMap((event) => (event.type === 'text' ? event.delta : []));
  expect(words.join('')).toBe('Hello!');
  expect(rest.at(-1)).toEqual({ type: 'done', text: 'Hello!' });
  expect(
    (await fixture.assistant.service.history({ limit: 10 })).map(({ role, content }) => [
      role,
      content,
    ]),
  ).toEqual([
    ['user', 'hello'],
    ['assistant', 'Hello!'],
  ]);
});

test('shows the owner what would be sent and reports it to the model only after approval', async () => {
  const before = await sends();
  const { events, over } = await fixture.chats('write to mum');
  const approval = await shown(events);
  expect(approval).toMatchObject({ text: 'from chat', reason_code: 'confirm' });
  expect(await sends()).toBe(before);
  expect(fixture.calls()).toHaveLength(1);
  await fixture.approvals.approve(approvalId(approval.id));
  await over;
  expect(await sends()).toBe(before + 1);
  expect(events.map(({ type }) => type).filter((type) => type !== 'text')).toEqual([
    'run',
    'tool_call',
    'approval',
    'tool_result',
    'done',
  ]);
  expect(events.find(({ type }) => type === 'tool_call')).toMatchObject({
    name: 'send_message',
    arguments: { phone_number: mum.id, message: 'from chat' },
  });
  expect(events.at(-1)).toEqual({ type: 'done', text: 'It is sent.' });
  const [call] = await fixture.sql(
    'SELECT effect, result FROM tool_calls ORDER BY at DESC LIMIT 1',
  );
  expect(call).toEqual({
    effect: 'sent "from chat" to Mum, with your approval',
    result: { status: 'sent', to: mum.id },
  });
});

test('sends nothing after a rejection and tells the model why', async () => {
  const before = await sends();
  const { events, over } = await fixture.chats('write to mum');
  const approval = await shown(events);
  await fixture.approvals.reject(approvalId(approval.id), 'not today');
  await over;
  expect(await sends()).toBe(before);
  expect(fixture.results()).toEqual([{ error: expect.stringContaining('said no: not today') }]);
  expect(events.at(-1)).toEqual({ type: 'done', text: 'Then not.' });
});

test('keeps the approval pending after two minutes without an answer and tells the model', async () => {
  const before = await sends();
  const { events, over } = await fixture.chats('write to mum');
  const approval = await shown(events);
  await over;
  expect(events.at(-1)).toEqual({ type: 'done', text: 'It waits.' });
  expect(await sends()).toBe(before);
  await fixture.approvals.approve(approvalId(approval.id));
  expect(await sends()).toBe(before + 1);
});

test('does not ask about what the gate refuses', async () => {
  const quiet = await fixture.contact('Quiet', READ);
  fixture.script(
    {
      when: { contains: 'write to quiet' },
      reply: calling('send_message', { phone_number: quiet.id, message: 'x' }),
    },
    { when: { tool_result: 'not allowed replies' }, reply: { text: 'I may not.' } },
  );
  const { events, over } = await fixture.chats('write to quiet');
  await over;
  expect(events.some(({ type }) => type === 'approval')).toBe(false);
  expect(events.at(-1)).toEqual({ type: 'done', text: 'I may not.' });
});

test('shares one session between this chat and the owner’s own chat on WhatsApp', async () => {
  await (await fixture.chats('hello')).over;
  fixture.script({ when: { contains: 'and here?' }, reply: { text: 'Here too.' } });
  expect(await fixture.asks('and here?')).toBe('Here too.');
  const said = fixture.lastCall()?.messages.map(({ content }) => content);
  expect(said).toEqual(expect.arrayContaining(['hello', 'Hello!', 'and here?']));
});

test('runs turns of one session in order, and slash commands without waiting', async () => {
  fixture.script({ when: { contains: 'hello slow' }, reply: { text: 'slow', delay_ms: 700 } });
  const slow = await fixture.chats('hello slow');
  await eventually(() => fixture.calls().length === 1);
  const quick = await fixture.chats('hello');
  const { events, over } = await fixture.chats('/help');
  await over;
  expect(events).toEqual([{ type: 'done', text: expect.stringContaining('/approve') }]);
  expect(fixture.calls()).toHaveLength(1);
  await Promise.all([slow.over, quick.over]);
  expect(fixture.calls()).toHaveLength(2);
  const history = await fixture.assistant.service.history({ limit: 10 });
  expect(history.filter(({ command }) => !command).map(({ content }) => content)).toEqual([
    'hello slow',
    'slow',
    'hello',
    'Hello!',
  ]);
});

test('remembers nothing in a new session', async () => {
  await (await fixture.chats('hello')).over;
  await fixture.assistant.service.reset();
  expect(await fixture.assistant.service.history({ limit: 10 })).toEqual([]);
  await (await fixture.chats('hello again')).over;
  const said = fixture.lastCall()?.messages.filter(({ role }) => role !== 'system');
  expect(said).toHaveLength(1);
});
