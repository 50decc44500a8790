// Two accounts of two owners on one daemon. Each has canaries in every column that can hold personal data. Generated
// calls on every route and every tool, with every credential of one of them, never return a canary or an id of the other,
// and change nothing of theirs. The home itself has canaries too, in its settings and names: its other owner never sees
// one.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { AccountId } from '@relay/contract/ids';
import { CLIENT_SCOPES } from '@relay/contract/policy/scopes';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { type DaemonProcess, startDaemonProcess } from '../daemon-process.ts';
import { type PlantResult, plant } from '../erase/plant.ts';
import { freshDatabase } from '../postgres.ts';
import { removeFolder } from '../remove-folder.ts';
import { verifies } from '../verifies.ts';
import { rawRequest } from './raw-request.ts';
import { pick, random, type Schema, sample } from './schema-sample.ts';

/** Of each kind of credential. At night there are ten thousand in all. */
const CALLS = process.env.PROPERTY_RUNS ? 2_500 : 150;
const AT_ONCE = 6;
const PEOPLE = 3;
/** A stream that says nothing for so long is ended. */
const STREAM_MS = 300;

const { url, daemonUrl, drop } = await freshDatabase();
const home = join(await mkdtemp(join(tmpdir(), 'relay-isolation-')), 'home');

/** What the home's owner has set up for themselves. */
const OF_THE_HOME = {
  instructions: 'Say that Quillfeather sent you.',
  admin: '4915199887766',
  address: '127.0.0.9:45671',
  folder: join(home, 'quillfeather'),
  owner: 'Quillfeather the third',
  account: 'quillfeather',
};
mkdirSync(home, { recursive: true, mode: 0o700 });
writeFileSync(
  join(home, 'relay.config.json'),
  JSON.stringify({
    agent: { instructions: OF_THE_HOME.instructions },
    admin_phone_numbers: [OF_THE_HOME.admin],
    webhooks: { allow: [OF_THE_HOME.address] },
    notifications: { allow: [OF_THE_HOME.address], ntfy_url: `http://${OF_THE_HOME.address}/q` },
    outside_memory: { folder: OF_THE_HOME.folder },
    backup: { folder: OF_THE_HOME.folder, copy_to: OF_THE_HOME.folder },
    // More than any disk has free, so that the sentence about it is shown.
    disk: { keep_free_megabytes: 1_000_000_000 },
  }),
);

const owner = new pg.Client({ connectionString: url, options: '-c search_path=relay' });
await owner.connect();
const sql = async (text: string, values: readonly unknown[] = []) =>
  (await owner.query<Record<string, unknown>>(text, [...values])).rows;
const daemon: DaemonProcess = await startDaemonProcess({
  home,
  databaseUrl: daemonUrl,
  environment: { DATABASE_OWNER_URL: url },
});
afterAll(async () => {
  await daemon.end('SIGTERM');
  await owner.end();
  await drop();
  await removeFolder(join(home, '..'));
});

async function made<T>(path: string, body: unknown): Promise<T> {
  const { status, body: answer } = await daemon.call('POST', path, body);
  if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  return answer as T;
}

interface Side {
  readonly name: string;
  readonly account: AccountId;
  readonly people: readonly PlantResult[];
  /** What only this account has. */
  readonly secrets: readonly string[];
  /** Everything that a caller may try to name. */
  readonly names: readonly string[];
}

async function fill(name: string): Promise<Side> {
  const [row] = await sql('SELECT id FROM accounts WHERE name = $1', [name]);
  const account = Number(row?.id) as AccountId;
  const people: PlantResult[] = [];
  for (let n = 0; n < PEOPLE; n++) people.push(await plant(sql, account));
  // Not the tag itself: a caller may write it into its own account and read it back. The canaries it never writes.
  const secrets = people.flatMap(({ contact, chat, group, phone }) => [
    contact,
    chat,
    group,
    phone,
  ]);
  for (const table of [
    'instances',
    'sessions',
    'runs',
    'schedules',
    'approvals',
    'digests',
    'grants',
  ])
    for (const { id } of await sql(`SELECT id FROM ${table} WHERE account_id = $1`, [account]))
      secrets.push(String(id));
  const words = people.map(({ tag }) => tag);
  const names = [...secrets, ...people.flatMap(({ messages }) => messages), ...words];
  return { name, account, people, secrets: [...new Set(secrets)], names };
}

/** What callers of the other account must not change. */
const contentOf = async ({ account }: Side) => {
  const found: Record<string, unknown> = {};
  for (const table of [
    'messages',
    'chats',
    'contacts',
    'grants',
    'schedules',
    'tokens',
    'instance_messages',
  ])
    found[table] = (
      await sql(
        `SELECT md5(string_agg(r, ' ' ORDER BY r)) AS sum FROM (
        SELECT (to_jsonb(t) - 'last_used_at' - 'updated_at')::text AS r FROM ${table} t WHERE account_id = $1) rows`,
        [account],
      )
    )[0]?.sum;
  return found;
};

// Routes.

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: Schema;
  readonly root: Schema;
}

/** They end the caller's own access, stop the daemon, or are for the person who runs the machine. */
const LEFT_OUT =
  /\/(rotate|sign-out|logout|shutdown)\b|^\/api\/(archive|backups|owners|token)\b|remote|whatsapp\/(connect|disconnect)/;

async function routesOf(path: string): Promise<Route[]> {
  const { body } = await daemon.call('GET', path);
  const root = body as Schema;
  return Object.entries((root.paths ?? {}) as Record<string, Record<string, Schema>>).flatMap(
    ([route, operations]) =>
      Object.entries(operations)
        .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
        .map(([method, operation]) => ({
          method: method.toUpperCase(),
          path: route,
          operation,
          root,
        })),
  );
}

/** They take any text and give it back in later calls, so they get no secret of the other account. */
const GIVEN_BACK = /settings|outside-memory|assistant\//;

interface Caller {
  readonly who: string;
  readonly token: string;
  readonly other: Side;
  /** What of the home is not for this caller. */
  readonly home?: readonly string[];
}

const leaks: string[] = [];
/** Calls that changed something, to say where a leaked text came from. */
const writes: { readonly what: string; readonly sent: string }[] = [];

const originsOf = (secret: string): string => {
  const from = new Set(writes.filter(({ sent }) => sent.includes(secret)).map(({ what }) => what));
  return from.size === 0 ? '' : `, which came with ${[...from].join(', ')}`;
};

const seen = new Set<string>();

/** A caller that sent the secret itself may read it back in a refusal. */
function examine(
  { who, other, home: ofHome = [] }: Caller,
  what: string,
  sent: string,
  text: string,
): void {
  for (const secret of [...other.secrets, ...ofHome])
    if (text.includes(secret) && !sent.includes(secret))
      leaks.push(`${who}: ${what} shows ${secret}${originsOf(secret)}`);
  // A canary that was asked for by its tag alone must not come back with what follows it.
  for (const { tag } of other.people)
    if (text.includes(`${tag}~`) && !sent.includes(`${tag}~`))
      leaks.push(`${who}: ${what} shows ${tag}~`);
}

/** A call of the route by a caller who knows the names of both accounts. */
function draw(route: Route, names: readonly string[], accounts: readonly string[]) {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let path = route.path;
  for (const { name, in: place, schema, required } of (route.operation.parameters ??
    []) as Schema[]) {
    const key = String(name);
    const wanted = (schema ?? {}) as Schema;
    const value = String(key === 'account' ? pick(accounts) : sample(wanted, route.root, names));
    if (place === 'path') path = path.replace(`{${key}}`, encodeURIComponent(value));
    if (place === 'query' && (required === true || random() < 0.4)) query.append(key, value);
    if (place === 'header') headers[key] = key.toLowerCase() === 'x-confirm' ? 'yes' : value;
  }
  path = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(pick(names)));
  if (/^\/api\/(?!v1\/)/.test(path) && random() < 0.7)
    path = path.replace('/api/', `/api/accounts/${pick(accounts)}/`);
  return {
    path: query.size > 0 ? `${path}?${query}` : path,
    headers,
    body: drawBody(route, names),
  };
}

function drawBody({ operation, root }: Route, names: readonly string[]): string | undefined {
  const request = operation.requestBody as
    | { content?: Record<string, { schema?: Schema }> }
    | undefined;
  const schema = request?.content?.['application/json']?.schema;
  return schema === undefined ? undefined : JSON.stringify(sample(schema, root, names));
}

async function callRoute(
  caller: Caller,
  route: Route,
  names: readonly string[],
  accounts: readonly string[],
) {
  const known = GIVEN_BACK.test(route.path)
    ? names.filter((one) => !caller.other.names.includes(one))
    : names;
  const { path, headers, body } = draw(route, known, accounts);
  const answer = await fetch(`http://127.0.0.1:${daemon.port}${path}`, {
    method: route.method,
    headers: {
      ...headers,
      authorization: `Bearer ${caller.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
    signal: AbortSignal.timeout(20_000),
  });
  const text = await readFor(answer);
  seen.add(`${answer.status < 300 ? 'ok' : 'no'} ${route.method} ${route.path}`);
  const what = `${route.method} ${path} (${answer.status})`;
  if (route.method !== 'GET' && answer.ok)
    writes.push({ what: `${caller.who}: ${what}`, sent: `${path} ${body}` });
  examine(caller, what, `${path} ${body}`, text);
}

/** As the caller's own clients do, so that it is answered. */
async function readPlainly(caller: Caller, { path: route }: Route) {
  const path = route.replace('{account}', 'anas').replaceAll(/\{\w+\}/g, 'none');
  const answer = await fetch(`http://127.0.0.1:${daemon.port}${path}`, {
    headers: { authorization: `Bearer ${caller.token}` },
  });
  seen.add(`${answer.status < 300 ? 'ok' : 'no'} GET ${route}`);
  examine(caller, `GET ${path} (${answer.status})`, path, await readFor(answer));
}

async function readFor(answer: Response): Promise<string> {
  if (!(answer.headers.get('content-type') ?? '').includes('event-stream')) return answer.text();
  const reader = answer.body?.getReader();
  let text = '';
  const end = Date.now() + STREAM_MS;
  while (reader !== undefined && Date.now() < end) {
    const rest = new Promise<null>((resolve) => setTimeout(() => resolve(null), end - Date.now()));
    const part = await Promise.race([reader.read(), rest]);
    if (part === null || part.done) break;
    text += Buffer.from(part.value).toString();
  }
  await reader?.cancel();
  return text;
}

async function together(count: number, call: () => Promise<void>): Promise<void> {
  let left = count;
  const work = async () => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

test('no call with a credential of one account returns or changes anything of another', {
  timeout: 2_700_000,
}, async () => {
  verifies('SEP-ISOLATION');
  const ana = await made<{ token: string }>('/api/owners', { name: 'ana' });
  await made('/api/accounts', { name: 'anas', owner: 'ana' });
  await made('/api/owners', { name: OF_THE_HOME.owner });
  await made('/api/accounts', { name: OF_THE_HOME.account, owner: OF_THE_HOME.owner });
  const [mine, anas] = [await fill('default'), await fill('anas')];
  const [worker] = await sql('SELECT id FROM workers');
  const machine = JSON.stringify({ host: hostname() }).slice(1, -1);
  const ofHome = [...Object.values(OF_THE_HOME), home, machine, String(worker?.id)];
  const tokenIn = async (token: string) => {
    const answer = await rawRequest({
      port: daemon.port,
      method: 'POST',
      path: '/api/tokens',
      body: { name: 'everything', scopes: CLIENT_SCOPES, confirm: false },
      headers: { authorization: `Bearer ${token}`, 'x-confirm': 'yes' },
    });
    return (answer.json as { secret?: string } | null)?.secret ?? answer.text;
  };
  const ownToken = readFileSync(join(home, 'token'), 'utf8').trim();
  const callers: readonly Caller[] = [
    { who: 'ana', token: ana.token, other: mine, home: ofHome },
    { who: 'the home’s owner', token: ownToken, other: anas },
    { who: 'a client of ana', token: await tokenIn(ana.token), other: mine, home: ofHome },
    { who: 'a client of the home’s owner', token: await tokenIn(ownToken), other: anas },
  ];
  for (const { who, token } of callers) expect(token, who).toMatch(/^relay_/);
  const routes = [
    ...(await routesOf('/api/openapi.json')),
    ...(await routesOf('/api/v1/openapi.json')),
  ].filter(
    ({ path, method }) =>
      // A caller may give an account any name, also an id that it should not know, and reads it back.
      !LEFT_OUT.test(path) && (method === 'GET' || !path.startsWith('/api/accounts')),
  );
  expect(routes.length).toBeGreaterThan(100);
  const before = [await contentOf(mine), await contentOf(anas)];
  const names = [...mine.names, ...anas.names];
  const accounts = ['default', 'anas', `${mine.account}`, `${anas.account}`];
  for (const caller of callers) {
    // Who calls changes their own account; the other one stays as it was.
    const untouched = caller.other === mine ? 0 : 1;
    if (caller.home !== undefined)
      for (const route of routes) if (route.method === 'GET') await readPlainly(caller, route);
    let next = 0;
    await together(CALLS, () =>
      callRoute(caller, routes[next++ % routes.length] ?? pick(routes), names, accounts),
    );
    if (caller.who.startsWith('a client'))
      await callTools(caller, Math.ceil(CALLS / 4), names, accounts);
    expect(await contentOf(caller.other), `after ${caller.who}`).toEqual(before[untouched]);
    before[1 - untouched] = await contentOf(untouched === 0 ? anas : mine);
  }
  expect(leaks).toEqual([]);
  // The calls are not all refused.
  expect([...seen].filter((one) => one.startsWith('ok')).length).toBeGreaterThan(30);
});

async function callTools(
  caller: Caller,
  count: number,
  names: readonly string[],
  accounts: readonly string[],
) {
  const client = new Client(
    { name: 'isolation', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${daemon.port}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${caller.token}` } },
    }),
  );
  try {
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(5);
    let next = 0;
    await together(count, async () => {
      const tool = tools[next++ % tools.length] ?? pick(tools);
      const schema = tool.inputSchema as Schema;
      const given = sample(schema, schema, names) as Record<string, unknown>;
      if ('account' in ((schema.properties ?? {}) as object) && random() < 0.5)
        given.account = pick(accounts);
      const answer = await client
        .callTool({ name: tool.name, arguments: given })
        .catch((error: unknown) => String(error));
      const sent = JSON.stringify(given);
      writes.push({ what: `${caller.who}: ${tool.name}`, sent });
      examine(caller, tool.name, sent, JSON.stringify(answer));
    });
  } finally {
    await client.close();
  }
}
