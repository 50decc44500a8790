// Schedules as they are shown: the rule in words, the next times, and what became of the last occurrence.
import type {
  Schedule,
  ScheduleFilter,
  SchedulePreview,
  ScheduleRun,
} from '@relay/core/api/schedules';
import type { AccountId, ScheduleId } from '@relay/core/ids';
import { actorWords } from '@relay/core/ledger/actor-words';
import type { OutboxState } from '@relay/core/outbox/progress';
import { REASONS } from '@relay/core/policy/reasons';
import type { SchedulePage } from '@relay/core/ports/schedules';
import { SKIP_REASONS } from '@relay/core/schedule/catch-up';
import type { CatchUp } from '@relay/core/schedule/missed';
import { nextTimes } from '@relay/core/schedule/recur';
import type { Rule } from '@relay/core/schedule/rule';
import { describeRule } from '@relay/core/schedule/words';
import type { Zone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Reader } from '../store/database.ts';
import { actorsNamed } from '../store/why/lines.ts';
import { ruleOf, type ScheduleRow } from './rows.ts';

const PAGE = 500;
/** Enough to see whether the right thing was understood. */
const TIMES = 3;

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

type Row = ScheduleRow & {
  readonly address: string | null;
  readonly name: string | null;
  readonly last: RunRow | null;
};

export async function listSchedules(
  db: Reader,
  account: AccountId,
  which: { readonly state: ScheduleFilter } | { readonly id: ScheduleId },
  { limit, offset }: SchedulePage = { limit: PAGE, offset: 0 },
): Promise<Schedule[]> {
  const wanted = 'id' in which ? sql`s.id = ${which.id}` : stateIs(which.state);
  const { rows } = await sql<Row>`
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
    WHERE s.account_id = ${account} AND ${wanted}
    ORDER BY s.next_at NULLS LAST, s.created_at DESC, s.id LIMIT ${limit} OFFSET ${offset}`.execute(
    db,
  );
  const names = await actorsNamed(
    db,
    account,
    rows.map(({ created_by }) => created_by),
  );
  return rows.map((row) => toApi(row, names.get(row.created_by) ?? null));
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

export interface Recipient {
  readonly address: string | null;
  readonly name: string | null;
}

export async function recipientOf(
  db: Reader,
  account: AccountId,
  chat: string,
): Promise<Recipient> {
  const { rows } = await sql<Recipient>`
    SELECT ${RECIPIENT} FROM (SELECT ${account}::bigint AS account_id, ${chat}::uuid AS chat_id) s ${CHAT_OF}`.execute(
    db,
  );
  return rows[0] ?? { address: null, name: null };
}

export interface Understood {
  readonly rule: Rule;
  readonly zone: Zone;
  readonly catchUp: CatchUp;
  readonly text: string;
}

export function preview(
  { rule, zone, catchUp, text }: Understood,
  { address, name }: Recipient,
  after: Date,
  times = TIMES,
): SchedulePreview {
  return {
    rule,
    zone: zone.name,
    words: describeRule(rule, zone),
    catch_up: catchUp,
    next: nextTimes(rule, zone, after, times).map((at) => at.toISOString()),
    recipient: address,
    recipient_name: name,
    text,
  };
}

function toApi(row: Row, madeBy: string | null): Schedule {
  const understood = { ...ruleOf(row), text: row.body };
  const justBefore = new Date((row.next_at?.getTime() ?? 0) - 1);
  return {
    id: row.id,
    ...preview(understood, row, justBefore),
    ...(row.next_at === null ? { next: [] } : {}),
    state: row.state,
    created_by: row.created_by,
    who: actorWords(row.created_by, madeBy),
    created_at: row.created_at.toISOString(),
    last: row.last === null ? null : toRun(row.last),
  };
}

const toRun = (run: RunRow): ScheduleRun => ({
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
