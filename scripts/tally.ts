// Adds up vitest's JSON reports: `node scripts/tally.ts coverage/unit.json …` prints
// what failed, by name, and then `N passed, N failed`. A test file that failed without a failed test counts as
// one failure, and so does what went wrong outside of any. The names come last because the end of a long log is what
// people are shown first. Beside `x.json` there may be `x-again.json`, of files that were run once more: its results
// count, and what needed it is named.
import { failedAsWhole, readTestReport, type TestFile } from './test-report.ts';

const LINES_OF_A_FAILURE = 12;

let passed = 0;
let failed = 0;
for (const path of process.argv.slice(2)) {
  const { files, strays } = readTestReport(path);
  const again = readTestReport(path.replace(/[.]json$/, '-again.json'));
  const ranAgain = new Map(again.files.map((of) => [of.name, of]));
  for (const first of files) {
    const second = ranAgain.get(first.name);
    tellFailures(first, second?.status === 'passed' ? '↻' : '✗');
    count(second ?? first);
  }
  for (const { file = 'nobody’s', message } of strays) {
    const isForgiven = ranAgain.get(file)?.status === 'passed';
    tell(`${isForgiven ? '↻' : '✗'} ${file}: outside of any test`, message);
    if (!isForgiven) failed += 1;
  }
  for (const { file = 'nobody’s', message } of again.strays) {
    tell(`✗ ${file}: outside of any test, again`, message);
    failed += 1;
  }
}

function count(file: TestFile): void {
  const of = (wanted: string) => file.assertionResults.filter((test) => test.status === wanted);
  passed += of('passed').length;
  failed += of('failed').length + (failedAsWhole(file) ? 1 : 0);
}

/** `↻` is what failed among the others and passed by itself. */
function tellFailures(file: TestFile, mark: string): void {
  if (failedAsWhole(file)) tell(`${mark} ${file.name}`, file.message);
  for (const test of file.assertionResults) {
    if (test.status !== 'failed') continue;
    tell(`${mark} ${file.name}: ${test.fullName}`, test.failureMessages?.join('\n'));
  }
}

function tell(what: string, why = ''): void {
  console.log(what);
  const lines = why.split('\n').slice(0, LINES_OF_A_FAILURE);
  for (const line of lines) console.log(`    ${line}`);
}

console.log(`${passed} passed, ${failed} failed`);
