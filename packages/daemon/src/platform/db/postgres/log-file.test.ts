import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterAll, expect, test } from 'vitest';
import { lastComplaint, postgresLogFile } from './cluster.ts';

const directory = await mkdtemp(join(tmpdir(), 'relay-log-'));
afterAll(() => removeFolder(directory));

test('the last error is the reason', () => {
  const text = [
    '2026-01-01 00:00:00 UTC [1] LOG:  starting PostgreSQL 18.4',
    '2026-01-01 00:00:00 UTC [1] FATAL:  could not create lock file "postmaster.pid": No space left',
    '2026-01-01 00:00:00 UTC [1] LOG:  database system is shut down',
  ].join('\n');
  expect(lastComplaint(text)).toBe('could not create lock file "postmaster.pid": No space left');
  expect(lastComplaint('LOG:  all is well')).toBeUndefined();
  expect(lastComplaint('initdb: error: could not access directory')).toBe(
    'could not access directory',
  );
});

test('an earlier error and one of another process are not the reason', async () => {
  const log = postgresLogFile(directory);
  await writeFile(log.path, '2026-01-01 00:00:00.000 UTC [7] FATAL:  old\n');
  const from = await log.size();
  const later = ['[7] FATAL:  new', '[8] FATAL:  an orphan'].map(
    (text) => `2026-01-01 00:00:01.000 UTC ${text}\n`,
  );
  await writeFile(log.path, later.join(''), { flag: 'a' });
  expect(await log.complaint(from, 7)).toBe('new');
  expect(await log.complaint(await log.size(), 7)).toBeUndefined();
});

test('an oversized log is moved aside while its writer keeps writing', async () => {
  const log = postgresLogFile(directory);
  const writer = await log.open();
  await writer.write('x'.repeat(3 * 1024 * 1024));
  await log.trim();
  await writer.write('after\n');
  await writer.close();
  expect(await readFile(log.path, 'utf8')).toBe('after\n');
  expect((await stat(`${log.path}.1`)).size).toBeGreaterThan(3 * 1024 * 1024);
});
