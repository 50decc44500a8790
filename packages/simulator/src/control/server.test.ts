import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNetwork, type Network } from '../whatsapp/network.ts';
import { type ControlServer, startControl } from './server.ts';
import { ControlClient } from './testing/control-client.ts';

const [ANA, BEN] = ['15550000001', '15550000002'];
let network: Network;
let control: ControlServer;
let remote: ControlClient;

beforeAll(async () => {
  network = await createNetwork();
  control = await startControl(network);
  remote = new ControlClient(control.url);
  for (const [phone, name] of [
    [ANA, 'Ana'],
    [BEN, 'Ben'],
  ]) {
    await remote.ok('POST /accounts', { phone, name });
  }
});

afterAll(async () => {
  await control.close();
  await network.close();
});

/** `fetch` does not allow a false host header. */
function statusFor(headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asking = request(`${control.url}/counts`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asking.on('error', reject).end();
  });
}

describe('access', () => {
  test('is possible on 127.0.0.1 only', () => {
    expect(control.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  test('is refused to a page in a browser', async () => {
    expect(await statusFor({ origin: control.url })).toBe(403);
  });

  test('is refused to another host name that resolves here', async () => {
    expect(await statusFor({ host: 'relay.example:80' })).toBe(403);
    expect(await statusFor({ host: '127.0.0.1.example' })).toBe(403);
    expect(await statusFor({ host: 'localhost:1234' })).toBe(200);
  });

  test('is refused for a body that is too long', async () => {
    const heard = await remote.ask('POST /accounts', 'x'.repeat(33 * 1024 * 1024));
    expect(heard).toEqual({ status: 413, body: { error: expect.stringContaining('larger than') } });
  });
});

describe('requests', () => {
  test.each([
    ['no JSON', 'POST /accounts', '{', 'not JSON'],
    ['no phone', 'POST /accounts', { name: 'X' }, 'phone:'],
    ['a phone of letters', 'POST /accounts', { phone: 'abc', name: 'X' }, '5 to 15 digits'],
    ['a misspelt word', 'POST /accounts', { phone: '15550009', name: 'X', passky: true }, 'passky'],
    ['no code', `POST /accounts/${ANA}/scan`, {}, 'qr:'],
    ['another QR code', `POST /accounts/${ANA}/scan`, { qr: 'https://x.example' }, 'no WhatsApp'],
    [
      'a picture of nothing',
      `POST /accounts/${ANA}/scan`,
      { qr: 'data:image/png;base64,AA' },
      'PNG',
    ],
    ['half a pairing code', `POST /accounts/${ANA}/pair-code`, { code: 'ABCD' }, 'eight'],
    ['no message', `POST /accounts/${ANA}/messages`, { to: BEN }, 'a message is'],
    ['nobody to write to', `POST /accounts/${ANA}/messages`, { text: 'hi' }, 'to:'],
    ['a fault unknown', 'POST /faults', { gravity: 0 }, 'gravity'],
    ['a fault of the wrong kind', 'POST /faults', { latencyMs: -1 }, 'latencyMs:'],
    ['a code that is none', `POST /accounts/${ANA}/disconnect`, { code: 'x' }, 'code:'],
    ['a chat that is none', `GET /accounts/${ANA}/messages?with=me`, undefined, 'with:'],
    ['a query unknown', 'GET /stanzas?limit=1', undefined, 'limit'],
    ['a path ill encoded', 'GET /accounts/%E0/messages', undefined, 'encoded'],
  ])('%s is answered with 400 and the reason', async (_, route, body, reason) => {
    expect(await remote.ask(route, body)).toEqual({
      status: 400,
      body: { error: expect.stringContaining(reason) },
    });
  });

  test.each([
    [{ text: 'a', delete: 'X' }, 'a message is'],
    [{ reaction: { id: 'X', emoji: '👍' }, corrupt: true }, 'takes no corrupt'],
    [{ delete: 'X', quoted: 'Y' }, 'only text quotes'],
    [{ text: 'a', quoted: 'X', edit: 'Y' }, 'an edit quotes nothing'],
    [{ text: 'a', media: { kind: 'audio', data: 'AAAA', mimetype: 'audio/ogg' } }, 'no caption'],
    [{ media: { kind: 'image', data: 'no base64!', mimetype: 'image/png' } }, 'media.data:'],
  ])('a contradictory message is refused: %o', async (message, reason) => {
    const heard = await remote.ask(`POST /accounts/${ANA}/messages`, { to: BEN, ...message });
    expect(heard).toEqual({ status: 400, body: { error: expect.stringContaining(reason) } });
  });

  test.each([
    ['GET /', undefined],
    ['PUT /accounts', {}],
    ['GET /accounts/1/2/3/4', undefined],
    ['GET /accounts/19999999999/messages', undefined],
    [`GET /accounts/${ANA}/messages?with=19999999999`, undefined],
    [`GET /accounts/${ANA}/messages?with=1@g.us`, undefined],
    [`GET /accounts/${ANA}/messages/NONE/media`, undefined],
    [`POST /accounts/${ANA}/messages`, { to: '19999999999', text: 'hi' }],
    [`POST /accounts/${ANA}/messages`, { to: BEN, reaction: { id: 'NONE', emoji: '👍' } }],
    [`POST /accounts/${ANA}/disconnect`, { device: 7 }],
    ['POST /groups', { subject: 'G', owner: ANA, members: ['19999999999'] }],
    ['POST /groups/1@g.us/changes', { by: ANA, subject: 'H' }],
  ])('%s with %o is answered with 404', async (route, body) => {
    const heard = await remote.ask(route, body);
    expect(heard).toEqual({ status: 404, body: { error: expect.any(String) } });
  });

  test('a request that conflicts with the current state is answered with 409', async () => {
    const group = { subject: 'G', owner: BEN, members: [] };
    const { id } = await remote.ok<{ id: string }>('POST /groups', group);
    const text = { to: BEN, text: 'mine' };
    const mine = await remote.ok<{ id: string }>(`POST /accounts/${ANA}/messages`, text);
    await remote.sees(BEN, { id: mine.id });
    const key = Buffer.alloc(32).toString('base64');
    for (const [route, body] of [
      ['POST /accounts', { phone: `+${ANA}`, name: 'Ana again' }],
      [`POST /accounts/${ANA}/scan`, { qr: `2@gone,${key},${key},${key}` }],
      [`POST /accounts/${ANA}/messages`, { to: id, text: 'let me in' }],
      [`POST /accounts/${BEN}/messages`, { to: ANA, delete: mine.id }],
      [`POST /groups/${id}/changes`, { by: ANA, subject: 'mine now' }],
      [`POST /groups/${id}/changes`, { by: BEN, promote: [ANA] }],
    ] as const) {
      const heard = await remote.ask(route, body);
      expect({ route, ...heard }).toEqual({
        route,
        status: 409,
        body: { error: expect.any(String) },
      });
    }
  });
});

describe('faults', () => {
  test('sets named faults, keeps the others, and clears all at once', async () => {
    await remote.ok('POST /faults', { latencyMs: 5, ackError: 463 });
    expect(await remote.ok('POST /faults', { ackError: null, withholdAcks: true })).toMatchObject({
      latencyMs: 5,
      withholdAcks: true,
    });
    expect(network.faults.current.ackError).toBeUndefined();
    expect(await remote.ask('DELETE /faults')).toEqual({ status: 204, body: undefined });
    expect(network.faults.current).toMatchObject({ latencyMs: 0, withholdAcks: false });
  });
});

describe('closing', () => {
  test('ends pending requests, frees the port and leaves the network running', async () => {
    const second = await startControl(network);
    const { port } = new URL(second.url);
    const idle = connect(Number(port), '127.0.0.1');
    const gone = new Promise((resolve) => idle.on('close', resolve));
    const waiting = new ControlClient(second.url).ask(`POST /accounts/${ANA}/pair-code`, {
      code: 'ABCD-EFGH',
    });
    const cut = expect(waiting).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await second.close();
    await Promise.all([cut, gone]);
    const third = await startControl(network, { port: Number(port) });
    expect(third.url).toBe(second.url);
    expect(await new ControlClient(third.url).ok('GET /counts')).toHaveProperty('distinct');
    await third.close();
  });

  test('a port in use is an error', async () => {
    const port = Number(new URL(control.url).port);
    await expect(startControl(network, { port })).rejects.toThrow('EADDRINUSE');
  });
});
