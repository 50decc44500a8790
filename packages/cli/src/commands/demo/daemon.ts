// Runs the daemon of a demo: the shipped one, as a child process that a preload connects to the simulated network. The
// key of its home lies beside the home, never inside. Invariant: after `stop` neither it nor its PostgreSQL runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DAEMON_NODE_FLAGS } from '@relay/core/installation';
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
  /** Address of the simulated network. */
  readonly socketUrl: string;
  /** How far its clock starts behind the machine's. */
  readonly behindMs?: number;
  /** It serves the API, shares its database and holds no account: workers do. */
  readonly isApi?: boolean;
  /** Address of the page with the simulated phones; the console links to it. */
  readonly phone?: string;
}

export interface DemoDaemon {
  readonly url: string;
  /** The address of its database, if it shares it. */
  readonly databaseUrl: string | null;
  /** Resolves with the end of a sentence if the daemon exits before it was asked to. */
  readonly exited: Promise<string>;
  /** Sets how far its clock is behind the machine's; 0 is final. */
  setBehind(ms: number): void;
  stop(): Promise<void>;
}

/** The files to run: those of the package, or the sources of a checkout. */
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
  const { port, database = null } = await waitForDaemonReady(daemon, terminal).catch(
    async (error: unknown) => {
      await ended;
      throw error;
    },
  );
  return {
    url: `http://127.0.0.1:${port}`,
    databaseUrl: database,
    exited: ended.then(() => describeDaemonExit(daemon)),
    setBehind: (ms) => void daemon.stdin?.write(`${ms}\n`),
    async stop() {
      if (daemon.exitCode === null && daemon.signalCode === null) return endDaemon(daemon);
      // A killed daemon leaves its PostgreSQL running; starting another one on that home stops it.
      const { behindMs: _, ...today } = place;
      const successor = launchDemoDaemon({ ...today, port: 0 }, program);
      await waitForDaemonReady(successor, terminal).catch(() => {});
      await endDaemon(successor);
    },
  };
}

function launchDemoDaemon(
  { home, port, socketUrl, behindMs, phone, isApi = false }: DemoDaemonOptions,
  { main, preloads }: DaemonProgram,
): ChildProcess {
  process.umask(0o077);
  const environment = daemonEnvironment();
  const own = ['DATABASE_URL', 'DATABASE_OWNER_URL', 'RELAY_KEY_COMMAND', 'RELAY_KEY'];
  const output = openSync(join(home, 'daemon.out'), 'a', 0o600);
  try {
    const clock = behindMs === undefined ? [] : [preloads.clock];
    const imports = [...clock, preloads.network, preloads.leash].map((url) => `--import=${url}`);
    const role = isApi ? ['--api', '--share-database'] : [];
    const args = [...DAEMON_NODE_FLAGS, ...imports, main, ...role, '--ready-fd', '3'];
    return spawn(process.execPath, args, {
      // Its own session, so that Ctrl-C reaches only the parent, which decides the order of shutdown.
      detached: true,
      cwd: home,
      stdio: ['pipe', output, output, 'pipe'],
      env: {
        ...environment,
        ...Object.fromEntries(own.map((name) => [name, undefined])),
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

// The home of a demo: the requested folder, or a temporary one that is deleted at the end. A new home sends without
// pacing, or with a short visible typing time: no real account is at risk.

interface DemoHome {
  readonly path: string;
  /** Configures the scripted model, unless a model was already chosen. */
  useModel(url: string): Promise<void>;
  close(): Promise<void>;
}

const NO_PACING = { enabled: false };
/** Typing is visible, but short. */
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
    // One level down: the home's key lies beside the home and is deleted with it.
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

/** Needed at every start, because the scripted model's address changes. */
async function useModel(home: string, url: string): Promise<void> {
  const { settings, fault } = readHomeSettings(home);
  const chosen = settings.model_provider && settings.model_name !== SCRIPTED_MODEL;
  // Faults in an existing settings file are left for the daemon to report.
  if (fault !== null || chosen) return;
  await write(home, {
    ...settings,
    model_provider: 'openai-compatible',
    model_name: SCRIPTED_MODEL,
    model_base_url: `${url}/v1`,
    // At the same address, so that the demo answers voice messages.
    transcription: { by: 'endpoint', model: SCRIPTED_MODEL },
  });
}

const SCRIPTED_MODEL = 'scripted';

const write = (home: string, settings: object): Promise<void> =>
  writeFile(settingsPath(home), `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });

// A worker of a demo: another process on the database that the demo's API shares.

interface DemoWorkerOptions {
  /** The home of the demo; the worker's own lies beside it. */
  readonly home: string;
  readonly number: number;
  readonly databaseUrl: string;
  readonly socketUrl: string;
}

interface DemoWorker {
  readonly id: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export async function startDemoWorker(
  { home, number, databaseUrl, socketUrl }: DemoWorkerOptions,
  terminal: Terminal,
): Promise<DemoWorker> {
  const own = `${home}-worker-${number}`;
  await mkdir(own, { recursive: true, mode: 0o700 });
  await copyFile(settingsPath(home), settingsPath(own));
  const output = openSync(join(own, 'daemon.out'), 'a', 0o600);
  const { network, leash } = PACKAGED.preloads;
  const args = [...DAEMON_NODE_FLAGS, `--import=${network}`, `--import=${leash}`, PACKAGED.main];
  const { DATABASE_OWNER_URL: _, ...environment } = daemonEnvironment();
  const worker = spawn(process.execPath, [...args, '--worker', '100', '--ready-fd', '3'], {
    detached: true,
    cwd: own,
    stdio: ['pipe', output, output, 'pipe'],
    env: {
      ...environment,
      DATABASE_URL: databaseUrl,
      RELAY_HOME: own,
      RELAY_PORT: '0',
      RELAY_KEY_FILE: `${home}.key`,
      RELAY_SIMULATOR_URL: socketUrl,
    },
  });
  closeSync(output);
  const { pid } = await waitForDaemonReady(worker, terminal);
  const id = (await readFile(join(own, 'worker-id'), 'utf8')).trim();
  return { id, pid, stop: () => endDaemon(worker) };
}
