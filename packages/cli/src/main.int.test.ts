import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { statusSchema } from '@relay/contract/api/status';
import { CLIENT_SCOPES } from '@relay/contract/policy/scopes';
import { removeFolder } from '@relay/testing/remove-folder';
import { startTerminalUser } from '@relay/testing/terminal-user';
import { verifies } from '@relay/testing/verifies';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { CLI_COMMANDS } from './catalogue.ts';
import { build, occupy, open, type Relay } from './testing/command.ts';

const NOT_RUNNING = 'Daemon not running. Run `relay start` first.';

let built: string;
let relay: Relay;
beforeAll(() => {
  built = build();
});
afterAll(() => removeFolder(built));
beforeEach(async () => {
  relay = await open(built);
});
afterEach(() => relay.end());

const pid = () => Number(readFileSync(join(relay.home, 'daemon.pid'), 'utf8'));

describe('without a daemon', () => {
  test.each([
    ['status'],
    ['open'],
    ['token'],
    ['token', '--rotate'],
    ['export'],
    ['backup'],
    ['backup', 'list'],
    ['backup', '--to', '.'],
    ['backup', 'encrypt', '--off'],
    ['top'],
    ['import', 'x.tar.gz'],
    ['whatsapp', 'disconnect'],
    ['messages'],
    ['messages', 'send', '491701234567', 'Hello'],
    ['suggest', 'Ana'],
    ['create', '--objective', 'Get a quote', '--contact', '+491701234567'],
    ['list'],
    ['list', '--watch'],
    ['get', '1a2b3c4d'],
    ['transcript', '1a2b3c4d'],
    ['cancel', '1a2b3c4d'],
    ['pause', '1a2b3c4d'],
    ['resume', '1a2b3c4d'],
    ['send', '1a2b3c4d', 'Hello'],
    ['approvals'],
    ['approvals', 'approve'],
    ['approvals', 'edit', '1a2b3c4d', 'other', 'words'],
    ['approvals', 'reject', '1a2b3c4d', '--reason', 'no'],
    ['hold', 'on', 'holiday'],
    ['release'],
  ])('relay %s says how to start it and exits 3', async (...args) => {
    expect(await relay.call(...args)).toEqual({ exit: 3, out: '', err: `${NOT_RUNNING}\n` });
    const json = await relay.call(...args, '--json');
    expect({ ...json, err: JSON.parse(json.err) }).toEqual({
      exit: 3,
      out: '',
      err: {
        error: 'Daemon not running.',
        code: 'daemon_not_running',
        action: 'Run `relay start` first.',
      },
    });
  });

  test('an option after a subcommand belongs to the subcommand', async () => {
    expect(await relay.call('approvals', 'list', '--state', 'lost')).toEqual({
      exit: 2,
      out: '',
      err: 'Give --state one of pending, approved, declined, expired.\n',
    });
  });

  test('relay stop succeeds with nothing to do', async () => {
    expect(await relay.call('stop')).toMatchObject({
      exit: 0,
      out: expect.stringContaining('not running'),
    });
  });

  test('relay doctor still works', async () => {
    const { exit, out } = await relay.run('doctor');
    expect(exit).toBe(0);
    expect(out).toContain('! daemon     Not running.');
    expect(out).toContain('→ Run `relay start`.');
  });

  test('relay doctor exits 1 when something is broken, and says how to fix it', async () => {
    const server = await occupy(relay.port);
    const { exit, out } = await relay.run('doctor');
    server.close();
    expect(exit).toBe(1);
    expect(out).toContain(`✗ port       Port ${relay.port} is in use by another program.`);
    expect(out).toContain('"daemon_port"');
  });
});

describe('start and stop', () => {
  test('starts, prints the address, is already running the second time, and stops flushed', async () => {
    const started = await relay.run('start');
    expect(started.exit).toBe(0);
    expect(started.out).toContain(
      `Relay is running (PID ${pid()}) at http://127.0.0.1:${relay.port}`,
    );
    expect(started.err).toBe('Starting the daemon …\nStarting the database …\n');
    expect(await relay.run('start')).toMatchObject({
      exit: 0,
      out: `The daemon is already running (PID ${pid()}).\n`,
    });
    expect(await relay.run('stop')).toMatchObject({
      exit: 0,
      out: 'Stopped. All data is saved.\n',
    });
    expect(await relay.call('status')).toMatchObject({ exit: 3 });
  });

  test('relay start waits for a daemon that is stopping, and then starts one', async () => {
    verifies('003-CLI-START');
    await relay.run('start');
    const stopping = pid();
    // While this file is there, the fake daemon refuses requests and does not end.
    const held = join(relay.home, 'stopping');
    writeFileSync(held, '');
    process.kill(stopping, 'SIGTERM');
    const child = relay.spawn('start');
    const out = text(child.stdout as Readable);
    let err = '';
    for await (const piece of child.stderr as Readable) {
      err += piece;
      if (err.includes('Waiting')) rmSync(held, { force: true });
    }
    rmSync(held, { force: true });
    expect({ out: await out, err }).toEqual({
      out: expect.stringMatching(/^Relay is running \(PID \d+\) at /),
      err: `Waiting for the daemon (PID ${stopping}) to stop …\nStarting the daemon …\nStarting the database …\n`,
    });
    expect(pid()).not.toBe(stopping);
    expect(await relay.call('status')).toMatchObject({ exit: 0 });
  });

  test('relay start fails if the daemon that is stopping does not end in time', async () => {
    verifies('003-CLI-START');
    await relay.serve();
    const file = join(relay.home, 'daemon.json');
    // Nothing listens on this port: a stopping daemon has closed its own.
    const port = 1;
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), port }));
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      now += 10_000;
      return now;
    });
    try {
      expect(await relay.call('start')).toEqual({
        exit: 8,
        out: '',
        err: `Waiting for the daemon (PID ${process.pid}) to stop …\nThe daemon (PID ${process.pid}) did not stop within 60 s. End it with \`kill -9 ${process.pid}\`; acknowledged data is safe.\n`,
      });
    } finally {
      clock.mockRestore();
    }
  });

  test('creates a home and an output file that only the owner can read', async () => {
    await relay.run('start');
    expect(statSync(relay.home).mode & 0o777).toBe(0o700);
    expect(statSync(join(relay.home, 'daemon.out')).mode & 0o777).toBe(0o600);
  });

  test('neither trusts a stale PID nor signals the process that now has it', async () => {
    const stranger = spawn('sleep', ['60']);
    mkdirSync(relay.home);
    writeFileSync(join(relay.home, 'daemon.pid'), `${stranger.pid}\n`);
    writeFileSync(
      join(relay.home, 'daemon.json'),
      JSON.stringify({ pid: stranger.pid, port: relay.port, process_start: 'before the flood' }),
    );
    expect(await relay.run('stop')).toMatchObject({ exit: 0 });
    expect(await relay.call('status')).toMatchObject({ exit: 3, err: `${NOT_RUNNING}\n` });
    expect(await relay.run('start')).toMatchObject({ exit: 0 });
    expect(pid()).not.toBe(stranger.pid);
    expect(stranger.signalCode).toBeNull();
    stranger.kill();
  });

  test('says which port is in use and what to do', async () => {
    const server = await occupy(relay.port);
    const started = await relay.run('start');
    server.close();
    expect(started.exit).toBe(8);
    expect(started.out).toBe('');
    expect(started.err).toContain(
      `Port ${relay.port} is in use by another program. Stop that program, or`,
    );
  });

  test('reports a daemon that ends without output', async () => {
    mkdirSync(relay.home);
    writeFileSync(join(relay.home, 'crash'), '');
    expect(await relay.run('start', '--json')).toMatchObject({
      exit: 8,
      err: expect.stringContaining('it ended with code 7.'),
    });
  });

  test('does not report a flush that did not happen', async () => {
    await relay.run('start');
    writeFileSync(join(relay.home, 'hasty'), '');
    const { exit, out, err } = await relay.run('stop', '--json');
    expect({ exit, err }).toEqual({ exit: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ stopped: true, flushed: false });
  });

  test('runs in the foreground until it is stopped', async () => {
    const child = relay.spawn('start', '--foreground');
    let said = '';
    for await (const piece of child.stderr as NodeJS.ReadableStream) {
      said += piece;
      if (said.includes('`relay status`')) break;
    }
    expect(said).toContain(`Relay is running (PID ${pid()}) at`);
    expect(await relay.call('status')).toMatchObject({ exit: 0 });
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await gone).toEqual([0, null]);
    expect(existsSync(join(relay.home, 'daemon.pid'))).toBe(false);
  });
});

describe('with a daemon', () => {
  beforeEach(async () => {
    await relay.serve();
  });

  test('relay status shows everything, without colours when redirected', async () => {
    const { exit, out } = await relay.call('status');
    expect(exit).toBe(0);
    for (const part of [
      'Relay is running.',
      String(pid()),
      '1 h 2 min',
      'No WhatsApp account is linked yet.',
      '2 active, 5 total',
      'Waiting: no phone is linked',
      'private PostgreSQL 18.4, schema 1',
      '1 waiting, 0 running, 1 timer set',
    ]) {
      expect(out).toContain(part);
    }
    expect(out).not.toContain('\u001b');
  });

  test('relay status has colours at a terminal unless NO_COLOR is set', async () => {
    const onTerminal = async (env: Record<string, string>) => {
      const person = startTerminalUser({ built, home: relay.home, env }, 'status');
      expect(await person.exit).toBe(0);
      return person.raw();
    };
    expect(await onTerminal({})).toContain('\u001b[32m●');
    const plain = await onTerminal({ NO_COLOR: '1' });
    expect(plain).toContain('Relay is running.');
    expect(plain).not.toContain('\u001b');
  });

  test('relay status --json prints the response of the API', async () => {
    const { out } = await relay.call('status', '--json');
    expect(statusSchema.parse(JSON.parse(out))).toMatchObject({ pid: pid() });
  });

  test('relay open prints the address on a machine without a desktop', async () => {
    const { out } = await relay.call('open');
    expect(out).toContain(`http://127.0.0.1:${relay.port}/login?code=once&next=/`);
    expect((await relay.call('open', '--print')).out).toBe(
      `http://127.0.0.1:${relay.port}/login?code=once&next=/\n`,
    );
  });

  test('relay token prints the token and rotates it', async () => {
    const before = await relay.call('token');
    const rotated = await relay.call('token', '--rotate');
    expect(rotated.out).not.toBe(before.out);
    expect((await relay.call('token')).out).toBe(rotated.out);
    expect(await relay.call('status')).toMatchObject({ exit: 0 });
  });

  test('relay token create shows the secret once, and --help explains every scope', async () => {
    const request = ['--name', 'claude', '--scopes', 'messages:read,messages:send'];
    const made = await relay.call(
      'token',
      'create',
      ...request,
      '--no-confirm',
      '--expires',
      '90d',
    );
    expect(made).toEqual({ exit: 0, out: 'relay_program_fake\n', err: '' });
    const list = await relay.call('token', 'list');
    expect(list.out).toMatch(/^claude\n {2}Scopes: messages:read, messages:send\. Contacts: all/);
    expect(list.out).not.toContain('relay_program_fake');
    expect((await relay.call('token', 'rotate', 'claude')).out).toBe('relay_program_new\n');
    expect((await relay.call('token', 'revoke', 'claude')).out).toBe(
      'Revoked the token claude. Its queued messages are not sent.\n',
    );
    const { out } = await relay.call('token', 'create', '--help');
    for (const scope of CLIENT_SCOPES) expect(out).toContain(`  ${scope} `);
    expect(await relay.call('token', 'create', '--name', 'a', '--scopes', 'all')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('all is not a scope.'),
    });
  });

  test('relay observe token shows the forwarder token once', async () => {
    const made = await relay.call('observe', 'token');
    expect(made).toMatchObject({ exit: 0, out: 'relay_forwarder_fake\n' });
    const again = await relay.call('observe', 'token');
    expect(again.out).toContain('cannot be shown again');
    expect(again.out).not.toContain('relay_forwarder_fake');
    expect((await relay.call('observe', 'token', '--revoke')).out).toContain('Token revoked.');
  });

  test('relay memory import reports what was imported and what was skipped', async () => {
    writeFileSync(join(dirname(relay.home), 'chat.txt'), 'x');
    const { exit, out } = await relay.call('memory', 'import', 'chat.txt', '--me', 'Ana');
    expect(exit).toBe(0);
    expect(out).toBe(
      [
        'Holliday (new): 1900 messages from 4 people, 2024-01-01 to 2026-03-12.',
        '1800 added, 100 already stored.',
        'Skipped: 30 WhatsApp system messages, 70 media not included in the export.',
        '',
      ].join('\n'),
    );
    const missing = await relay.call('memory', 'import', 'no.txt');
    expect(missing).toMatchObject({ exit: 2, err: expect.stringContaining('does not exist') });
  });

  test('a wrong token is refused with exit 6', async () => {
    writeFileSync(join(relay.home, 'token'), 'relay_wrong\n');
    expect(await relay.call('status')).toMatchObject({
      exit: 6,
      err: expect.stringContaining('A valid token is required.'),
    });
  });

  test('relay export saves a private file and overwrites only when told to', async () => {
    expect(await relay.call('export', 'my backup.tar.gz')).toMatchObject({ exit: 0 });
    const file = join(relay.work, 'my backup.tar.gz');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    writeFileSync(file, 'precious');
    expect(await relay.call('export', 'my backup.tar.gz')).toMatchObject({
      exit: 5,
      err: expect.stringContaining('--force'),
    });
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect(await relay.call('export', 'my backup.tar.gz', '--force')).toMatchObject({ exit: 0 });
    expect(await relay.call('import', 'my backup.tar.gz')).toMatchObject({ exit: 0 });
  });

  test('relay export says that the folder does not exist', async () => {
    expect((await relay.call('export', 'missing/a.tar.gz')).err).toMatch(
      /The folder .*missing does not exist\. Create it, or choose another\./,
    );
  });

  test('relay export names the file after the day', async () => {
    const { out } = await relay.call('export', '--json');
    expect(JSON.parse(out).file).toMatch(/relay-\d{4}-\d\d-\d\d\.tar\.gz$/);
  });

  test('relay import refuses a file that is not an archive before it sends anything', async () => {
    writeFileSync(join(relay.work, 'notes.txt'), 'hello');
    expect(await relay.call('import', 'notes.txt')).toMatchObject({ exit: 2 });
    expect(await relay.call('import', 'missing')).toMatchObject({
      exit: 2,
      err: 'missing does not exist.\n',
    });
  });

  test('--json of every command parses', async () => {
    writeFileSync(join(relay.home, 'relay.log'), '{"level":"info","msg":"Hello."}\n');
    writeFileSync(join(dirname(relay.home), 'chat.txt'), 'x');
    for (const args of [
      ['start'],
      ['status'],
      ['doctor'],
      ['workers'],
      ['config', 'schema'],
      ['logs'],
      ['open'],
      ['remote'],
      ['remote', 'enable', 'https://relay.example.org'],
      ['remote', 'disable'],
      ['remote', 'pair'],
      ['remote', 'devices'],
      ['remote', 'devices', 'list'],
      ['remote', 'devices', 'remove', 'iPhone'],
      ['token'],
      ['token', '--rotate'],
      ['token', 'create', '--name', 'claude', '--scopes', 'messages:read'],
      ['token', 'list'],
      ['token', 'rotate', 'claude'],
      ['token', 'resume', 'claude'],
      ['token', 'revoke', 'claude'],
      ['notifications'],
      ['notifications', 'test'],
      ['notifications', 'set', 'ntfy', 'https://ntfy.sh/x'],
      ['notifications', 'off', 'ntfy'],
      ['notifications', 'remove', 'Pixel'],
      ['export', 'a.tar.gz'],
      ['backup'],
      ['backup', 'list'],
      ['backup', '--to', '.'],
      ['backup', 'encrypt', '--off'],
      ['import', 'a.tar.gz'],
      ['completion', 'bash'],
      ['whatsapp', 'status'],
      ['whatsapp', 'disconnect'],
      ['messages'],
      ['search', 'dinner', '--in', 'Ana'],
      ['retention'],
      ['retention', 'run'],
      ['retention', 'set', 'Ana', '90'],
      ['forget', 'Ana', '--yes'],
      ['observe', 'token'],
      ['observe', 'token', '--rotate'],
      ['observe', 'token', '--revoke'],
      ['memory', 'outside'],
      ['memory', 'outside', '--folder', '/memory', '--hourly'],
      ['memory', 'import', 'chat.txt', '--me', 'Ana'],
      ['digest', '--day', 'yesterday'],
      ['messages', 'send', '491701234567', 'Hello'],
      ['create', '--objective', 'Get a quote', '--contact', '+491701234567'],
      ['list'],
      ['get', 'c0ffee00'],
      ['transcript', 'c0ffee00'],
      ['pause', 'c0ffee00'],
      ['resume', 'c0ffee00'],
      ['cancel', 'c0ffee00'],
      ['chat', 'Are you there?'],
      ['eval', '--limit', '1', '--yes'],
    ]) {
      const { exit, out, err } = await relay.call(...args, '--json');
      expect({ args, exit, err }).toEqual({ args, exit: 0, err: '' });
      expect(JSON.parse(out)).toBeTypeOf('object');
    }
  });
});

describe('a person at the command line', () => {
  test('is asked before a contact is erased, and sees afterwards what was erased', async () => {
    await relay.serve();
    const asked = await relay.call('forget', 'Ana');
    expect(asked).toMatchObject({ exit: 2, out: '' });
    expect(asked.err).toContain('cannot be undone. Add --yes');
    const { exit, out } = await relay.call('forget', 'Ana', '--yes');
    expect(exit).toBe(0);
    expect(out).toMatch(/^Erased: Ana \(\+491701234567\)/);
    expect(out).toContain('3  messages, with their search entries');
    expect(out).toContain('Not erased:\n  WhatsApp keeps its own.');
  });

  test('sees the first steps without arguments', async () => {
    const { exit, out } = await relay.call();
    expect(exit).toBe(0);
    expect(out).toContain('Get started:');
    expect(out).toContain('`relay help all` lists all commands.');
  });

  test('sees all commands, or one of them, with help', async () => {
    verifies('WORDS-HELP');
    const [plain, short] = [await relay.call(), await relay.call('help')];
    expect([short, await relay.call('--help')]).toEqual([plain, plain]);
    expect(plain.out.match(/^ {2}\w/gm)).toHaveLength(10);
    const { out } = await relay.call('help', 'all');
    for (const { name } of CLI_COMMANDS) expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    const approve = await relay.call('help', 'approvals', 'approve');
    expect(approve).toEqual(await relay.call('approvals', 'approve', '--help'));
    expect(await relay.call('help', 'knit')).toMatchObject({
      exit: 2,
      err: "Unknown command 'knit'. See `relay help all`.\n",
    });
    expect((await relay.call('approvals', 'approve', 'a', 'b')).err).toContain(
      'See `relay approvals approve --help`.',
    );
    expect(await relay.call('-v')).toEqual(await relay.call('--version'));
  });

  test('sees a mistake and where to find help in one line, with exit 2', async () => {
    expect(await relay.call('statsu')).toEqual({
      exit: 2,
      out: '',
      err: "Unknown command 'statsu' (Did you mean status?). See `relay help all`.\n",
    });
    expect((await relay.call('completion', 'csh')).err).toBe(
      "'csh' is not a valid <shell>. Use one of: bash, zsh, fish. See `relay completion --help`.\n",
    );
    expect(await relay.call('logs', '-n', 'many')).toMatchObject({ exit: 2, out: '' });
    expect(await relay.call('logs', '--level', 'loud')).toMatchObject({ exit: 2, out: '' });
  });
});
