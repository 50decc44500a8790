// The test files that failed in one of vitest's JSON reports, a line each, for another run by themselves. Exits 1
// when there are none or too many: then it was not the machine. So it does when something went wrong outside of any
// test, unless its file failed too: nobody knows who began it, and no file that passes again would clear it.
//   node scripts/failed-files.ts coverage/integration.json
import { readTestReport } from './test-report.ts';

const MOST = 4;

const [path = ''] = process.argv.slice(2);
const { files, strays } = readTestReport(path);
const failed = files.filter(({ status }) => status === 'failed').map(({ name }) => name);
const isNobodys = strays.some(({ file = '' }) => !failed.includes(file));
if (failed.length === 0 || failed.length > MOST || isNobodys) process.exit(1);
console.log(failed.join('\n'));
