// Adds up vitest's JSON reports: `node scripts/tally.ts coverage/unit.json …` prints
// what failed, by name, and then `N passed, N failed`. A test file that could not even be loaded counts as
// one failure. The names come last because the end of a long log is what people are shown first.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const LINES_OF_A_FAILURE = 12;

const reports = process.argv
  .slice(2)
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path, 'utf8')) as Report);

const sum = (count: (report: Report) => number): number =>
  reports.reduce((total, report) => total + count(report), 0);

const unloaded = ({ testResults }: Report): number =>
  testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
    .length;

const passed = sum((report) => report.numPassedTests);
const failed = sum((report) => report.numFailedTests + unloaded(report));
for (const { name, status, message, assertionResults } of reports.flatMap((r) => r.testResults)) {
  const file = relative(process.cwd(), name);
  if (status === 'failed' && assertionResults.length === 0) tell(file, message);
  for (const test of assertionResults) {
    if (test.status === 'failed')
      tell(`${file}: ${test.fullName}`, test.failureMessages?.join('\n'));
  }
}

function tell(what: string, why = ''): void {
  console.log(`✗ ${what}`);
  const lines = why.split('\n').slice(0, LINES_OF_A_FAILURE);
  for (const line of lines) console.log(`    ${line}`);
}

console.log(`${passed} passed, ${failed} failed`);
