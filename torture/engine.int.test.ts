// The short form of `npm run torture -- engine`: the same load, fewer kills, a fixed seed.
import { expect, it } from 'vitest';
import { tortureEngine } from './engine.ts';

// It kills PostgreSQL, so it needs a private one.
const given = Boolean(process.env.DATABASE_URL);

it.skipIf(given)(
  'keeps every guarantee while the daemon and its PostgreSQL are killed under load',
  // Only guards against a hang: the duration depends on the machine.
  { timeout: 900_000 },
  async () => {
    expect(await tortureEngine({ daemonKills: 8, postgresKills: 3, seed: 20_261_115 })).toBe(true);
  },
);
