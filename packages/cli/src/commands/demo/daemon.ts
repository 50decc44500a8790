// The daemon of a demo: the one that ships, as a child that was led into the simulated network by a
// preload. The key to its home lies beside it, never inside.
// Invariant: after `stop` neither it nor the PostgreSQL it brought along runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { daemonEnvironment, readHomeSettings, settingsPath } from '../../config.ts';
import {
  DAEMON_MAIN_FILE,
  describeDaemonExit,
  waitForDaemonExit,
  waitForDaemonReady,
} from '../../daemon-process.ts';
import type { Terminal } from '../../terminal.ts';

export interface DemoDaemonOptions {
  readonly home: string;
  readonly port: number;
  /** Of the simulated network. */
  readonly socketUrl: string;
  /** By how much its clock begins behind the machine's. */
  readonly behindMs?: number;
  /** Where people are the phones of the network; its console leads there. */
  readonly phone?: string;
}

export interface DemoDaemon {
  readonly url: string;
  /** Resolves with the end of a sentence, should the daemon end before it was asked to. */
  readonly died: Promise<string>;
  /** Sets its clock behind the machine's by so much; by nothing is for good. */
  setBehind(ms: number): void;
  stop(): Promise<void>;
}

/** The files that are run: those of the package, or sources of a checkout. */
export interface DaemonProgram {
  readonly main: string;
  readonly preloads: Readonly<Record<'clock' | 'network' | 'leash', string>>;
}

const inPackage = (name: string): string =>
  new URL(`../simulator/${name}.js`, import.meta.url).href;

const PACKAGED: DaemonProgram = {
  main: DAEMON_MAIN_FILE,
  preloads: {
    clock: inPackage('clock'),
    network: inPackage('preload'),
    leash: inPackage('leash'),
  },
};

export type StartDemoDaemon = (place: DemoDaemonOptions, terminal: Terminal) => Promise<DemoDaemon>;

export async function startDemoDaemon(
  place: DemoDaemonOptions,
  terminal: Terminal,
  program: DaemonProgram = PACKAGED,
): Promise<DemoDaemon> {
  const daemon = launchDemoDaemon(place, program);
  const ended = waitForDaemonExit(daemon);
  const { port } = await waitForDaemonReady(daemon, terminal).catch(async (error: unknown) => {
    await ended;
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    died: ended.then(() => describeDaemonExit(daemon)),
    setBehind: (ms) => void daemon.stdin?.write(`${ms}\n`),
    async stop() {
      if (daemon.exitCode === null && daemon.signalCode === null) return endDaemon(daemon);
      // One that was killed left its PostgreSQL behind; its successor knows how to stop it.
      const { behindMs: _, ...today } = place;
      const successor = launchDemoDaemon({ ...today, port: 0 }, program);
      await waitForDaemonReady(successor, terminal).catch(() => {});
      await endDaemon(successor);
    },
  };
}

function launchDemoDaemon(
  { home, port, socketUrl, behindMs, phone }: DemoDaemonOptions,
  { main, preloads }: DaemonProgram,
): ChildProcess {
  process.umask(0o077);
  const { DATABASE_URL: _, DATABASE_OWNER_URL: __, ...environment } = daemonEnvironment();
  const output = openSync(join(home, 'daemon.out'), 'a', 0o600);
  try {
    const clock = behindMs === undefined ? [] : [preloads.clock];
    const imports = [...clock, preloads.network, preloads.leash].map((url) => `--import=${url}`);
    return spawn(process.execPath, [...imports, main, '--ready-fd', '3'], {
      // A session of its own, so that Ctrl-C reaches only the one who decides what ends when.
      detached: true,
      cwd: home,
      stdio: ['pipe', output, output, 'pipe'],
      env: {
        ...environment,
        RELAY_HOME: home,
        RELAY_PORT: String(port),
        RELAY_KEY_FILE: `${home}.key`,
        RELAY_SIMULATOR_URL: socketUrl,
        ...(behindMs === undefined ? {} : { RELAY_SIMULATOR_BEHIND_MS: String(behindMs) }),
        ...(phone === undefined ? {} : { RELAY_DEMO_PHONE: phone }),
      },
    });
  } finally {
    closeSync(output);
  }
}

async function endDaemon(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) daemon.kill('SIGTERM');
  await waitForDaemonExit(daemon);
}

// Where a demo lives: the folder that was asked for, or a temporary one that is deleted at the end. In a
// new one messages leave at once, or after a moment of typing that people can see: the account they might
// harm is not real.

interface DemoHome {
  readonly path: string;
  /** Its agents think with the scripted model, unless somebody has chosen another for them. */
  useModel(url: string): Promise<void>;
  close(): Promise<void>;
}

const NO_PACING = { enabled: false };
/** Somebody is seen typing, and nobody is kept waiting. */
export const VISIBLE_TYPING_PACING = {
  per_minute: 60,
  per_hour: 600,
  per_day: 5_000,
  first_contacts_per_day: 100,
  typing_min_ms: 500,
  typing_max_ms: 1_200,
};

export async function openDemoHome(
  asked: string | null,
  pacing: object = NO_PACING,
): Promise<DemoHome> {
  if (asked === null) {
    // One level down: the key of a home lies beside it and is deleted with it.
    const folder = await mkdtemp(join(tmpdir(), 'relay-demo-'));
    const path = join(folder, 'home');
    await mkdir(path, { mode: 0o700 });
    await configure(path, pacing);
    const close = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
    return { path, useModel: (url) => useModel(path, url), close };
  }
  const path = resolve(asked);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await configure(path, pacing);
  return { path, useModel: (url) => useModel(path, url), close: async () => {} };
}

async function configure(home: string, pacing: object): Promise<void> {
  if (!existsSync(settingsPath(home))) await write(home, { pacing });
}

/** At every start, since the scripted model is then at another address. */
async function useModel(home: string, url: string): Promise<void> {
  const { settings, fault } = readHomeSettings(home);
  const chosen = settings.model_provider && settings.model_name !== SCRIPTED_MODEL;
  // What is wrong with a file of the owner's is for the daemon to say.
  if (fault !== null || chosen) return;
  await write(home, {
    ...settings,
    model_provider: 'openai-compatible',
    model_name: SCRIPTED_MODEL,
    model_base_url: `${url}/v1`,
  });
}

const SCRIPTED_MODEL = 'scripted';

const write = (home: string, settings: object): Promise<void> =>
  writeFile(settingsPath(home), `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
