// An older Relay on a database that a newer one has written: `relay start` refuses and changes nothing.
import { expect, it, onTestFinished, vi } from 'vitest';
import { openRelay } from './relay.ts';

// Generous, for a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

it('refuses to start on a newer database with its sentence, and the newer version can still use it', async () => {
  const relay = await openRelay();
  onTestFinished(() => relay.end());
  await relay.start();
  await relay.settled(await relay.create());
  const [{ newest } = {}] = await relay.query(
    'SELECT max(number) AS newest FROM relay.schema_migrations',
  );
  // As the next version would leave it.
  await relay.query(
    "INSERT INTO relay.schema_migrations (number, name, checksum) VALUES ($1, 'next.sql', 'x')",
    [Number(newest) + 1],
  );
  await relay.query('ALTER TABLE relay.instances ADD COLUMN of_the_future text');
  await relay.stop();

  const { exit, out, err } = await relay.run('start');
  expect({ exit, out }).toEqual({ exit: 9, out: '' });
  expect(err).toContain(
    `The database was written by a newer Relay (schema ${Number(newest) + 1}, this version knows ${newest}). Upgrade Relay, or restore a backup made with this version.`,
  );
  expect((await relay.run('status')).exit).toBe(3);
  const json = await relay.run('start', '--json');
  expect(JSON.parse(json.err)).toMatchObject({ code: 'schema_newer' });
});
