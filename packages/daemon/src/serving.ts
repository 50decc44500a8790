// The account this home serves: its lease is taken, renewed and let go of here. With every renewal it is noted that
// somebody was here, so that an absence has a beginning even after a kill, and how far the ledger has come.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@relay/core/log';
import { VERSION } from '@relay/core/version';
import { writePrivate } from './home/files.ts';
import { keepLedgerHead, readLedgerHead } from './home/ledger-head.ts';
import { noteStart, noteStop, serveAccount } from './store/account.ts';
import { type Reader, sealOf } from './store/database.ts';
import { fenced } from './store/fenced.ts';
import type { Lease } from './store/lease.ts';
import { LEASE_SECONDS, releaseLease, renewLease } from './store/lease.ts';
import { noteCommittedHead } from './store/ledger.ts';
import { beginReport, lastSeen, noteSeen } from './store/report.ts';
import { sealFound } from './store/seal-found.ts';

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
  const keepHead = await followLedger(db, lease, home, log);
  const since = await lastSeen(db, holder);
  if (since !== null) await beginReport(db, lease, { cause: 'daemon', since });
  await noteStart(db, holder, VERSION);
  const renew = async () => {
    const kept = await renewLease(db, lease).catch((error: unknown) => {
      log.warn('renewing the lease failed', { error });
      return true;
    });
    if (kept) {
      await noteSeen(db, holder).catch(() => {});
      return keepHead();
    }
    log.error('the lease was taken by another worker', { account: lease.account });
    onLost();
  };
  const renewing = setInterval(renew, (LEASE_SECONDS * 1000) / 3);
  return {
    lease,
    async stop() {
      clearInterval(renewing);
      await keepHead();
      // The database may already be gone; then the lease runs out by itself.
      await noteStop(db, holder).catch(() => {});
      await releaseLease(db, lease).catch(() => {});
    },
  };
}

/**
 * Signs the ledger of a home that never did, and gives back what writes down how far it has come. A home that has signed
 * it once never does so again: what is not signed then was changed by hand, and `relay doctor` says so.
 */
async function followLedger(
  db: Reader,
  lease: Lease,
  home: string,
  log: Log,
): Promise<() => Promise<void>> {
  const { account } = lease;
  const seal = sealOf(db);
  const kept = await readLedgerHead(home);
  if (kept === null) await fenced(db, lease, (tx) => sealFound(tx, account));
  else if (kept === 'unreadable' || !seal.acceptHead(account, kept, Buffer.from(kept.mac, 'hex'))) {
    log.warn('ledger-head.json was altered', { account });
  }
  let written = kept === null ? -1 : seal.newestHead(account).seq;
  const keep = async () => {
    await noteCommittedHead(db, account);
    const { seq, hash } = seal.newestHead(account);
    if (seq === written) return;
    const mac = seal.signHead(account, { seq, hash }).toString('hex');
    await keepLedgerHead(home, { seq, hash, mac });
    written = seq;
  };
  await keep();
  return () =>
    keep().catch((error: unknown) => log.warn('the ledger could not be followed', { error }));
}

/** A home's own name among workers, the same after every restart. */
async function holderOf(home: string): Promise<string> {
  const file = join(home, 'worker-id');
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const holder = randomUUID();
  await writePrivate(file, `${holder}\n`);
  return holder;
}
