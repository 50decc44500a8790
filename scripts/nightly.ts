// `scripts/nightly [part…] [--full] [--list]`: runs every test, torture and bench, one step after the other. A failed
// step does not stop later ones. Writes a log per step and a JSON report to coverage/, and ends with one table. Parts
// that run one by one on the same commit share the report.
import { execFileSync, spawn } from 'node:child_process';
import {
  createWriteStream,
  existsSync,
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

interface Report {
  readonly commit: string;
  readonly dirty: boolean;
  readonly full: boolean;
  readonly startedAt: string;
  readonly seconds: number;
  readonly failed: number;
  readonly results: readonly Result[];
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

/** Properties, and some other tests, repeat more often, and draw other cases each time. */
const LARGE = { PROPERTY_RUNS: '10000' };

const CHECKS: readonly Step[] = [
  {
    part: 'check',
    name: 'check',
    command: npm('check'),
    report: `${REPORTS}/unit.json`,
    env: LARGE,
  },
  { part: 'check', name: 'docs site', command: npm('docs') },
];

const BUILD: Step = { part: 'build', name: 'build', command: npm('build') };

const SUITES: readonly Step[] = [
  tests('e2e', 'integration', [...QUICK, ...NIGHTLY], {
    env: { ...LARGE, TEST_EXCLUDE: `${CONSOLE} torture/**` },
  }),
  tests(
    'e2e',
    'acceptance on shipped defaults',
    [...QUICK, ...NIGHTLY, 'testing/src/e2e/acceptance'],
    { env: { TEST_DEFAULTS: '1' } },
  ),
  tests('console', 'console', [...QUICK, ...NIGHTLY, '/console/'], { env: { TEST_WORKERS: '2' } }),
];

/** Every torture in its short form, as a test. */
const SHORT_TORTURES = tests('torture', 'tortures', [...QUICK, ...NIGHTLY, 'torture/'], {
  env: { TEST_EXCLUDE: CONSOLE },
});

const REQUIREMENTS: Step = {
  part: 'requirements',
  name: 'requirements',
  command: ['node', 'scripts/requirements.ts', '--proven', 'all'],
};

function onPostgres15(): Step {
  const suite = tests('postgres-15', 'PostgreSQL 15', [...QUICK, ...NIGHTLY]);
  return {
    ...suite,
    command: ['scripts/with-postgres-15', ...suite.command],
    // The console, the tortures and documents use the same statements as the other tests, and the tests of the private
    // server start only that.
    env: { TEST_EXCLUDE: `${CONSOLE} torture/** packages/daemon/src/platform/db/postgres/**` },
  };
}

/** The arguments of each torture at full size. */
const TORTURES: readonly (readonly [name: string, args: string])[] = [
  ['engine', '--daemon-kills 100 --postgres-kills 30'],
  ['wire', '--kills 300'],
  ['turns', '--kills 200'],
  ['media', '--kills 200'],
  ['passkeys', '--kills 100'],
  ['crowd', '--contacts 500'],
  ['loops', '--hours 24'],
  ['faults', '--schedules 1000'],
  ['failover', '--workers 3 --accounts 300 --kills 50'],
  ['races', '--interleavings 1000'],
  ['attacks', '--calls 2400'],
  ...['body', 'caption', 'file_name', 'transcript', 'picture_text', 'document_text'].map(
    (field) => ['attacks', `--field ${field} --limit 300`] as const,
  ),
  ['flood', ''],
  ['stranger', '--messages 1000'],
  ['partition', ''],
  ['silence', ''],
  ['week', '--days 7'],
  ['why', ''],
  ['restore', '--rounds 100'],
  ['forget', ''],
  ['month', '--days 30'],
  ['mcp', '--calls 100000'],
  ['demos', '--rounds 20'],
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
  const sized = (part: string, name: string, args: string): Step => {
    const list = args.split(' ').filter(Boolean);
    return { part, name: [part, name, ...list].join(' '), command: npm(part, name, ...list) };
  };
  return [
    ...CHECKS,
    BUILD,
    ...SUITES,
    SHORT_TORTURES,
    ...(full ? TORTURES.map(([name, args]) => sized('torture', name, args)) : []),
    REQUIREMENTS,
    onPostgres15(),
    ...BENCHES.map(([name, nightly, atFullSize]) =>
      sized('bench', name, full ? atFullSize : nightly),
    ),
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

const commit = git('rev-parse', 'HEAD');
const dirty = git('status', '--porcelain') !== '';
const tested = `${commit}${dirty ? ' with uncommitted changes' : ''}`;

/** The report of other parts that ran on this commit. */
function earlier(): Report | undefined {
  const path = join(root, SUMMARY);
  if (dirty || !existsSync(path)) return undefined;
  const report = JSON.parse(readFileSync(path, 'utf8')) as Report;
  return report.commit === commit && !report.dirty && report.full === values.full
    ? report
    : undefined;
}

const whole = positionals.length === 0;
// A part adds its results and proofs to those of earlier parts; a complete run starts from nothing.
if (whole) rmSync(join(root, REPORTS), { recursive: true, force: true, maxRetries: 20 });
mkdirSync(join(root, REPORTS, 'nightly'), { recursive: true });

const before = earlier();
const startedAt = before?.startedAt ?? new Date().toISOString();
console.log(`Commit ${tested}\n${steps.length} steps, started ${new Date().toISOString()}`);

// Installing n8n takes minutes, and only these parts use it.
const usesN8n = steps.some(({ part }) => part === 'e2e' || part === 'postgres-15');
const programs = {
  ...programFrom('chromium'),
  ...programFrom('caddy'),
  ...programFrom('promtool'),
  ...(usesN8n ? programFrom('n8n') : {}),
};
const env = { ...process.env, CI: 'true', ...programs };
const names = new Set(steps.map(({ name }) => name));
const results: Result[] = before?.results.filter(({ step }) => !names.has(step)) ?? [];
let built = false;
for (const step of steps) {
  const result = await perform(step, built ? { ...env, TEST_BUILT: 'dist' } : env);
  built ||= step === BUILD && result.passed;
  results.push(result);
  // After each step: what was measured survives an interruption.
  writeFileSync(join(root, SUMMARY), `${JSON.stringify(reportOf(results), null, 2)}\n`);
}

function reportOf(all: readonly Result[]): Report {
  const seconds = all.reduce((sum, result) => sum + result.seconds, 0);
  const failed = all.filter(({ passed }) => !passed).length;
  return { commit, dirty, full: values.full, startedAt, seconds, failed, results: all };
}

const { failed, seconds } = reportOf(results);
console.log(`\n${table(results)}\n`);
console.log(`Commit ${tested}`);
console.log(
  `${results.length - failed} steps passed, ${failed} failed, ${seconds} s. Report: ${SUMMARY}`,
);
process.exitCode = failed === 0 ? 0 : 1;
