// `npm run bench -- <bench> [--people N] [--messages N] [--accounts N] [--seconds N] [--minutes N]
// [--megabytes N] [--json FILE]`: figures measured in one run, each with its limit. Exits 1 when a limit is not met.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { benchBytes } from './bytes.ts';
import { benchConsole } from './console.ts';
import { benchConversations } from './conversations.ts';
import { isKept, type Limit, line } from './figures.ts';
import { benchFirstAnswer } from './first-answer.ts';
import { benchFirstPage } from './first-page.ts';
import { benchFleet } from './fleet.ts';
import { benchGrowth } from './growth.ts';
import { benchHeartbeat } from './heartbeat.ts';
import { benchIdle } from './idle.ts';
import { benchMcp } from './mcp.ts';
import { benchMedia } from './media.ts';
import { benchMemory } from './memory.ts';
import { benchMetrics } from './metrics.ts';
import { benchNfr } from './nfr.ts';
import { benchNoise } from './noise.ts';
import { benchRetrieval } from './retrieval.ts';
import { benchScale } from './scale.ts';
import { benchSearch } from './search.ts';
import { benchSpeech } from './speech.ts';
import { benchStart } from './start.ts';
import { benchTransition } from './transition.ts';
import { benchTurn } from './turn.ts';
import { benchUpgrade } from './upgrade.ts';
import { benchWire } from './wire.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    people: { type: 'string', default: '1000' },
    messages: { type: 'string' },
    accounts: { type: 'string', default: '500' },
    snapshots: { type: 'string' },
    profiles: { type: 'string' },
    seconds: { type: 'string', default: '60' },
    minutes: { type: 'string', default: '10' },
    megabytes: { type: 'string', default: '64' },
    data: { type: 'string' },
    local: { type: 'boolean' },
    results: { type: 'string' },
    json: { type: 'string' },
  },
});

const BENCHES: Readonly<Record<string, () => Promise<readonly Limit[]>>> = {
  start: benchStart,
  speech: () => benchSpeech(values.data ?? ''),
  transition: benchTransition,
  bytes: () => benchBytes(Number(values.messages ?? 10_000)),
  scale: benchScale,
  heartbeat: benchHeartbeat,
  wire: benchWire,
  turn: benchTurn,
  upgrade: () => benchUpgrade(Number(values.messages ?? 1_000_000)),
  conversations: () => benchConversations(Number(values.people)),
  nfr: benchNfr,
  noise: benchNoise,
  idle: () => benchIdle(Number(values.accounts), Number(values.seconds)),
  search: benchSearch,
  mcp: benchMcp,
  media: () =>
    benchMedia({
      images: Number(values.messages ?? 1_000),
      megabytes: Number(values.megabytes),
    }),
  memory: () => benchMemory(Number(values.messages ?? 1_000_000)),
  fleet: () =>
    benchFleet({
      accounts: Number(values.accounts),
      seconds: Number(values.seconds),
      snapshots: values.snapshots,
      profiles: values.profiles,
    }),
  growth: () => benchGrowth(Number(values.messages ?? 1_000_000)),
  'first-answer': benchFirstAnswer,
  metrics: () => benchMetrics(Number(values.minutes)),
  'first-page': benchFirstPage,
  console: () =>
    benchConsole({
      conversations: 10_000,
      messages: Number(values.messages ?? 100_000),
      events: 200,
      seconds: Number(values.seconds),
    }),
  retrieval: () => benchRetrieval(values),
};

const bench = BENCHES[positionals[0] ?? ''];
if (bench === undefined) {
  console.error(`Usage: npm run bench -- ${Object.keys(BENCHES).join(' | ')} [--json FILE]`);
  process.exit(2);
}
const figures = await bench();
for (const figure of figures) console.log(line(figure));
const kept = figures.every(isKept);
if (values.json !== undefined) {
  const written = { bench: positionals[0], at: new Date().toISOString(), kept, figures };
  await writeFile(values.json, `${JSON.stringify(written, null, 2)}\n`);
}
process.exit(kept ? 0 : 1);
