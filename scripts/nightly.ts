// `scripts/nightly [part…] [--full] [--list]`: runs every test, torture and bench, one step after the other. A failed
// step does not stop later ones. Writes a log per step and a JSON report to coverage/, and ends with one table.
import { execFileSync, spawn } from 'node:child_process';
import {
  createWriteStream,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { readTestReport, summarize } from './test-report.ts';

interface Step {
  readonly part: string;
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** vitest's JSON report, if the step runs tests. */
  readonly report?: string;
}

interface Result {
  readonly part: string;
  readonly step: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly tests?: { readonly passed: number; readonly failed: readonly string[] };
}

const root = join(import.meta.dirname, '..');
const REPORTS = 'coverage';
const SUMMARY = `${REPORTS}/nightly.json`;
const CONSOLE = '**/console/*.int.test.ts';

const npm = (script: string, ...args: string[]): string[] => [
  'npm',
  ...['run', '--silent', script, '--', ...args],
];

/** A step that runs test files of some projects. */
function tests(
  part: string,
  name: string,
  args: readonly string[],
  more: Partial<Step> = {},
): Step {
  const report = `${REPORTS}/${name.replaceAll(' ', '-')}.json`;
  const command = ['node', 'node_modules/vitest/vitest.mjs', 'run', ...args];
  return { part, name, command, report, ...more };
}

const QUICK = ['--project', 'integration'];
const NIGHTLY = ['--project', 'nightly'];

/** Test files that repeat more often when PROPERTY_RUNS is set. */
const repeating = globSync('{packages/*,testing}/src/**/*.test.ts', { cwd: root }).filter((file) =>
  readFileSync(join(root, file), 'utf8').includes('PROPERTY_RUNS'),
);
const needsDatabase = (file: string): boolean => file.endsWith('.int.test.ts');

const CHECKS: readonly Step[] = [
  { part: 'check', name: 'check', command: npm('check'), report: `${REPORTS}/unit.json` },
  tests(
    'check',
    'properties',
    ['--project', 'unit', ...repeating.filter((file) => !needsDatabase(file))],
    { env: { PROPERTY_RUNS: '10000' } },
  ),
  tests('check', 'large sizes', [...QUICK, ...NIGHTLY, ...repeating.filter(needsDatabase)], {
    env: { PROPERTY_RUNS: '10000' },
  }),
  { part: 'check', name: 'docs site', command: npm('docs') },
];

const BUILD: Step = { part: 'build', name: 'build', command: npm('build') };

const SUITES: readonly Step[] = [
  tests('e2e', 'quick tier', QUICK, { env: { TEST_EXCLUDE: CONSOLE } }),
  tests('e2e', 'end to end', [...NIGHTLY, 'testing/', 'bench/'], {
    env: { TEST_EXCLUDE: CONSOLE },
  }),
  tests(
    'e2e',
    'acceptance on shipped defaults',
    [...QUICK, ...NIGHTLY, 'testing/src/e2e/acceptance'],
    { env: { TEST_DEFAULTS: '1' } },
  ),
  tests('e2e', 'short tortures', [...NIGHTLY, 'torture/'], { env: { TEST_EXCLUDE: CONSOLE } }),
  tests('console', 'console', [...QUICK, ...NIGHTLY, '/console/'], { env: { TEST_WORKERS: '2' } }),
  {
    part: 'requirements',
    name: 'requirements',
    command: ['node', 'scripts/requirements.ts', '--proven', 'all'],
  },
];

function onPostgres15(): Step {
  const suite = tests('postgres-15', 'PostgreSQL 15', [...QUICK, ...NIGHTLY]);
  return {
    ...suite,
    command: ['scripts/with-postgres-15', ...suite.command],
    // The console and documents do not depend on the PostgreSQL version, and the tests of the private server start only
    // that.
    env: {
      TEST_EXCLUDE: `${CONSOLE} **/hostile-files.int.test.ts packages/daemon/src/platform/db/postgres/**`,
    },
  };
}

/** The arguments of each torture: nightly, and at full size. */
const TORTURES: readonly (readonly [name: string, nightly: string, full: string])[] = [
  ['engine', '--daemon-kills 20 --postgres-kills 6', '--daemon-kills 100 --postgres-kills 30'],
  ['wire', '--kills 40', '--kills 300'],
  ['turns', '--kills 40', '--kills 200'],
  ['media', '--kills 25', '--kills 200'],
  ['passkeys', '--kills 18', '--kills 100'],
  ['crowd', '--contacts 200', '--contacts 500'],
  ['loops', '--hours 24', '--hours 24'],
  ['faults', '--schedules 100', '--schedules 1000'],
  ['failover', '--workers 3 --accounts 6 --kills 10', '--workers 3 --accounts 300 --kills 50'],
  ['races', '--interleavings 200', '--interleavings 1000'],
  ['attacks', '--limit 50 --calls 200', '--calls 2400'],
  ['attacks', '--field body --limit 50', '--field body --limit 300'],
  ['attacks', '--field caption --limit 50', '--field caption --limit 300'],
  ['attacks', '--field file_name --limit 50', '--field file_name --limit 300'],
  ['attacks', '--field transcript --limit 30', '--field transcript --limit 300'],
  ['attacks', '--field picture_text --limit 30', '--field picture_text --limit 300'],
  ['attacks', '--field document_text --limit 30', '--field document_text --limit 300'],
  ['flood', '', ''],
  ['stranger', '--messages 100', '--messages 1000'],
  ['partition', '--limit 50', ''],
  ['silence', '--messages 200 --attacks 40 --kills 5 --cuts 15', ''],
  ['week', '--days 2 --messages 60', '--days 7'],
  ['why', '--messages 200', ''],
  ['restore', '--rounds 20', '--rounds 100'],
  ['forget', '--people 10 --messages 10000 --kills 3', ''],
  ['month', '--days 3', '--days 30'],
  ['mcp', '--calls 10000', '--calls 100000'],
  ['demos', '--rounds 5', '--rounds 20'],
];

const BENCHES: readonly (readonly [name: string, nightly: string, full: string])[] = [
  ...['start', 'transition', 'scale', 'heartbeat', 'wire', 'turn', 'nfr', 'noise', 'search'].map(
    (name) => [name, '', ''] as const,
  ),
  ['conversations', '--people 200', ''],
  ['mcp', '', ''],
  ['retrieval', '', ''],
  ['memory', '--messages 100000', ''],
  ['metrics', '--minutes 1', ''],
  ['bytes', '--messages 2000', '--messages 10000'],
  ['media', '--messages 100', '--messages 1000'],
  ['idle', '--accounts 50 --seconds 30', '--accounts 500'],
  ['growth', '--messages 200000', '--messages 10000000'],
  ['fleet', '--accounts 50 --seconds 30', '--accounts 500'],
  ['upgrade', '--messages 100000', '--messages 1000000'],
  ['console', '', ''],
  ['first-page', '', ''],
  ['first-answer', '', ''],
];

/** What a release would publish, without publishing it. Provenance is added where the release runs. */
const PUBLISH: Step = {
  part: 'publish',
  name: 'publish dry run',
  command: ['npm', 'publish', './dist', '--dry-run', '--access', 'public'],
};

const CONTAINERS: Step = {
  part: 'containers',
  name: 'containers',
  command: ['scripts/containers'],
};

function allSteps(full: boolean): Step[] {
  const sized = (part: string, rows: typeof TORTURES): Step[] =>
    rows.map(([name, nightly, atFullSize]) => {
      const args = (full ? atFullSize : nightly).split(' ').filter(Boolean);
      return {
        part,
        name: [part, name, ...args].join(' '),
        command: npm(part, name, ...args),
      };
    });
  return [
    ...CHECKS,
    BUILD,
    ...SUITES,
    onPostgres15(),
    ...sized('torture', TORTURES),
    ...sized('bench', BENCHES),
    PUBLISH,
    CONTAINERS,
  ];
}

function selectSteps(parts: readonly string[], steps: readonly Step[]): Step[] {
  const known = [...new Set(steps.map(({ part }) => part))];
  const unknown = parts.filter((part) => !known.includes(part));
  if (unknown.length > 0) {
    console.error(`There is no part ${unknown.join(', ')}. Choose from: ${known.join(', ')}.`);
    process.exit(2);
  }
  if (parts.length === 0) return [...steps];
  const needsBuild = parts.some((part) => !['check', 'requirements', 'containers'].includes(part));
  return steps.filter(({ part }) => parts.includes(part) || (needsBuild && part === 'build'));
}

const git = (...args: string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

/** The program that this script finds or installs; nothing if it cannot, and the tests that need it fail. */
function programFrom(script: 'chromium' | 'caddy' | 'promtool' | 'n8n'): Record<string, string> {
  try {
    const path = execFileSync(join(root, 'scripts', script), { cwd: root, encoding: 'utf8' });
    return { [script.toUpperCase()]: path.trim() };
  } catch {
    return {};
  }
}

async function perform(step: Step, env: NodeJS.ProcessEnv): Promise<Result> {
  const { part, name, command, report } = step;
  const began = performance.now();
  if (report !== undefined) rmSync(join(root, report), { force: true });
  const [program = '', ...args] = command;
  const reporting = report === undefined ? {} : { TEST_REPORT: report };
  const child = spawn(program, args, { cwd: root, env: { ...env, ...step.env, ...reporting } });
  const path = join(REPORTS, 'nightly', `${name.replaceAll(/[ /]+/g, '-')}.log`);
  const log = createWriteStream(join(root, path));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const exit = await new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  log.end();
  await finished(log);
  const seconds = Math.round((performance.now() - began) / 1_000);
  const summary = report === undefined ? undefined : summarize([readTestReport(report)]);
  const result = { part, step: name, passed: exit === 0, seconds };
  console.log(`${mark(result)} ${name}  ${seconds} s${exit === 0 ? '' : `  see ${path}`}`);
  if (summary === undefined) return result;
  const failed = summary.failures.map((failure) => failure.name);
  for (const test of failed) console.log(`    ${test}`);
  return { ...result, tests: { passed: summary.passed, failed } };
}

const mark = ({ passed }: Pick<Result, 'passed'>): string => (passed ? '✓' : '✗');

function table(results: readonly Result[]): string {
  const rows = results.map((result) => [
    mark(result),
    result.step,
    result.tests === undefined
      ? ''
      : `${result.tests.passed} passed, ${result.tests.failed.length} failed`,
    `${result.seconds} s`,
  ]);
  const width = (at: number): number => Math.max(...rows.map((row) => row[at]?.length ?? 0));
  return rows
    .map(([sign, step = '', count = '', time = '']) =>
      [sign, step.padEnd(width(1)), count.padEnd(width(2)), time.padStart(width(3))].join('  '),
    )
    .join('\n');
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { full: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
});
const steps = selectSteps(positionals, allSteps(values.full));
if (values.list) {
  for (const { part, name } of steps) console.log(`${part.padEnd(14)}${name}`);
  process.exit();
}

const whole = positionals.length === 0;
// A part adds its proofs to those of earlier parts; a complete run starts from nothing.
if (whole) rmSync(join(root, REPORTS), { recursive: true, force: true, maxRetries: 20 });
mkdirSync(join(root, REPORTS, 'nightly'), { recursive: true });

const commit = git('rev-parse', 'HEAD');
const dirty = git('status', '--porcelain') !== '';
const tested = `${commit}${dirty ? ' with uncommitted changes' : ''}`;
const startedAt = new Date();
console.log(`Commit ${tested}\n${steps.length} steps, started ${startedAt.toISOString()}`);

// Installing n8n takes minutes, and only these parts use it.
const usesN8n = steps.some(({ part }) => part === 'e2e' || part === 'postgres-15');
const programs = {
  ...programFrom('chromium'),
  ...programFrom('caddy'),
  ...programFrom('promtool'),
  ...(usesN8n ? programFrom('n8n') : {}),
};
const env = { ...process.env, CI: 'true', ...programs };
const results: Result[] = [];
for (const step of steps) {
  const built = results.some((one) => one.part === 'build' && one.passed);
  results.push(await perform(step, built ? { ...env, TEST_BUILT: 'dist' } : env));
}

const seconds = Math.round((Date.now() - startedAt.getTime()) / 1_000);
const failed = results.filter(({ passed }) => !passed).length;
const report = {
  commit,
  dirty,
  full: values.full,
  parts: positionals,
  startedAt,
  seconds,
  failed,
  results,
};
writeFileSync(join(root, SUMMARY), `${JSON.stringify(report, null, 2)}\n`);
console.log(`\n${table(results)}\n`);
console.log(`Commit ${tested}`);
console.log(
  `${results.length - failed} steps passed, ${failed} failed, ${seconds} s. Report: ${SUMMARY}`,
);
process.exitCode = failed === 0 ? 0 : 1;
