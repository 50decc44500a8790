import { defineConfig } from 'vitest/config';

// unit: pure and fast, part of `npm run check`. integration: real PostgreSQL, real processes, `npm test`.
export default defineConfig({
  test: {
    reporters: ['default', './testing/src/requirements-reporter.ts'],
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
          exclude: ['**/node_modules/**', '**/dist/**', '**/fixtures/**'],
          globalSetup: ['testing/src/global-setup.ts', 'testing/src/e2e/built.ts'],
          pool: 'forks',
          maxWorkers: 2,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
        },
      },
    ],
  },
});
