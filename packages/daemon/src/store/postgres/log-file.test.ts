import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { lastComplaint, logFile } from './log-file.ts';

const directory = await mkdtemp(join(tmpdir(), 'relay-log-'));
afterAll(() => rm(directory, { recursive: true }));

test('the last complaint is the reason', () => {
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

test('a complaint from before this start is not its reason', async () => {
  const log = logFile(directory);
  await writeFile(log.path, 'FATAL:  old\n');
  const from = await log.size();
  await writeFile(log.path, 'FATAL:  new\n', { flag: 'a' });
  expect(await log.complaint(from)).toBe('new');
  expect(await log.complaint(await log.size())).toBeUndefined();
});

test('an overgrown log is moved aside while its writer keeps writing', async () => {
  const log = logFile(directory);
  const writer = await log.open();
  await writer.write('x'.repeat(3 * 1024 * 1024));
  await log.trim();
  await writer.write('after\n');
  await writer.close();
  expect(await readFile(log.path, 'utf8')).toBe('after\n');
  expect((await stat(`${log.path}.1`)).size).toBeGreaterThan(3 * 1024 * 1024);
});
