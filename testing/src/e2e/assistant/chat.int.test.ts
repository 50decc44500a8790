// `relay chat` with the real daemon: streamed words, approving and declining during a turn, a turn that is stopped, and
// one that a crash ends. The phone shows exactly what was sent, once.
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { AssistantEvent, AssistantLine } from '@relay/contract/api/assistant';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CTRL_D, startTerminalUser } from '../../terminal-user.ts';
import type { Person } from '../acceptance/person.ts';
import { eventually } from '../gateway.ts';
import { type OwnersPhone, openPhone } from './owner.ts';

let phone: OwnersPhone;
let mum: Person;
beforeAll(async () => {
  phone = await openPhone();
  mum = await phone.world.person('Mum');
  await phone.grant(mum, true, true);
});
afterAll(() => phone.world.end());

const history = (): Promise<AssistantLine[]> =>
  phone.world.api.ok('GET', '/api/assistant/messages');
const waiting = (): Promise<{ id: string; text: string }[]> =>
  phone.world.api.ok('GET', '/api/approvals');
const wanting = (message: string) => ({
  tool_calls: [{ name: 'send_message', arguments: { phone_number: mum.phone, message } }],
});

/** Runs `relay chat --json` and follows its output. */
function chat(...words: string[]) {
  const child = phone.world.relay.spawn(['chat', '--json', ...words]);
  const events: AssistantEvent[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    events.push(JSON.parse(line) as AssistantEvent);
  });
  const first = <Type extends AssistantEvent['type']>(type: Type) =>
    eventually(`${type} in the answer`, async () =>
      events.find((event): event is AssistantEvent & { type: Type } => event.type === type),
    );
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, events, first, exit };
}

it("words are streamed, and both sides are stored in the owner's one session", async () => {
  const answer = 'Sunday is free, and so is the afternoon of Monday.';
  phone.whenAsked('When am I free?', { text: answer, chunk_delay_ms: 30 });
  const { events, exit } = chat('When am I free?');
  expect(await exit).toBe(0);
  expect(events[0]).toMatchObject({ type: 'run' });
  const pieces = events.flatMap((event) => (event.type === 'text' ? [event.delta] : []));
  expect(pieces.length).toBeGreaterThan(2);
  expect(pieces.join('')).toBe(answer);
  expect(events.at(-1)).toEqual({ type: 'done', text: answer });
  expect((await history()).slice(-2)).toMatchObject([
    { role: 'user', content: 'When am I free?', command: false },
    { role: 'assistant', content: answer, command: false },
  ]);
  phone.whenAsked('And on Tuesday?', { text: 'No.' });
  await phone.asks('And on Tuesday?');
  expect(JSON.stringify(phone.asked().at(-1)?.messages)).toContain('When am I free?');
});

it('a model that breaks off is asked again, and only the complete answer is stored', async () => {
  const half = JSON.stringify({ choices: [{ index: 0, delta: { content: 'Half a' } }] });
  phone.whenAsked('Tell me all', { text: 'All of it.' });
  phone.world.model.rules([
    {
      when: { contains: 'Tell me all' },
      reply: { raw: { body: `data: ${half}\n\n`, cut: true } },
      times: 1,
    },
  ]);
  const { events, exit } = chat('Tell me all');
  expect(await exit).toBe(0);
  expect(events.map(({ type }) => type)).toContain('text_reset');
  expect(events.at(-1)).toEqual({ type: 'done', text: 'All of it.' });
  expect((await history()).at(-1)?.content).toBe('All of it.');
});

describe('the owner is asked before anything is sent', () => {
  it('approving during the turn sends the message once, and the model learns of it', async () => {
    phone.whenAsked('Tell Mum yes', wanting('Yes, on Sunday!'));
    phone.whenTold('"status":"sent"', { text: 'Sent.' });
    const { events, first, exit } = chat('Tell Mum yes');
    const { approval } = await first('approval');
    expect(approval).toMatchObject({
      recipient: mum.number,
      recipient_name: 'Mum',
      text: 'Yes, on Sunday!',
      state: 'pending',
    });
    expect(await mum.has()).not.toContain('Yes, on Sunday!');
    await phone.world.says('approvals', 'approve', approval.id);
    expect(await exit).toBe(0);
    expect(events.at(-1)).toEqual({ type: 'done', text: 'Sent.' });
    const has = await mum.reads('Yes, on Sunday!');
    expect(has.filter((text) => text === 'Yes, on Sunday!')).toHaveLength(1);
  });

  it('declining sends nothing, and the model learns of that too', async () => {
    phone.whenAsked('Tell Mum no', wanting('No, never.'));
    phone.whenTold('said no', { text: 'Then I leave it.' });
    const { events, first, exit } = chat('Tell Mum no');
    const { approval } = await first('approval');
    await phone.world.says('approvals', 'reject', approval.id, '--reason', 'too rude');
    expect(await exit).toBe(0);
    expect(events.at(-1)).toEqual({ type: 'done', text: 'Then I leave it.' });
    expect(phone.asked().at(-1)?.results.at(-1)).toContain('too rude');
    expect(await mum.has()).not.toContain('No, never.');
    expect(await waiting()).toEqual([]);
  });

  it('a terminal shows recipient and text, then asks y or N', async () => {
    phone.whenAsked('Wish her a good day', wanting('Have a good day!'));
    phone.whenAsked('Wish her a bad day', wanting('Have a bad day!'));
    phone.whenTold('"status":"sent"', { text: 'Wished.' });
    phone.whenTold('said no', { text: 'Not wished.' });
    const { built, home } = phone.world.relay;
    const person = startTerminalUser({ built, home }, 'chat --new');
    await person.until('you: ');
    person.type('Wish her a bad day\r');
    await person.until(`Approval needed: message to Mum (${mum.number})\n  │ Have a bad day!\n`);
    await person.until('Send it? [y/N] ');
    person.type('\r');
    await person.until('Not wished.\n');
    await person.until('you: ');
    person.type('Wish her a good day\r');
    await person.until('  │ Have a good day!\n');
    await person.until('Send it? [y/N] ');
    person.type('y\r');
    await person.until(': sent, to ');
    await person.until('Wished.\n');
    person.type(CTRL_D);
    expect(await person.exit).toBe(0);
    await mum.reads('Have a good day!');
    expect(await mum.has()).not.toContain('Have a bad day!');
  });
});

it('Ctrl-C stops the turn in the daemon, and the next question is answered', async () => {
  phone.whenAsked('Take your time', { text: 'A very long answer indeed.', chunk_delay_ms: 3_000 });
  const { child, first, exit } = chat('Take your time');
  await first('run');
  child.kill('SIGINT');
  expect(await exit).toBe(130);
  await expect
    .poll(async () => (await history()).at(-1), { timeout: 20_000 })
    .toMatchObject({ role: 'assistant', content: expect.stringContaining('topped') });
  phone.whenAsked('Still there?', { text: 'Yes.' });
  expect(await chat('Still there?').exit).toBe(0);
  expect((await history()).at(-1)?.content).toBe('Yes.');
});

it('slash commands need no model', async () => {
  const before = phone.asked().length;
  const { events, exit } = chat('/help');
  expect(await exit).toBe(0);
  expect(events).toEqual([{ type: 'done', text: expect.stringContaining('/approve') }]);
  expect(phone.asked()).toHaveLength(before);
});

it('web search needs a key, and reports what it cannot reach', async () => {
  phone.whenAsked('Who won?', { text: 'I do not know.' });
  expect(await chat('Who won?').exit).toBe(0);
  expect(phone.asked().at(-1)?.tools).not.toContain('web_search');
  const key = phone.world.relay.spawn(['init', '--brave-key', '--json'], {}, 'BSA-secret\n');
  expect(await once(key, 'close')).toEqual([0, null]);
  expect(phone.world.relay.file('relay.config.json')).toMatch(/"brave_api_key": "sealed:/);
  phone.whenAsked('Who won it?', {
    tool_calls: [{ name: 'web_search', arguments: { query: 'x' } }],
  });
  phone.whenTold('The web search', { text: 'I cannot look it up.' });
  const { events, exit } = chat('Who won it?');
  expect(await exit).toBe(0);
  expect(events.at(-1)).toEqual({ type: 'done', text: 'I cannot look it up.' });
  expect(phone.asked().at(-1)?.tools).toContain('web_search');
  expect(JSON.stringify(phone.world.model.calls())).not.toContain('BSA-secret');
  await mum.writes('What is the weather like?');
  const offered = await eventually('an answer to Mum', async () =>
    phone.world.model
      .calls()
      .map(({ body }) => body as { messages: object[]; tools?: { function: { name: string } }[] })
      .find(({ messages }) => JSON.stringify(messages.at(-1)).includes('the weather like')),
  );
  expect(offered.tools?.map((tool) => tool.function.name)).toEqual(['web_search']);
});

describe('a turn that a crash ends', () => {
  it('while it streams: the client gets an error, nothing is sent, and the question can be repeated', async () => {
    phone.whenAsked('Speak slowly', {
      text: 'One two three four five six.',
      chunk_delay_ms: 2_000,
    });
    const { first, exit } = chat('Speak slowly');
    await first('text');
    await phone.world.relay.kill();
    expect(await exit).toBe(3);
    await phone.world.relay.start();
    await phone.world.api.connected();
    phone.whenAsked('Once more', { text: 'Here.' });
    expect(await chat('Once more').exit).toBe(0);
    const said = (await history()).map(({ role, content }) => `${role}: ${content}`);
    expect(said).toContain('user: Speak slowly');
    expect(said.filter((line) => line.startsWith('assistant: One two'))).toEqual([]);
  });

  it('while it waits for approval: the approval stays pending, and approving sends it once', async () => {
    phone.whenAsked('Tell Mum later', wanting('Later, Mum.'));
    const { first, exit } = chat('Tell Mum later');
    const { approval } = await first('approval');
    await phone.world.relay.kill();
    expect(await exit).toBe(3);
    await phone.world.relay.start();
    await phone.world.api.connected();
    expect(await mum.has()).not.toContain('Later, Mum.');
    expect((await waiting()).map(({ id }) => id)).toEqual([approval.id]);
    await phone.world.says('approvals', 'approve', approval.id);
    await mum.reads('Later, Mum.');
    await phone.world.relay.stop();
    await phone.world.relay.start();
    await phone.world.api.connected();
    expect((await mum.has()).filter((text) => text === 'Later, Mum.')).toHaveLength(1);
  });

  it('after it has sent: nothing is sent again, and the next turn knows what was done', async () => {
    phone.whenAsked('Tell Mum once', wanting('Only once.'));
    phone.whenTold('"status":"sent"', { text: 'Sent it to her.', chunk_delay_ms: 2_000 });
    const { first, exit } = chat('Tell Mum once');
    const { approval } = await first('approval');
    await phone.world.says('approvals', 'approve', approval.id);
    await first('text');
    await phone.world.relay.kill();
    expect(await exit).toBe(3);
    await phone.world.relay.start();
    await phone.world.api.connected();
    await mum.reads('Only once.');
    phone.whenAsked('What did you do?', { text: 'I told Mum.' });
    expect(await chat('What did you do?').exit).toBe(0);
    expect(JSON.stringify(phone.asked().at(-1)?.messages)).toMatch(/sent .{2,4}Only once\./);
    expect((await mum.has()).filter((text) => text === 'Only once.')).toHaveLength(1);
    expect(await waiting()).toEqual([]);
  });
});
