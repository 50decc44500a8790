// Seed 000's permissions on the real daemon: every path, body, code and sentence, exactly.
import type { Permission } from '@relay/contract/api/contacts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import type { RawResponse } from './raw-request.ts';
import { openRelay, type Relay } from './relay.ts';

const PATH = '/api/whatsapp/permissions';
const NOWHERE = `${PATH}/0b6d6e4e-7d7e-4c3f-9f5b-0d6f6a1c2b3d`;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay();
  await relay.start();
});
afterAll(() => relay.end());

let numbers = 0;
const number = () => `1415555${String(4000 + numbers++)}`;
const post = (body: unknown): Promise<RawResponse> => relay.call('POST', PATH, body);
const list = async (query = '') =>
  (await relay.call('GET', `${PATH}${query}`)).json as Permission[];

async function made(given: object = {}): Promise<Permission> {
  const { status, json } = await post({ phoneNumber: number(), displayName: 'Mom', ...given });
  expect(status).toBe(200);
  return json as Permission;
}

it('POST creates one with exactly the fields of the seed, and those that Relay adds', async () => {
  verifies('000-PERM-CREATE', '000-PERM-SHAPE', '000-PERM-CREATE-DEFAULTS');
  const phoneNumber = number();
  const { status, json, headers } = await post({ phoneNumber, displayName: 'Mom' });
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(json).toStrictEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    phoneNumber,
    displayName: 'Mom',
    contactId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    canRead: false,
    canReply: false,
    chatId: null,
    createdAt: expect.stringMatching(MOMENT),
    updatedAt: expect.stringMatching(MOMENT),
    kind: 'contact',
    jid: `${phoneNumber}@s.whatsapp.net`,
    replyMode: 'auto',
    canInitiate: false,
    options: {},
  });
  const given = await made({ canRead: true, canReply: true });
  expect(given).toMatchObject({ canRead: true, canReply: true });
});

it('POST strips everything but digits from the number', async () => {
  verifies('000-PERM-CREATE-DIGITS');
  expect(await made({ phoneNumber: '+1 (415) 555-3901' })).toMatchObject({
    phoneNumber: '14155553901',
  });
  expect(await made({ phoneNumber: 'tel: 1.415.555.3902 ' })).toMatchObject({
    phoneNumber: '14155553902',
  });
});

it('GET returns all of them, sorted by name', async () => {
  verifies('000-PERM-LIST', '000-PERM-SHAPE');
  for (const displayName of ['zoe', 'Äda', 'Bob', 'anna', 'Contact 10', 'Contact 9']) {
    await made({ displayName });
  }
  const names = (await list()).map(({ displayName }) => displayName);
  expect(names.filter((name) => name !== 'Mom')).toEqual([
    'Äda',
    'anna',
    'Bob',
    'Contact 9',
    'Contact 10',
    'zoe',
  ]);
  expect(names.indexOf('Mom')).toBeGreaterThan(names.indexOf('Contact 10'));
  const one = await made();
  expect((await list()).find(({ id }) => id === one.id)).toStrictEqual(one);
});

it.each([
  ['without a number', { displayName: 'Mom' }],
  ['without a name', { phoneNumber: '14155550000' }],
  ['with an empty number', { phoneNumber: '', displayName: 'Mom' }],
  ['with an empty name', { phoneNumber: '14155550000', displayName: '  ' }],
  ['with neither', {}],
  ['without a body', undefined],
  ['with null', { phoneNumber: null, displayName: null }],
])('POST %s: 400 with the sentence of the seed, and nothing is created', async (_how, body) => {
  verifies('000-PERM-CREATE-REQUIRED');
  const before = await list('?kind=all');
  const { status, json } = await post(body);
  expect(status).toBe(400);
  expect(json).toStrictEqual({ error: 'phoneNumber and displayName are required' });
  expect(await list('?kind=all')).toEqual(before);
});

it.each(['no digits', '+', '12', '0170 1234567', '1234567890123456'])(
  'POST with the number %j: 400 with the sentence of the seed',
  async (phoneNumber) => {
    verifies('000-PERM-CREATE-INVALID');
    const { status, json } = await post({ phoneNumber, displayName: 'Mom' });
    expect(status).toBe(400);
    expect(json).toStrictEqual({ error: 'Invalid phone number' });
  },
);

it('POST for a number that has one: 409 with the sentence of the seed, also for concurrent requests', async () => {
  verifies('000-PERM-CREATE-DUPLICATE', '000-PERM-UNIQUE');
  const { phoneNumber, id } = await made();
  const again = await post({ phoneNumber: `+${phoneNumber}`, displayName: 'Other' });
  expect(again.status).toBe(409);
  expect(again.json).toStrictEqual({ error: 'Permission already exists for this phone number' });

  const contested = number();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post({ phoneNumber: contested, displayName: 'Mom' })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    200,
    ...Array.from({ length: 7 }, () => 409),
  ]);
  const held = (await list()).filter((one) => [phoneNumber, contested].includes(one.phoneNumber));
  expect(held).toHaveLength(2);
  expect(held.find((one) => one.phoneNumber === phoneNumber)).toMatchObject({
    id,
    displayName: 'Mom',
  });
});

it('PATCH changes only the given fields and returns the permission', async () => {
  verifies('000-PERM-UPDATE');
  const before = await made({ canRead: true, replyMode: 'draft', options: { persona: 'brief' } });
  const renamed = await relay.call('PATCH', `${PATH}/${before.id}`, { displayName: 'Mum' });
  expect(renamed.status).toBe(200);
  expect(renamed.json).toStrictEqual({
    ...before,
    displayName: 'Mum',
    updatedAt: expect.stringMatching(MOMENT),
  });
  const { json } = await relay.call('PATCH', `${PATH}/${before.id}`, {
    canRead: false,
    canReply: true,
  });
  expect(json).toStrictEqual({
    ...before,
    displayName: 'Mum',
    canRead: false,
    canReply: true,
    updatedAt: expect.stringMatching(MOMENT),
  });
  const options = { persona: null, quietHours: { from: '22:00', to: '07:00' } };
  expect((await relay.call('PATCH', `${PATH}/${before.id}`, { options })).json).toMatchObject({
    options: { quietHours: { from: '22:00', to: '07:00' } },
  });
  expect((await list()).find(({ id }) => id === before.id)).toMatchObject({ displayName: 'Mum' });
});

it('DELETE removes it permanently', async () => {
  verifies('000-PERM-DELETE');
  const { id, phoneNumber } = await made();
  const { status, json } = await relay.call('DELETE', `${PATH}/${id}`);
  expect(status).toBe(200);
  expect(json).toStrictEqual({ success: true });
  expect((await list()).some((one) => one.id === id)).toBe(false);
  expect((await relay.call('DELETE', `${PATH}/${id}`)).status).toBe(404);
  expect(await made({ phoneNumber })).not.toMatchObject({ id });
});

it.each([NOWHERE, `${PATH}/nonsense`])('PATCH and DELETE of %s: 404', async (path) => {
  verifies('000-PERM-UPDATE-404', '000-PERM-DELETE-404');
  for (const answer of [
    await relay.call('PATCH', path, { canRead: true }),
    await relay.call('DELETE', path),
  ]) {
    expect(answer.status).toBe(404);
    expect(answer.json).toStrictEqual({ error: 'Permission not found' });
  }
});

it('a group has its grant too, and is listed on request', async () => {
  const group = '120363000000000001@g.us';
  const { json } = await post({ group, displayName: 'Family', canRead: true });
  expect(json).toMatchObject({ kind: 'group', jid: group, phoneNumber: null, contactId: null });
  expect(await list()).not.toContainEqual(json);
  expect(await list('?kind=group')).toEqual([json]);
  expect(await list('?kind=all')).toContainEqual(json);
  expect((await post({ group, displayName: 'Again' })).status).toBe(409);
  expect((await post({ group: 'nonsense', displayName: 'x' })).status).toBe(404);
});
