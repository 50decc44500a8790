import { closeSync, mkdtempSync, openSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import { removeFolder } from '@relay/testing/remove-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openReadiness } from './readiness.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'relay-ready-'));
});
afterEach(() => removeFolder(dir));

function report(act: (readiness: ReturnType<typeof openReadiness>) => void): unknown[] {
  const fd = openSync(join(dir, 'pipe'), 'w');
  act(openReadiness(['--ready-fd', String(fd)]));
  const lines = readFileSync(join(dir, 'pipe'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}

test('writes progress, then readiness, then nothing more', () => {
  expect(
    report((readiness) => {
      readiness.progress('Starting the database.');
      readiness.ready({ pid: 7, port: 3214 });
      readiness.progress('too late');
    }),
  ).toEqual([{ progress: 'Starting the database.' }, { ready: { pid: 7, port: 3214 } }]);
});

test('reports a known error with its exit code, and any other error without its message', () => {
  const known = new RelayError('port_in_use', { port: 3214, file: 'relay.config.json' });
  expect(report((readiness) => readiness.failed(known))).toEqual([
    { failed: { code: 'port_in_use', message: known.message, exit: 8 } },
  ]);
  const [line] = report((readiness) => readiness.failed(new Error('secret')));
  expect(line).toMatchObject({ failed: { code: 'daemon_start_failed', exit: 8 } });
  expect(JSON.stringify(line)).not.toContain('secret');
});

test('does not fail when the pipe is closed', () => {
  const fd = openSync(join(dir, 'gone'), 'w');
  closeSync(fd);
  const readiness = openReadiness(['--ready-fd', String(fd)]);
  expect(() => readiness.progress('hello')).not.toThrow();
  expect(() => openReadiness([]).ready({ pid: 1, port: 1 })).not.toThrow();
});
