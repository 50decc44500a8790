import { expect, test } from 'vitest';
import { parsePidFile, servesFrom } from './postmaster.ts';

const RUNNING = ['812', '/proc/self/cwd', '1700000000', '5432', '.', '', '  1 2', 'ready   ', ''];

test('the pid file of a running server has its pid, its socket and that it is ready', () => {
  expect(parsePidFile(RUNNING.join('\n'), '/d')).toEqual({
    pid: 812,
    address: { host: '/d', port: 5432 },
    ready: true,
  });
});

test('a server without a socket is found on its loopback port', () => {
  const lines = RUNNING.with(3, '40123').with(4, '').with(5, '127.0.0.1');
  expect(parsePidFile(lines.join('\n'), '/d')?.address).toEqual({ host: '127.0.0.1', port: 40123 });
});

test('a starting server is not ready, and an empty or broken pid file means no server', () => {
  expect(parsePidFile(RUNNING.with(7, 'starting').join('\n'), '/d')?.ready).toBe(false);
  expect(parsePidFile(RUNNING.slice(0, 4).join('\n'), '/d')?.ready).toBe(false);
  expect(parsePidFile('', '/d')).toBeUndefined();
  expect(parsePidFile('-3\n', '/d')).toBeUndefined();
});

test.skipIf(process.platform !== 'linux')(
  'a live process in another directory is not our server',
  async () => {
    expect(await servesFrom(process.pid, '/usr')).toBe(false);
    expect(await servesFrom(process.pid, process.cwd())).toBe(true);
  },
);
