import { defineConfig } from 'vitest/config';
import { findChromium } from './testing/src/e2e/console/chromium.ts';
import { LongFirst } from './testing/src/long-first.ts';

// The console is looked at in a Chromium. Where there is none its tests are left out, and that is said; under CI they
// run and fail.
const IN_CHROMIUM = '**/console/*.int.test.ts';
const cannotLook = !process.env.CI && findChromium() === undefined;
if (cannotLook) console.warn(`No Chromium (scripts/chromium gets one): skipped ${IN_CHROMIUM}`);

// Globs, a space between them. vitest's own --exclude does not reach the projects.
const leftOut = process.env.TEST_EXCLUDE?.split(' ') ?? [];

// unit: pure and fast, part of `npm run check`. integration: real PostgreSQL, real processes, `npm test`.
export default defineConfig({
  test: {
    reporters: ['default', './testing/src/requirements-reporter.ts'],
    sequence: { sequencer: LongFirst },
    // To drop the databases of a run and stop their server takes its time on a machine with other work.
    teardownTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['**/*.test.ts'],
          exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**', '**/*.int.test.ts'],
          // Pure code has no state to hide from the next file, and is loaded once instead of in each.
          isolate: false,
          // A machine that does other things too is slow, not wrong.
          testTimeout: 20_000,
          expect: { poll: { timeout: 5_000 } },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['**/*.int.test.ts'],
          exclude: [
            ...['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
            ...(cannotLook ? [IN_CHROMIUM] : []),
            ...leftOut,
          ],
          globalSetup: ['testing/src/global-setup.ts', 'testing/src/e2e/built.ts'],
          pool: 'forks',
          // A worker loads the daemon's modules once: half of the time would go into loading them for each file.
          isolate: false,
          // Three on two cores: a test waits for a process as often as it works. A browser never waits.
          maxWorkers: Number(process.env.TEST_WORKERS ?? 3),
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
