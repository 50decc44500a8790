// Starting and stopping with the real command, the real daemon and the real database.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../free-port.ts';
import { verifies } from '../verifies.ts';
import { openRelay, type Relay } from './relay.ts';
import { answers, processesOf, untilGone } from './traces.ts';

// Only against hanging.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

/** How long Node takes to start and end on an idle machine. */
const BARE_NODE_MS = 50;
const NOT_RUNNING = 'Daemon not running. Run `relay start` first.';

let relay: Relay;
beforeEach(async () => {
  relay = await openRelay({}, { database: 'private' });
});
afterEach(() => relay.end());

describe('without a daemon', () => {
  const dependent = [
    ['status'],
    ['open', '--print'],
    ['token'],
    ['token', '--rotate'],
    ['export'],
    ['import', 'some.tar.gz'],
  ];

  it('every command that needs a daemon says how to start it, and touches nothing', async () => {
    verifies('AC-1.4', '003-ERR-NOT-RUNNING', '003-CLI-STDERR');
    for (const args of dependent) {
      const said = await relay.run(...args);
      expect({ args, ...said }).toEqual({ args, exit: 3, out: '', err: `${NOT_RUNNING}\n` });
    }
    expect(readdirSync(relay.work)).toEqual([]);
  });

  it('relay status reports it to programs too', async () => {
    verifies('AC-1.4', '003-CLI-JSON');
    const { exit, out, err } = await relay.run('status', '--json');
    expect({ exit, out }).toEqual({ exit: 3, out: '' });
    expect(JSON.parse(err)).toEqual({
      error: 'Daemon not running.',
      code: 'daemon_not_running',
      action: 'Run `relay start` first.',
    });
  });

  it('relay stop has nothing to do', async () => {
    expect(await relay.run('stop')).toEqual({
      exit: 0,
      out: 'The daemon is not running.\n',
      err: '',
    });
  });
});

describe('relay start', () => {
  it('leaves one daemon in the background that writes its PID and listens only on loopback', async () => {
    verifies('AC-1.1', '003-CLI-START', '003-SEC-LOOPBACK');
    const { exit, out } = await relay.run('start');
    const { pid, port } = relay;
    expect({ exit, out }).toEqual({
      exit: 0,
      out: `Relay is running (PID ${pid}) at http://127.0.0.1:${port}\nSign in with \`relay open\`; check the state with \`relay status\`.\n`,
    });
    const stat = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
    const [, parent, , session] = stat;
    // In its own session and not our child: closing the terminal does not end it.
    expect(Number(session)).toBe(pid);
    expect(Number(parent)).not.toBe(process.pid);
    expect(await answers('127.0.0.1', port)).toBe(true);
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address))
      .filter((address) => address !== '127.0.0.1');
    for (const address of [...others, '127.0.0.2', '::1']) {
      expect({ address, open: await answers(address, port) }).toEqual({ address, open: false });
    }
    await startsNoSecond();
  });

  async function startsNoSecond(): Promise<void> {
    verifies('AC-1.3');
    const daemons = async () =>
      (await processesOf(relay.home)).filter((line) => line.includes('daemon/main.js'));
    const before = await daemons();
    expect(before).toHaveLength(1);
    expect(await relay.run('start')).toEqual({
      exit: 0,
      out: `The daemon is already running (PID ${relay.pid}).\n`,
      err: '',
    });
    expect(await daemons()).toEqual(before);
  }

  it('listens on 3214 unless told otherwise', async ({ skip }) => {
    if (await answers('127.0.0.1', 3214)) skip('another program has port 3214');
    verifies('AC-1.1');
    await relay.start({ RELAY_PORT: undefined });
    expect(relay.port).toBe(3214);
    expect(await relay.call('GET', '/api/status')).toMatchObject({ status: 200 });
  });

  it('listens on the daemon_port of relay.config.json', async () => {
    verifies('003-EXT-PORT');
    const port = await freePort();
    await relay.configure({ daemon_port: port });
    await relay.start({ RELAY_PORT: undefined });
    expect(relay.port).toBe(port);
    expect(await answers('127.0.0.1', port)).toBe(true);
  });
});

describe('relay stop', () => {
  it('flushes everything and leaves nothing running; the next start finds it all', async () => {
    verifies('AC-1.2', 'AC-9.1', '003-CLI-STOP', '003-NFR-NO-LOSS');
    const config = { model_provider: 'anthropic' };
    await relay.configure(config);
    const first = await took(() => relay.start());
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.push(await relay.create(`+1415555010${n % 10}`));
    const [oldest = '', ...others] = ids;
    await relay.settled(oldest);
    // Without WhatsApp it stays queued, and the agent waits for it.
    await relay.call('POST', `/api/instances/${oldest}/send`, { message: 'Is Tuesday good?' });
    for (const id of others) await relay.settled(id);
    const before = await everything(relay);
    const { port } = relay;

    await relay.stop();
    expect(await untilGone(relay.home)).toEqual([]);
    expect(await answers('127.0.0.1', port)).toBe(false);
    expect(readdirSync(relay.home)).not.toContain('daemon.pid');

    const again = await took(() => relay.start());
    expect(await everything(relay)).toEqual(before);
    expect(before.instances).toHaveLength(12);
    expect(before.transcript).toMatchObject([{ role: 'manual', content: 'Is Tuesday good?' }]);
    expect(JSON.parse(readFileSync(join(relay.home, 'relay.config.json'), 'utf8'))).toEqual(config);
    await isQuick([first, again]);
  });

  /**
   * The limits hold for an idle machine. They are scaled by how much longer this machine takes to start a bare Node.
   */
  async function isQuick(starts: number[]): Promise<void> {
    verifies('003-NFR-START', '003-NFR-CLI');
    const bareNode = () => promisify(execFile)(process.execPath, ['-e', '0']);
    const bare = [await took(bareNode), await took(bareNode)];
    const commands: Record<string, number> = {};
    for (const args of [['status'], ['status', '--json'], ['token'], ['logs']]) {
      const times = [await took(() => relay.run(...args)), await took(() => relay.run(...args))];
      commands[args.join(' ')] = Math.min(...times);
      bare.push(await took(bareNode));
    }
    const slowness = Math.max(1, Math.max(...bare) / BARE_NODE_MS);
    expect(Math.min(...starts) / slowness).toBeLessThan(5_000);
    for (const [command, ms] of Object.entries(commands))
      expect({ command, slow: ms / slowness >= 1_000 }).toEqual({ command, slow: false });
  }
});

async function everything(from: Relay) {
  const { json: instances } = await from.call('GET', '/api/instances?limit=500');
  const oldest = (instances as { id: string }[]).at(-1)?.id;
  const { json: transcript } = await from.call('GET', `/api/instances/${oldest}/transcript`);
  return { instances, transcript };
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
