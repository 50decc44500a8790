import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'relay-tally-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const test = (fullName: string, status = 'passed') => ({
  fullName,
  status,
  failureMessages: status === 'failed' ? ['it was not so'] : [],
});
const file = (name: string, status: string, ...assertionResults: object[]) => ({
  name: resolve(name),
  status,
  message: status === 'failed' ? 'why it failed' : '',
  assertionResults,
});

const write = (name: string, what: object) =>
  writeFileSync(join(folder, name), JSON.stringify(what));
const report = (name: string, ...testResults: object[]) => write(name, { testResults });
const told = () =>
  execFileSync(process.execPath, ['scripts/tally.ts', join(folder, 'x.json')], {
    encoding: 'utf8',
  });
const again = () =>
  spawnSync(process.execPath, ['scripts/failed-files.ts', join(folder, 'x.json')], {
    encoding: 'utf8',
  });

describe('what is told of a run', () => {
  it('is how many passed, when all did', () => {
    report('x.json', file('a.ts', 'passed', test('one'), test('two')));
    expect(told()).toBe('2 passed, 0 failed\n');
    expect(again().status).toBe(1);
  });

  it('names what failed, and forgives what passed by itself', () => {
    const failing = file('a.ts', 'failed', test('one'), test('two', 'failed'));
    report('x.json', failing);
    expect(told()).toBe('✗ a.ts: two\n    it was not so\n1 passed, 1 failed\n');
    expect(again().stdout).toBe('a.ts\n');
    report('x-again.json', file('a.ts', 'passed', test('one'), test('two')));
    expect(told()).toBe('↻ a.ts: two\n    it was not so\n2 passed, 0 failed\n');
  });

  it('counts a file that failed after its tests, though each of them passed', () => {
    report('x.json', file('a.ts', 'failed', test('one')));
    expect(told()).toBe('✗ a.ts\n    why it failed\n1 passed, 1 failed\n');
    expect(again().stdout).toBe('a.ts\n');
  });

  it('counts what went wrong outside of any test, forgiven only with the test that failed there', () => {
    report('x.json', file('a.ts', 'passed', test('one')));
    write('x-strays.json', [{ file: 'a.ts', message: 'nobody waited' }]);
    const line = 'a.ts: outside of any test';
    expect(told()).toBe(`✗ ${line}\n    nobody waited\n1 passed, 1 failed\n`);
    expect(again().status).toBe(1);
    report('x.json', file('a.ts', 'failed', test('one', 'failed')));
    expect(again().stdout).toBe('a.ts\n');
    report('x-again.json', file('a.ts', 'passed', test('one')));
    expect(told()).toContain(`↻ ${line}\n    nobody waited\n1 passed, 0 failed\n`);
    write('x-again-strays.json', [{ file: 'a.ts', message: 'nor now' }]);
    expect(told()).toMatch(
      /✗ a.ts: outside of any test, again\n {4}nor now\n1 passed, 1 failed\n$/,
    );
  });

  it('runs nothing again when something is nobody’s, or too much failed', () => {
    report('x.json', file('a.ts', 'passed', test('one')));
    write('x-strays.json', [{ message: 'nobody waited' }]);
    expect(again().status).toBe(1);
    rmSync(join(folder, 'x-strays.json'));
    report('x.json', ...['a', 'b', 'c', 'd', 'e'].map((name) => file(name, 'failed')));
    expect(again().status).toBe(1);
  });
});
