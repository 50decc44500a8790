// Sums up vitest's JSON reports: `node scripts/tally.ts coverage/unit.json …` prints each failure by name and then `N
// passed, N failed`. Failures come last, because people see the end of a long log first.
import { readTestReport, summarize } from './test-report.ts';

const LINES_OF_A_FAILURE = 12;

const { passed, failures } = summarize(process.argv.slice(2).map(readTestReport));
for (const { name, reason } of failures) {
  console.log(`✗ ${name}`);
  for (const line of reason.split('\n').slice(0, LINES_OF_A_FAILURE)) console.log(`    ${line}`);
}
console.log(`${passed} passed, ${failures.length} failed`);
