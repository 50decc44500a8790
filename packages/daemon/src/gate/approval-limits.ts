// How many approvals may wait at once, so that a client cannot bury the one that matters under hundreds of others.
import type { AccountId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { sql } from 'kysely';
import type { Transaction } from '../store/database.ts';
import { actorName } from './actor-names.ts';
import { STATE } from './approval-list.ts';
import { type Askable, hashOf } from './proposals.ts';

const MAX_PER_CLIENT = 50;
/** Of all clients together. The rest is kept for the owner's own agents. */
const MAX_OF_CLIENTS = 150;
const MAX_IN_ALL = 200;

interface Waiting {
  readonly asked: boolean;
  readonly own: number;
  readonly clients: number;
  readonly total: number;
}

/** Asking again for what waits already adds nothing and is always possible. */
export async function mayAskPerson(
  tx: Transaction,
  account: AccountId,
  actor: Actor,
  proposal: Askable,
): Promise<boolean> {
  const name = actorName(actor);
  const isClient = actor.kind === 'token';
  // One call of a client after the other: two at once would both see the last free place.
  if (isClient)
    await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`approvals:${name}`}, 0))`.execute(
      tx,
    );
  const { rows } = await sql<Waiting>`
    SELECT count(*) AS total,
      count(*) FILTER (WHERE a.requested_by = ${name}) AS own,
      count(*) FILTER (WHERE a.requested_by LIKE 'token:%') AS clients,
      coalesce(bool_or(a.requested_by = ${name} AND a.intent_hash = ${Buffer.from(hashOf(proposal), 'hex')}), false) AS asked
    FROM approvals a LEFT JOIN instances i ON i.account_id = a.account_id AND i.id = a.instance_id
    WHERE a.account_id = ${account} AND a.state = 'pending' AND ${STATE} = 'pending'`.execute(tx);
  const [waiting] = rows;
  if (waiting === undefined || waiting.asked) return true;
  if (waiting.total >= MAX_IN_ALL) return false;
  return !isClient || (waiting.own < MAX_PER_CLIENT && waiting.clients < MAX_OF_CLIENTS);
}
