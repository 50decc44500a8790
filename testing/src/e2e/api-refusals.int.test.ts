// Refusals of the real daemon, with the status and the sentence of seed 003, and without internal details.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import type { RawResponse } from './raw-request.ts';
import { openRelay, type Relay } from './relay.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const MADE = { objective: 'o', target_contact: '+14155550100' };

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay();
  await relay.start();
});
afterAll(() => relay.end());

async function call(method: string, path: string, body?: unknown): Promise<RawResponse> {
  const answer = await relay.call(method, path, body);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  return answer;
}

let numbers = 0;
const contact = () => `+1415555${String(3000 + numbers++)}`;

async function waiting(): Promise<string> {
  const id = await relay.create(contact());
  await relay.settled(id);
  return id;
}

it.each([
  ['no objective', { target_contact: '+14155550100' }, /"objective" is missing/],
  ['no contact', { objective: 'o' }, /"target_contact" is missing/],
  ['no phone number', { objective: 'o', target_contact: 'Ana' }, /^Invalid phone number$/],
  [
    'an unknown field',
    { objective: 'o', target_contact: '+14155550100', x: 1 },
    /"x" is not a known field/,
  ],
  [
    'a todo of the wrong kind',
    { objective: 'o', target_contact: '+14155550100', todos: ['a'] },
    /"todos\.0"/,
  ],
  ['no JSON', '{"objective":', /not valid JSON/],
  ['a NUL', { objective: 'a\0b', target_contact: '+14155550100' }, /"objective"/],
  ['half a character', { ...MADE, todos: [{ text: '\ud83d' }] }, /"todos\.0\.text"/],
])('400 for a request with %s', async (_what, body, sentence) => {
  verifies('003-API-400', '003-API-JSON');
  const { status, json } = await call('POST', '/api/instances', body);
  expect({ status, json }).toMatchObject({
    status: 400,
    json: { error: expect.stringMatching(sentence), code: expect.any(String) },
  });
});

it('400 for a message that contains a NUL, or nothing', async () => {
  verifies('003-API-400', '003-API-JSON');
  const id = await waiting();
  for (const message of ['a\0b', '', '   ', undefined]) {
    const { status, json } = await call('POST', `/api/instances/${id}/send`, { message });
    expect({ status, json }).toMatchObject({
      status: 400,
      json: { error: expect.stringContaining('"message"') },
    });
  }
});

it('404 for an instance that does not exist, on every route that names one', async () => {
  verifies('003-API-404', '003-ERR-NOT-FOUND', '003-API-JSON');
  for (const id of [NOBODY, 'nonsense']) {
    for (const [method, rest, body] of [
      ['GET', ''],
      ['GET', '/transcript'],
      ['POST', '/cancel'],
      ['POST', '/pause'],
      ['POST', '/resume'],
      ['POST', '/send', { message: 'hello' }],
    ] as const) {
      const { status, json } = await call(method, `/api/instances/${id}${rest}`, body);
      const error = `Instance ${id} not found.`;
      expect({ rest, status, json }).toMatchObject({ rest, status: 404, json: { error } });
    }
  }
});

it('409 with the state and the attempt, and nothing changes', async () => {
  verifies('003-API-409', '003-ERR-TRANSITION', '003-API-JSON');
  const id = await waiting();
  await call('POST', `/api/instances/${id}/cancel`);
  const before = (await call('GET', `/api/instances/${id}`)).json;
  for (const [verb, event, body] of [
    ['pause', 'pausing'],
    ['resume', 'resuming'],
    ['cancel', 'cancelling'],
    ['send', 'sending your message', { message: 'hello' }],
  ] as const) {
    const { status, json } = await call('POST', `/api/instances/${id}/${verb}`, body);
    const error = `Instance ${id} is FAILED: ${event} is not possible now.`;
    expect({ verb, status, json }).toMatchObject({ verb, status: 409, json: { error } });
  }
  expect((await call('GET', `/api/instances/${id}`)).json).toEqual(before);
});

it('500 for an internal fault, without internal details', async () => {
  verifies('003-API-500', '003-API-JSON');
  await relay.query('ALTER TABLE relay.instance_messages RENAME TO hidden_away');
  const id = await relay.create(contact());
  const { status, json, text } = await call('GET', `/api/instances/${id}/transcript`);
  await relay.query('ALTER TABLE relay.hidden_away RENAME TO instance_messages');
  expect({ status, json }).toEqual({
    status: 500,
    json: {
      error: 'Relay had an internal error.',
      code: 'internal',
      action: expect.stringMatching(
        /^Find the details with `relay logs`, under request [0-9a-f-]{36}\.$/,
      ),
    },
  });
  expect(text).not.toMatch(/instance_messages|relation|select|at .*js/i);
  const request = /request ([0-9a-f-]{36})/.exec(text)?.[1] ?? '';
  expect((await relay.run('logs', '--level', 'error')).out).toContain(request);
});
