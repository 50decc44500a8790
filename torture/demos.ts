// Starts `relay demo`, with and without its scene, stops it in every possible way, then looks for leftover processes,
// ports and files. In between it links a phone, so that there is something to clean up.
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gateway } from '@relay/testing/e2e/gateway';
import { type DemoLine, type Headless, holdIn } from '@relay/testing/e2e/headless';
import { Phones } from '@relay/testing/e2e/phones';
import { answers, untilGone } from '@relay/testing/e2e/traces';
import { removeFolder } from '@relay/testing/remove-folder';
import { quantile } from './quantile.ts';
import { openBuilt } from './resources.ts';

export interface DemosReport {
  readonly rounds: number;
  /** How many of these had their scene. */
  readonly scenes: number;
  readonly startMs: Figures;
  readonly stopMs: Figures;
  readonly processesLeft: number;
  readonly portsLeft: number;
  readonly filesLeft: number;
  readonly faults: readonly string[];
}

interface Figures {
  readonly median: number;
  readonly slowest: number;
}

const WAYS = ['SIGINT', 'SIGTERM', 'let go'] as const;
const OWNER = '14155550142';

export interface DemosOptions {
  readonly rounds: number;
  /** Every nth round plays the scene; none by default. */
  readonly sceneEvery?: number;
}

interface Round {
  readonly startMs: number;
  readonly stopMs: number;
  readonly left: Left;
  readonly faults: readonly string[];
}

interface Left {
  readonly processes: readonly string[];
  readonly ports: readonly string[];
  readonly files: readonly string[];
}

export async function tortureDemos(options: DemosOptions): Promise<DemosReport> {
  const { built, remove } = await openBuilt();
  const folder = await mkdtemp(join(tmpdir(), 'relay demos '));
  const rounds: Round[] = [];
  const plays = (number: number) =>
    options.sceneEvery !== undefined && number % options.sceneEvery === 0;
  try {
    const command = join(built, 'bin/relay.js');
    for (let number = 0; number < options.rounds; number += 1) {
      const way = WAYS[number % WAYS.length] ?? 'let go';
      rounds.push(await play({ folder, command, number, way, hasScene: plays(number) }));
    }
  } finally {
    await removeFolder(folder);
    remove();
  }
  const count = (what: keyof Left) => rounds.reduce((sum, { left }) => sum + left[what].length, 0);
  return {
    rounds: rounds.length,
    scenes: rounds.filter((_, number) => plays(number)).length,
    startMs: figures(rounds.map(({ startMs }) => startMs)),
    stopMs: figures(rounds.map(({ stopMs }) => stopMs)),
    processesLeft: count('processes'),
    portsLeft: count('ports'),
    filesLeft: count('files'),
    faults: rounds.flatMap(({ faults }) => faults),
  };
}

interface Wish {
  readonly folder: string;
  readonly command: string;
  readonly number: number;
  readonly way: (typeof WAYS)[number];
  readonly hasScene: boolean;
}

async function play({ folder, command, number, way, hasScene }: Wish): Promise<Round> {
  const begin = performance.now();
  const demo = await holdIn(folder, command, ...(hasScene ? [] : ['--headless']));
  const startMs = performance.now() - begin;
  if (!hasScene) await link(demo.line);
  const end = performance.now();
  const { exit, err } = await endedBy(demo, way);
  const stopMs = performance.now() - end;
  const left = await leftOf(demo.line, folder);
  const things = [...left.processes, ...left.ports, ...left.files].map((each) => `left ${each}`);
  const badly = exit === 0 && err === '' ? [] : [`ended with ${exit} ${err}`];
  const faults = [...badly, ...things].map((fault) => `round ${number}, ${way}: ${fault}`);
  return { startMs, stopMs, left, faults };
}

async function link({ api, token, simulator }: DemoLine): Promise<void> {
  const relay = new Gateway(() => ({ port: Number(new URL(api).port), token }));
  const phones = new Phones(simulator);
  await phones.add(OWNER, 'Alex');
  await relay.connect();
  await phones.scan(OWNER, await relay.qr());
  await relay.connected();
}

function endedBy(demo: Headless, way: (typeof WAYS)[number]) {
  if (way === 'let go') demo.letGo();
  else demo.child.kill(way);
  return demo.ended;
}

async function leftOf(line: DemoLine, folder: string): Promise<Left> {
  const ports: string[] = [];
  for (const value of Object.values(line)) {
    const port = value.startsWith('http:') ? Number(new URL(value).port) : 0;
    if (port > 0 && (await answers('127.0.0.1', port))) ports.push(`port ${port}`);
  }
  const files = (await readdir(folder)).filter((name) => name !== COMPILED);
  return { processes: await untilGone(line.home), ports, files };
}

/** Node's cache of compiled programs, shared by all of them. */
const COMPILED = 'node-compile-cache';

const figures = (times: readonly number[]): Figures => ({
  median: quantile(times, 0.5),
  slowest: Math.round(Math.max(...times)),
});
