import { settingsSchema } from '@relay/contract/settings';
import { silentLog } from '@relay/core/log';
import { expect, test } from 'vitest';
import { DiskGuard } from './disk-guard.ts';

const MB = 1_000_000;

function guardWith(free: { bytes: number | Error }, megabytes = 500) {
  const settings = settingsSchema.parse({ disk: { keep_free_megabytes: megabytes } }).disk;
  return new DiskGuard({
    home: '/home/me',
    settings,
    log: silentLog,
    freeBytes: async () => {
      if (free.bytes instanceof Error) throw free.bytes;
      return free.bytes;
    },
  });
}

test('reports low disk space below the configured limit and says what is not done', async () => {
  const free = { bytes: 501 * MB };
  const guard = guardWith(free);
  await guard.check();
  expect(guard.isLow).toBe(false);
  expect(guard.sentence).toBeNull();
  expect(() => guard.assertNotLow()).not.toThrow();
  free.bytes = 312.5 * MB;
  await guard.check();
  expect(guard.isLow).toBe(true);
  expect(guard.sentence).toContain('Only 312 MB are free on the disk of /home/me');
  expect(guard.sentence).toContain('"disk.keep_free_megabytes"');
  expect(() => guard.assertNotLow()).toThrow('312 MB');
});

test('keeps reporting low disk space until 10% more than the limit is free', async () => {
  const free = { bytes: 499 * MB };
  const guard = guardWith(free);
  await guard.check();
  free.bytes = 510 * MB;
  await guard.check();
  expect(guard.isLow).toBe(true);
  free.bytes = 551 * MB;
  await guard.check();
  expect(guard.isLow).toBe(false);
});

test('changes nothing when the file system does not answer, and 0 turns the guard off', async () => {
  const guard = guardWith({ bytes: new Error('statfs failed') });
  await guard.check();
  expect(guard.isLow).toBe(false);
  const off = guardWith({ bytes: 0 }, 0);
  await off.check();
  expect(off.isLow).toBe(false);
});
