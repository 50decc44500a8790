// One of vitest's JSON reports, with what went wrong beside its tests. Files are named from the project's root.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Stray, straysBeside } from './strays-reporter.ts';

export interface TestFile {
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

/** Of a run that never was, nothing. */
export function readTestReport(path: string): TestReport {
  const { testResults } = read<{ testResults: readonly TestFile[] }>(path, { testResults: [] });
  return {
    files: testResults.map((file) => ({ ...file, name: relative(process.cwd(), file.name) })),
    strays: read<readonly Stray[]>(straysBeside(path), []),
  };
}

const read = <T>(path: string, otherwise: T): T =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : otherwise;

/** Without a failed test: it could not be loaded, or failed before or after its tests. */
export const failedAsWhole = ({ status, assertionResults }: TestFile): boolean =>
  status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
