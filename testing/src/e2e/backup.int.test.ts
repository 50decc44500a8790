// `relay backup`, manual and scheduled, and back into an empty home with `relay import`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { removeFolder } from '../remove-folder.ts';
import { openRelay, type Relay } from './relay.ts';

// Generous, for a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 240_000 });

let old: Relay;
let folder: string;
beforeAll(async () => {
  old = await openRelay();
  folder = join(old.work, 'another disk');
  await old.configure({ backup: { every: 'day', keep: 2, folder } });
  await old.start();
  await old.settled(await old.create());
});
afterAll(() => old.end());

const kept = () => readdirSync(folder).filter((name) => name.endsWith('.tar.gz'));

const holdings = async (relay: Relay) => ({
  instances: (await relay.call('GET', '/api/instances')).json,
  ledger: await relay.query("SELECT seq, encode(hash, 'hex') AS hash FROM relay.ledger"),
});

it('makes the first backup by itself, soon after the start', async () => {
  await expect.poll(kept).toHaveLength(1);
  expect((await old.run('doctor')).out).toMatch(
    /^✓ backup +Scheduled backups: every day\. Last backup: 20/m,
  );
});

it('makes a backup on request, and removes those that exceed the limit', async () => {
  for (let n = 0; n < 2; n++) {
    const { exit, out } = await old.run('backup');
    expect(exit).toBe(0);
    expect(out).toMatch(/^Backed up to .+another disk.relay-backup-.+ rows?, verified\)\./);
  }
  expect(kept()).toHaveLength(2);
  const { backups, next_at } = JSON.parse((await old.run('backup', 'list', '--json')).out);
  expect(backups).toHaveLength(2);
  expect(Date.parse(next_at)).toBeGreaterThan(Date.now());
});

it('restores everything in an empty home, from either folder', async () => {
  const elsewhere = join(old.work, 'a stick');
  mkdirSync(elsewhere);
  expect((await old.run('backup', '--to', 'a stick')).exit).toBe(0);
  expect((await old.run('backup')).exit).toBe(0);
  const before = await holdings(old);
  // The last line is the hold that begins with a restore.
  const restored = { ...before, ledger: [...before.ledger, expect.anything()] };
  const newest = JSON.parse((await old.run('backup', 'list', '--json')).out).backups[0].file;
  const [byHand = ''] = readdirSync(elsewhere);
  for (const file of [newest, join(elsewhere, byHand)]) {
    const fresh = await openRelay();
    try {
      await fresh.start();
      expect(await fresh.run('import', file)).toMatchObject({ exit: 0 });
      expect(await holdings(fresh)).toEqual(restored);
    } finally {
      await fresh.end();
    }
  }
});

it('reports a failing backup in status and doctor, and recovers once one succeeds', async () => {
  await old.stop();
  await removeFolder(folder);
  rmSync(join(old.home, 'last-backup.json'));
  writeFileSync(folder, 'not a folder');
  await old.start();
  const sentence = `The backup to ${folder} failed: it is not a folder.`;
  await expect.poll(async () => (await old.run('status')).out).toContain(sentence);
  expect((await old.run('doctor')).out).toContain('Try again with `relay backup`.');
  const { exit, err } = await old.run('backup');
  expect({ exit, err }).toMatchObject({ exit: 8, err: expect.stringContaining(sentence) });
  rmSync(folder);
  expect((await old.run('backup')).exit).toBe(0);
  expect((await old.run('status')).out).not.toContain('The backup to');
});
