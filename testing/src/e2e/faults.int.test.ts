// Twelve faults, each made by hand: `relay doctor` shows it in red with what to do, `relay start` fails with the same
// words, and docs/operations.md lists them.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../free-port.ts';
import { removeFolder } from '../remove-folder.ts';
import { openRelay, type Relay } from './relay.ts';
import { untilGone } from './traces.ts';

// Generous, for a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

const GUIDE = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');

interface Check {
  readonly name: string;
  readonly ok: 'yes' | 'warn' | 'no';
  readonly found: string;
  readonly mend: string | null;
}

type Environment = Readonly<Record<string, string | undefined>>;

let relay: Relay;
let keyFile: string;
let url: URL;
beforeAll(async () => {
  relay = await openRelay();
  keyFile = join(relay.work, 'key');
  url = new URL(relay.database?.daemonUrl ?? '');
  await relay.start({ RELAY_KEY_FILE: keyFile });
  await relay.stop();
});
afterAll(() => relay.end());

/** What the doctor shows in red. */
async function redChecks(environment: Environment): Promise<Check[]> {
  const { exit, out } = await relay.runWith(environment, 'doctor', '--json');
  const { checks } = JSON.parse(out) as { checks: Check[] };
  const red = checks.filter(({ ok }) => ok === 'no');
  expect(exit).toBe(red.length === 0 ? 0 : 1);
  return red;
}

/** The row of the guide, with what differs between machines in braces. */
function row(
  fault: string,
  { found, mend }: Check,
  exit: number | null,
  values: Readonly<Record<string, string>>,
): string {
  const text = (said: string) =>
    Object.entries(values).reduce((all, [name, value]) => all.replaceAll(value, `{${name}}`), said);
  return `| ${fault} | ${text(found)} | ${text(mend ?? '')} | ${exit ?? '–'} |`;
}

const inGuide = () => GUIDE.split('\n').map((line) => line.replace(/ +\|/g, ' |'));

/** The doctor and the start name this fault, with the same words. */
async function expectNamed(
  fault: string,
  environment: Environment,
  expected: { check: string; exit: number; values: Readonly<Record<string, string>> },
): Promise<void> {
  const given = { RELAY_KEY_FILE: keyFile, ...environment };
  const red = await redChecks(given);
  expect(red.map(({ name }) => name)).toEqual([expected.check]);
  const [check] = red as [Check];
  const { exit, err } = await relay.runWith(given, 'start');
  expect(err.trimEnd().split('\n').at(-1)).toBe(`${check.found} ${check.mend}`);
  expect(exit).toBe(expected.exit);
  expect(inGuide()).toContain(row(fault, check, exit, expected.values));
}

const withUrl = (change: (to: URL) => void): Environment => {
  const changed = new URL(url);
  change(changed);
  return { DATABASE_URL: changed.href };
};
function place(): string {
  const socket = url.searchParams.get('host');
  return socket === null ? `${url.hostname}:${url.port || 5432}` : `the local socket in ${socket}`;
}

describe('relay doctor and relay start name', () => {
  it('a key that is missing', async () => {
    await rename(keyFile, `${keyFile}.away`);
    const values = { file: keyFile };
    await expectNamed('Key missing', {}, { check: 'key', exit: 9, values });
    await rename(`${keyFile}.away`, keyFile);
  });

  it('a key of another home', async () => {
    await copyFile(keyFile, `${keyFile}.right`);
    await writeFile(keyFile, Buffer.alloc(32, 7).toString('base64url'));
    const values = { file: keyFile };
    await expectNamed('Key of another home', {}, { check: 'key', exit: 9, values });
    await rename(`${keyFile}.right`, keyFile);
  });

  it('a key command that fails', async () => {
    const wrong = { RELAY_KEY_COMMAND: '/no/such/program --with "an argument"' };
    const values = { program: '/no/such/program', how: 'was not found' };
    await expectNamed('Key command failed', wrong, { check: 'key', exit: 8, values });
  });

  it('a role that the server refuses', async () => {
    const wrong = withUrl((to) => {
      to.password = 'wrong';
    });
    const values = { server: place(), role: url.username };
    await expectNamed('Role refused', wrong, { check: 'database', exit: 9, values });
  });

  it('a role that may not use the tables', async () => {
    const name = `stranger_${process.pid}`;
    await relay.query(`CREATE ROLE ${name} LOGIN PASSWORD 'p'`);
    try {
      const other = withUrl((to) => {
        to.username = name;
        to.password = 'p';
      });
      const wrong = { ...other, DATABASE_OWNER_URL: '' };
      const values = { role: name };
      await expectNamed('Role without rights', wrong, { check: 'database', exit: 9, values });
    } finally {
      await relay.query(`DROP ROLE ${name}`);
    }
  });

  it('a database that does not exist', async () => {
    const wrong = {
      ...withUrl((to) => {
        to.pathname = '/nowhere';
      }),
      DATABASE_OWNER_URL: '',
    };
    const values = { server: place(), database: 'nowhere' };
    await expectNamed('Database missing', wrong, { check: 'database', exit: 9, values });
  });

  it('a server that does not answer', async () => {
    const port = String(await freePort());
    const gone = {
      DATABASE_URL: `postgres://relay:secret@127.0.0.1:${port}/relay`,
      DATABASE_OWNER_URL: '',
    };
    const values = { server: `127.0.0.1:${port}` };
    await expectNamed('Server away', gone, { check: 'database', exit: 8, values });
  });

  it('a database that a newer Relay has written', async () => {
    const [{ newest } = {}] = await relay.query(
      'SELECT max(number) AS newest FROM relay.schema_migrations',
    );
    const next = Number(newest) + 1;
    await relay.query(
      "INSERT INTO relay.schema_migrations (number, name, checksum) VALUES ($1, 'next.sql', 'x')",
      [next],
    );
    const values = { newer: String(next), known: String(newest) };
    await expectNamed('Newer schema', {}, { check: 'database', exit: 9, values });
    await relay.query('DELETE FROM relay.schema_migrations WHERE number = $1', [next]);
  });

  it('a full disk', async ({ skip }) => {
    const disk = await mkdtemp(join(tmpdir(), 'relay disk '));
    const mounted = await promisify(execFile)('mount', [
      ...['-t', 'tmpfs', '-o', 'size=16m,mode=0755', 'tmpfs', disk],
    ]).then(
      () => true,
      () => false,
    );
    onTestFinished(async () => {
      if (mounted) await promisify(execFile)('umount', [disk]);
      await removeFolder(disk);
    });
    if (!mounted) return skip('this user may not mount a disk');
    const home = join(disk, 'home');
    await mkdir(home, { mode: 0o700 });
    const full = { RELAY_HOME: home, RELAY_KEY_FILE: join(relay.work, 'another key') };
    const values = { home, n: '16' };
    await expectNamed('Disk full', full, { check: 'disk', exit: 8, values });
  });

  it.skipIf(process.getuid?.() !== 0)('a home of another user', async () => {
    chownSync(relay.home, 65_534, 65_534);
    try {
      const values = { home: relay.home, uid: '65534' };
      await expectNamed('Home of another user', {}, { check: 'home', exit: 9, values });
    } finally {
      chownSync(relay.home, 0, 0);
    }
  });

  it('a port that another program uses', async () => {
    const port = await freePort();
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    try {
      const values = { port: String(port), settings: join(relay.home, 'relay.config.json') };
      const taken = { RELAY_PORT: String(port) };
      await expectNamed('Port taken', taken, { check: 'port', exit: 8, values });
    } finally {
      other.close();
    }
  });
});

it('a daemon whose home is deleted ends with its own exit code, and its database too', async () => {
  const other = await openRelay({}, { database: 'private' });
  try {
    const child = other.spawn(['start', '--foreground']);
    child.stdout.resume();
    const said = text(child.stderr);
    const closed = once(child, 'close');
    await vi.waitFor(() => expect(other.port).toBeGreaterThan(0), { timeout: 120_000 });
    await removeFolder(other.home);
    const [exit] = await closed;
    expect(exit).toBe(10);
    expect((await said).trimEnd().split('\n').at(-1)).toBe(
      `The home ${other.home} was deleted or replaced, so Relay has stopped. Put it back, or run \`relay start\` to begin with an empty home.`,
    );
    expect(await untilGone(other.home)).toEqual([]);
  } finally {
    await other.end();
  }
});

it('relay doctor names an account that is not linked and a model that is not there', async () => {
  const port = String(await freePort());
  await relay.configure({
    model_provider: 'ollama',
    model_name: 'qwen3:8b',
    model_base_url: `http://127.0.0.1:${port}/v1`,
  });
  await relay.start({ RELAY_KEY_FILE: keyFile });
  const red = await redChecks({ RELAY_KEY_FILE: keyFile });
  expect(red.map(({ name }) => name).sort()).toEqual(['model', 'whatsapp']);
  const find = (name: string) => red.find((check) => check.name === name) as Check;
  expect(inGuide()).toContain(row('Not linked', find('whatsapp'), null, {}));
  expect(inGuide()).toContain(row('Model unreachable', find('model'), null, { port }));
  await relay.stop();
});
