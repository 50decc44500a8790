// An upgrade to the next version and the way back, as docs/operations.md describes them. The earlier version is the
// package in UPGRADE_FROM, which a release sets to the one before it; the later is this checkout. Without UPGRADE_FROM
// the earlier version is this checkout, and the later adds a migration to it.
import { randomUUID } from 'node:crypto';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { builtIn } from '../e2e/built.ts';
import { openRelay, Relay } from '../e2e/relay.ts';

// Generous, for a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 240_000 });

const ROOT = resolve(import.meta.dirname, '../../..');

async function versions(): Promise<{ earlier: string; later: string }> {
  const built = await builtIn(inject('builds'));
  const from = process.env.UPGRADE_FROM;
  if (from) return { earlier: resolve(ROOT, from), later: built };
  const later = join(dirname(built), `next ${randomUUID()}`);
  onTestFinished(() => rm(later, { recursive: true, force: true, maxRetries: 20 }));
  await cp(built, later, { recursive: true });
  const migrations = join(later, 'daemon/migrations');
  const numbers = (await readdir(migrations)).map((name) => Number.parseInt(name, 10));
  const name = `${String(Math.max(...numbers) + 1).padStart(4, '0')}_next.sql`;
  await writeFile(
    join(migrations, name),
    "ALTER TABLE instances ADD COLUMN of_the_next text NOT NULL DEFAULT 'x';",
  );
  return { earlier: built, later };
}

const contents = async (relay: Relay) => ({
  instances: (await relay.call('GET', '/api/instances')).json,
  ledger: await relay.query(
    "SELECT seq, encode(hash, 'hex') AS hash FROM relay.ledger ORDER BY seq",
  ),
});

const schemaOf = async (relay: Relay) =>
  Number(
    (await relay.query('SELECT max(number) AS number FROM relay.schema_migrations'))[0]?.number,
  );

test('a home is upgraded with its data, and its backup brings the earlier version back', async () => {
  const { earlier, later } = await versions();
  const first = await openRelay();
  const before = new Relay(first.work, earlier, first.database, {});
  onTestFinished(() => first.end());
  await before.start();
  await before.settled(await before.create());
  const written = await contents(before);
  const schema = await schemaOf(before);
  expect((await before.run('backup', '--to', '.')).exit).toBe(0);
  const archive = (await readdir(before.work)).find((name) => name.endsWith('.tar.gz')) ?? '';
  await before.stop();

  const after = new Relay(first.work, later, first.database, {});
  await after.start();
  expect(await contents(after)).toEqual(written);
  const { checks } = (await after.call('GET', '/api/doctor')).json as {
    checks: { name: string; ok: string }[];
  };
  for (const name of ['database', 'ledger', 'jobs'])
    expect(checks).toContainEqual(expect.objectContaining({ name, ok: 'yes' }));
  const upgraded = await schemaOf(after);
  await after.stop();

  // A version whose schema did not change is rolled back by starting the earlier one.
  if (upgraded === schema) {
    await before.start();
    expect(await contents(before)).toEqual(written);
    return before.stop();
  }
  const refused = await before.run('start');
  expect(refused).toMatchObject({ exit: 9, out: '' });
  expect(refused.err).toContain('The database was written by a newer Relay');
  expect(await schemaOf(after)).toBe(upgraded);

  const fresh = await openRelay();
  onTestFinished(() => fresh.end());
  const restored = new Relay(fresh.work, earlier, fresh.database, {});
  await restored.start();
  expect((await restored.run('import', join(first.work, archive))).exit).toBe(0);
  const { instances, ledger } = await contents(restored);
  expect(instances).toEqual(written.instances);
  expect(ledger.slice(0, written.ledger.length)).toEqual(written.ledger);
  await restored.stop();
});
