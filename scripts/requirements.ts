// Reports which requirements are built, cited and proven.
//   --check   fails when the manifest and the tests' citations disagree (static, part of `npm run check`)
//   --proven  fails when a built requirement was not proven by a passed test (after all tests ran)
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUILT } from '../requirements/built.ts';
import { requirements } from '../requirements/manifest.ts';
import {
  type Citations,
  citedIn,
  type Proofs,
  problems,
  table,
  unproven,
} from '../requirements/report.ts';

const root = join(import.meta.dirname, '..');
const { values: flags } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    proven: { type: 'boolean', default: false },
  },
});

/** Tests, and the contract that test files run. */
const CITING = [
  '{packages,testing,scripts,requirements,bench,torture}/**/*.test.{ts,tsx}',
  'testing/src/transport/*.ts',
];
const files = globSync(CITING, {
  cwd: root,
  exclude: ['**/node_modules/**', '**/fixtures/**', '**/dist/**'],
});
const citations: Citations = new Map(
  files.sort().map((file) => [file, citedIn(readFileSync(join(root, file), 'utf8'))]),
);
const written = join(root, 'coverage/requirements.json');
const proofs: Proofs = existsSync(written)
  ? (JSON.parse(readFileSync(written, 'utf8')) as Proofs)
  : {};

console.log(table(requirements, citations, proofs));

const wrong = [
  ...(flags.check ? problems(requirements, BUILT, citations) : []),
  ...(flags.proven ? unproven(requirements, proofs) : []),
];
if (wrong.length > 0) {
  console.error(`\n${wrong.join('\n')}`);
  process.exitCode = 1;
}
