// The seed's error table, row by row, as the command and the API show it. The two rows on a lost connection are in
// link.int.test.ts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../free-port.ts';
import { verifies } from '../../verifies.ts';
import { type AcceptanceHarness, openAcceptanceHarness } from './harness.ts';
import { ANY, FIRST, send } from './script.ts';

const NOBODY = '00000000-0000-4000-8000-000000000000';

let harness: AcceptanceHarness;
beforeAll(async () => {
  harness = await openAcceptanceHarness();
});
afterAll(() => harness.end());

it('invalid transition: 409 with the current state and the attempted event', async () => {
  verifies('003-ERR-TRANSITION', 'AC-4.2');
  const hyacinth = await harness.person('Hyacinth');
  hyacinth.meets(FIRST, send('Hello'));
  const id = await harness.begin(hyacinth);
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  const { status, json } = await harness.api.call('POST', `/api/instances/${id}/resume`);
  expect({ status, json }).toMatchObject({
    status: 409,
    json: { error: `Instance ${id} is WAITING_FOR_REPLY: resuming is not possible now.` },
  });
  const { exit, out, err } = await harness.run('resume', id);
  expect(out).toBe('');
  expect(exit).not.toBe(0);
  expect(err).toContain('is WAITING_FOR_REPLY: resuming is not possible now.');
  expect(harness.log()).toContainEqual(
    expect.objectContaining({
      level: 'warn',
      instance: id,
      state: 'WAITING_FOR_REPLY',
      event: 'resume',
    }),
  );
});

it('instance not found: 404, and every command says so', async () => {
  verifies('003-ERR-NOT-FOUND', '003-CLI-STDERR');
  expect(await harness.api.call('GET', `/api/instances/${NOBODY}`)).toMatchObject({ status: 404 });
  for (const args of [
    ['get', NOBODY],
    ['transcript', NOBODY],
    ['cancel', NOBODY],
    ['pause', NOBODY],
    ['resume', NOBODY],
    ['send', NOBODY, 'hello'],
  ]) {
    const { exit, out, err } = await harness.run(...args);
    expect({ args, out, failed: exit !== 0 }).toEqual({ args, out: '', failed: true });
    expect(err).toContain(`Instance ${NOBODY} not found`);
  }
});

it('agent session error: asks the owner, logs it, and continues after resume or send', async () => {
  verifies('003-ERR-AGENT');
  for (const [name, goOn] of [
    ['Immaculata', (id: string) => harness.says('resume', id)],
    ['Jeremias', (id: string) => harness.says('send', id, 'It is me, Olga.')],
  ] as const) {
    const person = await harness.person(name);
    const asked = () =>
      harness.model.calls().filter((call) => JSON.stringify(call.body).includes(name));
    harness.model.rules([{ when: { system: name }, reply: { status: 500 } }]);
    const id = await harness.begin(person);
    const { reason } = await harness.reaches(id, 'NEEDS_HUMAN_INTERVENTION');
    expect(reason).not.toBe('');
    expect(asked().length).toBeGreaterThan(1);
    expect(harness.log()).toContainEqual(
      expect.objectContaining({ level: 'error', instance: id, error: expect.anything() }),
    );
    expect(await person.has()).toEqual([]);
    harness.model.rules([]);
    person.meets(ANY, send('Back again.'));
    await goOn(id);
    await person.reads('Back again.');
    await harness.reaches(id, 'WAITING_FOR_REPLY');
  }
});

it('storage write failure: rolled back completely, nothing sent, and retried when writing works again', async () => {
  verifies('003-ERR-STORAGE');
  const krimhild = await harness.person('Krimhild');
  krimhild.meets(FIRST, send('Hello'));
  krimhild.meets('Tuesday suits me', send('Tuesday it is.'));
  const id = await harness.begin(krimhild);
  await krimhild.reads('Hello');
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  // The last row that the transaction of a turn writes.
  await harness.relay.query(
    `CREATE FUNCTION relay.refuse_outbox() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$;
     CREATE TRIGGER refuse_outbox BEFORE INSERT ON relay.outbox FOR EACH ROW EXECUTE FUNCTION relay.refuse_outbox()`,
  );
  await krimhild.writes('Tuesday suits me');
  const failures = () =>
    harness.log().filter(({ error }) => JSON.stringify(error ?? '').includes('no space left'));
  await expect.poll(() => failures().length).toBeGreaterThan(0);
  // As before the turn: read, not answered, with nothing half done.
  expect(['WAITING_FOR_AGENT', 'ACTIVE']).toContain((await harness.get(id)).state);
  expect(await harness.lines(id)).toEqual(['agent: Hello', 'contact: Tuesday suits me']);
  const refused = await harness.run('send', id, 'by hand');
  expect(refused).toMatchObject({ out: '' });
  expect(refused.exit).not.toBe(0);
  expect(await krimhild.has()).toEqual(['Hello']);
  await harness.relay.query('DROP TRIGGER refuse_outbox ON relay.outbox');
  expect(await krimhild.reads('Tuesday it is.')).toEqual(['Hello', 'Tuesday it is.']);
  await harness.reaches(id, 'WAITING_FOR_REPLY');
  expect(await harness.lines(id)).toEqual([
    'agent: Hello',
    'contact: Tuesday suits me',
    'agent: Tuesday it is.',
  ]);
});

it('daemon not running: reported on stderr, with what to do', async () => {
  verifies('003-ERR-NOT-RUNNING', 'AC-1.4');
  await harness.relay.stop();
  for (const args of [
    ['list'],
    ['get', NOBODY],
    ['send', NOBODY, 'x'],
    ['create', '--objective', 'o', '--contact', '+15551000000'],
  ]) {
    expect({ args, ...(await harness.run(...args)) }).toEqual({
      args,
      exit: 3,
      out: '',
      err: 'Daemon not running. Run `relay start` first.\n',
    });
  }
});

it('stale PID file: removed, and the daemon starts', async () => {
  verifies('003-ERR-STALE-PID');
  const gone = spawn('true');
  await once(gone, 'exit');
  for (const pid of [gone.pid, process.pid]) {
    writeFileSync(join(harness.relay.home, 'daemon.pid'), `${pid}\n`);
    expect(await harness.run('list')).toMatchObject({ exit: 3 });
    await harness.relay.start();
    expect(harness.relay.pid).not.toBe(pid);
    await harness.relay.stop();
  }
});

it('port in use: an error that names the port and the solution', async () => {
  verifies('003-ERR-PORT');
  const port = await freePort();
  const other = createServer().listen(port, '127.0.0.1');
  await once(other, 'listening');
  const { exit, out, err } = await harness.relay.runWith({ RELAY_PORT: String(port) }, 'start');
  other.close();
  expect({ exit, out }).toEqual({ exit: 8, out: '' });
  expect(err).toContain(`Port ${port} is in use by another program. Stop that program, or choose`);
});
