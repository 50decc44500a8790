import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { daemonRuntimeSchema } from '@relay/contract/settings';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { claimHome } from './claim.ts';

// PROPERTY_RUNS selects the long run.
const [PROCESSES, ROUNDS] = process.env.PROPERTY_RUNS ? [20, 5] : [8, 3];

let dir: string;
let home: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'relay home '));
  home = join(dir, 'a home with spaces');
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await removeFolder(dir);
});

const mode = (path: string) => statSync(path).mode & 0o777;
const pidIn = (path: string) => readFileSync(join(path, 'daemon.pid'), 'utf8');

async function claimant(): Promise<{ child: ChildProcess; said: string }> {
  const program = new URL('testing/claimant.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [program, home], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [said] = await once(child.stdout, 'data');
  return { child, said: String(said).trim() };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

describe('claiming a home', () => {
  test('writes the pid and the description, and removes both on release', async () => {
    const claim = await claimHome(home);
    expect(pidIn(home)).toBe(`${process.pid}\n`);
    const starting = daemonRuntimeSchema.parse(
      JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')),
    );
    expect(starting).toMatchObject({ pid: process.pid, port: null });
    await claim.announce(4711);
    const ready = daemonRuntimeSchema.parse(
      JSON.parse(readFileSync(join(home, 'daemon.json'), 'utf8')),
    );
    expect(ready).toEqual({ ...starting, port: 4711 });
    await claim.release();
    expect(readdirSync(home)).toEqual(['daemon.lock']);
  });

  test('refuses a second daemon and names the pid of the first, in the same process or another', async () => {
    const claim = await claimHome(home);
    await expect(claimHome(home)).rejects.toMatchObject({
      code: 'home_in_use',
      params: { pid: process.pid, home },
    });
    const other = await claimant();
    expect(other.said).toContain('home_in_use');
    expect(other.said).toContain(`PID ${process.pid}`);
    await claim.release();
    await (await claimHome(home)).release();
  });

  test('takes over from a killed daemon and reports its pid', async () => {
    const { child, said } = await claimant();
    expect(said).toBe('owned -');
    await end(child, 'SIGKILL');
    expect(existsSync(join(home, 'daemon.pid'))).toBe(true);
    const claim = await claimHome(home);
    expect(claim.stalePid).toBe(child.pid);
    expect(pidIn(home)).toBe(`${process.pid}\n`);
    await claim.release();
  });

  test('takes over when the pid now belongs to another program', async () => {
    mkdirSync(home, { mode: 0o700 });
    writeFileSync(join(home, 'daemon.pid'), `${process.ppid}\n`, { mode: 0o600 });
    const claim = await claimHome(home);
    expect(claim.stalePid).toBe(process.ppid);
    await claim.release();
  });

  test('leaves exactly one owner when several processes claim the home at once, in every round', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const all = await Promise.all(Array.from({ length: PROCESSES }, claimant));
      const owners = all.filter(({ said }) => said.startsWith('owned'));
      expect(owners).toHaveLength(1);
      const [owner] = owners;
      expect(pidIn(home)).toBe(`${owner?.child.pid}\n`);
      for (const { said } of all) {
        if (!said.startsWith('owned')) expect(said).toContain(`PID ${owner?.child.pid}`);
      }
      // Every second round begins with the files that a crash leaves behind.
      if (owner) await end(owner.child, round % 2 ? 'SIGTERM' : 'SIGKILL');
    }
  }, 120_000);

  test('leaves exactly one owner of a hundred concurrent claims in one process', async () => {
    for (let round = 0; round < 20; round++) {
      const all = await Promise.allSettled(Array.from({ length: 100 }, () => claimHome(home)));
      const owners = all.filter((result) => result.status === 'fulfilled');
      expect(owners).toHaveLength(1);
      await owners[0]?.value.release();
    }
  });
});

describe('permissions of a home', () => {
  test('a new home is 0700 and its files are 0600', async () => {
    const claim = await claimHome(home);
    expect(mode(home)).toBe(0o700);
    expect(readdirSync(home).sort()).toEqual(['daemon.json', 'daemon.lock', 'daemon.pid']);
    for (const name of readdirSync(home)) expect(mode(join(home, name))).toBe(0o600);
    expect(claim.repairs).toEqual([]);
    await claim.release();
  });

  test('open permissions of a home or its files are corrected and reported', async () => {
    mkdirSync(home);
    chmodSync(home, 0o755);
    writeFileSync(join(home, 'relay.config.json'), '{}');
    chmodSync(join(home, 'relay.config.json'), 0o644);
    const claim = await claimHome(home);
    expect(mode(home)).toBe(0o700);
    expect(mode(join(home, 'relay.config.json'))).toBe(0o600);
    expect(claim.repairs).toHaveLength(2);
    await claim.release();
  });

  test('a home that is a file is refused', async () => {
    writeFileSync(home, '');
    await expect(claimHome(home)).rejects.toMatchObject({
      code: 'home_unusable',
      message: expect.stringContaining('not a directory'),
    });
  });

  test.runIf(process.getuid?.() === 0)('a home of another user is refused', async () => {
    mkdirSync(home);
    const { chownSync } = await import('node:fs');
    chownSync(home, 12345, 12345);
    await expect(claimHome(home)).rejects.toMatchObject({
      code: 'home_unusable',
      message: expect.stringContaining('uid 12345'),
    });
  });
});

describe('watching a home', () => {
  const gone = (claim: Awaited<ReturnType<typeof claimHome>>) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    claim.watch(resolve, 10);
    return promise;
  };

  test('reports that it was deleted', async () => {
    const claim = await claimHome(home);
    const reported = gone(claim);
    await removeFolder(home);
    await reported;
    await claim.release();
    expect(existsSync(home)).toBe(false);
  });

  test('reports that another one is in its place, and leaves that one alone', async () => {
    const claim = await claimHome(home);
    const reported = gone(claim);
    renameSync(home, join(dir, 'moved'));
    mkdirSync(home);
    writeFileSync(join(home, 'daemon.pid'), '4711\n');
    await reported;
    await claim.release();
    expect(pidIn(home)).toBe('4711\n');
  });
});
