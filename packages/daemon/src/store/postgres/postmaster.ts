// One postmaster: started, found again, ended. It leads its own session with its output in
// `postgres.log`, so neither a Ctrl-C nor the death of the daemon reaches it.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Site, startFailed } from './cluster.ts';
import { logFile } from './log-file.ts';
import { disownStalePidFile, readPidFile, stillServes } from './pid-file.ts';
import { type Address, type Settings, serverArguments } from './settings.ts';
import { dataArgument } from './user.ts';

export interface Postmaster {
  readonly pid: number;
  /** Settles when the process is gone, whoever ended it. Keeps no event loop alive. */
  readonly gone: Promise<void>;
}

const READY_POLL = 4;
const WATCH_POLL = 200;
/** How long backends of a killed postmaster may take to notice and let go of its memory. */
const ORPHANS_PATIENCE = 20_000;
const FAST_PATIENCE = 15_000;
const IMMEDIATE_PATIENCE = 8_000;

interface LaunchOptions {
  readonly address: Address;
  readonly settings?: Settings | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((sentence: string) => void) | undefined;
}

/** Starts a postmaster and waits until it takes connections, through crash recovery if need be. */
export async function launch(site: Site, options: LaunchOptions): Promise<Postmaster> {
  const deadline = Date.now() + ORPHANS_PATIENCE;
  for (;;) {
    options.signal?.throwIfAborted();
    const outcome = await launchOnce(site, options);
    if (typeof outcome !== 'string') return outcome;
    const orphans = outcome.includes('pre-existing shared memory block');
    if (!orphans || Date.now() > deadline) throw startFailed(outcome, 'it ended at once');
    await sleep(50);
  }
}

/** A postmaster that is ready, or the complaint it ended with. */
async function launchOnce(site: Site, options: LaunchOptions): Promise<Postmaster | string> {
  const log = logFile(site.directory);
  await log.trim();
  await disownStalePidFile(site.data);
  const from = await log.size();
  const child = await spawnPostmaster(site, options);
  const { pid } = child;
  if (pid === undefined) throw new Error('spawned without a pid');
  let ended = false;
  const gone = once(child, 'exit').then(() => {
    ended = true;
  });
  const giveUp = () => child.kill('SIGINT');
  options.signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const slow = Date.now() + 1_500;
    for (let told = false; !ended; ) {
      const file = await readPidFile(site.data);
      if (file?.pid === pid && file.ready) return { pid, gone };
      if (!told && Date.now() > slow) {
        options.onProgress?.('PostgreSQL is putting its files in order after a crash');
        told = true;
      }
      await sleep(READY_POLL);
    }
    options.signal?.throwIfAborted();
    return (await log.complaint(from)) ?? `no reason given, see ${log.path}`;
  } finally {
    options.signal?.removeEventListener('abort', giveUp);
  }
}

async function spawnPostmaster(site: Site, options: LaunchOptions): Promise<ChildProcess> {
  const where = await dataArgument(site.data, site.user);
  const output = await logFile(site.directory).open();
  try {
    const child = spawn(
      site.binaries.postgres,
      ['-D', where, ...serverArguments(options.address, options.settings)],
      {
        cwd: site.data,
        ...site.user,
        env: site.binaries.environment,
        detached: true,
        windowsHide: true,
        stdio: ['ignore', output.fd, output.fd],
      },
    );
    await once(child, 'spawn');
    child.unref();
    return child;
  } catch (cause) {
    throw startFailed(cause, 'its program could not be run');
  } finally {
    await output.close();
  }
}

/** A postmaster that is not our child: watched by its number and the directory it stands in. */
export function watch(pid: number, data: string): Postmaster {
  const gone = (async () => {
    while (await stillServes(pid, data)) await sleep(WATCH_POLL, undefined, { ref: false });
  })();
  return { pid, gone };
}

/** Ends it: open transactions are rolled back, then the rest of the way by force. */
export async function shutDown(site: Site, postmaster: Postmaster): Promise<void> {
  const { pid } = postmaster;
  const steps = [
    ['INT', FAST_PATIENCE],
    ['QUIT', IMMEDIATE_PATIENCE],
    ['KILL', IMMEDIATE_PATIENCE],
  ] as const;
  for (const [name, patience] of steps) {
    if (!(await stillServes(pid, site.data))) return;
    await sendSignal(site, pid, name);
    const deadline = Date.now() + patience;
    while (Date.now() < deadline) {
      if (!(await stillServes(pid, site.data))) return;
      await sleep(10);
    }
  }
}

async function sendSignal(site: Site, pid: number, name: 'INT' | 'QUIT' | 'KILL'): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals: PostgreSQL listens on a pipe that its own tool knows.
    await promisify(execFile)(site.binaries.pgCtl, ['kill', name, String(pid)]).catch(() => {});
    return;
  }
  try {
    process.kill(pid, `SIG${name}`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
