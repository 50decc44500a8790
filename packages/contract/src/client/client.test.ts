import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ConversationInstance, CreateInstanceResponse } from '../api/instances.ts';
import { RelayApiError } from './api-error.ts';
import { type ClientRequest, type ClientResponse, createClient } from './client.ts';

function answering(response: Partial<ClientResponse>) {
  const sent: ClientRequest[] = [];
  const client = createClient({
    send: async (request) => {
      sent.push(request);
      return { status: 200, headers: {}, body: '{}', ...response };
    },
  });
  return { client, sent };
}

test('fills in the path, omits undefined parameters and encodes the rest', async () => {
  const { client, sent } = answering({});
  await client.get('/api/instances/{id}', { path: { id: 'a/../b?c' } });
  await client.get('/api/instances', { query: { state: 'ACTIVE', limit: 5 } });
  await client.get('/api/instances');
  expect(sent.map(({ path }) => path)).toEqual([
    '/api/instances/a%2F..%2Fb%3Fc',
    '/api/instances?state=ACTIVE&limit=5',
    '/api/instances',
  ]);
});

test('sends a body as JSON, and no content type without a body', async () => {
  const { client, sent } = answering({});
  await client.post('/api/instances/{id}/send', { path: { id: '1' }, body: { message: 'hi' } });
  await client.post('/api/instances/{id}/pause', { path: { id: '1' } });
  expect(sent[0]).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"message":"hi"}',
  });
  expect(sent[1]).toEqual({
    method: 'POST',
    path: '/api/instances/1/pause',
    headers: { accept: 'application/json' },
  });
});

test('sends the headers of an operation, and none that is undefined', async () => {
  const { client, sent } = answering({});
  const body = { to: '491701234567', text: 'hi' };
  await client.post('/api/whatsapp/messages', { body, header: { 'idempotency-key': 'k' } });
  await client.post('/api/whatsapp/messages', { body });
  expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['k', undefined]);
});

test('an optional body can be omitted', async () => {
  const { client, sent } = answering({});
  await client.post('/api/whatsapp/disconnect');
  await client.post('/api/whatsapp/disconnect', { body: { clearSession: true } });
  expect(sent.map(({ body }) => body)).toEqual([undefined, '{"clearSession":true}']);
});

test('throws a refusal that is only a sentence, as in seed 000', async () => {
  const { client } = answering({ status: 404, body: '{"error":"No QR code available"}' });
  await expect(client.get('/api/whatsapp/qr')).rejects.toMatchObject({
    status: 404,
    code: 'refused',
    sentence: 'No QR code available',
  });
});

test('returns null for a response without a body', async () => {
  const { client } = answering({ status: 204, body: '' });
  expect(await client.post('/api/logout')).toBeNull();
});

test('throws a refusal with its status, code, sentence and details', async () => {
  const body = JSON.stringify({ error: 'No.', code: 'conflict', details: 'Because.' });
  const { client } = answering({ status: 409, body });
  const thrown = await client.get('/api/status').catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(RelayApiError);
  expect(thrown).toMatchObject({
    status: 409,
    code: 'conflict',
    sentence: 'No.',
    details: 'Because.',
  });
});

test.each([
  [200, '<html>'],
  [500, 'oops'],
  [502, '{"error":7}'],
  [404, 'null'],
])('does not accept a response of another server (%i %s) as the daemon’s', async (status, body) => {
  const { client } = answering({ status, body });
  await expect(client.get('/api/status')).rejects.toMatchObject({
    status,
    code: 'unreadable_answer',
  });
});

describe('types', () => {
  const { client } = answering({});

  test('types of responses match the schemas', () => {
    expectTypeOf(
      client.get<'/api/instances/{id}'>,
    ).returns.resolves.toExtend<ConversationInstance>();
    expectTypeOf(client.post<'/api/instances'>).returns.resolves.toExtend<CreateInstanceResponse>();
    expectTypeOf(client.post<'/api/logout'>).returns.resolves.toEqualTypeOf<null>();
  });

  test('types reject missing and unknown arguments', () => {
    const never = () => {
      // @ts-expect-error the id is missing
      client.get('/api/instances/{id}');
      // @ts-expect-error the message is missing
      client.post('/api/instances/{id}/send', { path: { id: '1' }, body: {} });
      // @ts-expect-error there is no such path
      client.get('/api/nothing');
      // @ts-expect-error pausing takes no body
      client.post('/api/instances/{id}/pause', { path: { id: '1' }, body: {} });
      // @ts-expect-error it is not a GET
      client.get('/api/logout');
      // @ts-expect-error an archive is not JSON
      client.post('/api/import');
      // @ts-expect-error a stream is not JSON
      client.get('/api/events');
      // @ts-expect-error no state of that name
      client.get('/api/instances', { query: { state: 'DONE' } });
    };
    expect(never).toBeTypeOf('function');
  });
});
