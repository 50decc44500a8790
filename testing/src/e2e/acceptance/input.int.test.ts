// All input is validated: every body and parameter of every published route, and every argument of every command,
// invalid in each way that its schema allows. Nothing changes.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness({ linked: false });
});
afterAll(() => harness.end());

/** One hash over everything that a request could have changed. */
async function state(): Promise<string> {
  const kept = [
    'instances',
    'instance_messages',
    'outbox',
    'permits',
    'approvals',
    'grants',
    'contacts',
  ];
  const tables = kept.map(
    (name) => `SELECT '${name}' AS name, to_jsonb(t)::text AS row FROM relay.${name} t`,
  );
  const rows = await harness.relay.query(`${tables.join(' UNION ALL ')} ORDER BY 1, 2`);
  const home = harness.relay.file('relay.config.json');
  return createHash('sha256')
    .update(JSON.stringify([rows, home]))
    .digest('hex');
}

describe('the API', () => {
  interface Schema {
    readonly type?: string | string[];
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
    readonly anyOf?: readonly Schema[];
  }
  interface Parameter {
    readonly name: string;
    readonly in: 'query' | 'path' | 'header';
    readonly schema: Schema;
  }
  interface Operation {
    readonly parameters?: readonly Parameter[];
    readonly requestBody?: { content: Readonly<Record<string, { schema: Schema }>> };
  }
  interface Route extends Operation {
    readonly method: string;
    readonly path: string;
  }

  async function routes(): Promise<Route[]> {
    const { paths } = await harness.api.ok<{ paths: Record<string, Record<string, Operation>> }>(
      'GET',
      '/api/openapi.json',
    );
    // The owner's token is refused on the routes of clients; those are tested in ../programs.
    const owners = Object.entries(paths).filter(([path]) => !path.startsWith('/api/tools'));
    return owners.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path: path
          .replace('{account}', 'default')
          .replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000'),
        ...operation,
      })),
    );
  }

  const objectOf = (schema: Schema): Schema =>
    schema.properties ? schema : (schema.anyOf?.find(({ properties }) => properties) ?? {});

  /** A cursor belongs to a list, and what is not there has none. */
  const refusalsOf = (name: string, path: string): number[] =>
    name === 'cursor' && path.includes('00000000-') ? [400, 404] : [400];

  /** A value that is invalid in every field. */
  const WRONG = { neither: ['text', 'nor', 'number'] };

  it('refuses a body that is not JSON or not an object, or has wrong, missing or unknown fields', async () => {
    verifies('003-SEC-INPUT', '003-API-400');
    const before = await state();
    let tried = 0;
    for (const { method, path, requestBody } of await routes()) {
      const schema = requestBody?.content['application/json']?.schema;
      if (schema === undefined) continue;
      const { properties = {}, required = [] } = objectOf(schema);
      const bodies: unknown[] = [
        '{"',
        '[]',
        '7',
        '"text"',
        { 'no such field': 1 },
        ...Object.keys(properties).map((name) => ({ [name]: WRONG })),
        ...(required.length > 0 ? [{}] : []),
      ];
      for (const body of bodies) {
        const { status, json } = await harness.api.call(method, path, body);
        tried += 1;
        expect({ method, path, body, status, json }).toMatchObject({
          status: 400,
          json: {
            [path.startsWith('/api/v1/') ? 'detail' : 'error']: expect.stringMatching(/not valid/),
            code: 'invalid_request',
          },
        });
      }
    }
    expect(tried).toBeGreaterThan(40);
    expect(await state()).toBe(before);
  });

  it('refuses an unknown or invalid query, and an invalid id', async () => {
    verifies('003-SEC-INPUT', '003-API-400', '003-API-404');
    const before = await state();
    let tried = 0;
    for (const { method, path, parameters = [] } of await routes()) {
      const queries = parameters.filter((one) => one.in === 'query');
      for (const { name } of [...queries, ...(queries.length > 0 ? [{ name: 'nonsense' }] : [])]) {
        if (path === '/login') continue;
        const value = encodeURIComponent(`no such value ${'x'.repeat(300)}`);
        const { status } = await harness.api.call(method, `${path}?${name}=${value}`);
        tried += 1;
        expect({ method, path, name, status }).toMatchObject({
          status: expect.toBeOneOf(refusalsOf(name, path)),
        });
      }
    }
    expect(tried).toBeGreaterThan(4);
    for (const id of ['nonsense', "'; DROP TABLE relay.instances; --", '..', '%00'])
      for (const rest of ['', '/transcript']) {
        const { status } = await harness.api.call(
          'GET',
          `/api/instances/${encodeURIComponent(id)}${rest}`,
        );
        expect([400, 404]).toContain(status);
      }
    expect(await state()).toBe(before);
  });
});

describe('the command', () => {
  const names = async () => {
    const help = await harness.says('help', 'all');
    return [...help.matchAll(/^ {2}([a-z]+)(?: [<[].*?)? {2,}\S/gm)].map(([, name = '']) => name);
  };

  it('refuses unknown options and too many arguments', async () => {
    verifies('003-SEC-INPUT', '003-CLI-VALIDATES');
    const commands = await names();
    expect(commands).toEqual(expect.arrayContaining(['init', 'start', 'create', 'send', 'import']));
    const tries = [
      ...commands.map((name) => [name, '--no-such-option']),
      ...['init', 'start', 'stop', 'status', 'list', 'create', 'get', 'transcript'].map((name) => [
        name,
        ...Array(9).fill('x'),
      ]),
    ];
    const before = await state();
    for (const args of tries) {
      const { exit, out, err } = await harness.run(...args);
      expect({ args, exit, out }).toEqual({ args, exit: 2, out: '' });
      expect(err).toMatch(/\S/);
    }
    expect(await state()).toBe(before);
  });

  it.each([
    ['no objective', ['create', '--contact', '+15551000000'], '--objective'],
    ['no contact', ['create', '--objective', 'o'], '--contact'],
    [
      'an empty objective',
      ['create', '--objective', ' ', '--contact', '+15551000000'],
      '--objective',
    ],
    ['a number that is none', ['create', '--objective', 'o', '--contact', '+1'], '--contact'],
    ['a time that is none', [...made(), '--heartbeat', 'soon'], '--heartbeat'],
    ['a time that is too short', [...made(), '--heartbeat', '10ms'], '--heartbeat'],
    ['a count that is none', [...made(), '--max-followups', '-1'], '--max-followups'],
    ['a file that is not there', [...made(), '--todos-file', 'nowhere.txt'], 'nowhere.txt'],
    ['a template that is not there', ['create', '--template', 'nowhere.yaml'], 'nowhere.yaml'],
    ['an id that is none', ['get', 'nonsense'], 'nonsense'],
    ['no id', ['transcript'], 'id'],
    ['no id to pause', ['pause'], 'id'],
    ['no message', ['send', '00000000-0000-4000-8000-000000000000'], 'message'],
    ['an empty message', ['send', '00000000-0000-4000-8000-000000000000', '  '], 'message'],
    ['a state that is none', ['list', '--state', 'BUSY'], '--state'],
    ['a level that is none', ['logs', '--level', 'loud'], 'level'],
    ['a number that is none', ['messages', '-n', 'many'], '--limit'],
  ])('reports what is missing or wrong before any request: %s', async (_what, args, named) => {
    verifies('003-CLI-VALIDATES', '003-SEC-INPUT');
    // No daemon listens there: a request to it would fail differently.
    const nowhere = { RELAY_HOME: `${harness.relay.work}/nowhere` };
    const { exit, out, err } = await harness.relay.runWith(nowhere, ...args);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err.toLowerCase()).toContain(named.toLowerCase());
  });
});

function made(): string[] {
  return ['create', '--objective', 'o', '--contact', '+15551000000'];
}
