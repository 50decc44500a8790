// Stores and reads digests of observed groups: one for each period, replaced when it is made again, with its facts. All
// code that writes or reads digests uses this file.
import type { AccountId, ChatId, DigestId, RunId } from '@relay/contract/ids';
import type { DigestFact } from '@relay/contract/observer/digest/facts';
import type { DigestibleMessage, DigestSource } from '@relay/core/observer/digest/due';
import type { DigestKind, DigestPeriod } from '@relay/core/observer/digest/periods';
import { sql } from 'kysely';
import type { Db, Transaction } from '../database.ts';

interface NewDigest extends DigestPeriod, DigestSource {
  readonly chat: ChatId;
  readonly kind: DigestKind;
  readonly body: string;
  readonly tokens: number;
  /** Null if no model was asked. */
  readonly run: RunId | null;
  readonly facts: readonly DigestFact[];
}

interface StoredFact extends DigestFact {
  readonly id: number;
}

export interface StoredDigest extends Omit<NewDigest, 'facts'> {
  readonly id: DigestId;
  readonly facts: readonly StoredFact[];
  readonly madeAt: Date;
  /** The cost of the run that made it. */
  readonly cost: number;
}

/** Replaces the period's digest. Facts get new rows, so that references to old ones end. */
export async function putDigest(
  tx: Transaction,
  account: AccountId,
  { chat, kind, start, end, body, tokens, messages, lastMessageNumber, run, facts }: NewDigest,
  now: Date,
): Promise<DigestId> {
  const digest = {
    period_end: end,
    body,
    tokens,
    messages,
    read_up_to: lastMessageNumber,
    run_id: run,
    created_at: now,
  };
  const period = { account_id: account, chat_id: chat, kind, period_start: start };
  const { id } = await tx
    .insertInto('digests')
    .values({ ...period, ...digest })
    .onConflict((on) =>
      on.columns(['account_id', 'chat_id', 'kind', 'period_start']).doUpdateSet(digest),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  await sql`DELETE FROM digest_facts WHERE account_id = ${account} AND digest_id = ${id}`.execute(
    tx,
  );
  if (facts.length > 0) {
    await tx
      .insertInto('digest_facts')
      .values(
        facts.map(({ kind: of, text, who, when, saidAt }) => ({
          account_id: account,
          digest_id: id,
          kind: of,
          body: text,
          data: JSON.stringify({ who, when, said_at: saidAt.toISOString() }),
        })),
      )
      .execute();
  }
  await clearDigestFailure(tx, account, { chat, kind, start });
  return id;
}

interface StoredDigestQuery {
  readonly chat: ChatId;
  readonly kind?: DigestKind;
  /** Periods that begin at this time or later. */
  readonly from?: Date;
  /** Periods that begin before this time. */
  readonly to?: Date;
}

interface DigestRow extends Omit<StoredDigest, 'facts'> {
  facts: { id: number; kind: DigestFact['kind']; body: string; data: FactData }[] | null;
}

interface FactData {
  readonly who?: string | null;
  readonly when?: string | null;
  readonly said_at?: string;
}

/** Oldest first; a day comes before its hours. */
export async function findDigests(
  db: Db,
  account: AccountId,
  { chat, kind, from, to }: StoredDigestQuery,
): Promise<readonly StoredDigest[]> {
  const kinds = kind === undefined ? ['daily', 'hourly'] : [kind];
  const { rows } = await sql<DigestRow>`
    SELECT d.id, d.chat_id AS chat, d.kind, d.period_start AS start, d.period_end AS end, d.body, d.tokens,
      d.messages, d.read_up_to AS "lastMessageNumber", d.run_id AS run, d.created_at AS "madeAt",
      coalesce((SELECT r.input_tokens + r.output_tokens FROM runs r
        WHERE r.account_id = d.account_id AND r.id = d.run_id), 0) AS cost,
      (SELECT json_agg(json_build_object('id', f.id, 'kind', f.kind, 'body', f.body, 'data', f.data) ORDER BY f.id)
        FROM digest_facts f WHERE f.account_id = d.account_id AND f.digest_id = d.id) AS facts
    FROM digests d
    WHERE d.account_id = ${account} AND d.chat_id = ${chat} AND d.kind = ANY(${kinds}::text[])
      AND d.period_start >= ${from ?? '-infinity'} AND d.period_start < ${to ?? 'infinity'}
    ORDER BY d.period_start, d.kind`.execute(db);
  return rows.map((row) => ({
    ...row,
    facts: (row.facts ?? []).map(({ id, kind: of, body, data }) => ({
      id,
      kind: of,
      text: body,
      who: data.who ?? null,
      when: data.when ?? null,
      saidAt: new Date(data.said_at ?? row.start),
    })),
  }));
}

/** The messages it was made of are gone. */
export async function dropDigest(
  tx: Transaction,
  account: AccountId,
  { chat, kind, start }: Pick<NewDigest, 'chat' | 'kind' | 'start'>,
): Promise<void> {
  await sql`DELETE FROM digests WHERE account_id = ${account} AND chat_id = ${chat} AND kind = ${kind}
    AND period_start = ${start}`.execute(tx);
  await clearDigestFailure(tx, account, { chat, kind, start });
}

export interface DigestFailure extends DigestPeriod, DigestSource {
  readonly chat: ChatId;
  readonly kind: DigestKind;
  /** A sentence for the owner. */
  readonly reason: string;
  /** How often a model produced no digest for exactly these messages. */
  readonly tries: number;
  readonly at: Date;
}

export async function noteDigestFailure(
  tx: Transaction,
  account: AccountId,
  { chat, kind, start, end, messages, lastMessageNumber, reason, tries, at }: DigestFailure,
): Promise<void> {
  const failure = { period_end: end, reason, tries, messages, read_up_to: lastMessageNumber, at };
  await tx
    .insertInto('digest_failures')
    .values({ account_id: account, chat_id: chat, kind, period_start: start, ...failure })
    .onConflict((on) =>
      on.columns(['account_id', 'chat_id', 'kind', 'period_start']).doUpdateSet(failure),
    )
    .execute();
}

async function clearDigestFailure(
  tx: Transaction,
  account: AccountId,
  { chat, kind, start }: Pick<NewDigest, 'chat' | 'kind' | 'start'>,
): Promise<void> {
  await sql`DELETE FROM digest_failures WHERE account_id = ${account} AND chat_id = ${chat} AND kind = ${kind}
    AND period_start = ${start}`.execute(tx);
}

/** Oldest first. */
export async function findDigestFailures(
  db: Db,
  account: AccountId,
  { chat, from, to }: Omit<StoredDigestQuery, 'kind'>,
): Promise<readonly DigestFailure[]> {
  const { rows } = await sql<DigestFailure>`
    SELECT chat_id AS chat, kind, period_start AS start, period_end AS end, reason, tries, messages,
      read_up_to AS "lastMessageNumber", at
    FROM digest_failures WHERE account_id = ${account} AND chat_id = ${chat}
      AND period_start >= ${from ?? '-infinity'} AND period_start < ${to ?? 'infinity'}
    ORDER BY period_start, kind`.execute(db);
  return rows;
}

/** The messages worth summarizing, media included; deleted messages are left out. */
export async function readContentSince(
  db: Db,
  account: AccountId,
  chat: ChatId,
  from: Date,
): Promise<readonly DigestibleMessage[]> {
  const { rows } = await sql<DigestibleMessage>`
    SELECT sent_at AS at, message AS number FROM observed_messages
    WHERE account_id = ${account} AND chat_id = ${chat} AND sent_at >= ${from}
      AND (NOT noise OR category = 'media_only')`.execute(db);
  return rows;
}
