// The daemon of a demo: the one that ships, as a child that was led into the simulated network by a
// preload. The key to its home lies beside it, never inside.
// Invariant: after `stop` neither it nor the PostgreSQL it brought along runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { daemonEnvironment } from '../../config.ts';
import { DAEMON, endOf, untilEnded, untilReady } from '../../starting.ts';
import type { Terminal } from '../../terminal.ts';

export interface Place {
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
  main: DAEMON,
  preloads: {
    clock: inPackage('clock'),
    network: inPackage('preload'),
    leash: inPackage('leash'),
  },
};

export type StartDaemon = (place: Place, terminal: Terminal) => Promise<DemoDaemon>;

export async function startDaemon(
  place: Place,
  terminal: Terminal,
  program: DaemonProgram = PACKAGED,
): Promise<DemoDaemon> {
  const daemon = launch(place, program);
  const ended = untilEnded(daemon);
  const { port } = await untilReady(daemon, terminal).catch(async (error: unknown) => {
    await ended;
    throw error;
  });
  return {
    url: `http://127.0.0.1:${port}`,
    died: ended.then(() => endOf(daemon)),
    setBehind: (ms) => void daemon.stdin?.write(`${ms}\n`),
    async stop() {
      if (daemon.exitCode === null && daemon.signalCode === null) return end(daemon);
      // One that was killed left its PostgreSQL behind; its successor knows how to stop it.
      const { behindMs: _, ...today } = place;
      const successor = launch({ ...today, port: 0 }, program);
      await untilReady(successor, terminal).catch(() => {});
      await end(successor);
    },
  };
}

function launch(
  { home, port, socketUrl, behindMs, phone }: Place,
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

async function end(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode === null && daemon.signalCode === null) daemon.kill('SIGTERM');
  await untilEnded(daemon);
}
