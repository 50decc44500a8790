// `npm run check`: what a developer runs before a commit. Independent steps, two at a time, with one line and the
// duration of each; a failing step's output in full. Must stay under a minute on two cores.
//   npm run check -- --only types --only lint
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';

interface Step {
  readonly name: string;
  readonly says: string;
  /** Arguments for Node: every tool is a script, so nothing depends on a shell or on PATH. */
  readonly run: readonly string[];
}

const root = join(import.meta.dirname, '..');
const present = (...paths: string[]): string[] =>
  paths.filter((path) => existsSync(join(root, path)));

const COLOURS = process.stdout.isTTY === true;
const TSC = 'node_modules/typescript-native/bin/tsc';
const CRUISER = 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs';
const CACHE = 'node_modules/.cache/relay';
const WORKSHOP = present('testing', 'scripts', 'bench', 'torture', 'requirements');

/**
 * One thread: by default TypeScript starts four checkers, which repeat each other's work (38 CPU seconds instead
 * of 20). Incremental: a later run checks only files affected by a change.
 */
const checkTypes = (config: string, name: string): string[] => [
  ...[TSC, '-p', config, '--singleThreaded'],
  ...['--incremental', '--tsBuildInfoFile', join(root, CACHE, `${name}.tsbuildinfo`)],
];

// The slowest first, so that both lanes finish at about the same time.
const STEPS: readonly Step[] = [
  {
    name: 'unit',
    says: 'unit tests',
    run: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit'],
  },
  {
    name: 'unused',
    says: 'unused files, exports and dependencies',
    run: [
      ...['node_modules/knip/bin/knip.js', '--no-config-hints'],
      ...['--cache', '--cache-location', `${CACHE}/knip`],
    ],
  },
  { name: 'types', says: 'types', run: checkTypes('tsconfig.json', 'all') },
  {
    name: 'types:web',
    says: 'types of the console',
    run: checkTypes('packages/web/tsconfig.json', 'web'),
  },
  {
    name: 'imports',
    says: 'import table and cycles',
    run: [
      CRUISER,
      '--config',
      '.dependency-cruiser.mjs',
      'packages',
      ...WORKSHOP,
      'vitest.config.ts',
    ],
  },
  { name: 'figures', says: 'size of the product', run: ['scripts/figures.ts'] },
  {
    name: 'lint',
    says: 'format and lint',
    run: [
      'node_modules/@biomejs/biome/bin/biome',
      'ci',
      `--colors=${COLOURS ? 'force' : 'off'}`,
      '.',
    ],
  },
  {
    name: 'openapi',
    says: 'the OpenAPI document of version 1',
    run: ['scripts/openapi-lint.ts'],
  },
  {
    name: 'docs',
    says: 'links in the documentation',
    run: ['scripts/docs-links.ts'],
  },
  {
    name: 'requirements',
    says: 'requirements and their citations',
    run: ['scripts/requirements.ts', '--check'],
  },
  {
    name: 'supply',
    says: 'licences, origins and install scripts of every package',
    run: ['scripts/supply.ts'],
  },
  ...present('scripts/generate.ts').map((script) => ({
    name: 'generated',
    says: 'the generated client and reference are current',
    run: [script, '--check'],
  })),
];

const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const line = (mark: string, says: string, time: string): string =>
  `${mark} ${says.padEnd(42)} ${time.padStart(7)}`;

/** True when the step passed. */
function perform(step: Step): Promise<boolean> {
  const began = performance.now();
  const colour = COLOURS ? { FORCE_COLOR: '1' } : {};
  const child = spawn(process.execPath, step.run, {
    cwd: root,
    env: { ...process.env, ...colour, TEST_REPORT: 'coverage/unit.json' },
  });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const passed = code === 0;
      const mark = passed ? styleText('green', '✓') : styleText('red', '✗');
      console.log(line(mark, step.says, seconds(began)));
      if (!passed) console.log(`\n${Buffer.concat(output).toString().trim()}\n`);
      resolve(passed);
    });
  });
}

function selected(only: readonly string[]): readonly Step[] {
  const chosen = (step: Step, name: string): boolean =>
    step.name.split(':')[0] === name || step.name === name;
  const unknown = only.filter((name) => !STEPS.some((step) => chosen(step, name)));
  if (unknown.length > 0) {
    console.error(
      `No step ${unknown.join(', ')}. There are: ${STEPS.map(({ name }) => name).join(', ')}.`,
    );
    process.exit(2);
  }
  return only.length === 0
    ? STEPS
    : STEPS.filter((step) => only.some((name) => chosen(step, name)));
}

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [] } },
});
const began = performance.now();
const waiting = [...selected(values.only)];
const failed: string[] = [];

async function lane(): Promise<void> {
  for (let step = waiting.shift(); step; step = waiting.shift()) {
    if (!(await perform(step))) failed.push(step.name);
  }
}

await Promise.all([lane(), lane()]);
console.log(
  line(' ', failed.length === 0 ? 'all passed' : `failed: ${failed.join(', ')}`, seconds(began)),
);
process.exitCode = failed.length === 0 ? 0 : 1;
