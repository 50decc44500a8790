// `relay demo --headless`: its output, its addresses, and that nothing of it remains.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { removeFolder } from '../remove-folder.ts';
import { builtIn } from './built.ts';
import { type DemoLine, type Headless, holdDemo } from './headless.ts';
import { answers, untilGone } from './traces.ts';

const command = async () => join(await builtIn(inject('builds')), 'bin/relay.js');

async function hold(...args: string[]): Promise<Headless> {
  const demo = await holdDemo(await command(), ...args);
  onTestFinished(async () => {
    demo.letGo();
    await demo.ended;
  });
  return demo;
}

async function leavesNothing({ api, simulator, model, home }: DemoLine): Promise<void> {
  expect(await untilGone(home)).toEqual([]);
  for (const url of [api, simulator, model])
    expect({ url, open: await answers('127.0.0.1', Number(new URL(url).port)) }).toEqual({
      url,
      open: false,
    });
}

const daemonPid = async ({ home }: DemoLine) =>
  Number(await readFile(join(home, 'daemon.pid'), 'utf8'));

describe('relay demo --headless', { timeout: 180_000 }, () => {
  it('prints one line, answers at every address in it, and ends with its standard input', async () => {
    const demo = await hold();
    const { api, token, simulator, model, home } = demo.line;
    expect(Object.keys(demo.line)).toEqual(['api', 'token', 'simulator', 'model', 'home']);
    const status = await fetch(`${api}/api/status`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(await status.json()).toMatchObject({ home });
    expect((await fetch(`${simulator}/counts`)).status).toBe(200);
    expect((await fetch(`${model}/v1/models`)).status).toBe(200);
    demo.letGo();
    expect(await demo.ended).toEqual({ exit: 0, err: '', more: [] });
    expect(existsSync(home)).toBe(false);
    await leavesNothing(demo.line);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends cleanly on %s', async (signal) => {
    const demo = await hold();
    demo.child.kill(signal);
    expect(await demo.ended).toMatchObject({ exit: 0, err: '' });
    expect(existsSync(demo.line.home)).toBe(false);
    await leavesNothing(demo.line);
  });

  it('reports that its daemon was killed, and stops the database too', async () => {
    const demo = await hold();
    process.kill(await daemonPid(demo.line), 'SIGKILL');
    const { exit, err } = await demo.ended;
    expect(exit).toBe(8);
    expect(JSON.parse(err)).toEqual({
      code: 'demo_daemon_ended',
      error: 'The demo’s daemon stopped: it was ended by SIGKILL.',
      action: 'Start the demo again; with --home its log is kept.',
    });
    expect(existsSync(demo.line.home)).toBe(false);
    await leavesNothing(demo.line);
  });

  it('leaves no daemon even when it is killed itself', async () => {
    const demo = await hold();
    demo.child.kill('SIGKILL');
    await demo.ended;
    await leavesNothing(demo.line);
    await removeFolder(dirname(demo.line.home));
  });

  it('keeps a requested home, and reuses it', async () => {
    const home = await mkdtemp(join(tmpdir(), 'relay demo home '));
    onTestFinished(async () => {
      await removeFolder(home);
      await rm(`${home}.key`, { force: true });
    });
    const first = await hold('--home', home);
    first.letGo();
    await first.ended;
    const again = await hold('--home', home);
    expect(again.line).toMatchObject({ home, token: first.line.token });
  });

  it('accepts a chosen home only for programs', async () => {
    const args = [await command(), 'demo', '--home', '/nowhere'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect({ status, stderr: stderr.split('\n', 1) }).toEqual({
      status: 2,
      stderr: ['--home needs --headless; the interactive demo uses a new folder each time.'],
    });
  });
});
