import { createServer as createHttpServer, get } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { verifies } from '@relay/testing/verifies';
import { expect, onTestFinished, test } from 'vitest';
import { resolvePublicHost } from '../platform/egress/egress.ts';
import { createProxyAgent, type ProxyServer } from './proxy.ts';

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const site = () => listen(createHttpServer((_request, response) => response.end('reached')));

const once = (socket: Socket) =>
  new Promise<Buffer>((resolve) => socket.once('data', (bytes: Buffer) => resolve(bytes)));

/** Answers CONNECT, and notes what it was asked. */
async function httpProxy(status: number) {
  const asked: string[] = [];
  const port = await listen(
    createServer(async (client) => {
      client.on('error', () => {});
      const head = (await once(client)).toString();
      asked.push(head);
      const target = /^CONNECT 127\.0\.0\.1:(\d+)/.exec(head)?.[1];
      client.write(`HTTP/1.1 ${status} Something\r\n\r\n`);
      if (status !== 200) {
        client.end();
        return;
      }
      const server = connect(Number(target), '127.0.0.1');
      client.pipe(server).pipe(client);
    }),
  );
  return { port, asked };
}

async function socksProxy(password: string) {
  const asked: string[] = [];
  const port = await listen(
    createServer(async (client) => {
      client.on('error', () => {});
      expect([...(await once(client))]).toEqual([5, 1, 2]);
      client.write(Buffer.from([5, 2]));
      const login = await once(client);
      const user = login.subarray(2, 2 + (login[1] ?? 0)).toString();
      const given = login.subarray(3 + user.length).toString();
      asked.push(`${user} ${given}`);
      client.write(Buffer.from([1, given === password ? 0 : 1]));
      if (given !== password) return;
      const request = await once(client);
      const host = request.subarray(5, 5 + (request[4] ?? 0)).toString();
      const to = request.readUInt16BE(request.length - 2);
      asked.push(host);
      const server = connect(to, host);
      server.once('connect', () => {
        client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
        client.pipe(server).pipe(client);
      });
    }),
  );
  return { port, asked };
}

const fetchThrough = (proxy: string, port: number, resolve?: ProxyServer['resolve']) =>
  new Promise<string>((done, reject) => {
    const to = new URL(`ws://127.0.0.1:${port}/`);
    const agent = createProxyAgent({ url: proxy, ...(resolve && { resolve }) }, to);
    get({ host: '127.0.0.1', port, agent }, (response) => done(text(response))).on('error', reject);
  });

test('an HTTP proxy is asked for the destination, with the password in its address', async () => {
  verifies('ACCOUNT-SETTINGS');
  const { port, asked } = await httpProxy(200);
  expect(await fetchThrough(`http://ana:s%3Acret@127.0.0.1:${port}`, await site())).toBe('reached');
  expect(asked.join()).toContain(Buffer.from('ana:s:cret').toString('base64'));
});

test('a SOCKS5 proxy is asked for the destination after signing in', async () => {
  verifies('ACCOUNT-SETTINGS');
  const { port, asked } = await socksProxy('secret');
  expect(await fetchThrough(`socks5://ana:secret@127.0.0.1:${port}`, await site())).toBe('reached');
  expect(asked).toEqual(['ana secret', '127.0.0.1']);
});

test('a proxy that refuses leaves no connection, and is not bypassed', async () => {
  const { port } = await httpProxy(407);
  const target = await site();
  await expect(fetchThrough(`http://127.0.0.1:${port}`, target)).rejects.toThrow(
    'refused with 407',
  );
  const socks = await socksProxy('secret');
  await expect(fetchThrough(`socks5://ana:wrong@127.0.0.1:${socks.port}`, target)).rejects.toThrow(
    'refused the user name',
  );
});

test('connects to the address that was resolved for the proxy, and to none that was refused', async () => {
  verifies('ACCOUNT-SETTINGS');
  const { port, asked } = await httpProxy(200);
  const target = await site();
  const proxy = `http://proxy.example.org:${port}`;
  const resolve = async (host: string) => (host === 'proxy.example.org' ? '127.0.0.1' : host);
  expect(await fetchThrough(proxy, target, resolve)).toBe('reached');
  const inside = fetchThrough(`http://127.0.0.1:${port}`, target, resolvePublicHost);
  await expect(inside).rejects.toThrow('not on the public internet');
  expect(asked).toHaveLength(1);
});
