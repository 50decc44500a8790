// Starts and stops the daemon. The home is claimed and the database started first, while the rest of the code is
// imported. Whatever was started is stopped in reverse order when the daemon stops or a later step of the start fails.
import { join } from 'node:path';
import { RelayError } from '@relay/contract/errors';
import type { Log } from '@relay/core/log';
import type { DaemonOptions, RunningDaemon, ShutdownStep } from './compose.ts';
import { findServer } from './database-server.ts';
import { refuseTakenPort } from './http-port.ts';
import { claimHome, type HomeClaim } from './platform/home/claim.ts';
import { refuseFullDisk } from './platform/home/disk-guard.ts';
import { checkHome } from './platform/home/files.ts';
import { forgetStartFailure, noteStartFailure } from './platform/home/state-files.ts';
import { openVault } from './platform/home/vault/vault.ts';
import { openLog } from './platform/log/log.ts';

export async function startDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  const closers: ShutdownStep[] = [];
  const stop = async () => {
    const failures: unknown[] = [];
    for (const close of closers.splice(0).reverse()) {
      // A part that cannot be closed must not keep the others open.
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'closing failed');
  };
  try {
    return { ...(await start(options, closers)), stop };
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
}

async function start(
  options: DaemonOptions,
  closers: ShutdownStep[],
): Promise<Omit<RunningDaemon, 'stop'>> {
  const { config } = options;
  await checkHome(config.home);
  await refuseFullDisk(config.home);
  const claim = await claimHome(config.home);
  closers.push(() => claim.release());
  const log = openLog(join(config.home, 'relay.log'), config.logLevel, {
    copyTo: options.logsToStdout === true ? process.stdout : undefined,
  });
  closers.push(async () => {
    await log.flush();
    log.close();
  });
  for (const sentence of claim.repairs)
    log.warn('home permissions corrected', { reason: sentence });
  if (claim.stalePid !== null) {
    log.warn('previous daemon did not stop cleanly', { pid: claim.stalePid });
  }
  try {
    return await build(options, closers, claim, log);
  } catch (error) {
    log.error('start failed', { error });
    throw error;
  }
}

/** Kept for `relay doctor`, which cannot look into a database that does not run. */
async function keepFailure(home: string, error: unknown): Promise<void> {
  if (!(error instanceof RelayError)) return;
  const { code, sentence, action = null } = error;
  await noteStartFailure(home, { code, sentence, action }).catch(() => {});
}

async function build(
  options: DaemonOptions,
  closers: ShutdownStep[],
  claim: HomeClaim,
  log: Log,
): Promise<Omit<RunningDaemon, 'stop'>> {
  const { config, progress } = options;
  const startedAt = Date.now();
  await refuseTakenPort(config);
  const vault = await openVault({ home: config.home, ...config.vault });
  // The database server starts during this import. Nothing connects to it before the import ends: the import blocks the
  // event loop, and a blocked loop lets the timeout of a connection attempt expire before its answer is read.
  const loading = import('./compose.ts');
  // A module that cannot be loaded is not a database failure: that error is thrown below.
  const beforeConnecting = loading.then(
    () => {},
    () => {},
  );
  try {
    const server = await findServer({ config, log, progress, closers, beforeConnecting });
    const { assemble } = await loading;
    const assembled = await assemble(options, closers, { claim, log, vault, server, startedAt });
    await forgetStartFailure(config.home);
    return assembled;
  } catch (error) {
    await keepFailure(config.home, error);
    throw error;
  }
}
