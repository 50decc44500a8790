// Another user of the machine can see nothing of a running Relay.
import { spawn } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { onGivenServer, openRelay, PRIVATE_ONLY, type Relay } from './relay.ts';
import { processesOf } from './traces.ts';

const isRoot = process.getuid?.() === 0;
const KEY = 'sk-ant-canary-0123456789abcdef';

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay({}, { database: 'private' });
  await relay.configure({ model_api_key: KEY, log_level: 'debug' });
  await relay.start();
  await relay.settled(await relay.create());
  await relay.run('open');
  await relay.run('export', join(relay.home, 'backup.tar.gz'));
});
afterAll(() => relay.end());

function below(directory: string): string[] {
  return readdirSync(directory).flatMap((name) => {
    const path = join(directory, name);
    return lstatSync(path).isDirectory() ? [path, ...below(path)] : [path];
  });
}

const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);
const data = () => join(relay.home, 'postgres/data');
/** The user nobody, or the next one if PostgreSQL itself runs as nobody. */
function stranger(): { uid: number; gid: number } {
  const taken = onGivenServer ? 0 : statSync(data()).uid;
  return taken === 65_534 ? { uid: 65_533, gid: 65_533 } : { uid: 65_534, gid: 65_534 };
}

/** The output of a shell of the other user. */
async function asStranger(script: string, args: string[] = [], input = ''): Promise<string> {
  const shell = spawn('/bin/bash', ['-c', script, 'stranger', ...args], {
    ...stranger(),
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  // A shell without a script may exit before it reads its empty input.
  shell.stdin.on('error', () => {}).end(input);
  return text(shell.stdout);
}

describe('the home', () => {
  it('is 0700 and every file in it 0600', () => {
    verifies('003-SEC-FILES');
    expect(modeOf(relay.home)).toBe('700');
    const ours = below(relay.home).filter((path) => !path.startsWith(`${data()}/`));
    expect(ours.length).toBeGreaterThan(8);
    const open = ours
      .map((path) => ({ path, mode: modeOf(path), directory: lstatSync(path).isDirectory() }))
      .filter(({ mode, directory }) => mode !== (directory ? '700' : '600'));
    expect(open).toEqual([]);
  });

  it('contains a data directory that only PostgreSQL can read', ({ skip }) => {
    if (onGivenServer) skip(PRIVATE_ONLY);
    const open = below(data())
      .filter((path) => !lstatSync(path).isSymbolicLink())
      .map((path) => ({ path, mode: lstatSync(path).mode }))
      .filter(({ mode }) => (mode & 0o077) !== 0 && (mode & 0o170000) !== 0o140000);
    expect(open).toEqual([]);
  });
});

describe.skipIf(!isRoot)('another user of the machine', () => {
  it('can list no directory and read no file', async () => {
    verifies('003-SEC-FILES');
    const paths = [relay.home, ...below(relay.home)];
    expect(paths.length).toBeGreaterThan(9);
    const script = `n=0; while IFS= read -r path; do n=$((n + 1))
      if [ -r "$path" ] || [ -w "$path" ] || [ -x "$path" ]; then echo "$path"; fi; done; echo "$n tried"`;
    const tried = await asStranger(script, [], `${paths.join('\n')}\n`);
    expect(tried).toBe(`${paths.length} tried\n`);
    expect(await asStranger('ls "$1"; cat "$1"/*; cat "$1/token"', [relay.home])).toBe('');
    // The other user can read where that is allowed, so the refusals above are meaningful.
    expect(await asStranger('ls "$1"', [relay.work])).toContain('a home');
  });

  it('gets 401 from the port', async () => {
    const script =
      'exec 3<>/dev/tcp/127.0.0.1/$1; printf "GET /api/status HTTP/1.1\\r\\nHost: 127.0.0.1:$1\\r\\nConnection: close\\r\\n\\r\\n" >&3; cat <&3';
    const answer = await asStranger(script, [String(relay.port)]);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).not.toContain(relay.home);
  });

  it("finds no secret in the system's information about our processes", async () => {
    const secrets = [relay.token, KEY, ...(onGivenServer ? [] : [relay.databasePassword])];
    const pids = (await processesOf(relay.home)).map((line) => line.split(' ')[0] ?? '');
    expect(pids).toContain(String(relay.pid));
    if (!onGivenServer) expect(pids.length).toBeGreaterThan(3);
    for (const pid of pids) {
      const seen = await asStranger('cd /proc/$1 && cat cmdline environ; ls cwd/ fd', [pid]);
      expect(seen).not.toBe('');
      expect(secrets.filter((secret) => seen.includes(secret))).toEqual([]);
      expect(seen).not.toContain('RELAY_HOME');
      // Not even root finds one: what PostgreSQL is given contains no secret.
      if (pid === String(relay.pid)) continue;
      const given = readFileSync(`/proc/${pid}/environ`, 'utf8');
      expect(secrets.filter((secret) => given.includes(secret))).toEqual([]);
    }
  });
});
