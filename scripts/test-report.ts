// Reads vitest's JSON reports, together with the errors that happened outside of any test, and sums them up.
// Files are named from the project's root.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Stray, straysBeside } from './strays-reporter.ts';

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly {
    readonly status: string;
    readonly fullName: string;
    readonly failureMessages?: readonly string[];
  }[];
}

export interface TestReport {
  readonly files: readonly TestFile[];
  readonly strays: readonly Stray[];
}

export interface Summary {
  readonly passed: number;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly name: string;
  readonly reason: string;
}

/** The report is empty if the run never happened. */
export function readTestReport(path: string): TestReport {
  const { testResults } = read<{ testResults: readonly TestFile[] }>(path, { testResults: [] });
  return {
    files: testResults.map((file) => ({ ...file, name: relative(process.cwd(), file.name) })),
    strays: read<readonly Stray[]>(straysBeside(path), []),
  };
}

const read = <T>(path: string, otherwise: T): T =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : otherwise;

/** A file that failed without a failed test counts as one failure, and so does an error outside of any test. */
export function summarize(reports: readonly TestReport[]): Summary {
  const files = reports.flatMap((report) => report.files);
  const tests = files.flatMap((file) => file.assertionResults);
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failures: [
      ...files.flatMap(failuresOf),
      ...reports.flatMap(({ strays }) =>
        strays.map(({ file = 'unknown file', message }) => ({
          name: `${file}: outside of any test`,
          reason: message,
        })),
      ),
    ],
  };
}

function failuresOf(file: TestFile): Failure[] {
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  // It could not be loaded, or failed before or after its tests.
  if (file.status === 'failed' && failed.length === 0) {
    return [{ name: file.name, reason: file.message ?? '' }];
  }
  return failed.map(({ fullName, failureMessages = [] }) => ({
    name: `${file.name}: ${fullName}`,
    reason: failureMessages.join('\n'),
  }));
}
