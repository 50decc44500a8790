// Reports which requirements are cited and proven.
//   --check         fails when the manifest and the tests' citations disagree (static, part of `npm run check`)
//   --proven quick  fails when a requirement that the quick tier cites was not proven by a passed test
//   --proven all    the same for every requirement, after the nightly tests ran
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { requirements } from '../requirements/manifest.ts';
import {
  type Citations,
  citedIn,
  nightlyOnly,
  type Proofs,
  problems,
  table,
  unproven,
} from '../requirements/report.ts';
import { isQuick } from './tiers.ts';

const root = join(import.meta.dirname, '..');
const { values: flags } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    proven: { type: 'string' },
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

const quick: Citations = new Map([...citations].filter(([file]) => isQuick(file)));

console.log(table(requirements, citations, proofs));

function unprovenOf(tier: string | undefined): string[] {
  if (tier === undefined) return [];
  if (tier === 'all') return unproven(requirements, citations, proofs);
  if (tier === 'quick') {
    const later = nightlyOnly(requirements, quick);
    console.log(
      `${later.length} ids are cited only by nightly tests and proven by scripts/nightly.`,
    );
    return unproven(requirements, quick, proofs);
  }
  return [`--proven takes quick or all, not "${tier}".`];
}

const wrong = [
  ...(flags.check ? problems(requirements, citations) : []),
  ...unprovenOf(flags.proven),
];
if (wrong.length > 0) {
  console.error(`\n${wrong.join('\n')}`);
  process.exitCode = 1;
}
