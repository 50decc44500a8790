// Scheduled messages as a program may see them: those to chats it may deal with. Invariant: a text that has
// not been said yet is shown only to the program that wrote it.
import type { RUN_OUTCOMES, SCHEDULE_STATES, ScheduleFilter } from '@relay/core/api/schedules';
import { RelayError } from '@relay/core/errors';
import type { ScheduleId } from '@relay/core/ids';
import { describeRule } from '@relay/core/schedule/words';
import { sql } from 'kysely';
import { actorName } from '../gate/actor-names.ts';
import { ruleOf, type ScheduleRow } from '../schedule/rows.ts';
import { CHAT_ADDRESS } from '../store/addresses.ts';
import type { Reader } from '../store/database.ts';
import { reachableChats } from '../store/permitted.ts';
import type { Call } from './tool.ts';

type Asking = Pick<Call, 'world' | 'program' | 'actor'>;

export interface SeenSchedule extends ScheduleRow {
  readonly state: (typeof SCHEDULE_STATES)[number];
  readonly address: string | null;
  /** The owner's name for them; null for somebody without a record. */
  readonly name: string | null;
  /** This very program made it. */
  readonly own: boolean;
  readonly last: (typeof RUN_OUTCOMES)[number] | null;
}

type Which = { readonly id: ScheduleId } | { readonly state: ScheduleFilter };

const MOST = 200;

/** The next one first. */
export async function seenSchedules(
  { world, program, actor }: Asking,
  db: Reader,
  which: Which,
): Promise<SeenSchedule[]> {
  const { account } = world.lease;
  const { contacts } = program;
  const own = sql`s.created_by = ${actorName(actor)}`;
  const wanted = 'id' in which ? sql`s.id = ${which.id}` : stateIs(which.state);
  const { rows } = await sql<SeenSchedule>`
    SELECT s.*, ${own} AS own, g.display_name AS name, ${CHAT_ADDRESS} AS address,
      (SELECT r.outcome FROM schedule_runs r WHERE r.account_id = s.account_id AND r.schedule_id = s.id
        ORDER BY r.due_at DESC LIMIT 1) AS last
    FROM schedules s JOIN chats c ON c.account_id = s.account_id AND c.id = s.chat_id
      LEFT JOIN grants g ON g.account_id = c.account_id AND (g.contact_id = c.contact_id OR g.chat_id = c.id)
    WHERE s.account_id = ${account} AND ${wanted}
      AND (${own} OR s.chat_id IN (${reachableChats(account, { admins: world.admins, contacts })}))
      AND (${contacts === null}::boolean OR c.contact_id = ANY(${contacts ?? []}::uuid[]))
    ORDER BY s.next_at NULLS LAST, s.created_at DESC, s.id LIMIT ${MOST}`.execute(db);
  return rows;
}

const stateIs = (state: ScheduleFilter) => (state === 'all' ? sql`true` : sql`s.state = ${state}`);

export async function seenSchedule(
  call: Asking,
  db: Reader,
  id: ScheduleId,
): Promise<SeenSchedule> {
  const [found] = await seenSchedules(call, db, { id });
  if (found === undefined) throw new RelayError('schedule_unseen', { id });
  return found;
}

export function toldSchedule(seen: SeenSchedule) {
  const { rule, zone } = ruleOf(seen);
  return {
    id: seen.id,
    chat_id: seen.address ?? seen.chat_id,
    name: seen.name ?? seen.address ?? '',
    state: seen.state,
    when: describeRule(rule, zone),
    next_at: seen.next_at?.toISOString() ?? null,
    last_outcome: seen.last,
    created_at: seen.created_at.toISOString(),
    created_by_you: seen.own,
    ...(seen.own && { message: seen.body }),
  };
}
