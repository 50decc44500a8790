// What this home remembers of itself and of the accounts that it works for. While the process runs it records that it was
// running, so that an absence has a known beginning even after a kill, and the heads of its accounts' ledgers.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '@relay/core/installation';
import type { Log } from '@relay/core/log';
import { noteDaemonStart, noteDaemonStop } from './platform/db/account.ts';
import { type Db, sealOf } from './platform/db/database.ts';
import type { Lease } from './platform/db/lease.ts';
import { noteCommittedHead, signUnsignedRows } from './platform/db/ledger.ts';
import {
  beginRestartReport,
  lastDaemonSeen,
  noteDaemonSeen,
} from './platform/db/restart-report.ts';
import { transaction } from './platform/db/transaction.ts';
import { writePrivate } from './platform/home/files.ts';
import { readLedgerHead, writeLedgerHead } from './platform/home/state-files.ts';
import { everyMs } from './platform/shared-interval.ts';

/** How often it is recorded that the process runs, and the head of each ledger. */
const SEEN_MS = 10_000;

/** This home among the workers of its database. */
export interface HomeRecord {
  /** Until when the former process of this home ran; null at its first start. */
  readonly lastSeen: Date | null;
  /** From now on this process counts as running. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function openHomeRecord(db: Db, worker: string): Promise<HomeRecord> {
  let seeing: NodeJS.Timeout | undefined;
  return {
    lastSeen: await lastDaemonSeen(db, worker),
    async start() {
      await noteDaemonStart(db, worker, VERSION);
      seeing = setInterval(() => void noteDaemonSeen(db, worker).catch(() => {}), SEEN_MS);
    },
    async stop() {
      clearInterval(seeing);
      // The database may already be gone.
      await noteDaemonStop(db, worker).catch(() => {});
    },
  };
}

interface AdoptOptions {
  readonly db: Db;
  readonly home: string;
  readonly log: Log;
  readonly lease: Lease;
  /** Since when no worker has served the account; null if there was no such time. */
  readonly unservedSince: Date | null;
}

/** Keeps the records of an account whose lease was just taken. Returns a function that stops it. */
export async function adoptLease(options: AdoptOptions): Promise<() => Promise<void>> {
  const { db, home, log, lease, unservedSince: since } = options;
  const keepHead = await followLedger(db, lease, home, log);
  if (since !== null) await beginRestartReport(db, lease, { cause: 'daemon', since });
  const stopKeeping = everyMs(SEEN_MS, () => void keepHead());
  return async () => {
    stopKeeping();
    await keepHead();
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
  const kept = await readLedgerHead(home, account);
  if (kept === null) await transaction({ db, lease }, ({ tx }) => signUnsignedRows(tx, account));
  else if (kept === 'unreadable' || !seal.acceptHead(account, kept, Buffer.from(kept.mac, 'hex'))) {
    log.warn('ledger-head.json was changed', { account });
  }
  let written = kept === null ? -1 : seal.newestHead(account).seq;
  const keep = async (isChanged = seal.takeChange(account)) => {
    if (!isChanged) return;
    await noteCommittedHead(db, account);
    const { seq, hash } = seal.newestHead(account);
    if (seq === written) return;
    const mac = seal.signHead(account, { seq, hash }).toString('hex');
    await writeLedgerHead(home, account, { seq, hash, mac });
    written = seq;
  };
  await keep(true);
  return () =>
    keep().catch((error: unknown) => log.warn('recording the ledger head failed', { error }));
}

/** The id under which this home holds leases, the same after every restart. */
export async function readWorkerId(home: string): Promise<string> {
  const file = join(home, 'worker-id');
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const id = randomUUID();
  await writePrivate(file, `${id}\n`);
  return id;
}
