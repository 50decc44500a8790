// Adds up vitest's JSON reports: `node scripts/tally.ts coverage/unit.json …` prints
// `N passed, N failed`. A test file that could not even be loaded counts as one failure.
import { existsSync, readFileSync } from 'node:fs';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { status: string; assertionResults: readonly unknown[] }[];
}

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
console.log(`${passed} passed, ${failed} failed`);
