// Two accounts in one home: the shipped command and daemon, the simulated network. Each account has its own phone, chats,
// owner and tokens.
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListedAccount, OwnerSecret } from '@relay/contract/api/accounts';
import type { ChatsPage } from '@relay/contract/api/chats';
import type { TokenSecret } from '@relay/contract/api/credentials';
import type { HealthCheck } from '@relay/contract/api/status';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { eventually, Gateway } from './gateway.ts';
import { BEN, type LinkedRelay, ME, openLinkedRelay } from './linked.ts';

const SALES = '15550000011';
const CARA = '15550000012';

let linked: LinkedRelay;
/** The bodies that a receiver of webhooks got. */
const received: { readonly type: string; readonly account: string }[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.end();
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const allow = [`127.0.0.1:${(receiver.address() as AddressInfo).port}`];
  linked = await openLinkedRelay({
    database: 'beside',
    settings: { pacing: { enabled: false }, webhooks: { allow } },
  });
}, 180_000);
afterAll(async () => {
  receiver.close();
  await linked?.demo.stop();
}, 120_000);

const ask = <T>(method: string, path: string, body?: unknown) =>
  linked.demo.relay.ok<T>(method, path, body);

/** As whoever has this token. */
async function as(token: string, method: string, path: string, body?: unknown) {
  const port = Number(new URL(linked.demo.api).port);
  const { status, json } = await new Gateway(() => ({ port, token })).call(method, path, body);
  return { status, body: json as Record<string, unknown> };
}

async function metricsOf(token: string): Promise<string> {
  const port = Number(new URL(linked.demo.api).port);
  return (await new Gateway(() => ({ port, token })).call('GET', '/metrics')).text;
}

/** The accounts that `/metrics` names to this caller. */
async function accountsMeasured(token: string): Promise<string[]> {
  return Array.from(
    (await metricsOf(token)).matchAll(/^relay_account_hold\{account="(.*)"\}/gm),
    ([, name = '']) => name,
  );
}

const chatsOf = async (prefix: string): Promise<(string | null)[]> => {
  const { chats } = await ask<ChatsPage>('GET', `${prefix}/chats`);
  return chats.map(({ phone_number }) => phone_number);
};

test('a second phone is linked by QR code while the first stays connected', async () => {
  verifies('ACCOUNT-MANY', 'ACCOUNT-MANAGE', 'ACCOUNT-ROUTES');
  const { demo } = linked;
  const added = await linked.command('accounts', 'add', 'sales');
  expect(added).toMatchObject({ exit: 0, out: 'Added the account sales.\n' });
  await demo.phones.add(SALES, 'Sales');
  await demo.phones.add(CARA, 'Cara');
  await ask('POST', '/api/accounts/sales/whatsapp/connect', {});
  const qr = await eventually('a QR code', async () => {
    const link = await ask<{ qr: string | null }>('GET', '/api/accounts/sales/whatsapp/link');
    return link.qr ?? undefined;
  });
  expect(await demo.phones.scan(SALES, qr)).toMatchObject({ linked: true });
  await eventually('the second link', async () => {
    const { status } = await ask<{ status: string }>('GET', '/api/accounts/sales/whatsapp/status');
    return status === 'connected' || undefined;
  });
  expect(await demo.relay.status()).toEqual({ status: 'connected', phoneNumber: ME });
  const { accounts } = await ask<{ accounts: ListedAccount[] }>('GET', '/api/accounts');
  expect(
    accounts.map(({ name, phone_number, default: isDefault }) => [name, phone_number, isDefault]),
  ).toEqual([
    ['default', ME, true],
    ['sales', SALES, false],
  ]);
  const metrics = await demo.relay.call('GET', '/metrics');
  expect(metrics.text).toContain('relay_account_connected{account="default"} 1');
  expect(metrics.text).toContain('relay_account_connected{account="sales"} 1');
});

test('messages arrive in the account they were sent to, and leave from the one they were sent with', async () => {
  verifies('ACCOUNT-MANY', 'ACCOUNT-ROUTES');
  const { phones } = linked.demo;
  await phones.send(BEN, ME, 'for the first');
  await phones.send(CARA, SALES, 'for the second');
  await eventually('both messages', async () => {
    const [first, second] = [await chatsOf('/api'), await chatsOf('/api/accounts/sales')];
    return (first.includes(BEN) && second.includes(CARA)) || undefined;
  });
  expect(await chatsOf('/api')).not.toContain(CARA);
  expect(await chatsOf('/api/accounts/sales')).not.toContain(BEN);
  await ask('POST', '/api/accounts/sales/whatsapp/messages', {
    to: `+${CARA}`,
    text: 'from sales',
  });
  await phones.sees(CARA, { text: 'from sales', status: 'received' });
  const v1 = await ask<{ data: object[] }>('GET', '/api/v1/accounts/sales/chats');
  expect(v1.data).toHaveLength(1);
  const inbox = await ask<{ chats: { account: string; phone_number: string }[] }>(
    'GET',
    '/api/inbox',
  );
  const pairs = inbox.chats.map(({ account, phone_number }) => `${account} ${phone_number}`);
  expect(pairs).toEqual(expect.arrayContaining([`sales ${CARA}`, `default ${BEN}`]));
});

test('the command is for the account of --account or RELAY_ACCOUNT, and otherwise for the default one', async () => {
  verifies('ACCOUNT-ROUTES', 'ACCOUNT-MANAGE');
  const there = await linked.command('messages', '--account', 'sales', '--json');
  expect(there.out).toContain('for the second');
  expect(there.out).not.toContain('for the first');
  expect((await linked.command('messages', '--json')).out).toContain('for the first');
  expect((await linked.command('accounts', 'use', 'sales')).exit).toBe(0);
  expect((await linked.command('messages', '--json')).out).toContain('for the second');
  expect((await linked.command('accounts', 'use', 'default')).exit).toBe(0);
  const unknown = await linked.command('status', '--account', 'nobody');
  expect(unknown).toMatchObject({
    exit: 4,
    err: expect.stringContaining('There is no account nobody.'),
  });
  const status = await linked.command('status');
  expect(status.out).toMatch(/Accounts\n\* default .*\n {2}sales /);
});

test('a token is valid for the accounts that the owner named, and its tools take the name of one', async () => {
  verifies('ACCOUNT-TOKENS', 'ACCOUNT-MCP');
  const scopes = ['messages:read', 'permissions:read', 'media:write'];
  const one = await ask<TokenSecret>('POST', '/api/accounts/sales/tokens', { name: 'one', scopes });
  expect(one.accounts).toEqual(['sales']);
  expect((await as(one.secret, 'GET', '/api/v1/accounts/sales/chats')).status).toBe(200);
  expect((await as(one.secret, 'GET', '/api/v1/accounts/default/chats')).status).toBe(404);
  const chats = (answer: { body: Record<string, unknown> }) => JSON.stringify(answer.body);
  expect(chats(await as(one.secret, 'POST', '/api/tools/get_chats', {}))).not.toContain(BEN);
  const sales = await as(one.secret, 'GET', '/api/v1/accounts/sales');
  expect(sales.body.account_id).toBe('sales');
  const upload = (account: string) => `/api/accounts/${account}/media`;
  expect((await as(one.secret, 'POST', upload('sales'), { a: 'file' })).status).toBe(201);
  expect((await as(one.secret, 'POST', upload('default'), { a: 'file' })).status).toBe(404);
  const other = { account: 'default' };
  expect((await as(one.secret, 'POST', '/api/tools/get_chats', other)).status).toBe(404);

  const watcher = { name: 'watcher', scopes: ['metrics:read'] };
  const { secret } = await ask<TokenSecret>('POST', '/api/accounts/sales/tokens', watcher);
  expect(await accountsMeasured(secret)).toEqual(['sales']);
  // Figures without a name are those of its own account.
  await ask('POST', '/api/hold', { reason: 'only the default account' });
  expect(await metricsOf(linked.demo.token)).toMatch(/^relay_hold 1$/m);
  expect(await metricsOf(secret)).toMatch(/^relay_hold 0$/m);
  expect(await metricsOf(secret)).not.toContain('relay_events_total');
  await ask('POST', '/api/release');

  const accounts = ['default', 'sales'];
  const both = await ask<TokenSecret>('POST', '/api/tokens', { name: 'both', scopes, accounts });
  expect(both.accounts).toEqual(accounts);
  const { body } = await as(both.secret, 'GET', '/api/tools');
  const [tool] = body.tools as { input: { properties: Record<string, { enum?: string[] }> } }[];
  expect(tool?.input.properties.account?.enum).toEqual(accounts);
  for (const account of accounts) {
    expect((await as(both.secret, 'GET', `/api/v1/accounts/${account}/chats`)).status).toBe(200);
    expect((await as(both.secret, 'POST', '/api/tools/get_chats', { account })).status).toBe(200);
  }
  const rotated = await ask<TokenSecret>('POST', '/api/tokens/both/rotate');
  expect((await as(both.secret, 'GET', '/api/v1/accounts/sales/chats')).status).toBe(401);
  expect((await as(rotated.secret, 'GET', '/api/v1/accounts/sales/chats')).status).toBe(200);
  await ask('DELETE', '/api/tokens/both');
  for (const account of accounts) {
    expect((await as(rotated.secret, 'GET', `/api/v1/accounts/${account}/chats`)).status).toBe(401);
  }
});

test('a webhook and an event name the account', async () => {
  verifies('ACCOUNT-NAMED');
  const { port } = receiver.address() as AddressInfo;
  await ask('POST', '/api/accounts/sales/webhooks', {
    name: 'all',
    url: `http://127.0.0.1:${port}/`,
    events: ['message.received'],
  });
  await linked.demo.phones.send(CARA, SALES, 'again');
  await linked.demo.phones.send(BEN, ME, 'elsewhere');
  await eventually('the webhook', async () => received[0]);
  expect(received.map(({ type, account }) => `${type} ${account}`)).toEqual([
    'message.received sales',
  ]);
  const { data } = await ask<{ data: { account: string }[] }>(
    'GET',
    '/api/v1/accounts/sales/events?limit=100',
  );
  expect(new Set(data.map(({ account }) => account))).toEqual(new Set(['sales']));
});

test('a live stream carries the events of its own account only', async () => {
  verifies('ACCOUNT-MANY');
  const seen: string[] = [];
  const stop = new AbortController();
  const response = await fetch(`${linked.demo.api}/api/accounts/sales/events`, {
    headers: { authorization: `Bearer ${linked.demo.token}` },
    signal: stop.signal,
  });
  const reading = (async () => {
    for await (const chunk of response.body ?? []) seen.push(Buffer.from(chunk).toString());
  })().catch(() => {});
  await linked.demo.phones.send(BEN, ME, 'not in this stream');
  await linked.demo.phones.send(CARA, SALES, 'in this stream');
  await expect.poll(() => seen.join(), { timeout: 30_000 }).toContain('in this stream');
  expect(seen.join()).not.toContain('not in this stream');
  stop.abort();
  await reading;
});

test('an owner reaches their own account alone, and an operator sees figures without content', async () => {
  verifies('ACCOUNT-OWNERS', 'ACCOUNT-OPERATOR');
  const ana = await ask<OwnerSecret>('POST', '/api/owners', { name: 'Ana' });
  const ops = await ask<OwnerSecret>('POST', '/api/owners', { name: 'Ops', role: 'operator' });
  await ask('POST', '/api/accounts', { name: 'anas', owner: 'Ana' });
  const get = async (token: string, path: string) => (await as(token, 'GET', path)).status;

  const hers = await as(ana.token, 'GET', '/api/accounts');
  expect((hers.body.accounts as ListedAccount[]).map(({ name }) => name)).toEqual(['anas']);
  expect(await get(ana.token, '/api/chats')).toBe(200);
  expect(await get(ana.token, '/api/accounts/anas/chats')).toBe(200);
  expect(await get(ana.token, '/api/accounts/default/chats')).toBe(404);
  expect(await get(ana.token, '/api/v1/accounts/default/chats')).toBe(404);
  for (const path of [
    '/api/settings',
    '/api/export',
    '/api/backups',
    '/api/remote',
    '/api/owners',
  ]) {
    expect([path, await get(ana.token, path)]).toEqual([path, 403]);
  }
  for (const [method, path, body] of OF_THE_HOME) {
    const { status, body: answer } = await as(ana.token, method, path, body);
    expect([path, status, answer.code]).toEqual([path, 403, 'home_only']);
  }
  for (const [name, value] of [
    ['model_base_url', 'http://127.0.0.1:11434/v1'],
    ['model_base_url', 'http://169.254.169.254/v1'],
    ['proxy', 'socks5://192.168.1.1:1080'],
  ] as const) {
    const { status, body } = await as(ana.token, 'PATCH', '/api/account-settings', {
      [name]: value,
    });
    expect([value, status, body.code]).toEqual([value, 400, 'setting_invalid']);
    expect(String(body.error)).toContain(`"${name}" must be an address on the public internet`);
  }
  const { checks } = (await as(ana.token, 'GET', '/api/doctor')).body;
  const checked = (checks as HealthCheck[]).map(({ name }) => name);
  expect(checked).toContain('whatsapp');
  for (const name of ['home', 'disk', 'key', 'database', 'clock', 'backup'])
    expect(checked).not.toContain(name);
  const status = (await as(ana.token, 'GET', '/api/status')).body;
  expect([status.home, status.backup]).toEqual([null, null]);
  const measured = await metricsOf(ana.token);
  expect(measured).toMatch(/^relay_hold 0$/m);
  expect(measured).not.toMatch(/process_|relay_(http|disk|table|backup|database_size)_/);
  expect(await metricsOf(linked.demo.token)).toMatch(/^relay_table_size_bytes/m);
  expect(await get(ana.token, '/api/workers')).toBe(403);
  expect(await get(ops.token, '/api/workers')).toBe(200);
  await ask('PATCH', '/api/outside-memory', { folder: join(tmpdir(), 'digests of the home') });
  await ask('PATCH', '/api/notifications/channels/ntfy', { url: 'https://ntfy.sh/of-the-home' });
  expect((await as(ana.token, 'GET', '/api/outside-memory')).body).toMatchObject({ folder: null });
  expect((await as(ana.token, 'GET', '/api/notifications')).body.ntfy).toMatchObject({ url: null });
  await ask('PATCH', '/api/outside-memory', { folder: null });
  await ask('PATCH', '/api/notifications/channels/ntfy', { url: null });

  for (const token of [ops.token, linked.demo.token]) {
    expect(await get(token, '/api/accounts/anas/status')).toBe(200);
    for (const path of CONTENT) {
      expect([path, await get(token, `/api/accounts/anas${path}`)]).toEqual([path, 403]);
    }
    expect(await get(token, '/api/v1/accounts/anas/chats')).toBe(403);
  }
  const seen = await as(ops.token, 'GET', '/api/accounts');
  for (const account of seen.body.accounts as ListedAccount[]) {
    expect(account).toMatchObject({ own: false, phone_number: null, profile_name: null });
  }
  expect(await accountsMeasured(ops.token)).toEqual(['default', 'sales', 'anas']);
  expect(await accountsMeasured(ana.token)).toEqual(['anas']);
  expect(await get(ops.token, '/api/settings')).toBe(403);
  const page = await as(ops.token, 'GET', '/api/inbox');
  expect(page.body).toMatchObject({ accounts: [], chats: [], approvals: [] });

  const replaced = await as(ana.token, 'POST', '/api/token/rotate');
  expect(await get(ana.token, '/api/chats')).toBe(401);
  expect(await get(String(replaced.body.token), '/api/chats')).toBe(200);
});

/** They decide where texts and notices of the whole home go. */
const OF_THE_HOME = [
  ['PATCH', '/api/outside-memory', { folder: '/tmp/ana' }],
  ['PATCH', '/api/memory/embeddings', { embeddings: 'off' }],
  ['POST', '/api/memory/embeddings/trial', { embeddings: 'local' }],
  ['PATCH', '/api/notifications/channels/ntfy', { url: 'https://ntfy.sh/ana' }],
] as const;

const CONTENT = [
  '/chats',
  '/contacts',
  '/approvals',
  '/instances',
  '/schedules',
  '/digests',
  '/ledger',
  '/events',
  '/tokens',
  '/webhooks',
  '/whatsapp/messages',
  '/whatsapp/link',
  '/whatsapp/qr',
];

test('an account connects through its own proxy, and has its own time zone', async () => {
  verifies('ACCOUNT-SETTINGS');
  const asked: string[] = [];
  const proxy = createTcpServer((client) => {
    client.on('error', () => {});
    client.once('data', (bytes: Buffer) => {
      const [, host, port] = /^CONNECT ([\w.]+):(\d+)/.exec(bytes.toString()) ?? [];
      asked.push(`${host}:${port}`);
      const server = connect(Number(port), host ?? '');
      server.on('error', () => client.destroy());
      server.once('connect', () => {
        client.write('HTTP/1.1 200 Connected\r\n\r\n');
        client.pipe(server).pipe(client);
      });
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  const isConnected = async () => {
    const { status } = await ask<{ status: string }>('GET', '/api/accounts/sales/whatsapp/status');
    return status === 'connected' || undefined;
  };
  const url = `http://ana:secret@127.0.0.1:${port}`;
  const set = await linked.command('accounts', 'set', 'sales', 'proxy', url);
  expect(set).toMatchObject({ exit: 0, out: expect.not.stringContaining('secret') });
  await eventually('a connection through the proxy', isConnected);
  expect(asked).toHaveLength(1);
  expect(await linked.demo.relay.status()).toMatchObject({ status: 'connected' });
  await ask('PATCH', '/api/accounts/sales/account-settings', { zone: 'Asia/Kolkata' });
  const activity = await ask<{ zone: string }>('GET', '/api/accounts/sales/activity?hours=24');
  expect(activity.zone).toBe('Asia/Kolkata');
  await ask('PATCH', '/api/accounts/sales/account-settings', { proxy: null });
  await eventually('a connection without the proxy', isConnected);
  proxy.close();
});

test('a linked account is removed only when its name is confirmed, and then with everything in it', async () => {
  verifies('ACCOUNT-MANAGE');
  const refused = await linked.demo.relay.call('DELETE', '/api/accounts/sales');
  expect(refused).toMatchObject({ status: 409, json: { code: 'account_linked' } });
  const [{ id } = { id: 0 }] = await linked.query<{ id: number }>(
    "SELECT id FROM relay.accounts WHERE name = 'sales'",
  );
  expect((await linked.command('accounts', 'remove', 'sales', '--yes')).exit).toBe(0);
  const tables = await linked.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE a.attname = 'account_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relnamespace = 'relay'::regnamespace`,
  );
  for (const { name } of tables) {
    const rows = await linked.query(`SELECT FROM relay.${name} WHERE account_id = ${id} LIMIT 1`);
    expect([name, rows]).toEqual([name, []]);
  }
  expect((await linked.demo.relay.call('GET', '/api/accounts/sales/chats')).status).toBe(404);
  await linked.talk('still here');
});
