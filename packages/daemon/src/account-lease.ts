// Takes, renews and releases the lease of the account that this home serves. Each renewal also records that the daemon
// was running, so that an absence has a known beginning even after a kill, and the head of the ledger.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '@relay/core/installation';
import type { Log } from '@relay/core/log';
import { noteDaemonStart, noteDaemonStop, takeAccountLease } from './platform/db/account.ts';
import { type Db, sealOf } from './platform/db/database.ts';
import { LEASE_SECONDS, type Lease, releaseLease, renewLease } from './platform/db/lease.ts';
import { noteCommittedHead, signUnsignedRows } from './platform/db/ledger.ts';
import {
  beginRestartReport,
  lastDaemonSeen,
  noteDaemonSeen,
} from './platform/db/restart-report.ts';
import { transaction } from './platform/db/transaction.ts';
import { writePrivate } from './platform/home/files.ts';
import { readLedgerHead, writeLedgerHead } from './platform/home/state-files.ts';

interface HeldLease {
  readonly lease: Lease;
  stop(): Promise<void>;
}

/** `onLost` is called when another worker has taken over the account. */
export async function holdAccountLease(
  db: Db,
  home: string,
  log: Log,
  onLost: () => void,
): Promise<HeldLease> {
  const holder = await holderOf(home);
  const lease = await takeAccountLease(db, holder);
  const keepHead = await followLedger(db, lease, home, log);
  const since = await lastDaemonSeen(db, holder);
  if (since !== null) await beginRestartReport(db, lease, { cause: 'daemon', since });
  await noteDaemonStart(db, holder, VERSION);
  const renew = async () => {
    const kept = await renewLease(db, lease).catch((error: unknown) => {
      log.warn('renewing the lease failed', { error });
      return true;
    });
    if (kept) {
      await noteDaemonSeen(db, holder).catch(() => {});
      return keepHead();
    }
    log.error('lease taken by another worker', { account: lease.account });
    onLost();
  };
  const renewing = setInterval(renew, (LEASE_SECONDS * 1000) / 3);
  return {
    lease,
    async stop() {
      clearInterval(renewing);
      await keepHead();
      // The database may already be gone; then the lease expires by itself.
      await noteDaemonStop(db, holder).catch(() => {});
      await releaseLease(db, lease).catch(() => {});
    },
  };
}

/**
 * Signs the ledger of a home that has never signed it, and returns a function that records the ledger's head. A home
 * signs its existing rows only once: a row that is unsigned after that was changed by hand, and `relay doctor` reports
 * it.
 */
async function followLedger(
  db: Db,
  lease: Lease,
  home: string,
  log: Log,
): Promise<() => Promise<void>> {
  const { account } = lease;
  const seal = sealOf(db);
  const kept = await readLedgerHead(home);
  if (kept === null) await transaction({ db, lease }, ({ tx }) => signUnsignedRows(tx, account));
  else if (kept === 'unreadable' || !seal.acceptHead(account, kept, Buffer.from(kept.mac, 'hex'))) {
    log.warn('ledger-head.json was changed', { account });
  }
  let written = kept === null ? -1 : seal.newestHead(account).seq;
  const keep = async () => {
    await noteCommittedHead(db, account);
    const { seq, hash } = seal.newestHead(account);
    if (seq === written) return;
    const mac = seal.signHead(account, { seq, hash }).toString('hex');
    await writeLedgerHead(home, { seq, hash, mac });
    written = seq;
  };
  await keep();
  return () =>
    keep().catch((error: unknown) => log.warn('recording the ledger head failed', { error }));
}

/** This home's name among workers, the same after every restart. */
async function holderOf(home: string): Promise<string> {
  const file = join(home, 'worker-id');
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const holder = randomUUID();
  await writePrivate(file, `${holder}\n`);
  return holder;
}
