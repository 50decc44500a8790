// Faults around a daemon: it is killed, its PID file is wrong, its port is taken, another one wants its home, it is
// stopped while it works. Nothing acknowledged is ever lost.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { json, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { verifies } from '../verifies.ts';
import { alive, onGivenServer, openRelay, PRIVATE_ONLY, type Relay } from './relay.ts';
import { untilGone } from './traces.ts';

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay({}, { database: 'private' });
});
afterAll(() => relay.end());
beforeEach(() => relay.ensureStarted());

const allIds = async () => {
  const { json } = await relay.call('GET', '/api/instances?limit=500');
  return (json as { id: string }[]).map(({ id }) => id);
};

describe('a daemon that was killed', () => {
  it('is not mistaken for a running one, and the next start cleans up after it', async () => {
    verifies('003-ERR-STALE-PID', '003-LOG-LEVELS', 'AC-1.4');
    const id = await relay.create();
    const dead = relay.pid;
    await relay.kill();
    expect(relay.pid).toBe(dead);
    expect(await relay.run('status')).toMatchObject({
      exit: 3,
      err: 'Daemon not running. Run `relay start` first.\n',
    });
    expect((await relay.run('doctor')).out).toContain(
      `! daemon     Not running; the last daemon (PID ${dead}) did not shut down properly.`,
    );
    await relay.start();
    expect(relay.pid).not.toBe(dead);
    expect(await allIds()).toContain(id);
    expect(relay.file('relay.log')).toMatch(
      /"level":"warn".*"msg":"previous daemon did not stop cleanly"/,
    );
  });

  it('leaves a PostgreSQL that the next one adopts', async ({ skip }) => {
    if (onGivenServer) skip(PRIVATE_ONLY);
    verifies('003-ERR-STALE-PID');
    const postmaster = () => Number.parseInt(relay.file('postgres/data/postmaster.pid'), 10);
    const id = await relay.create();
    const before = postmaster();
    await relay.kill();
    expect(alive(before)).toBe(true);
    await relay.start();
    expect(postmaster()).toBe(before);
    expect(relay.file('relay.log')).toContain('postgres adopted');
    expect(await allIds()).toContain(id);
  });
});

it('relay start does not trust a PID file that names another running program', async () => {
  verifies('003-ERR-STALE-PID');
  await relay.stop();
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    writeFileSync(join(relay.home, 'daemon.pid'), `${stranger.pid}\n`);
    expect(await relay.run('status')).toMatchObject({ exit: 3 });
    expect(await relay.run('stop')).toMatchObject({ exit: 0 });
    await relay.start();
    expect(relay.pid).not.toBe(stranger.pid);
    expect(await relay.call('GET', '/api/status')).toMatchObject({ status: 200 });
    expect({ ended: stranger.exitCode, by: stranger.signalCode }).toEqual({
      ended: null,
      by: null,
    });
  } finally {
    stranger.kill('SIGKILL');
  }
});

it('relay start names the port in use and the solution, and leaves nothing running', async () => {
  verifies('003-ERR-PORT');
  await relay.stop();
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  try {
    const { exit, out, err } = await relay.runWith({ RELAY_PORT: String(port) }, 'start');
    expect({ exit, out }).toEqual({ exit: 8, out: '' });
    expect(err.trimEnd().split('\n').at(-1)).toBe(
      `Port ${port} is in use by another program. Stop that program, or choose another port with "daemon_port" in ${join(relay.home, 'relay.config.json')} or RELAY_PORT.`,
    );
    expect(await untilGone(relay.home)).toEqual([]);
    expect(await relay.run('status')).toMatchObject({ exit: 3 });
  } finally {
    other.close();
  }
});

it('a second daemon in the same home is refused in a sentence', async () => {
  const { pid } = relay;
  const { exit, said } = await relay.runDaemon();
  expect(exit).toBe(8);
  expect(said.at(-1)).toEqual({
    failed: {
      code: 'home_in_use',
      message: `Another daemon (PID ${pid}) uses ${relay.home}. Stop it with \`relay stop\`, or choose another home with RELAY_HOME.`,
      exit: 8,
    },
  });
  expect(relay.pid).toBe(pid);
  expect(await relay.call('GET', '/api/status')).toMatchObject({ status: 200, json: { pid } });
});

describe('a daemon that is stopped while it works', () => {
  it('loses no acknowledged write, however many are in progress', async () => {
    verifies('003-NFR-NO-LOSS', 'AC-1.2');
    const { pid } = relay;
    const acknowledged: string[] = [];
    const client = async (n: number): Promise<void> => {
      for (let i = 0; alive(pid); i++) {
        const contact = `+1415555${1000 + n}${i % 10}`;
        const { status, json } = await relay.call('POST', '/api/instances', {
          objective: 'outlive the stop',
          target_contact: contact,
        });
        if (status !== 201) return;
        acknowledged.push((json as { id: string }).id);
      }
    };
    const clients = Array.from({ length: 6 }, (_, n) => client(n).catch(() => {}));
    while (acknowledged.length < 30) await sleep(10);
    process.kill(pid, 'SIGTERM');
    await Promise.all(clients);
    while (alive(pid)) await sleep(20);
    expect(await untilGone(relay.home)).toEqual([]);

    await relay.start();
    const kept = new Set((await relay.query('SELECT id FROM relay.instances')).map(({ id }) => id));
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
  });

  it('answers the running request before it ends, and stores its effect', async () => {
    verifies('003-NFR-NO-LOSS');
    const { answered, finish } = await beginRequest('arrive late');
    const stopping = relay.run('stop');
    while (!log().includes('"stopping"')) await sleep(20);
    finish();
    const [response] = await answered;
    expect(response.statusCode).toBe(201);
    const { id } = (await json(response)) as { id: string };
    expect(await stopping).toMatchObject({ exit: 0, out: 'Stopped. All data is saved.\n' });
    await relay.start();
    expect(await allIds()).toContain(id);
  });

  it('is not reported as running: relay start waits for its end, and then starts one', async () => {
    verifies('003-CLI-START');
    const { pid } = relay;
    const { answered, finish } = await beginRequest('outlast the stop');
    process.kill(pid, 'SIGTERM');
    while (!log().includes('"stopping"')) await sleep(20);
    const starting = relay.spawn(['start']);
    const out = text(starting.stdout);
    let err = '';
    for await (const piece of starting.stderr) {
      err += piece;
      if (err.includes('Waiting')) finish();
    }
    finish();
    expect({ out: await out, err }).toEqual({
      out: expect.stringMatching(/^Relay is running \(PID \d+\) at /),
      err: expect.stringMatching(`^Waiting for the daemon \\(PID ${pid}\\) to stop …\nStarting `),
    });
    const [response] = await answered;
    expect(response.statusCode).toBe(201);
    expect(relay.pid).not.toBe(pid);
    expect(await relay.call('GET', '/api/status')).toMatchObject({ status: 200 });
  });

  /** A request whose body is not complete: the daemon waits for the rest of it before it ends. */
  const beginRequest = async (objective: string) => {
    const body = JSON.stringify({ objective, target_contact: '+14155550177' });
    const outgoing = request({
      host: '127.0.0.1',
      port: relay.port,
      method: 'POST',
      path: '/api/instances',
      headers: {
        authorization: `Bearer ${relay.token}`,
        'content-type': 'application/json',
        'content-length': body.length,
        expect: '100-continue',
      },
    });
    const answered = once(outgoing, 'response');
    // The daemon has read the headers, and waits for the body.
    await once(outgoing, 'continue');
    outgoing.write(body.slice(0, 20));
    const finish = () => {
      if (!outgoing.writableEnded) outgoing.end(body.slice(20));
    };
    return { answered, finish };
  };

  const log = () =>
    readFileSync(join(relay.home, 'relay.log'), 'utf8').trimEnd().split('\n').at(-1) ?? '';
});
