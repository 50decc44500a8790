// `relay export` and `relay import`: move everything to another home.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { openRelay, type Relay } from './relay.ts';

let old: Relay;
let fresh: Relay;
let archive: string;
beforeAll(async () => {
  [old, fresh] = await Promise.all([openRelay(), openRelay()]);
  await Promise.all([old.start(), fresh.start()]);
  const id = await old.create();
  await old.settled(id);
  await old.call('POST', `/api/instances/${id}/send`, { message: 'Is Tuesday good?' });
  await old.create();
  await old.call('POST', `/api/instances/${await old.create('+14155550101')}/pause`);
  archive = join(old.work, 'my backup.tar.gz');
});
afterAll(() => Promise.all([old.end(), fresh.end()]));

async function holdings(relay: Relay) {
  const { json } = await relay.call('GET', '/api/instances?limit=500');
  const instances = json as { id: string }[];
  const transcripts = await Promise.all(
    instances.map(
      async ({ id }) => (await relay.call('GET', `/api/instances/${id}/transcript`)).json,
    ),
  );
  const ledger = await relay.query(
    'SELECT seq, encode(hash, $1) AS hash FROM relay.ledger ORDER BY seq',
    ['hex'],
  );
  return { instances, transcripts, ledger };
}

it('saves an archive that only the owner can read', async () => {
  const { exit, out } = await old.run('export', archive);
  expect(exit).toBe(0);
  expect(out).toContain(`Saved everything to ${archive} (`);
  expect(statSync(archive).mode & 0o777).toBe(0o600);
});

it.each([
  ['cut off', (bytes: Buffer) => bytes.subarray(0, Math.floor(bytes.length * 0.7))],
  ['altered', (bytes: Buffer) => bytes.fill(0x55, bytes.length >> 1, (bytes.length >> 1) + 8)],
  ['no archive', () => Buffer.from('dear diary')],
])('refuses an archive that is %s, and changes nothing', async (_what, damage) => {
  verifies('003-CLI-STDERR');
  const damaged = join(old.work, 'damaged.tar.gz');
  writeFileSync(damaged, damage(readFileSync(archive)));
  const { exit, out, err } = await fresh.run('import', damaged);
  expect({ exit, out }).toEqual({ exit: 2, out: '' });
  expect(err).toMatch(/The archive cannot be used: .*\. Nothing was changed\.\n$/);
  expect(await holdings(fresh)).toEqual({ instances: [], transcripts: [], ledger: [] });
});

it('imports everything into an empty home, which continues from there', async () => {
  const before = await holdings(old);
  expect(before.instances).toHaveLength(3);
  const { exit, out } = await fresh.run('import', archive);
  expect({ exit, out }).toMatchObject({ exit: 0, out: expect.stringContaining('Imported') });
  // The last line is the hold that begins with a restore.
  const ledger = [...before.ledger, expect.anything()];
  expect(await holdings(fresh)).toEqual({ ...before, ledger });
  expect((await fresh.run('doctor')).out).toMatch(/^✓ ledger/m);
  expect((await fresh.run('release')).exit).toBe(0);
  const next = await fresh.create('+14155550102');
  expect((await fresh.settled(next)).json).toMatchObject({ state: 'NEEDS_HUMAN_INTERVENTION' });
  await fresh.stop();
  await fresh.start();
  expect((await holdings(fresh)).instances).toHaveLength(4);
});

it("refuses to import into a home that is in use, with the daemon's sentence and exit code", async () => {
  verifies('003-CLI-STDERR');
  const before = await holdings(old);
  const { exit, out, err } = await old.run('import', archive);
  expect({ exit, out }).toEqual({ exit: 5, out: '' });
  expect(err.trimEnd().split('\n').at(-1)).toBe(
    'This home already contains data: contacts, chats and 8 other tables. Nothing was changed. Import into an empty home: set RELAY_HOME to a new folder. To add one account to this home, use `--as <name>`.',
  );
  expect(await holdings(old)).toEqual(before);
});
