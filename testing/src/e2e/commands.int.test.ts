// The commands of a running Relay, for people and for programs.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { statusSchema } from '@relay/contract/api/status';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { rawRequest } from './raw-request.ts';
import { openRelay, type Relay } from './relay.ts';

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay();
  await relay.start();
  await relay.settled(await relay.create());
});
afterAll(() => relay.end());
beforeEach(() => relay.ensureStarted());

describe('relay status', () => {
  it('shows PID, uptime, the state of WhatsApp and the number of active conversations', async () => {
    verifies('AC-7.4', '003-CLI-STATUS');
    const { exit, out, err } = await relay.run('status');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(out).toMatch(/^● Relay is running\.$/m);
    expect(out).toMatch(new RegExp(`^ {2}PID +${relay.pid}$`, 'm'));
    expect(out).toMatch(/^ {2}Uptime +\d+ (s|min)/m);
    expect(out).toMatch(/^ {2}WhatsApp +Not connected to WhatsApp/m);
    expect(out).toMatch(/^ {2}Conversations +1 active(, 1 waiting for you)?, 1 total$/m);
    expect(out).toMatch(/^ {2}Sending +Waiting: no phone is linked$/m);
    expect(out).toMatch(/^ {2}Database +external PostgreSQL \d+/m);
  });

  it('prints one JSON object for programs', async () => {
    verifies('AC-7.5', '003-CLI-STATUS', '003-CLI-JSON', '003-DATA-STATUS');
    const { exit, out, err } = await relay.run('status', '--json');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(out.trimEnd()).not.toContain('\n');
    const status = statusSchema.strict().parse(JSON.parse(out));
    expect(status).toMatchObject({
      pid: relay.pid,
      whatsapp_connected: false,
      active_instance_count: 1,
      total_instance_count: 1,
    });
    expect(status.uptime_seconds).toBeLessThan(600);
  });
});

describe('--json', () => {
  it('works for every command, before it or after it', async () => {
    verifies('003-CLI-JSON');
    for (const args of [
      ['start'],
      ['status'],
      ['logs', '-n', '1'],
      ['open'],
      ['token'],
      ['export', 'one.tar.gz', '--force'],
      ['completion', 'zsh'],
    ]) {
      for (const given of [
        [...args, '--json'],
        ['--json', ...args],
      ]) {
        const { exit, out, err } = await relay.run(...given);
        expect({ given, exit, err }).toEqual({ given, exit: 0, err: '' });
        expect(JSON.parse(out)).toBeTypeOf('object');
      }
    }
    // No phone is linked here, which is a problem to fix.
    for (const given of [
      ['doctor', '--json'],
      ['--json', 'doctor'],
    ]) {
      const { exit, out, err } = await relay.run(...given);
      expect({ given, exit, err }).toEqual({ given, exit: 1, err: '' });
      expect(JSON.parse(out)).toMatchObject({ ok: false });
    }
  });

  it('prints an error as JSON on standard error', async () => {
    verifies('003-CLI-JSON', '003-CLI-STDERR');
    const { exit, out, err } = await relay.run('import', 'one.tar.gz', '--json');
    expect({ exit, out }).toEqual({ exit: 5, out: '' });
    expect(JSON.parse(err)).toEqual({
      error: expect.stringMatching(
        /^This home already contains data: contacts, chats and \d other tables\. Nothing was/,
      ),
      code: 'import_not_empty',
      action:
        'Import into an empty home: set RELAY_HOME to a new folder. To add one account to this home, use `--as <name>`.',
    });
  });
});

describe('relay logs', () => {
  it("shows the daemon's log, and continues with -f", async () => {
    expect((await relay.run('logs')).out).toMatch(/info +ready .*pid=\d+ port=\d+/);
    const countLines = (text: string) => text.split('\n').length - 1;
    const before = countLines(relay.file('relay.log'));
    const follower = relay.spawn(['logs', '-f', '-n', '1']);
    let out = '';
    follower.stdout.on('data', (chunk) => {
      out += chunk;
    });
    try {
      // It follows from before the first line that it prints.
      await expect.poll(() => out).toContain('\n');
      await relay.stop();
      await expect.poll(() => out).toContain('stopping');
      expect(out.match(/info +stopping/g)).toHaveLength(1);
      const since = countLines(relay.file('relay.log')) - before;
      expect(countLines(out)).toBeLessThanOrEqual(1 + since);
    } finally {
      follower.kill();
    }
  });
});

describe('relay token --rotate', () => {
  it('refuses the old token at once and accepts the new one', async () => {
    const old = relay.token;
    const { exit, out } = await relay.run('token', '--rotate');
    expect(exit).toBe(0);
    expect(out.trim()).toBe(relay.token);
    expect(relay.token).not.toBe(old);
    const withOld = { headers: { authorization: `Bearer ${old}` } };
    expect((await relay.call('GET', '/api/status', undefined, withOld)).status).toBe(401);
    expect((await relay.call('GET', '/api/status')).status).toBe(200);
    expect(await relay.run('status')).toMatchObject({ exit: 0 });
    expect(statSync(join(relay.home, 'token')).mode & 0o777).toBe(0o600);
  });
});

describe('relay open --print', () => {
  const visit = (path: string, headers: Record<string, string> = {}) =>
    rawRequest({ port: relay.port, method: 'GET', path, headers });

  it('prints an address that signs one browser in, once', async () => {
    const { exit, out } = await relay.run('open', '--print');
    const url = new URL(out.trim());
    expect({ exit, origin: url.origin }).toEqual({
      exit: 0,
      origin: `http://127.0.0.1:${relay.port}`,
    });
    const signedIn = await visit(`${url.pathname}${url.search}`);
    expect(signedIn).toMatchObject({ status: 302, headers: { location: '/' } });
    const [cookie = ''] = signedIn.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; HttpOnly/);
    expect(cookie).toMatch(/; SameSite=Strict/);
    const session = { cookie: cookie.split(';')[0] ?? '' };

    const page = await visit('/', session);
    expect(page).toMatchObject({ status: 200 });
    expect(page.text).toContain('<!doctype html>');
    const script = /src="([^"]+\.js)"/.exec(page.text)?.[1] ?? 'none';
    expect(await visit(script, session)).toMatchObject({ status: 200 });
    expect(await visit('/api/status', session)).toMatchObject({ status: 200 });
    expect(await visit('/api/status')).toMatchObject({ status: 401 });

    const again = await visit(`${url.pathname}${url.search}`);
    expect(again).toMatchObject({ status: 401, json: { code: 'login_code_invalid' } });
    expect(again.headers['set-cookie']).toBeUndefined();

    await relay.run('token', '--rotate');
    expect(await visit('/api/status', session)).toMatchObject({ status: 401 });
  });
});

describe('relay completion', () => {
  it.each(['bash', 'zsh', 'fish'])(
    'prints a script for %s that contains every command',
    async (shell) => {
      const { exit, out, err } = await relay.run('completion', shell);
      expect({ exit, err }).toEqual({ exit: 0, err: '' });
      for (const name of ['start', 'stop', 'status', 'doctor', 'logs', 'open', 'token', 'export'])
        expect(out).toContain(name);
    },
  );
});

it('no command changes the home; only the daemon does', async () => {
  verifies('003-CLI-NO-STORAGE');
  await relay.stop();
  const tree = () =>
    (readdirSync(relay.home, { recursive: true }) as string[]).sort().map((name) => {
      const path = join(relay.home, name);
      const { mode, mtimeMs, size } = statSync(path);
      return { name, mode, mtimeMs, size };
    });
  const before = tree();
  const token = readFileSync(join(relay.home, 'token'), 'utf8');
  for (const args of [
    ['status'],
    ['doctor'],
    ['logs'],
    ['open'],
    ['token', '--rotate'],
    ['export', 'two.tar.gz'],
    ['import', 'one.tar.gz'],
    ['stop'],
  ])
    await relay.run(...args);
  expect(tree()).toEqual(before);
  expect(relay.token).toBe(token.trim());
});
