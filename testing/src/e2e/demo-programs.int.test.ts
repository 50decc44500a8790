// `relay demo --headless --json` used by a program that tests its own agent: everything over HTTP, at the addresses of
// the one line, from linking to the end.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { builtIn } from './built.ts';
import { eventually, Gateway } from './gateway.ts';
import { type Headless, holdDemo } from './headless.ts';
import { Phones } from './phones.ts';
import { answers, untilGone } from './traces.ts';

const ME = '14155550142';
const MOM = '14155550104';
const ROSA = '14155550106';
const NORA = '14155550121';
const GROUP = 'Cousins';
const DAY = 86_400_000;

let demo: Headless;
let relay: Gateway;
let phones: Phones;

beforeAll(async () => {
  demo = await holdDemo(join(await builtIn(inject('builds')), 'bin/relay.js'));
  const { api, token, simulator } = demo.line;
  relay = new Gateway(() => ({ port: Number(new URL(api).port), token }));
  phones = new Phones(simulator);
}, 180_000);
afterAll(async () => {
  demo?.letGo();
  await demo?.ended;
}, 60_000);

async function rules(...list: object[]): Promise<void> {
  const body = JSON.stringify({ rules: list });
  const answer = await fetch(`${demo.line.model}/control/rules`, { method: 'POST', body });
  expect(answer.status).toBe(200);
}

const heard = (phone: string, messages: number) =>
  eventually(
    `message ${messages} for ${phone}`,
    async () => {
      const all = await phones.received(phone, ME);
      return all.length >= messages ? all.map(({ text }) => text) : undefined;
    },
    60_000,
  );

it('links a phone that scans the code', async () => {
  for (const [phone, name] of [
    [ME, 'Alex'],
    [MOM, 'Mom'],
    [ROSA, 'Rosa'],
    [NORA, 'Nora'],
  ] as const)
    await phones.add(phone, name);
  await relay.connect();
  expect(await phones.scan(ME, await relay.qr())).toMatchObject({ linked: true });
  expect(await relay.connected()).toBe(ME);
});

it('observes a group from yesterday on', async () => {
  const group = await phones.group(GROUP, NORA, [ME, MOM]);
  await phones.send(NORA, group, 'hello everybody');
  await eventually('the group', async () => {
    const wish = { group: GROUP, announced: true };
    const { status } = await relay.call('POST', '/api/observed-groups', wish);
    return status === 201 || undefined;
  });
  const at = new Date(Date.now() - DAY);
  await phones.send(MOM, group, 'Decided: we meet at the lake on Sunday at 11:00', { at });
});

it('answers somebody only once they have a grant', async () => {
  await rules({ when: { system: 'Auto-Reply', contains: 'soup' }, reply: { text: 'With bread!' } });
  await phones.send(MOM, ME, 'Is anybody there?');
  await eventually('the knock', async () => {
    const { knocks_waiting } = await relay.ok<{ knocks_waiting: number }>('GET', '/api/status');
    return knocks_waiting === 1 || undefined;
  });
  expect(await phones.received(MOM, ME)).toEqual([]);
  await relay.ok('POST', '/api/whatsapp/permissions', {
    phoneNumber: MOM,
    displayName: 'Mom',
    canRead: true,
    canReply: true,
    replyMode: 'auto',
  });
  await phones.send(MOM, ME, 'I made some soup with lentils');
  expect(await heard(MOM, 1)).toEqual([expect.stringContaining('With bread!')]);
});

it('holds a conversation to its end', async () => {
  const call = (name: string, given: object) => ({ name, arguments: given });
  await rules(
    {
      when: { system: 'the leak', contains: 'first_message' },
      reply: { tool_calls: [call('send_message', { text: 'What would the repair cost?' })] },
    },
    {
      when: { system: 'the leak', contains: '140' },
      reply: {
        tool_calls: [
          call('mark_todo_item', { todo_id: '1', status: 'completed' }),
          call('send_message', { text: 'Thank you!' }),
          call('end_conversation', { reason: 'There is a price.' }),
        ],
      },
    },
  );
  const { id } = await relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: 'A price for the leak',
    target_contact: `+${ROSA}`,
    todos: [{ text: 'A price' }],
  });
  await heard(ROSA, 1);
  await phones.send(ROSA, ME, '140 euros');
  expect(await heard(ROSA, 2)).toEqual(['What would the repair cost?', 'Thank you!']);
  await eventually('the end', async () => {
    const { state } = await relay.ok<{ state: string }>('GET', `/api/instances/${id}`);
    return state === 'COMPLETED' || undefined;
  });
});

it('finds what was said', async () => {
  const hit = await eventually('lentils', async () => {
    const found = await relay.ok<{ hits: { text: string }[] }>('GET', '/api/search?q=lentils');
    return found.hits[0];
  });
  expect(hit.text).toContain('soup with lentils');
});

it('serves a client over MCP, within its scopes', async () => {
  const { secret } = await relay.ok<{ secret: string }>('POST', '/api/tokens', {
    name: 'a reader',
    scopes: ['messages:read'],
  });
  const call = async (name: string, given: object) => {
    const answer = await fetch(`${demo.line.api}/api/tools/${name}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify(given),
    });
    return { status: answer.status, text: await answer.text() };
  };
  expect((await call('read_messages', { chat_id: 'Mom' })).text).toContain('lentils');
  expect((await call('send_message', { chat_id: 'Mom', message: 'Hi' })).status).toBe(403);
  const spoken = await fetch(`${demo.line.api}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a test', version: '1' },
      },
    }),
  });
  expect({ status: spoken.status, text: await spoken.text() }).toMatchObject({
    status: 200,
    text: expect.stringContaining('"serverInfo"'),
  });
});

it("has digests of yesterday's hours, and sent nothing to the group", async () => {
  const day = await eventually(
    'a digest of an hour',
    async () => {
      const { digests } = await relay.ok<{ digests: { hourly: { text: string }[] }[] }>(
        'GET',
        `/api/digests?group=${GROUP}`,
      );
      return digests.find(({ hourly }) => hourly.length > 0);
    },
    180_000,
  );
  expect(day.hourly[0]?.text).toContain('lake on Sunday');
  const [group] = await relay.ok<{ messages_sent: number }[]>('GET', '/api/observed-groups');
  expect(group?.messages_sent).toBe(0);
}, 200_000);

it('ends when its standard input is closed', async () => {
  const { api, simulator, model, home } = demo.line;
  demo.letGo();
  expect(await demo.ended).toEqual({ exit: 0, err: '', more: [] });
  expect(existsSync(home)).toBe(false);
  expect(await untilGone(home)).toEqual([]);
  for (const url of [api, simulator, model])
    expect(await answers('127.0.0.1', Number(new URL(url).port))).toBe(false);
});
