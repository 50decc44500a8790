// Conversations as programs begin, pause, resume and cancel them, in the transaction of the call and decided
// as the program's own act. Invariant: a program only undoes its own pause and only ends what it began; every
// answer, a refusal too, stands in the ledger under its name.
import type { CreateInstanceRequest } from '@relay/core/api/instances';
import { INSTANCE_STATES, type InstanceState } from '@relay/core/conversation/states';
import { legalEvents } from '@relay/core/conversation/table';
import type { InstanceId, TokenId } from '@relay/core/ids';
import type { TokenHolder } from '@relay/core/policy/actors';
import { type Control, decideControl } from '@relay/core/policy/control';
import type { Decision } from '@relay/core/policy/reasons';
import { sql } from 'kysely';
import { actorName } from '../../gate/actor-names.ts';
import type { AfterCommit } from '../../gate/carry-out.ts';
import type { Circumstances } from '../../gate/consider.ts';
import { type Work, within } from '../../jobs/work.ts';
import type { Transaction } from '../../store/database.ts';
import { appendLedger } from '../../store/ledger.ts';
import { apply } from './apply.ts';
import { type Created, create } from './create.ts';
import { type InstanceRow, lockInstance } from './rows.ts';
import { contactIsFree } from './verbs.ts';
import type { ConversationWorld } from './work.ts';

export interface Controlled {
  readonly decision: Decision;
  /** As it stands now. */
  readonly state: InstanceState;
}

export const programConversations = (world: ConversationWorld) => ({
  create: (
    tx: Transaction,
    actor: TokenHolder,
    request: CreateInstanceRequest,
    circumstances: Circumstances,
  ): Promise<Created & { readonly after: AfterCommit }> =>
    inside(world, tx, (work) => create(world, work, request, actor, circumstances)),
  control: (
    tx: Transaction,
    actor: TokenHolder,
    id: InstanceId,
    control: Control,
  ): Promise<Controlled & { readonly after: AfterCommit }> =>
    inside(world, tx, (work) => carryOut(world, work, actor, id, control)),
  /** The owner has revoked the token: what it began says no more until the owner resumes it. */
  pauseBegunBy: (tx: Transaction, token: TokenId): Promise<AfterCommit> =>
    within(world, tx, async (work) => {
      for (const id of await begunBy(world, work, `token:${token}`)) {
        const row = await lockInstance(tx, world.lease, id);
        if (legalEvents(row.state).includes('pause')) {
          await apply(world, work, row, [{ type: 'pause' }]);
        }
      }
    }),
});

const PAUSABLE = INSTANCE_STATES.filter((state) => legalEvents(state).includes('pause'));

async function begunBy({ lease }: ConversationWorld, { tx }: Work, by: string) {
  const { rows } = await sql<{ id: InstanceId }>`SELECT id FROM instances
    WHERE account_id = ${lease.account} AND created_by = ${by}
      AND state = ANY(${PAUSABLE}) ORDER BY id`.execute(tx);
  return rows.map(({ id }) => id);
}

async function inside<T extends object>(
  world: ConversationWorld,
  tx: Transaction,
  run: (work: Work) => Promise<T>,
): Promise<T & { readonly after: AfterCommit }> {
  const results: T[] = [];
  const after = await within(world, tx, async (work) => void results.push(await run(work)));
  const [result] = results;
  if (result === undefined) throw new Error('work without a result');
  return { ...result, after };
}

async function carryOut(
  world: ConversationWorld,
  work: Work,
  actor: TokenHolder,
  id: InstanceId,
  control: Control,
): Promise<Controlled> {
  const by = actorName(actor);
  const row = await lockInstance(work.tx, world.lease, id);
  const decision = decideControl(control, {
    began: row.created_by === by,
    pausedIt: control === 'resume' && (await pausedBy(work, row, by)),
  });
  const { state } =
    decision.outcome === 'allow'
      ? (await apply(world, work, row, [await eventOf(world, work, row, control)], { by })).row
      : row;
  await appendLedger(work.tx, world.lease.account, {
    actor: by,
    action: `${control}_conversation`,
    subject: { kind: 'conversation', id },
    ...decision,
  });
  return { decision, state };
}

const eventOf = async (world: ConversationWorld, work: Work, row: InstanceRow, control: Control) =>
  control === 'resume'
    ? ({ type: control, contactIsFree: await contactIsFree(world, work, row) } as const)
    : ({ type: control } as const);

/** Somebody's own words in a paused conversation make it theirs: the owner has taken it over. */
async function pausedBy({ tx }: Work, row: InstanceRow, by: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM (SELECT t.to_state, t.caused_by, t.at FROM instance_transitions t
      WHERE t.account_id = ${row.account_id} AND t.instance_id = ${row.id} ORDER BY t.id DESC LIMIT 1) last
    WHERE last.to_state = 'PAUSED' AND last.caused_by = ${by} AND NOT EXISTS (
      SELECT FROM instance_messages m WHERE m.account_id = ${row.account_id} AND m.instance_id = ${row.id}
        AND m.role = 'manual' AND m.at >= last.at)`.execute(tx);
  return rows.length > 0;
}
