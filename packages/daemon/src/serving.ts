// The account this home serves: its lease is taken, renewed and let go of here, and with every renewal it is
// noted that somebody was here, so that an absence has a beginning even after a kill.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@relay/core/log';
import { VERSION } from '@relay/core/version';
import { writePrivate } from './home/files.ts';
import { noteStart, noteStop, serveAccount } from './store/account.ts';
import type { Reader } from './store/database.ts';
import type { Lease } from './store/lease.ts';
import { LEASE_SECONDS, releaseLease, renewLease } from './store/lease.ts';
import { beginReport, lastSeen, noteSeen } from './store/report.ts';

export interface Serving {
  readonly lease: Lease;
  stop(): Promise<void>;
}

/** `onLost`: another worker acts for the account now. */
export async function serve(
  db: Reader,
  home: string,
  log: Log,
  onLost: () => void,
): Promise<Serving> {
  const holder = await holderOf(home);
  const lease = await serveAccount(db, holder);
  const since = await lastSeen(db, holder);
  if (since !== null) await beginReport(db, lease, { cause: 'daemon', since });
  await noteStart(db, holder, VERSION);
  const renew = async () => {
    const kept = await renewLease(db, lease).catch((error: unknown) => {
      log.warn('renewing the lease failed', { error });
      return true;
    });
    if (kept) return noteSeen(db, holder).catch(() => {});
    log.error('the lease was taken by another worker', { account: lease.account });
    onLost();
  };
  const renewing = setInterval(renew, (LEASE_SECONDS * 1000) / 3);
  return {
    lease,
    async stop() {
      clearInterval(renewing);
      // The database may already be gone; then the lease runs out by itself.
      await noteStop(db, holder).catch(() => {});
      await releaseLease(db, lease).catch(() => {});
    },
  };
}

/** A home's own name among workers, the same after every restart. */
async function holderOf(home: string): Promise<string> {
  const file = join(home, 'worker-id');
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const holder = randomUUID();
  await writePrivate(file, `${holder}\n`);
  return holder;
}
