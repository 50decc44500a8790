// From `relay start` to ready, cold and warm, and `relay status` against Node doing nothing. Runs the built package, as
// a person would.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { removeFolder } from '@relay/testing/remove-folder';
import { type Limit, median, quantile } from './figures.ts';

const run = promisify(execFile);
const RELAY = fileURLToPath(new URL('../dist/bin/relay.js', import.meta.url));
const FIRST_STARTS = 5;
const WARM_STARTS = 10;
const COMMANDS = 20;

export async function benchStart(): Promise<readonly Limit[]> {
  if (!existsSync(RELAY)) throw new Error('Run `npm run build` first.');
  const first = await firstStarts(RELAY, FIRST_STARTS);
  const warm: number[] = [];
  const idle: number[] = [];
  const status: number[] = [];
  await inNewHome(RELAY, async (relay) => {
    await relay('start');
    await relay('stop');
    for (let i = 0; i < WARM_STARTS; i++) {
      warm.push(await timed(() => relay('start')));
      if (i < WARM_STARTS - 1) await relay('stop');
    }
    for (let i = 0; i < COMMANDS; i++) {
      idle.push(await timed(() => run(process.execPath, ['-e', '0'])));
      status.push(await timed(() => relay('status')));
    }
    await relay('stop');
  });
  return [
    {
      name: `first ever start to ready, median of ${FIRST_STARTS}`,
      measured: median(first),
      unit: 'ms',
      atMost: 3000,
    },
    { name: 'first ever start to ready, worst', measured: quantile(first, 1), unit: 'ms' },
    {
      name: `warm start to ready, median of ${WARM_STARTS}`,
      measured: median(warm),
      unit: 'ms',
      atMost: 1000,
    },
    { name: 'warm start to ready, worst', measured: quantile(warm, 1), unit: 'ms' },
    { name: `\`relay status\`, median of ${COMMANDS}`, measured: median(status), unit: 'ms' },
    { name: `\`node -e 0\`, median of ${COMMANDS}`, measured: median(idle), unit: 'ms' },
    {
      name: '`relay status` ÷ `node -e 0`',
      measured: median(status) / median(idle),
      unit: '×',
      atMost: 2.5,
    },
  ];
}

type Relay = (command: string) => Promise<unknown>;

/** Each with a home folder that was never started; `program` is the file of the `relay` command. */
export async function firstStarts(program: string, count: number): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    await inNewHome(program, async (relay) => {
      took.push(await timed(() => relay('start')));
      await relay('stop');
    });
  }
  return took;
}

async function inNewHome(program: string, work: (relay: Relay) => Promise<void>): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'relay-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    RELAY_HOME: home,
    RELAY_KEY_FILE: `${home}.key`,
    RELAY_PORT: '0',
  };
  try {
    await work((command) => run(process.execPath, [program, command], { env }));
  } finally {
    await removeFolder(home);
    await rm(`${home}.key`, { force: true });
  }
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
