// Requests to the worker that holds an account, from processes that do not, and the link that it publishes for them.
// Both are rows, so any process can ask and show, and nothing depends on which one a client reached.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ERRORS, type KnownErrorCode, RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import type { Sealer } from '@relay/core/ports/sealer';
import type { LinkMethod, WhatsAppLink } from '@relay/core/ports/transport';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import type { Lease } from './lease.ts';
import { transaction } from './transaction.ts';
import { WORKERS_CHANNEL } from './workers.ts';

/** What a worker does for another process. */
export type WorkerRequest =
  | { readonly kind: 'reopen' }
  | { readonly kind: 'connect'; readonly method: LinkMethod }
  | { readonly kind: 'disconnect'; readonly forget: boolean }
  | { readonly kind: 'answer_passkey'; readonly answer: unknown }
  | { readonly kind: 'find_registered'; readonly address: string }
  | { readonly kind: 'read_group'; readonly address: string }
  | { readonly kind: 'typing'; readonly chat: string; readonly on: boolean };

/** `code` is that of a RelayError; null for any other failure. */
type WorkerAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: string | null };

export interface RequestPlace {
  readonly db: Db;
  readonly account: AccountId;
  readonly sealer: Sealer;
}

const isKnownError = (code: string | null): code is KnownErrorCode =>
  code !== null && code in ERRORS;

const requestName = (account: AccountId, id: string) => `request/${account}/${id}`;
const answerName = (account: AccountId, id: string) => `answer/${account}/${id}`;
const linkName = (account: AccountId) => `link/${account}`;

const FIRST_LOOK_MS = 40;
const LATER_LOOK_MS = 250;

/** Asks the worker that holds the account. Throws `account_unserved` if none answers in time. */
export async function askWorker(
  { db, account, sealer }: RequestPlace,
  request: WorkerRequest,
  withinMs: number,
): Promise<unknown> {
  const id = randomUUID();
  const sealed = sealJson(sealer, requestName(account, id), request);
  await sql`WITH asked AS (
      INSERT INTO worker_requests (account_id, id, request, deadline)
      VALUES (${account}, ${id}, ${sealed}, now() + ${withinMs} * interval '1 millisecond') RETURNING id)
    SELECT pg_notify(${WORKERS_CHANNEL}, ${`${account}`}) FROM asked`.execute(db);
  const until = performance.now() + withinMs;
  for (
    let wait = FIRST_LOOK_MS;
    performance.now() < until;
    wait = Math.min(2 * wait, LATER_LOOK_MS)
  ) {
    await sleep(wait);
    const { rows } = await sql<{ answer: Buffer }>`
      DELETE FROM worker_requests WHERE account_id = ${account} AND id = ${id} AND answer IS NOT NULL
      RETURNING answer`.execute(db);
    const [row] = rows;
    if (row === undefined) continue;
    const answer = openJson<WorkerAnswer>(sealer, answerName(account, id), row.answer);
    if (answer.ok) return answer.value;
    if (isKnownError(answer.code)) throw new RelayError(answer.code);
    throw new Error('The worker could not do what it was asked.');
  }
  await sql`DELETE FROM worker_requests WHERE account_id = ${account} AND id = ${id}`.execute(db);
  throw new RelayError('account_unserved');
}

/** Takes the open requests of an account and answers each. Others that look at the same time get none of them. */
export async function answerRequests(
  { db, account, sealer }: RequestPlace,
  handle: (request: WorkerRequest) => Promise<unknown>,
): Promise<void> {
  const { rows } = await sql<{ id: string; request: Buffer }>`
    UPDATE worker_requests SET taken_at = now()
    WHERE account_id = ${account} AND taken_at IS NULL AND deadline > now()
    RETURNING id, request`.execute(db);
  await Promise.all(
    rows.map(async ({ id, request }) => {
      const answer = await carryOut(() =>
        handle(openJson<WorkerRequest>(sealer, requestName(account, id), request)),
      );
      const sealed = sealJson(sealer, answerName(account, id), answer);
      await sql`UPDATE worker_requests SET answer = ${sealed}
        WHERE account_id = ${account} AND id = ${id}`.execute(db);
    }),
  );
}

async function carryOut(work: () => Promise<unknown>): Promise<WorkerAnswer> {
  try {
    return { ok: true, value: (await work()) ?? null };
  } catch (error) {
    return { ok: false, code: error instanceof RelayError ? error.code : null };
  }
}

export async function publishLink(
  { db, account, sealer }: RequestPlace,
  lease: Lease,
  link: WhatsAppLink,
): Promise<void> {
  const sealed = sealJson(sealer, linkName(account), link);
  await transaction({ db, lease }, ({ tx }) =>
    sql`INSERT INTO whatsapp_links (account_id, link) VALUES (${account}, ${sealed})
      ON CONFLICT (account_id) DO UPDATE SET link = excluded.link, updated_at = clock_timestamp()`.execute(
      tx,
    ),
  );
}

/** What a process that holds no account knows of its link. */
export interface PublishedLink {
  readonly account: AccountId;
  /** Null if it has not changed since `since`. */
  readonly link: WhatsAppLink | null;
  /** False while no living worker holds the account. */
  readonly isServed: boolean;
}

interface ReadLinks {
  readonly at: Date;
  readonly links: readonly PublishedLink[];
}

/**
 * The links that changed since then, and the accounts that nobody serves: usually few rows, however many accounts there
 * are. Without a row the next call has to ask from the same time.
 */
export async function readPublishedLinks(db: Db, sealer: Sealer, since: Date): Promise<ReadLinks> {
  const { rows } = await sql<{
    at: Date;
    account: AccountId;
    link: Buffer | null;
    served: boolean;
  }>`
    SELECT now() AS at, p.account_id AS account,
      CASE WHEN p.updated_at > ${since} THEN p.link END AS link, w.id IS NOT NULL AS served
    FROM whatsapp_links p
      LEFT JOIN account_leases l ON l.account_id = p.account_id AND l.until > now()
      LEFT JOIN workers w ON w.id = l.holder AND w.lost_at IS NULL AND w.stopped_at IS NULL
    WHERE p.updated_at > ${since} OR w.id IS NULL`.execute(db);
  const links = rows.map(({ account, link, served }) => ({
    account,
    link: link && openLink(sealer.forAccount(account), account, link),
    isServed: served,
  }));
  return { at: rows[0]?.at ?? since, links };
}

/** Null if a vault sealed it that this home no longer has: its worker publishes it again. */
function openLink(sealer: Sealer, account: AccountId, link: Buffer): WhatsAppLink | null {
  try {
    return reviveDates(openJson<WhatsAppLink>(sealer, linkName(account), link));
  } catch {
    return null;
  }
}

const reviveDates = (link: WhatsAppLink): WhatsAppLink => {
  const date = (value: Date | null) => (value === null ? null : new Date(value));
  return {
    ...link,
    since: new Date(link.since),
    qrExpiresAt: date(link.qrExpiresAt),
    timeLockedUntil: date(link.timeLockedUntil),
    retryAt: date(link.retryAt),
    passkey: link.passkey && { ...link.passkey, expiresAt: new Date(link.passkey.expiresAt) },
    health: { ...link.health, lastStanzaAt: date(link.health.lastStanzaAt) },
  };
};

const sealJson = (sealer: Sealer, name: string, value: unknown): Buffer =>
  Buffer.from(sealer.seal(name, Buffer.from(JSON.stringify(value))));

const openJson = <T>(sealer: Sealer, name: string, sealed: Uint8Array): T =>
  JSON.parse(Buffer.from(sealer.open(name, sealed)).toString()) as T;
