import { mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogFields } from '@relay/core/log';
import { removeFolder } from '@relay/testing/remove-folder';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type OpenLog, openLog } from './log.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'relay log '));
  path = join(dir, 'relay.log');
});
afterEach(() => removeFolder(dir));

type Line = Record<string, unknown>;
const parse = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

function written(level: 'info' | 'debug', act: (log: OpenLog) => void): Line[] {
  const log = openLog(path, level);
  act(log);
  log.close();
  return parse(path);
}

describe('a log line', () => {
  test('is JSON with level, time, message and the fields given', () => {
    const [line] = written('info', (log) => log.info('Ready.', { port: 3214, ms: 12.5 }));
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      msg: 'Ready.',
      port: 3214,
      ms: 12.5,
    });
  });

  test('is not written below the log level', () => {
    expect(written('info', (log) => log.debug('No.'))).toEqual([]);
  });

  test('drops fields that are not allowed or of the wrong type', () => {
    const fields = { phone: '+491701234567', password: 'x', port: 'abc', reason: {} };
    const [line] = written('info', (log) => log.info('Hm.', fields as unknown as LogFields));
    expect(Object.keys(line ?? {}).sort()).toEqual(['level', 'msg', 'time']);
  });

  test('contains a body only at debug level, masked and cut to 50 characters', () => {
    const body = `Call +49 170 1234567 ${'x'.repeat(200)}`;
    expect(written('info', (log) => log.info('In.', { body }))[0]).not.toHaveProperty('body');
    const line = written('debug', (log) => log.debug('In.', { body })).at(-1);
    expect(line?.body).toBe(`Call ***67 ${'x'.repeat(39)}`);
  });

  test('keeps ids unmasked', () => {
    const ids = {
      instance: '12345678-1234-4123-8123-123456789012',
      message: '3EB01234567890ABCDEF',
    };
    expect(written('info', (log) => log.info('Sent.', ids))[0]).toMatchObject(ids);
  });

  test('masks an error, its stack and its causes, and drops its other properties', () => {
    const cause = new Error('no route to 491701234567@s.whatsapp.net');
    const error = Object.assign(new Error('Bearer abc123 refused', { cause }), {
      code: '23505',
      detail: 'Key (name)=(Ana) exists',
    });
    const [line] = written('info', (log) => log.error('Failed.', { error }));
    expect(line?.error).toMatchObject({ type: 'Error', message: '*** refused', code: '23505' });
    const all = JSON.stringify(line);
    for (const canary of ['491701234567', 'abc123', 'Ana']) expect(all).not.toContain(canary);
    expect(all).toContain('log.test.ts');
  });
});

test('no canary value reaches the file, whichever field carries it', () => {
  const names = [
    'from',
    'to',
    'contact',
    'chat',
    'message',
    'reason',
    'path',
    'route',
    'body',
    'error',
    'port',
    'unknown',
  ];
  const canaries = ['491701234567', 'relay_c4n4ryc4n4ryc4n4ryc4n4ry', 'sk-c4n4ryc4n4ryc4n4ry'];
  const log = openLog(path, 'debug');
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.constantFrom(...canaries),
      fc.string({ maxLength: 20 }),
      fc.boolean(),
      (name, canary, before, thrown) => {
        const value = `${before} ${canary}`;
        log.error(value, { [name]: thrown ? new Error(value) : value } as LogFields);
      },
    ),
    { numRuns: 1_000 },
  );
  log.close();
  const all = readFileSync(path, 'utf8');
  for (const canary of canaries) expect(all).not.toContain(canary);
});

describe('the file', () => {
  test('rotates: the current name stays, older files are renumbered and the oldest is deleted', () => {
    const log = openLog(path, 'info', { rotation: { files: 3, bytes: 1_000 } });
    for (let count = 0; count < 100; count++) log.info('A line.', { count });
    log.close();
    expect(readdirSync(dir).sort()).toEqual(['relay.1.log', 'relay.2.log', 'relay.log']);
    const counts = ['relay.2.log', 'relay.1.log', 'relay.log'].flatMap((name) =>
      parse(join(dir, name)).map((line) => line.count as number),
    );
    expect(counts.at(-1)).toBe(99);
    expect(counts).toEqual(counts.map((_, index) => (counts[0] ?? 0) + index));
    for (const name of readdirSync(dir)) {
      expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(1_000);
      expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
    }
  });

  test('is continued by the next daemon', async () => {
    written('info', (log) => log.info('First.'));
    const log = openLog(path, 'info');
    log.info('Second.');
    await log.flush();
    log.close();
    expect(parse(path).map((line) => line.msg)).toEqual(['First.', 'Second.']);
  });

  test('never throws at a caller, even when the file is gone', async () => {
    const log = openLog(path, 'info', { rotation: { files: 2, bytes: 100 } });
    await removeFolder(dir);
    expect(() => {
      for (let count = 0; count < 10; count++) log.info('A line.', { count });
    }).not.toThrow();
    log.close();
    dir = mkdtempSync(join(tmpdir(), 'relay log '));
  });
});

describe('repeated warnings and errors', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const refused = (n: number) =>
    Object.assign(new Error(`connect ECONNREFUSED, attempt ${n}`), { code: 'ECONNREFUSED' });
  const messages = (lines: Line[]) => lines.map(({ msg }) => msg);

  test('of one cause are counted after 5 lines, and one line a minute reports them', () => {
    const log = openLog(path, 'info');
    for (let n = 0; n < 40; n++) {
      log.warn('polling for jobs failed', { error: refused(n) });
      log.warn('timer clock failed', { error: refused(n) });
    }
    expect(messages(parse(path))).toEqual([
      ...['polling for jobs failed', 'timer clock failed'],
      ...['polling for jobs failed', 'timer clock failed', 'polling for jobs failed'],
    ]);
    vi.advanceTimersByTime(60_000);
    expect(parse(path).slice(5)).toEqual([
      {
        level: 'warn',
        time: expect.any(String),
        msg: 'repeated lines not written',
        count: 75,
        reason: 'timer clock failed (38); polling for jobs failed (37)',
      },
    ]);
    for (let n = 0; n < 40; n++) log.warn('timer clock failed', { error: refused(n) });
    vi.advanceTimersByTime(60_000);
    expect(parse(path).slice(6)).toMatchObject([{ count: 40 }]);
    log.close();
  });

  test('are written again after a minute without them, and reported at the end', () => {
    const log = openLog(path, 'info');
    const warn = (times: number) => {
      for (let n = 0; n < times; n++) log.warn('slow');
    };
    warn(5);
    vi.advanceTimersByTime(60_000);
    log.warn('another');
    vi.advanceTimersByTime(60_000);
    warn(4);
    vi.advanceTimersByTime(180_000);
    warn(4);
    log.close();
    expect(messages(parse(path))).toEqual([
      ...['slow', 'slow', 'slow', 'repeated lines not written'],
      ...['another', 'slow', 'slow', 'slow', 'repeated lines not written'],
      ...['slow', 'slow', 'slow', 'repeated lines not written'],
    ]);
  });

  test('of different commands are all written, because none repeats another', () => {
    const all = written('info', (log) => {
      for (let n = 0; n < 20; n++)
        log.warn('transition refused', { instance: `conversation ${n}`, event: 'pause' });
    });
    expect(all).toHaveLength(20);
  });

  test('are all written at debug level; information is never limited', () => {
    const all = written('debug', (log) => {
      for (let n = 0; n < 20; n++) log.error('broken');
    });
    expect(all).toHaveLength(20);
    const info = written('info', (log) => {
      for (let n = 0; n < 20; n++) log.info('sent');
    });
    expect(info.filter(({ msg }) => msg === 'sent')).toHaveLength(20);
  });
});

test('a copy of every line goes to a second place, such as standard output', () => {
  const copied: string[] = [];
  const log = openLog(path, 'info', { copyTo: { write: (line) => copied.push(line) } });
  log.info('ready', { port: 3214 });
  log.warn('slow');
  log.close();
  expect(copied.join('')).toBe(readFileSync(path, 'utf8'));
});
