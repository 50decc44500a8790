import { existsSync, statfsSync } from 'node:fs';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { QUICK } from './scripts/tiers.ts';
import { findCaddy, findChromium } from './testing/src/e2e/console/chromium.ts';
import { LongFirst } from './testing/src/long-first.ts';

// Console tests need a Chromium. Without one they are skipped with a warning; under CI they run and fail.
const CONSOLE = '**/console/*.int.test.ts';
const skipConsole = !process.env.CI && findChromium() === undefined;
if (skipConsole) console.warn(`No Chromium (scripts/chromium installs one): skipping ${CONSOLE}`);
// So does the test that comes through a proxy, which needs a Caddy too.
const PROXY = '**/console/phone.int.test.ts';
const skipProxy = !process.env.CI && findCaddy() === undefined;
if (skipProxy) console.warn(`No Caddy (scripts/caddy installs one): skipping ${PROXY}`);

// Globs, separated by spaces. vitest's own --exclude does not reach the projects.
const excluded = process.env.TEST_EXCLUDE?.split(' ') ?? [];

const IGNORED = ['**/node_modules/**', '**/dist/**', '**/fixtures/**'];

// Keep temporary files in memory where there is room: a fresh database is ready three times as fast.
const MEMORY = '/dev/shm';
const BYTES_NEEDED = 4 * 1024 ** 3;
if (process.env.TMPDIR === undefined && existsSync(MEMORY)) {
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize > BYTES_NEEDED) process.env.TMPDIR = MEMORY;
}

// The quick tier draws the same cases in every run. At night, with PROPERTY_RUNS, they differ.
const setupFiles = process.env.PROPERTY_RUNS ? [] : ['testing/src/same-cases.ts'];

/** Tests with a real PostgreSQL and real processes. */
const integration = (
  name: string,
  files: { include: readonly string[]; exclude: readonly string[] },
): TestProjectInlineConfiguration => ({
  test: {
    name,
    include: [...files.include],
    exclude: [
      ...IGNORED,
      ...(skipConsole ? [CONSOLE] : []),
      ...(skipProxy ? [PROXY] : []),
      ...excluded,
      ...files.exclude,
    ],
    setupFiles,
    globalSetup: ['testing/src/global-setup.ts', 'testing/src/e2e/built.ts'],
    pool: 'forks',
    // A worker loads the daemon's modules once; loading them for each file would take half of the time.
    isolate: false,
    fsModuleCache: true,
    // Three on two cores: a test waits for a process as often as it computes. A browser never waits.
    maxWorkers: Number(process.env.TEST_WORKERS ?? 3),
    // Only against hanging: a busy machine is slow.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});

// Where a run writes its results as JSON, for scripts that add them up.
const report = process.env.TEST_REPORT;
const reporters = ['default', './testing/src/requirements-reporter.ts'];
const reporting =
  report === undefined
    ? { reporters }
    : {
        reporters: [...reporters, 'json', './scripts/strays-reporter.ts'],
        outputFile: { json: report },
      };

// unit: pure and fast, part of `npm run check`. integration: the quick tier, `npm test`. nightly: all other tests.
export default defineConfig({
  test: {
    ...reporting,
    sequence: { sequencer: LongFirst },
    // A failure names the whole value: on another machine the log is all there is.
    chaiConfig: { truncateThreshold: 2_000 },
    // Dropping the databases of a run and stopping their server takes time on a busy machine.
    teardownTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: [...IGNORED, '**/*.int.test.ts'],
          setupFiles: [...setupFiles, 'packages/web/src/unit-setup.ts'],
          // Pure code has no state to hide from the next file, and is loaded once instead of in each.
          isolate: false,
          // Keeps transformed modules in node_modules/.vite between runs.
          fsModuleCache: true,
          // On two cores vitest would use one.
          maxWorkers: 2,
          // Only against hanging: a busy machine is slow.
          testTimeout: 60_000,
          expect: { poll: { timeout: 30_000 } },
        },
      },
      integration('integration', { include: QUICK, exclude: [] }),
      integration('nightly', { include: ['**/*.int.test.ts'], exclude: QUICK }),
    ],
  },
});
