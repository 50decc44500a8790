// `relay doctor`, healthy and with one fault after the other: each is named, with its fix.

import { once } from 'node:events';
import { chmodSync, chownSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../free-port.ts';
import { openRelay, type Relay } from './relay.ts';

const KEY = { model_api_key: 'sk-ant-of-the-doctor' };

let relay: Relay;
beforeAll(async () => {
  relay = await openRelay({}, { database: 'private' });
  await relay.configure(KEY);
  await relay.start();
  const id = await relay.create();
  await relay.settled(id);
  await relay.call('POST', `/api/instances/${id}/send`, { message: 'a decision for the ledger' });
});
afterAll(() => relay.end());

it('finds nothing wrong with a healthy Relay but the phone and the model that it lacks', async () => {
  const { exit, out } = await relay.run('doctor');
  expect(out.match(/^[!✗] .*/gm)).toEqual([
    expect.stringMatching(/^✗ whatsapp +No phone is linked\.$/),
    expect.stringMatching(/^! model +The model is not set up: "model_provider" is not set\.$/),
  ]);
  expect(out).toContain('→ Link one with `relay init`.');
  expect({ exit, verdict: out.trimEnd().split('\n').at(-1) }).toEqual({
    exit: 1,
    verdict: '1 problem to fix.',
  });
  for (const name of 'node home settings daemon port disk clock database ledger jobs'.split(' '))
    expect(out).toMatch(new RegExp(`^✓ ${name} `, 'm'));
  expect(out).not.toContain(KEY.model_api_key);
});

it('detects a home that others can enter and a file that they can read', async () => {
  chmodSync(relay.home, 0o755);
  chmodSync(join(relay.home, 'relay.log'), 0o644);
  const { out } = await relay.run('doctor');
  expect(out).toContain(`! home           Others can read ${relay.home}, relay.log.`);
  expect(out).toContain('→ Run `relay stop`, then `relay start`.');
  await relay.stop();
  await relay.start();
  expect((await relay.run('doctor')).out).toMatch(/^✓ home .*readable only by you\.$/m);
});

it.skipIf(process.getuid?.() !== 0)('detects a home that belongs to another user', async () => {
  chownSync(relay.home, 65_534, 65_534);
  const { exit, out } = await relay.run('doctor');
  chownSync(relay.home, 0, 0);
  expect(exit).toBe(1);
  expect(out).toContain(`${relay.home} cannot be used: it belongs to another user (uid 65534).`);
  expect(out).toContain('→ Run `chown -R');
});

it('names the altered row and the missing row of the ledger', async () => {
  const [{ seq } = { seq: 0 }] = await relay.query('SELECT min(seq)::int AS seq FROM relay.ledger');
  const tamper = (change: string) =>
    relay.query(`SET session_replication_role = replica; ${change}`);
  await tamper(`UPDATE relay.ledger SET reason = reason || '!' WHERE seq = ${seq}`);
  const altered = await relay.run('doctor');
  expect(altered.exit).toBe(1);
  expect(altered.out).toContain(`✗ ledger         Row ${seq} of the ledger was changed.`);
  expect(altered.out).toContain('→ The database was changed outside Relay.');
  await tamper(`UPDATE relay.ledger SET reason = rtrim(reason, '!') WHERE seq = ${seq}`);
  expect((await relay.run('doctor')).out).toMatch(/^✓ ledger/m);
  await tamper(`DELETE FROM relay.ledger WHERE seq = ${seq}`);
  const cut = await relay.run('doctor', '--json');
  expect(JSON.parse(cut.out)).toMatchObject({
    ok: false,
    checks: expect.arrayContaining([
      expect.objectContaining({
        name: 'ledger',
        ok: 'no',
        found: expect.stringContaining(`Row ${seq}`),
      }),
    ]),
  });
});

it('detects a daemon that did not shut down properly', async () => {
  const { pid } = relay;
  await relay.kill();
  const { exit, out } = await relay.run('doctor');
  expect(exit).toBe(0);
  expect(out).toContain(`(PID ${pid}) did not shut down properly.`);
  expect(out).toContain('→ Run `relay start`; it recovers automatically.');
  await relay.start();
});

it('detects a port that another program uses', async () => {
  await relay.run('stop');
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const { exit, out } = await relay.runWith({ RELAY_PORT: String(port) }, 'doctor');
  other.close();
  expect(exit).toBe(1);
  expect(out).toContain(`✗ port       Port ${port} is in use by another program.`);
  expect(out).toContain('→ Stop that program, or choose another port with "daemon_port"');
});

it('detects a DATABASE_URL where nothing answers', async () => {
  const port = await freePort();
  const gone = { DATABASE_URL: `postgres://relay:secret@127.0.0.1:${port}/relay` };
  const { exit, out } = await relay.runWith(gone, 'doctor');
  expect(exit).toBe(1);
  expect(out).toContain(
    `✗ database   Nothing answers at 127.0.0.1:${port}, the database in DATABASE_URL.`,
  );
  expect(out).not.toContain('secret');
});

it.each([
  ['is no JSON', '{ "daemon_port": 3214', 'it is not JSON'],
  ['has a setting that there is not', '{ "daemon_prot": 3214 }', '"daemon_prot" is not a setting'],
  ['has a value that cannot be', '{ "daemon_port": "high" }', '"daemon_port"'],
])('detects a relay.config.json that %s, like the start', async (_what, content, why) => {
  await relay.configure(content);
  const { exit, out } = await relay.run('doctor');
  expect(exit).toBe(1);
  expect(out).toContain(`✗ settings   ${join(relay.home, 'relay.config.json')}: ${why}`);
  const started = await relay.run('start');
  expect(started.exit).toBe(2);
  expect(started.err).toContain(`relay.config.json is not valid: ${why}`);
  await relay.configure(KEY);
});
