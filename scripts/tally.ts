// Adds up vitest's JSON reports: `node scripts/tally.ts coverage/unit.json …` prints
// what failed, by name, and then `N passed, N failed`. A test file that could not even be loaded counts as
// one failure. The names come last because the end of a long log is what people are shown first. Beside
// `x.json` there may be `x-again.json`, of files that were run once more: its results count, and each test
// that needed it is named.
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

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

interface Report {
  readonly testResults: readonly TestFile[];
}

const LINES_OF_A_FAILURE = 12;

const read = (path: string): readonly TestFile[] =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Report).testResults : [];

let passed = 0;
let failed = 0;
for (const path of process.argv.slice(2)) {
  const again = new Map(read(path.replace(/[.]json$/, '-again.json')).map((of) => [of.name, of]));
  for (const first of read(path)) {
    const second = again.get(first.name);
    if (second !== undefined) tellFailures(first, second.status === 'passed' ? '↻' : '✗');
    else tellFailures(first, '✗');
    count(second ?? first);
  }
}

function count({ status, assertionResults }: TestFile): void {
  const of = (wanted: string) => assertionResults.filter((test) => test.status === wanted).length;
  passed += of('passed');
  failed += of('failed') + (status === 'failed' && assertionResults.length === 0 ? 1 : 0);
}

/** `↻` is what failed among the others and passed by itself. */
function tellFailures({ name, status, message, assertionResults }: TestFile, mark: string): void {
  const file = relative(process.cwd(), name);
  if (status === 'failed' && assertionResults.length === 0) tell(`${mark} ${file}`, message);
  for (const test of assertionResults) {
    if (test.status !== 'failed') continue;
    tell(`${mark} ${file}: ${test.fullName}`, test.failureMessages?.join('\n'));
  }
}

function tell(what: string, why = ''): void {
  console.log(what);
  const lines = why.split('\n').slice(0, LINES_OF_A_FAILURE);
  for (const line of lines) console.log(`    ${line}`);
}

console.log(`${passed} passed, ${failed} failed`);
