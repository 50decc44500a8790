// Checks the Dockerfile and compose.yaml without a container engine: reads both files, and runs the image's command
// as a user without rights and with the image's environment. scripts/containers builds the image and runs it.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { type Compose, readCompose } from '../containers/compose-file.ts';
import { openToEveryone } from '../private-server.ts';
import { removeFolder } from '../remove-folder.ts';
import { builtIn } from './built.ts';
import { untilGone } from './traces.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const NOBODY = 65_534;
/** By an exact tag, never a moving one. */
const PINNED = /^[\w./-]+:\d+\.\d+(\.\d+)?[\w.-]*$/;

/** Instructions of the Dockerfile, in order. */
let instructions: { name: string; rest: string }[];
let compose: Compose;
beforeAll(async () => {
  const lines = (await readFile(join(ROOT, 'Dockerfile'), 'utf8'))
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  instructions = lines.map((line) => {
    const [, name = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    return { name, rest };
  });
  compose = readCompose(join(ROOT, 'compose.yaml'));
});

const all = (name: string) =>
  instructions.filter((one) => one.name === name).map(({ rest }) => rest);
/** Of the final stage. */
const last = (name: string) => all(name).at(-1) ?? '';
const words = (name: string): string[] => JSON.parse(last(name).replace(/^.*CMD /, ''));
const environment = () =>
  Object.fromEntries(
    last('ENV')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );

describe('the Dockerfile', () => {
  it('builds in stages on pinned bases, without install scripts, and runs as an unprivileged user', () => {
    const bases = all('FROM').map((from) => from.split(' ')[0]);
    expect(bases.length).toBeGreaterThan(1);
    for (const base of bases) expect(base).toMatch(PINNED);
    for (const run of all('RUN').filter((one) => /npm (ci|i|install)\b/.test(one))) {
      expect(run).toContain('--ignore-scripts');
    }
    expect(last('USER')).toBe('node');
    expect(instructions.findLastIndex(({ name }) => name === 'USER')).toBeGreaterThan(
      instructions.findLastIndex(({ name }) => name === 'RUN'),
    );
    expect(last('STOPSIGNAL')).toBe('SIGTERM');
    expect(all('ENV').join(' ')).not.toMatch(/PASSWORD|API_KEY|TOKEN/);
  });

  it('keeps the home and its key in two volumes', () => {
    const { RELAY_HOME: home = '', RELAY_KEY_FILE: key = '' } = environment();
    expect(words('VOLUME')).toEqual([home, key.replace(/\/[^/]+$/, '')]);
    expect(last('RUN')).toContain(words('VOLUME').join(' '));
  });
});

describe('compose.yaml', () => {
  it('mounts what the image keeps, on volumes that are declared', () => {
    const { relay, database } = compose.services;
    const at = (volume: string) => volume.split(':')[1];
    expect(relay.volumes.map(at)).toEqual(words('VOLUME'));
    expect(database.volumes.map(at)).toEqual(['/var/lib/postgresql']);
    const named = [...relay.volumes, ...database.volumes].map((volume) => volume.split(':')[0]);
    expect(Object.keys(compose.volumes)).toEqual(named);
  });

  it('has a pinned PostgreSQL 18 with pgvector on loopback only, and waits until it answers', () => {
    const { relay, database } = compose.services;
    expect(database.image).toMatch(/^pgvector\/pgvector:\d+\.\d+\.\d+-pg18$/);
    expect(database).toMatchObject({
      ports: [expect.stringMatching(/^127\.0\.0\.1:/)],
      healthcheck: { test: expect.arrayContaining(['CMD', 'pg_isready']) },
    });
    expect(relay).toMatchObject({ depends_on: { database: { condition: 'service_healthy' } } });
    // There is no default password: compose reports a missing one.
    for (const { environment: given } of [relay, database]) {
      expect(JSON.stringify(given)).toContain('${RELAY_DB_PASSWORD:?');
    }
  });

  it('gives Relay only the rights it needs, and time to stop', () => {
    expect(compose.services.relay).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      pids_limit: 512,
      security_opt: ['no-new-privileges:true'],
      stop_grace_period: '60s',
      network_mode: 'host',
    });
  });

  it('is accepted by docker-compose where it is installed', async ({ skip }) => {
    const command = promisify(execFile);
    const has = await command('docker-compose', ['version']).catch(() => null);
    if (has === null) skip('no docker-compose');
    const env = { PATH: process.env.PATH, RELAY_DB_PASSWORD: 'secret' };
    const { stdout } = await command('docker-compose', ['config'], { cwd: ROOT, env });
    expect(stdout).toContain('postgres://relay:secret@127.0.0.1:54329/relay');
    const without = command('docker-compose', ['config'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH },
    });
    await expect(without).rejects.toThrow('write it into .env');
  });
});

const needsOthers =
  process.getuid?.() === 0 && (await openToEveryone()) ? false : 'needs root and an open checkout';

it.skipIf(needsOthers)(
  "the image's command is healthy, keeps the key separate, and stops on SIGTERM with nothing left",
  { timeout: 180_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'relay-container-'));
    onTestFinished(() => removeFolder(folder));
    await chown(folder, NOBODY, NOBODY);
    for (const volume of words('VOLUME')) {
      await mkdir(join(folder, volume), { mode: 0o700 });
      await chown(join(folder, volume), NOBODY, NOBODY);
    }
    const inside = Object.entries(environment()).map(([name, path]) => [name, join(folder, path)]);
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      ...Object.fromEntries(inside),
      RELAY_PORT: '0',
    };
    expect([words('ENTRYPOINT'), words('HEALTHCHECK')[0]]).toEqual([['relay'], 'relay']);
    const relay = join(await builtIn(inject('builds')), 'bin/relay.js');
    const as = { env, uid: NOBODY, gid: NOBODY, cwd: folder };
    const child = spawn(process.execPath, [relay, ...words('CMD')], as);
    const ended = once(child, 'exit');
    const complaints = text(child.stderr);
    let isReady = false;
    for await (const line of createInterface(child.stdout)) {
      isReady = (JSON.parse(line) as { msg: string }).msg === 'ready';
      if (isReady) break;
    }
    if (!isReady) throw new Error(await complaints);
    const health = [relay, ...words('HEALTHCHECK').slice(1)];
    const { stdout } = await promisify(execFile)(process.execPath, health, as);
    expect(stdout).toContain('Relay is running.');
    expect((await stat(env.RELAY_KEY_FILE)).mode & 0o777).toBe(0o600);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(await untilGone(env.RELAY_HOME)).toEqual([]);
  },
);
