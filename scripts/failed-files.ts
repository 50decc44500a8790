// The test files that failed in one of vitest's JSON reports, a line each, for another run by themselves. Exits 1
// when there are none or too many: then it was not the machine.
//   node scripts/failed-files.ts coverage/integration.json
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MOST = 4;

interface Report {
  readonly testResults: readonly { readonly name: string; readonly status: string }[];
}

const [path = ''] = process.argv.slice(2);
const { testResults }: Report = existsSync(path)
  ? JSON.parse(readFileSync(path, 'utf8'))
  : { testResults: [] };
const files = testResults
  .filter(({ status }) => status === 'failed')
  .map(({ name }) => relative(process.cwd(), name));
if (files.length === 0 || files.length > MOST) process.exit(1);
console.log(files.join('\n'));
