// `npm run torture -- engine [--daemon-kills 100] [--postgres-kills 30]`: breaks things on purpose and
// then counts. Exits 1 when anything that was promised did not hold.
import { parseArgs } from 'node:util';
import { tortureEngine } from './engine.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    'daemon-kills': { type: 'string', default: '100' },
    'postgres-kills': { type: 'string', default: '30' },
    seed: { type: 'string' },
  },
});

if (positionals[0] !== 'engine') {
  console.error(
    'Usage: npm run torture -- engine [--daemon-kills N] [--postgres-kills N] [--seed N]',
  );
  process.exit(2);
}
const held = await tortureEngine({
  daemonKills: Number(values['daemon-kills']),
  postgresKills: Number(values['postgres-kills']),
  seed: Number(values.seed ?? Date.now() % 1_000_000),
});
process.exit(held ? 0 : 1);
