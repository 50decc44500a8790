import { RelayError } from '@relay/contract/errors';
import { refusalError } from '@relay/core/policy/reasons';
import { expect, test } from 'vitest';
import { errorBody } from './errors.ts';
import { createHttpServer } from './server.ts';
import { INSTANCE_ID } from './testing/conversations.ts';
import { type StandIns, standIns, TOKEN } from './testing/stand-ins.ts';

const headers = { host: '127.0.0.1:3214', authorization: `Bearer ${TOKEN}` };

async function ask(
  { deps }: StandIns,
  request: { method?: 'GET' | 'POST'; url: string; payload?: unknown; type?: string },
) {
  const app = await createHttpServer({ ...deps, port: 3214 });
  const { method = 'GET', url, payload, type = 'application/json' } = request;
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const response = await app.inject(
    body === undefined
      ? { method, url, headers }
      : { method, url, headers: { ...headers, 'content-type': type }, payload: body },
  );
  await app.close();
  return {
    status: response.statusCode,
    body: response.json(),
    text: JSON.stringify(response.headers) + response.body,
  };
}

const create = (payload: unknown) => ({ method: 'POST' as const, url: '/api/instances', payload });
const good = { objective: 'Get a quote', target_contact: '+56912345678' };

test.each([
  ['{', 'The request is not valid: the body is not valid JSON.'],
  ['', 'The request is not valid: the body is missing.'],
  ['[]', 'The request is not valid: the body: invalid input: expected object, received array.'],
  ['{"__proto__":{}}', 'The request is not valid: the body is not valid JSON.'],
  [{ target_contact: '+1' }, 'The request is not valid: "objective" is missing.'],
  [{ ...good, admin: true }, 'The request is not valid: "admin" is not a known field.'],
  [
    { ...good, todos: [{ text: 7 }] },
    'The request is not valid: "todos.0.text": invalid input: expected string, received number.',
  ],
])('refuses an invalid body %j with a sentence that names the field', async (payload, error) => {
  const stand = standIns();
  const { status, body } = await ask(stand, create(payload));
  expect({ status, ...body }).toMatchObject({ status: 400, code: 'invalid_request', error });
  expect(stand.calls).toEqual([]);
});

test('puts further validation issues into the details', async () => {
  const { body } = await ask(standIns(), create({}));
  expect(body.details).toBe('Also: "target_contact" is missing.');
});

test('refuses an invalid query with a sentence', async () => {
  const { status, body } = await ask(standIns(), { url: '/api/instances?limit=0' });
  expect(status).toBe(400);
  expect(body.error).toContain('"limit"');
});

test('refuses a body over the limit', async () => {
  const payload = { ...good, objective: 'x'.repeat(1_100_000) };
  const { status, body } = await ask(standIns(), create(payload));
  expect({ status, code: body.code }).toEqual({ status: 413, code: 'body_too_large' });
});

test('streams an archive of any size', async () => {
  const request = { method: 'POST' as const, url: '/api/import', type: 'application/gzip' };
  const stand = standIns();
  const { status, body } = await ask(stand, { ...request, payload: 'x'.repeat(3_000_000) });
  expect({ status, tables: body.tables }).toEqual({ status: 200, tables: { bytes: 3_000_000 } });
  expect((await ask(stand, { ...request, payload: '{}', type: 'application/json' })).status).toBe(
    415,
  );
  expect((await ask(stand, { ...create('x'), type: 'application/gzip' })).status).toBe(415);
});

test('keeps the status, code, sentence and details of a refusal', async () => {
  const stand = standIns();
  stand.deps.conversations.cancel = async () => {
    throw new RelayError(
      'illegal_transition',
      { id: INSTANCE_ID, state: 'COMPLETED', event: 'cancel' },
      { details: 'It has ended.' },
    );
  };
  const url = `/api/instances/${INSTANCE_ID}/cancel`;
  expect(await ask(stand, { method: 'POST', url })).toMatchObject({
    status: 409,
    body: {
      error: `Instance ${INSTANCE_ID} is COMPLETED: cancel is not possible now.`,
      code: 'illegal_transition',
      details: 'It has ended.',
    },
  });
});

test('answers 404 for a string that is not an id, as for an unknown id', async () => {
  const { status, body } = await ask(standIns(), { url: '/api/instances/abc' });
  expect({ status, code: body.code }).toEqual({ status: 404, code: 'instance_not_found' });
});

test.each([
  ['an error', new Error('CANARY')],
  ['an error that names a status', Object.assign(new Error('CANARY'), { statusCode: 418 })],
  ['an error that calls itself validation', Object.assign(new Error('CANARY'), { code: 'CANARY' })],
  ['a string', 'CANARY'],
  ['nothing', undefined],
])(
  'answers %s thrown inside with 500 and the request’s id, and only logs it',
  async (_name, thrown) => {
    const logged: unknown[] = [];
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (...given: unknown[]) => void logged.push(given),
    };
    const stand = standIns({ log, status: () => Promise.reject(thrown) });
    const { status, body, text } = await ask(stand, { url: '/api/status' });
    expect({ status, code: body.code }).toEqual({ status: 500, code: 'internal' });
    expect(text).not.toContain('CANARY');
    const [[, fields]] = logged as [[string, { request: string; error: unknown }]];
    expect(fields.error).toBe(thrown);
    expect(body.action).toContain(fields.request);
  },
);

test('answers 500 when a response violates its own schema, without sending a part of it', async () => {
  const stand = standIns({ status: async () => ({ pid: 'CANARY' }) as never });
  const { status, text } = await ask(stand, { url: '/api/status' });
  expect(status).toBe(500);
  expect(text).not.toContain('CANARY');
});

test('a refusal of the gate names its reason', () => {
  expect(errorBody(refusalError('hold'))).toEqual({
    error: 'Not allowed: Sending is on hold.',
    code: 'denied',
    action: 'End the hold with `relay release`.',
    reason: 'hold',
  });
});
