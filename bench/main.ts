// `npm run bench -- start | transition | scale | heartbeat | wire`: figures measured in one run, each with its limit.
// Exits 1 when a limit is not kept.
import { benchHeartbeat } from './heartbeat.ts';
import { benchScale } from './scale.ts';
import { benchStart } from './start.ts';
import { benchTransition } from './transition.ts';
import { benchWire } from './wire.ts';

const BENCHES: Readonly<Record<string, () => Promise<boolean>>> = {
  start: benchStart,
  transition: benchTransition,
  scale: benchScale,
  heartbeat: benchHeartbeat,
  wire: benchWire,
};

const bench = BENCHES[process.argv[2] ?? ''];
if (bench === undefined) {
  console.error(`Usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')}`);
  process.exit(2);
}
process.exit((await bench()) ? 0 : 1);
