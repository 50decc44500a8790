// A conversation from end to end: requested over HTTP, with the scripted model, on the simulated WhatsApp, by the
// shipped daemon.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConversationInstance } from '@relay/contract/api/instances';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { type Demo, startDemo } from './demo.ts';
import { eventually } from './gateway.ts';

const ME = '15550000001';
const ANA = '15550000002';
const OBJECTIVE = 'Find out when Ana can mend the sink and what it costs.';

let demo: Demo;
beforeAll(async () => {
  demo = await startDemo({ settings: { pacing: { enabled: false } } });
  await demo.phones.add(ME, 'Me');
  await demo.phones.add(ANA, 'Ana');
  await demo.link(ME);
}, 180_000);
afterAll(() => demo.stop());

const get = (id: string) => demo.relay.ok<ConversationInstance>('GET', `/api/instances/${id}`);
const heard = (text: string) =>
  eventually(`"${text}" on Ana's phone`, async () =>
    (await demo.phones.received(ANA, ME)).find((message) => message.text === text),
  );
const reaches = (id: string, state: string) =>
  eventually(state, async () => {
    const instance = await get(id);
    return instance.state === state ? instance : undefined;
  });

const create = () =>
  demo.relay.ok<{ id: string }>('POST', '/api/instances', {
    objective: OBJECTIVE,
    target_contact: `+${ANA}`,
    todos: [{ text: 'A date' }],
  });

it('is created, begun, answered, and completed with its todo done', {
  timeout: 120_000,
}, async () => {
  demo.model.rules([
    {
      when: { contains: 'first_message' },
      reply: { tool_calls: [{ name: 'send_message', arguments: { text: 'Hi Ana, a sink?' } }] },
    },
  ]);
  const { id } = await create();
  await heard('Hi Ana, a sink?');
  const waiting = await reaches(id, 'WAITING_FOR_REPLY');
  expect(waiting.todos).toMatchObject([{ status: 'pending' }]);

  demo.model.rules([
    {
      when: { contains: 'Tuesday at nine' },
      reply: {
        tool_calls: [
          {
            name: 'mark_todo_item',
            arguments: { todo_id: waiting.todos[0]?.id, status: 'completed' },
          },
          { name: 'send_message', arguments: { text: 'Tuesday it is, thank you!' } },
          { name: 'end_conversation', arguments: { reason: 'Ana comes on Tuesday.' } },
        ],
      },
    },
  ]);
  await demo.phones.send(ANA, ME, 'Tuesday at nine, 80 euros');
  await heard('Tuesday it is, thank you!');
  expect(await reaches(id, 'COMPLETED')).toMatchObject({ todos: [{ status: 'completed' }] });
  expect(await demo.phones.received(ANA, ME)).toHaveLength(2);
});

it('continues after a crash as if there had been none: the agent gets everything it needs', {
  timeout: 120_000,
}, async () => {
  verifies('003-OPEN-REBUILD');
  demo.model.rules([
    {
      when: { contains: 'first_message' },
      reply: { tool_calls: [{ name: 'send_message', arguments: { text: 'Hi, it leaks again' } }] },
    },
    {
      when: { contains: 'I am back' },
      reply: { tool_calls: [{ name: 'end_conversation', arguments: { reason: 'Done.' } }] },
    },
  ]);
  const { id } = await create();
  await heard('Hi, it leaks again');
  await reaches(id, 'WAITING_FOR_REPLY');
  await demo.kill();
  await demo.restart();
  await demo.relay.connected();
  await demo.phones.send(ANA, ME, 'I am back');
  await reaches(id, 'COMPLETED');
  const told = JSON.stringify(demo.model.calls().at(-1)?.body);
  for (const part of [OBJECTIVE, 'A date', 'Hi, it leaks again', 'I am back'])
    expect(told).toContain(part);
});

it('uses another model from the next turn on, whose key is stored encrypted', {
  timeout: 120_000,
}, async () => {
  const changed = { model_name: 'another', model_api_key: 'sk-of-another' };
  await demo.relay.ok('POST', '/api/init', changed);
  demo.model.rules([
    { reply: { tool_calls: [{ name: 'end_conversation', arguments: { reason: 'No.' } }] } },
  ]);
  const { id } = await create();
  await reaches(id, 'COMPLETED');
  const call = demo.model.calls().at(-1);
  expect(call).toMatchObject({
    body: { model: 'another' },
    headers: { authorization: 'Bearer sk-of-another' },
  });
  const config = await readFile(join(demo.home, 'relay.config.json'), 'utf8');
  expect(config).toContain('"model_api_key": "sealed:');
  for (const file of ['relay.config.json', 'relay.log'])
    expect(await readFile(join(demo.home, file), 'utf8')).not.toContain('sk-of-another');
});
