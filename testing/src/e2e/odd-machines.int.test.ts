// Unusual machines: Relay works on each, or says in one sentence what to do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { openToEveryone } from '../private-server.ts';
import { removeFolder } from '../remove-folder.ts';
import { builtIn } from './built.ts';
import { type Demo, startDemo } from './demo.ts';
import { processesOf, untilGone } from './traces.ts';

const isRoot = process.getuid?.() === 0;
/** The unprivileged user that every Linux has. */
const NOBODY = 65_534;
const SHIFTED_CLOCK = new URL('./shifted-clock.ts', import.meta.url).href;
const THREE_HOURS = 3 * 3_600_000;

interface Machine {
  readonly home: string;
  /** Runs `relay`, and resolves with its result. */
  relay(...args: string[]): Promise<{ exit: number | null; out: string; err: string }>;
}

interface Odd {
  readonly user?: number;
  /** Path of the home, below its owner's folder. */
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Stopped and deleted when the test is over; a leftover process fails it. */
async function machine({ user, path = '.relay-agent', env = {} }: Odd): Promise<Machine> {
  const built = await builtIn(inject('builds'));
  const folder = await mkdtemp(join(tmpdir(), 'relay-odd-'));
  await chmod(folder, 0o755);
  const own = join(folder, 'user');
  await mkdir(own);
  if (user !== undefined) await chown(own, user, user);
  const home = join(own, path);
  const relay: Machine['relay'] = async (...args) => {
    const child = spawn(process.execPath, [join(built, 'bin/relay.js'), ...args], {
      cwd: own,
      env: { PATH: process.env.PATH, HOME: own, RELAY_HOME: home, RELAY_PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    const said = Promise.all([text(child.stdout), text(child.stderr)]);
    const [exit] = await once(child, 'close');
    const [out, err] = await said;
    return { exit, out, err };
  };
  onTestFinished(async () => {
    await relay('stop');
    const left = await untilGone(home);
    for (const line of left) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    await removeFolder(folder);
    expect(left).toEqual([]);
  });
  return { home, relay };
}

/** Starts, answers, keeps its data across a restart, and stops. */
async function works({ home, relay }: Machine): Promise<void> {
  for (const time of ['first', 'second']) {
    expect({ time, ...(await relay('start')) }).toMatchObject({ time, exit: 0 });
    const { out } = await relay('status', '--json');
    expect(JSON.parse(out)).toMatchObject({ home, database: { kind: 'private' } });
    expect(await relay('stop')).toMatchObject({ exit: 0 });
  }
}

const needsRoot = isRoot ? false : 'needs root';
const needsOthers = isRoot && (await openToEveryone()) ? false : 'needs root and an open checkout';

describe('Relay works', { timeout: 180_000 }, () => {
  it.skipIf(needsRoot)('as root', async () => {
    await works(await machine({}));
  });

  it.skipIf(needsOthers)('as a user who is not root, and owns all files', async () => {
    const it = await machine({ user: NOBODY });
    await works(it);
    for (const name of await readdir(it.home)) {
      expect({ name, uid: (await stat(join(it.home, name))).uid }).toEqual({ name, uid: NOBODY });
    }
  });

  it.each([
    ['spaces', 'my own relay home'],
    ['quotes, percent signs and letters beyond ASCII', `Ana's "50%" $HOME/größe 家`],
    ['more letters than a socket’s may have', 'a'.repeat(120)],
  ])('with a home whose path has %s', async (_what, path) => {
    await works(await machine({ path }));
  });

  it('without a keyring: the key is in a file of the owner, outside the home', async () => {
    const nowhere = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent', XDG_RUNTIME_DIR: '' };
    const { home, relay } = await machine({ env: nowhere });
    await works({ home, relay });
    const vault = JSON.parse(await readFile(join(home, 'vault.json'), 'utf8'));
    expect(vault).toMatchObject({ source: 'file' });
    const key = join(home, '../.local/state/relay-agent', `${vault.id}.key`);
    expect((await stat(key)).mode & 0o777).toBe(0o600);
  });
});

describe('Relay says what to do', { timeout: 180_000 }, () => {
  it('where port 3214 is taken, and its advice helps', async () => {
    const other = createServer();
    // If another program already has the port, that works too.
    const held = once(other, 'listening').catch(() => undefined);
    other.listen(3_214, '127.0.0.1');
    await held;
    onTestFinished(() => void other.close());
    const { home, relay } = await machine({ env: { RELAY_PORT: '' } });
    const { exit, err } = await relay('start');
    expect(exit).toBe(8);
    expect(err.trimEnd().split('\n').at(-1)).toBe(
      `Port 3214 is in use by another program. Stop that program, or choose another port with "daemon_port" in ${join(home, 'relay.config.json')} or RELAY_PORT.`,
    );
    expect(await processesOf(home)).toEqual([]);
    await writeFile(join(home, 'relay.config.json'), '{ "daemon_port": 0 }');
    expect(await relay('start')).toMatchObject({ exit: 0 });
  });

  it.skipIf(needsOthers)('where the home cannot be created', async () => {
    const { relay } = await machine({ user: NOBODY, path: '../relay-of-nobody' });
    const { exit, err } = await relay('start');
    expect(exit).not.toBe(0);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
    expect(err).toContain('RELAY_HOME');
  });

  it.each([
    ['ahead of', THREE_HOURS],
    ['behind', -THREE_HOURS],
  ])(
    'where the clock is 3 h %s the time: it links, sends and receives, and the doctor sees it',
    async (way, ms) => {
      const demo = await startDemo({
        database: 'private',
        environment: { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}?ms=${ms}` },
      });
      onTestFinished(() => demo.stop());
      await talks(demo);
      const { checks } = await demo.relay.ok<{
        checks: { name: string; found: string; mend: string }[];
      }>('GET', '/api/doctor');
      const clock = checks.find(({ name }) => name === 'clock');
      expect(clock?.found).toBe(`The clock of this machine is 3 h ${way} WhatsApp’s.`);
      expect(clock?.mend).toContain('timedatectl set-ntp true');
    },
  );
});

/** A message each way. */
async function talks(demo: Demo): Promise<void> {
  const [me, ben] = ['15550000000', '15550000001'];
  await demo.phones.add(me, 'Ana');
  await demo.phones.add(ben, 'Ben');
  await demo.link(me);
  await demo.phones.send(ben, me, 'What time is it?');
  await expect
    .poll(async () => (await demo.relay.messages({ contact: ben })).map(({ body }) => body))
    .toContain('What time is it?');
  await demo.relay.send(`+${ben}`, 'Late.');
  await demo.phones.sees(ben, { text: 'Late.' });
}
