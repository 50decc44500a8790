// The test files that failed in one of vitest's JSON reports, or whose turn it was when something went wrong outside of
// any test, a line each, for another run by themselves. Exits 1 when there are none or too many, or one has no name:
// then it was not the machine.
//   node scripts/failed-files.ts coverage/integration.json
import { readTestReport } from './test-report.ts';

const MOST = 4;

const [path = ''] = process.argv.slice(2);
const { files, strays } = readTestReport(path);
const failed = new Set([
  ...files.filter(({ status }) => status === 'failed').map(({ name }) => name),
  ...strays.map(({ file }) => file),
]);
if (failed.size === 0 || failed.size > MOST || failed.has(undefined)) process.exit(1);
console.log([...failed].join('\n'));
