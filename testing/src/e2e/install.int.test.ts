// `npm i -g` on a machine that has only Node, with install scripts off: its size, that it runs, and that it can be
// removed. Its behaviour is tested in package.int.test.ts and in the tests of the checkout.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { removeFolder } from '../remove-folder.ts';
import { builtIn } from './built.ts';
import { type Archive, install, pack, uninstall, weigh } from './installed.ts';
import { processesOf, untilGone } from './traces.ts';

const execute = promisify(execFile);
const MB = 1_000_000;
let folder: string;
let archive: Archive;
let command: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'relay-global-'));
  for (const name of ['prefix', 'user', 'tools']) await mkdir(join(folder, name));
  await symlink(process.execPath, join(folder, 'tools/node'));
  archive = await pack(await builtIn(inject('builds')), folder);
  command = await install(archive, { prefix: join(folder, 'prefix') });
}, 240_000);

afterAll(() => removeFolder(folder));

const home = () => join(folder, 'user/.relay-agent');

/** Like a new user's shell: a separate folder, and no program but Node. */
const relay = (...args: string[]) =>
  execute(command, args, {
    cwd: join(folder, 'user'),
    env: { PATH: join(folder, 'tools'), HOME: join(folder, 'user'), RELAY_PORT: '0' },
  });

describe('a global install', { timeout: 120_000 }, () => {
  it('is small: the archive, the installed size and the number of packages', async () => {
    const installed = await weigh(join(folder, 'prefix'));
    const told = `archive ${mb(archive.bytes)} MB, installed ${mb(installed.bytes)} MB, ${installed.packages} packages`;
    console.log(told);
    expect(archive.bytes).toBeLessThan(7 * MB);
    expect(installed.bytes).toBeLessThan(140 * MB);
    expect(installed.packages).toBeLessThan(80);
  });

  it('has one command, which prints its version', async () => {
    expect(await readdir(join(folder, 'prefix/bin'))).toEqual(['relay']);
    const { stdout } = await relay('--version');
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('starts with only Node on the path, and leaves no process after stop and uninstall', async () => {
    await relay('start');
    const { stdout } = await relay('status', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ database: { kind: 'private' } });
    expect(await processesOf(home())).not.toEqual([]);
    await relay('stop');
    await uninstall(join(folder, 'prefix'));
    expect(await untilGone(home())).toEqual([]);
    expect(await readdir(join(folder, 'prefix/lib/node_modules'))).toEqual([]);
    expect(await readdir(join(folder, 'prefix/bin'))).toEqual([]);
  });
});

const mb = (bytes: number): string => (bytes / MB).toFixed(1);
