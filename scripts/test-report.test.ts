import { describe, expect, it } from 'vitest';
import { summarize, type TestReport } from './test-report.ts';

type TestFile = TestReport['files'][number];

const test = (fullName: string, status = 'passed') => ({
  fullName,
  status,
  failureMessages: status === 'failed' ? ['expected 1 to be 2'] : [],
});
const file = (
  name: string,
  status: string,
  ...assertionResults: TestFile['assertionResults']
): TestFile => ({
  name,
  status,
  message: status === 'failed' ? 'the hook failed' : '',
  assertionResults,
});
const report = (...files: TestFile[]): TestReport => ({ files, strays: [] });

describe('the summary of test reports', () => {
  it('adds up the passed tests of all reports', () => {
    const one = report(file('a.ts', 'passed', test('one'), test('two')));
    const other = report(file('b.ts', 'passed', test('three'), test('four', 'skipped')));
    expect(summarize([one, other])).toEqual({ passed: 3, failures: [] });
  });

  it('names each failed test with its reason', () => {
    const failing = file('a.ts', 'failed', test('one'), test('two', 'failed'));
    expect(summarize([report(failing)])).toEqual({
      passed: 1,
      failures: [{ name: 'a.ts: two', reason: 'expected 1 to be 2' }],
    });
  });

  it('counts a file that failed although all its tests passed', () => {
    expect(summarize([report(file('a.ts', 'failed', test('one')))])).toEqual({
      passed: 1,
      failures: [{ name: 'a.ts', reason: 'the hook failed' }],
    });
  });

  it('counts an error outside of any test, although all tests passed', () => {
    const strays = [{ file: 'a.ts', message: 'unhandled rejection' }, { message: 'no file' }];
    const { files } = report(file('a.ts', 'passed', test('one')));
    expect(summarize([{ files, strays }])).toEqual({
      passed: 1,
      failures: [
        { name: 'a.ts: outside of any test', reason: 'unhandled rejection' },
        { name: 'unknown file: outside of any test', reason: 'no file' },
      ],
    });
  });
});
