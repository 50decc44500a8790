// The egress client against servers that count connections. Whatever an address looks like, wherever a name resolves to
// and whoever redirects: no private address is reached.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { mediaCertificate } from '@relay/simulator/whatsapp/wire/trust';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  createPublicFetch,
  EgressError,
  type EgressOptions,
  type EgressRequest,
  hostAndPort,
  openEgress,
  resolvePublicHost,
} from './egress.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Counts every connection, whether or not a request follows on it. */
interface Sentinel {
  readonly port: number;
  readonly hits: () => number;
  handler: Handler;
}

const servers: Server[] = [];
async function sentinel(host: string, port = 0): Promise<Sentinel & { clear(): void }> {
  let hits = 0;
  const made = {
    port: 0,
    hits: () => hits,
    clear: () => {
      hits = 0;
    },
    handler: ((_, response) => void response.end('secret')) as Handler,
  };
  const server = createServer((request, response) => made.handler(request, response));
  server.on('connection', () => {
    hits += 1;
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  servers.push(server);
  return Object.assign(made, { port: (server.address() as AddressInfo).port });
}

/** Listens on every address of this machine, IPv6 included; stands for everything that must not be reached. */
let inside: Awaited<ReturnType<typeof sentinel>>;
/** Stands for the public internet: the one address that a test allows. */
let outside: Awaited<ReturnType<typeof sentinel>>;
beforeAll(async () => {
  inside = await sentinel('::').catch(() => sentinel('0.0.0.0'));
  outside = await sentinel('127.0.0.2');
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});
beforeEach(() => {
  inside.clear();
  outside.clear();
  outside.handler = (_, response) => void response.end('hello');
});

const allowed = (): EgressOptions => ({ allowedAddresses: [`127.0.0.2:${outside.port}`] });
const place = (path = '/') => `http://127.0.0.2:${outside.port}${path}`;
const reasonOf = async (
  url: string,
  options: EgressOptions = allowed(),
  request: EgressRequest = {},
): Promise<string> => {
  const error = await openEgress(options)(url, { timeoutMs: 3_000, ...request }).catch(
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EgressError)) throw new Error('it was reached', { cause: error });
  return error.reason;
};

/** Spellings of this machine, its networks and its cloud; `{port}` is the sentinel's port. */
const SPELLINGS = [
  'http://127.0.0.1:{port}/',
  'http://127.0.0.1.:{port}/',
  'http://127.1:{port}/',
  'http://127.0.1:{port}/',
  'http://127.255.255.254:{port}/',
  'http://2130706433:{port}/',
  'http://0x7f000001:{port}/',
  'http://0x7f.0.0.1:{port}/',
  'http://0x7f.1:{port}/',
  'http://017700000001:{port}/',
  'http://0177.0.0.1:{port}/',
  'http://0177.0.0.01:{port}/',
  'http://00000177.1:{port}/',
  'http://%31%32%37.0.0.1:{port}/',
  'http://127%2e0%2e0%2e1:{port}/',
  'http://１２７.０.０.１:{port}/',
  'http://127。0。0。1:{port}/',
  'http://①②⑦.⓪.⓪.①:{port}/',
  'http://0:{port}/',
  'http://0.0.0.0:{port}/',
  'http://[::]:{port}/',
  'http://[::1]:{port}/',
  'http://[0:0:0:0:0:0:0:1]:{port}/',
  'http://[0000:0000:0000:0000:0000:0000:0000:0001]:{port}/',
  'http://[::127.0.0.1]:{port}/',
  'http://[::ffff:127.0.0.1]:{port}/',
  'http://[::ffff:7f00:1]:{port}/',
  'http://[::FFFF:127.0.0.1]:{port}/',
  'http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/',
  'http://[64:ff9b::127.0.0.1]:{port}/',
  'http://[64:ff9b::7f00:1]:{port}/',
  'http://[2002:7f00:1::]:{port}/',
  'http://[fe80::1]:{port}/',
  'http://localhost:{port}/',
  'http://LOCALHOST:{port}/',
  'http://localhost.:{port}/',
  'http://ｌｏｃａｌｈｏｓｔ:{port}/',
  'http://relay.localhost:{port}/',
  'http://user@127.0.0.1:{port}/',
  'http://1.1.1.1@127.0.0.1:{port}/',
  'http://1.1.1.1:80@127.0.0.1:{port}/',
  'http://127.0.0.1:{port}#@1.1.1.1/',
  'http://127.0.0.1:{port}\\@1.1.1.1/',
  'http:\\\\127.0.0.1:{port}\\',
  'http:127.0.0.1:{port}/',
  'http:/127.0.0.1:{port}/',
  '  http://127.0.0.1:{port}/  ',
  'ht\ntp://127.0.0.1:{port}/',
  'HTTP://127.0.0.1:{port}/',
  'https://127.0.0.1:{port}/',
  'https://localhost:{port}/',
  'http://169.254.169.254/latest/meta-data/',
  'http://169.254.169.254:{port}/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:169.254.169.254]/',
  'http://[fd00:ec2::254]/',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://168.63.129.16/',
  'http://10.0.0.1/',
  'http://192.168.0.1/',
  'http://172.16.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'ftp://127.0.0.1:{port}/',
  'file:///etc/passwd',
  'data:text/plain,hello',
  'gopher://127.0.0.1:{port}/_GET',
  'unix:/var/run/docker.sock',
  'ws://127.0.0.1:{port}/',
  'javascript:1',
  '//127.0.0.1:{port}/',
  '127.0.0.1:{port}',
  '',
];

const spelt = (url: string) => url.replaceAll('{port}', String(inside.port));

test('a client without the egress checks can reach the sentinel', async () => {
  await fetch(`http://127.0.0.1:${inside.port}/`);
  expect(inside.hits()).toBe(1);
});

test.each(SPELLINGS)('%j is never reached, neither directly nor by a redirect', async (url) => {
  await reasonOf(spelt(url));
  for (const status of [301, 302, 303, 307, 308]) {
    outside.handler = (_, response) => {
      response
        .writeHead(status, { location: encodeURI(decodeURI(spelt(url).trim())) || 'x:' })
        .end();
    };
    await reasonOf(place());
  }
  expect(inside.hits()).toBe(0);
});

test('addresses of this machine in its own networks are never reached', async () => {
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((all) => all ?? []))
    expect(
      await reasonOf(`http://${family === 'IPv6' ? `[${address}]` : address}:${inside.port}/`),
    ).toMatch(/address_inside|not_an_address/);
  expect(inside.hits()).toBe(0);
});

test.each([
  [['127.0.0.1']],
  [['169.254.169.254']],
  [['::1']],
  [['::ffff:127.0.0.1']],
  [['93.184.215.14', '127.0.0.1']],
  [['127.0.0.1', '93.184.215.14']],
  [[]],
])('a name that resolves to %j is refused', async (addresses) => {
  const resolve = async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  expect(await reasonOf(`http://innocent.example:${inside.port}/`, { resolve })).toBe(
    'address_inside',
  );
  expect(inside.hits()).toBe(0);
});

test('a name is resolved once, and the connection uses the checked address', async () => {
  const answers = ['127.0.0.2', '127.0.0.1', '127.0.0.1'];
  let asked = 0;
  const resolve = async () => [{ address: answers[asked++] ?? '127.0.0.1', family: 4 }];
  const egress = openEgress({ ...allowed(), resolve });
  const { body } = await egress(`http://rebinding.example:${outside.port}/`);
  expect(Buffer.from(body).toString()).toBe('hello');
  expect(asked).toBe(1);
  outside.handler = (_, response) => void response.writeHead(302, { location: '/again' }).end();
  asked = 0;
  expect(
    await reasonOf(`http://rebinding.example:${outside.port}/`, { ...allowed(), resolve }),
  ).toBe('address_inside');
  expect(asked).toBe(2);
});

test('an allowed address is allowed for one port only', async () => {
  expect(await reasonOf(`http://127.0.0.2:${inside.port}/`)).toBe('address_inside');
  expect(await reasonOf(`http://127.0.0.1:${outside.port}/`)).toBe('address_inside');
  expect(await reasonOf(place(), {})).toBe('address_inside');
  expect(inside.hits() + outside.hits()).toBe(0);
});

test('a host of the owner is reached whatever its name resolves to, and no other host is', async () => {
  const resolve = async () => [{ address: '127.0.0.2', family: 4 }];
  const own = { ownHosts: [`collector:${outside.port}`], resolve };
  expect((await openEgress(own)(`http://collector:${outside.port}/`)).status).toBe(200);
  expect(await reasonOf(`http://other:${outside.port}/`, own)).toBe('address_inside');
  expect(await reasonOf(`http://collector:${inside.port}/`, own)).toBe('address_inside');
  outside.handler = (_, response) => {
    response.writeHead(302, { location: `http://other:${outside.port}/` }).end();
  };
  expect(await reasonOf(`http://collector:${outside.port}/`, own)).toBe('address_inside');
  expect(hostAndPort(new URL('https://collector/x'))).toBe('collector:443');
});

test('no proxy from the environment is used', async () => {
  const proxy = `http://127.0.0.1:${inside.port}`;
  for (const name of ['http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'])
    vi.stubEnv(name, proxy);
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  try {
    expect((await openEgress(allowed())(place())).status).toBe(200);
    expect(inside.hits()).toBe(0);
  } finally {
    vi.unstubAllEnvs();
  }
});

test('a response has its status, its headers and its final address', async () => {
  outside.handler = (request, response) => {
    if (request.url === '/old') response.writeHead(301, { location: '/new' }).end();
    else response.writeHead(404, { 'x-kind': 'gone' }).end('not here');
  };
  const answer = await openEgress(allowed())(place('/old'));
  expect(answer).toMatchObject({ status: 404, url: place('/new') });
  expect(answer.headers['x-kind']).toBe('gone');
  expect(Buffer.from(answer.body).toString()).toBe('not here');
});

test('a POST is sent once and does not follow redirects', async () => {
  const bodies: string[] = [];
  outside.handler = async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    bodies.push(`${request.method} ${request.headers['x-key']} ${text}`);
    response.writeHead(307, { location: '/elsewhere' }).end();
  };
  const request = { method: 'POST', headers: { 'x-key': '1' }, body: '{"a":1}' } as const;
  expect(await reasonOf(place(), allowed(), request)).toBe('too_many_redirects');
  expect(bodies).toEqual(['POST 1 {"a":1}']);
});

test('headers are sent only to the origin they were given for', async () => {
  const other = await sentinel('127.0.0.2');
  const keys: unknown[] = [];
  other.handler = (request, response) => {
    keys.push(request.headers['x-key']);
    response.end();
  };
  outside.handler = (request, response) => {
    keys.push(request.headers['x-key']);
    const location = request.url === '/' ? '/same' : `http://127.0.0.2:${other.port}/`;
    response.writeHead(302, { location }).end();
  };
  const allowedAddresses = [`127.0.0.2:${outside.port}`, `127.0.0.2:${other.port}`];
  await openEgress({ allowedAddresses })(place(), { headers: { 'x-key': 'k' } });
  expect(keys).toEqual(['k', 'k', undefined]);
});

test('at most three redirects are followed', async () => {
  outside.handler = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) response.end('there');
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  };
  expect((await openEgress(allowed())(place('/3'))).status).toBe(200);
  expect(await reasonOf(place('/4'))).toBe('too_many_redirects');
});

test.each<[string, Handler, string]>([
  [
    'more than its limit, as it says',
    (_, response) =>
      void response.writeHead(200, { 'content-length': '5000' }).end('x'.repeat(5000)),
    'too_large',
  ],
  [
    'more than its limit, without saying so',
    (_, response) => {
      const pour = () => {
        while (response.write('x'.repeat(1000)));
        response.once('drain', pour);
      };
      pour();
    },
    'too_large',
  ],
  [
    'something packed',
    (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'),
    'garbled',
  ],
  [
    'half of what it promised',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('x', () => response.destroy());
    },
    'unreachable',
  ],
  ['nothing', () => {}, 'too_slow'],
  [
    'one byte now and then',
    (_, response) => {
      const drip = setInterval(() => response.write('x'), 50);
      response.once('close', () => clearInterval(drip));
    },
    'too_slow',
  ],
  ['a cut', (request) => void request.socket.destroy(), 'unreachable'],
  [
    'no address to go on to',
    (_, response) => void response.writeHead(302).end(),
    'too_many_redirects',
  ],
])('a request fails when the server sends: %s', async (_, handler, reason) => {
  outside.handler = handler;
  // Only a slow response may reach the time limit; on a busy machine the others could too.
  const timeoutMs = reason === 'too_slow' ? 600 : 30_000;
  expect(await reasonOf(place(), allowed(), { maxBytes: 1_000, timeoutMs })).toBe(reason);
});

test('a response that is not HTTP fails', async () => {
  const raw = createSocketServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
  await new Promise<void>((resolve) => raw.listen(0, '127.0.0.2', resolve));
  const { port } = raw.address() as AddressInfo;
  expect(
    await reasonOf(`http://127.0.0.2:${port}/`, { allowedAddresses: [`127.0.0.2:${port}`] }),
  ).toBe('unreachable');
  raw.close();
});

test('a name lookup without an answer ends at the time limit or when the request is stopped', async () => {
  const resolve = () => new Promise<never>(() => {});
  expect(await reasonOf('http://slow.example/', { resolve }, { timeoutMs: 100 })).toBe('too_slow');
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 50);
  expect(await reasonOf('http://slow.example/', { resolve }, { signal: stop.signal })).toBe(
    'stopped',
  );
  expect(await reasonOf('http://no.such.name.invalid/', {})).toMatch(/unknown_name|too_slow/);
});

test('a TLS certificate that is not trusted is refused, whatever the environment says', async () => {
  let answered = 0;
  const secure = createSecureServer(mediaCertificate(), (_, response) => {
    answered += 1;
    response.end();
  });
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  const { port } = secure.address() as AddressInfo;
  // This process may be set to trust the simulator.
  const trusted = getCACertificates('default');
  setDefaultCACertificates(getCACertificates('bundled'));
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  try {
    const allowedAddresses = [`127.0.0.1:${port}`];
    expect(await reasonOf(`https://127.0.0.1:${port}/`, { allowedAddresses })).toBe('unreachable');
    expect(answered).toBe(0);
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    setDefaultCACertificates(trusted);
    secure.close();
  }
});

test('an egress error contains no address', async () => {
  const error = await openEgress()('http://10.1.2.3/secret').catch((thrown: unknown) => thrown);
  expect(String(error)).not.toMatch(/10\.1|secret/);
});

test('fetch for a server of others streams its answer, follows no redirect and reaches no private address', async () => {
  const { port } = outside;
  const resolve = async () => [{ address: '127.0.0.2', family: 4 }];
  const fetchPublic = createPublicFetch({ allowedAddresses: [`127.0.0.2:${port}`], resolve });
  let finish = () => {};
  outside.handler = (request, response) => {
    if (request.url === '/moved') {
      response.writeHead(302, { location: `http://127.0.0.1:${inside.port}/` }).end();
      return;
    }
    response.writeHead(200, { 'x-method': request.method, 'x-key': request.headers['x-key'] });
    request.on('data', (chunk: Buffer) => response.write(chunk));
    finish = () => response.end(' and the end');
  };
  const answer = await fetchPublic(`http://model.example.org:${port}/`, {
    method: 'POST',
    headers: { 'x-key': 'k' },
    body: 'the beginning',
  });
  expect([answer.status, answer.headers.get('x-method'), answer.headers.get('x-key')]).toEqual([
    200,
    'POST',
    'k',
  ]);
  const reader = answer.body?.getReader();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('the beginning');
  finish();
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe(' and the end');
  expect((await fetchPublic(`http://model.example.org:${port}/moved`)).status).toBe(302);
  for (const url of [`http://127.0.0.1:${inside.port}/`, `http://[::1]:${inside.port}/`])
    await expect(createPublicFetch()(url)).rejects.toThrow('not on the public internet');
  await expect(resolvePublicHost('127.1')).rejects.toThrow('not on the public internet');
  await expect(resolvePublicHost('[::1]')).rejects.toThrow('not on the public internet');
  expect(await resolvePublicHost('8.8.8.8')).toBe('8.8.8.8');
  expect(inside.hits()).toBe(0);
});
