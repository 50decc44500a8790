// Reads and writes schedules with their timers: whoever changes the next run changes both. `next_at` is the first run
// that is not decided yet; null when there is none.

import type { CatchUp } from '@relay/contract/api/constants';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type {
  Schedule,
  ScheduleFilter,
  SchedulePage,
  SchedulePreview,
  ScheduleRun,
} from '@relay/contract/api/schedules';
import type { AccountId, ScheduleId } from '@relay/contract/ids';
import type { OutboxState } from '@relay/contract/outbox/states';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { describeActor } from '@relay/core/ledger/format';
import { REASONS } from '@relay/core/policy/reasons';
import { describeRule } from '@relay/core/schedule/format';
import { nextOccurrences, SKIP_REASONS } from '@relay/core/schedule/occurrences';
import { findZone, type Zone } from '@relay/core/schedule/zone';
import { type Selectable, sql } from 'kysely';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { loadActorNames } from '../../platform/db/ledger-lines.ts';
import type { Tables } from '../../platform/db/tables.ts';
import { clearTimer, setTimer } from '../../platform/jobs/timers.ts';

export type ScheduleRow = Selectable<Tables['schedules']>;

export async function lockSchedule(
  tx: Transaction,
  account: AccountId,
  id: ScheduleId,
): Promise<ScheduleRow | null> {
  const row = await tx
    .selectFrom('schedules')
    .selectAll()
    .where('account_id', '=', account)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** Sets the next run; null ends the schedule. */
export async function setNextOccurrence(
  tx: Transaction,
  account: AccountId,
  id: ScheduleId,
  next: Date | null,
  ended: 'done' | 'cancelled' = 'done',
): Promise<void> {
  await tx
    .updateTable('schedules')
    .set({ next_at: next, state: next === null ? ended : 'active' })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute();
  if (next === null) await clearTimer(tx, account, 'schedule', id);
  else await setTimer(tx, timerOf(account, id), next);
}

/** The row has the due run, so a timer needs no epoch. */
export const timerOf = (account: AccountId, id: ScheduleId) =>
  ({ account, kind: 'schedule', subject: id, epoch: 0 }) as const;

/** Checked when it was stored. */
export function ruleOf(row: Pick<ScheduleRow, 'rule' | 'zone' | 'catch_up'>): {
  readonly rule: ScheduleRule;
  readonly zone: Zone;
  readonly catchUp: CatchUp;
} {
  const zone = findZone(row.zone);
  if (zone === null) throw new Error(`this machine knows no zone ${row.zone}`);
  return { rule: row.rule, zone, catchUp: row.catch_up };
}

// Schedules for display: the rule in words, the next times, and the outcome of the last run.

const SCHEDULE_PAGE = 500;
/** Enough to see whether the rule was understood. */
const PREVIEWED_TIMES = 3;

interface RunRow {
  due_at: string;
  last_due_at: string | null;
  count: number;
  outcome: ScheduleRun['outcome'];
  reason: string;
  at: string;
  message_state: OutboxState | null;
  approval_id: string | null;
}

type ListedScheduleRow = ScheduleRow & {
  readonly address: string | null;
  readonly name: string | null;
  readonly last: RunRow | null;
};

export async function listSchedules(
  db: Db,
  account: AccountId,
  which: { readonly state: ScheduleFilter } | { readonly id: ScheduleId },
  { limit, offset, chat }: SchedulePage = { limit: SCHEDULE_PAGE, offset: 0 },
): Promise<Schedule[]> {
  const wanted = 'id' in which ? sql`s.id = ${which.id}` : stateIs(which.state);
  const { rows } = await sql<ListedScheduleRow>`
    SELECT s.*, ${RECIPIENT}, (SELECT row_to_json(r) FROM (
        SELECT r.due_at, r.last_due_at, r.count, r.outcome, r.reason, r.at, o.state AS message_state,
          CASE WHEN q.state = 'pending' THEN q.id END AS approval_id
        FROM schedule_runs r
          LEFT JOIN permits p ON p.account_id = r.account_id
            AND (p.id = r.permit_id OR p.approval_id = r.approval_id)
          LEFT JOIN outbox o ON o.account_id = p.account_id AND o.permit_id = p.id
          LEFT JOIN approvals q ON q.account_id = r.account_id AND q.id = r.approval_id
        WHERE r.account_id = s.account_id AND r.schedule_id = s.id
        ORDER BY r.due_at DESC LIMIT 1) r) AS last
    FROM schedules s ${CHAT_OF}
    WHERE s.account_id = ${account} AND ${wanted} AND ${chat === undefined ? sql`true` : sql`s.chat_id = ${chat}`}
    ORDER BY s.next_at NULLS LAST, s.created_at DESC, s.id LIMIT ${limit} OFFSET ${offset}`.execute(
    db,
  );
  const names = await loadActorNames(
    db,
    account,
    rows.map(({ created_by }) => created_by),
  );
  return rows.map((row) => toApiSchedule(row, names.get(row.created_by) ?? null));
}

function stateIs(state: ScheduleFilter) {
  if (state === 'all') return sql`true`;
  return state === 'past' ? sql`s.state <> 'active'` : sql`s.state = ${state}`;
}

const CHAT_OF = sql`LEFT JOIN chats c ON c.account_id = s.account_id AND c.id = s.chat_id
  LEFT JOIN contacts p ON p.account_id = c.account_id AND p.id = c.contact_id
  LEFT JOIN grants g ON g.account_id = c.account_id AND (g.contact_id = p.id OR (c.kind = 'group' AND g.chat_id = c.id))
  LEFT JOIN LATERAL (SELECT kind, value FROM contact_aliases
    WHERE account_id = p.account_id AND contact_id = p.id
    ORDER BY kind DESC, learnt_at DESC, value LIMIT 1) a ON true`;
const RECIPIENT = sql`
  coalesce(c.group_address, CASE a.kind WHEN 'phone' THEN '+' || a.value ELSE a.value || '@lid' END) AS address,
  coalesce(g.display_name, c.subject, p.display_name, p.push_name) AS name`;

interface ScheduleRecipient {
  readonly address: string | null;
  readonly name: string | null;
}

export async function readScheduleRecipient(
  db: Db,
  account: AccountId,
  chat: string,
): Promise<ScheduleRecipient> {
  const { rows } = await sql<ScheduleRecipient>`
    SELECT ${RECIPIENT} FROM (SELECT ${account}::bigint AS account_id, ${chat}::uuid AS chat_id) s ${CHAT_OF}`.execute(
    db,
  );
  return rows[0] ?? { address: null, name: null };
}

export interface ParsedSchedule {
  readonly rule: ScheduleRule;
  readonly zone: Zone;
  readonly catchUp: CatchUp;
  readonly text: string;
  readonly content: OutgoingContent | null;
}

export function previewSchedule(
  { rule, zone, catchUp, text, content }: ParsedSchedule,
  { address, name }: ScheduleRecipient,
  after: Date,
  times = PREVIEWED_TIMES,
): SchedulePreview {
  return {
    rule,
    zone: zone.name,
    words: describeRule(rule, zone),
    catch_up: catchUp,
    next: nextOccurrences(rule, zone, after, times).map((at) => at.toISOString()),
    recipient: address,
    recipient_name: name,
    text,
    ...(content === null ? {} : { content }),
  };
}

function toApiSchedule(row: ListedScheduleRow, madeBy: string | null): Schedule {
  const understood = { ...ruleOf(row), text: row.body, content: row.content };
  const justBefore = new Date((row.next_at?.getTime() ?? 0) - 1);
  return {
    id: row.id,
    chat_id: row.chat_id,
    ...previewSchedule(understood, row, justBefore),
    ...(row.next_at === null ? { next: [] } : {}),
    state: row.state,
    created_by: row.created_by,
    who: describeActor(row.created_by, madeBy),
    created_at: row.created_at.toISOString(),
    last: row.last === null ? null : toApiRun(row.last),
  };
}

const toApiRun = (run: RunRow): ScheduleRun => ({
  due_at: new Date(run.due_at).toISOString(),
  last_due_at: new Date(run.last_due_at ?? run.due_at).toISOString(),
  count: run.count,
  outcome: run.outcome,
  reason: sentenceOf(run.reason),
  reason_code: run.reason,
  at: new Date(run.at).toISOString(),
  message_state: run.message_state,
  approval_id: run.approval_id,
});

const SENTENCES: Readonly<Record<string, string>> = {
  ...SKIP_REASONS,
  ...Object.fromEntries(Object.entries(REASONS).map(([code, { sentence }]) => [code, sentence])),
};
const sentenceOf = (code: string): string => SENTENCES[code] ?? code;
