// The story of a message that Relay sent or is to send: the permit it leaves under, the ledger row that says
// why, and who stood behind that.
import type {
  AccountId,
  ApprovalId,
  ChatId,
  InstanceId,
  MessageId,
  OutboxId,
  RunId,
  ScheduleId,
} from '@relay/core/ids';
import { tokenId } from '@relay/core/ids';
import type { OutboundStory, Place } from '@relay/core/ledger/story';
import type { Rule } from '@relay/core/schedule/rule';
import { describeRule } from '@relay/core/schedule/words';
import { zoneNamed } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import type { Reader } from '../database.ts';
import type { Told } from './inbound.ts';
import { deliveryOf, readApproval, readRun, runById } from './parts.ts';
import { rowNumbered, rowsAbout, type StoredRow } from './rows.ts';

interface Row {
  created_at: Date;
  ledger_seq: number;
  actor: string;
  instance_id: InstanceId | null;
  objective: string | null;
  approval_id: ApprovalId | null;
  chat_id: ChatId;
}

export async function outboundStory(
  db: Reader,
  account: AccountId,
  outbox: OutboxId,
  place: Place,
): Promise<Told<OutboundStory>> {
  const { rows } = await sql<Row>`
    SELECT o.created_at, p.ledger_seq, p.actor, o.instance_id, i.objective, p.approval_id, o.chat_id
    FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
      LEFT JOIN instances i ON i.account_id = o.account_id AND i.id = o.instance_id
    WHERE o.account_id = ${account} AND o.id = ${outbox}`.execute(db);
  const row = rows[0];
  const delivery = await deliveryOf(db, account, outbox);
  const decided = row === undefined ? null : await rowNumbered(db, account, row.ledger_seq);
  if (row === undefined || delivery === null || decided === null) {
    throw new Error('a message without its permit');
  }
  const asked = row.approval_id === null ? null : await whenAsked(db, account, decided);
  const story: OutboundStory = {
    way: 'out',
    place,
    at: row.created_at,
    actor: decided.actor,
    reason: decided.reason,
    run: await runBehind(db, account, row, decided, asked),
    conversation:
      row.instance_id === null || row.objective === null
        ? null
        : { id: row.instance_id, objective: row.objective },
    program: await programBehind(db, account, decided.actor),
    schedule: await scheduleBehind(db, account, decided.detail.schedule),
    approval: row.approval_id === null ? null : await readApproval(db, account, row.approval_id),
    answers: await answeredAt(db, account, row.chat_id, (asked ?? decided).detail.message),
    delivery,
  };
  const stops = await rowsAbout(db, account, 'outbox', outbox);
  return { story, rows: [...(asked === null ? [] : [asked]), decided, ...stops] };
}

/** The decision that put the same thing before the owner. */
async function whenAsked(
  db: Reader,
  account: AccountId,
  { subject_kind, subject_id, seq, detail }: StoredRow,
): Promise<StoredRow | null> {
  const about = await rowsAbout(db, account, subject_kind, subject_id);
  return (
    about.findLast(
      (row) => row.seq < seq && row.outcome === 'needs_approval' && row.detail.hash === detail.hash,
    ) ?? null
  );
}

async function runBehind(
  db: Reader,
  account: AccountId,
  { actor, instance_id }: Row,
  decided: StoredRow,
  asked: StoredRow | null,
) {
  const named = decided.detail.run ?? asked?.detail.run;
  const [kind, id] = actor.split(':');
  if (named !== undefined) return runById(db, account, named);
  if (kind === 'assistant' && id !== undefined) return runById(db, account, id as RunId);
  if (kind !== 'conversation' || instance_id === null) return null;
  // From before rows named their run: it ended in the transaction that wrote them.
  const { seq } = asked ?? decided;
  return readRun(
    db,
    account,
    sql`r.instance_id = ${instance_id} AND r.ended_at = (SELECT l.at FROM ledger l
      WHERE l.account_id = r.account_id AND l.seq = ${seq})`,
  );
}

/** By name, also of one whose token is gone. */
async function programBehind(db: Reader, account: AccountId, actor: string) {
  const [kind, id] = actor.split(':');
  if (kind !== 'token' || id === undefined) return null;
  const row = await db
    .selectFrom('tokens')
    .select('name')
    .where('account_id', '=', account)
    .where('id', '=', tokenId(id))
    .executeTakeFirst();
  return row?.name ?? null;
}

async function scheduleBehind(db: Reader, account: AccountId, id: ScheduleId | undefined) {
  if (id === undefined) return null;
  const row = await db
    .selectFrom('schedules')
    .select(['rule', 'zone'])
    .where('account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst();
  const zone = row === undefined ? null : zoneNamed(row.zone);
  return row === undefined || zone === null
    ? { id, words: id.slice(0, 8) }
    : { id, words: describeRule(row.rule as Rule, zone) };
}

/** When the message was written that it answers. */
async function answeredAt(
  db: Reader,
  account: AccountId,
  chat: ChatId,
  message: MessageId | undefined,
): Promise<Date | null> {
  if (message === undefined) return null;
  const { rows } = await sql<{ sent_at: Date }>`SELECT sent_at FROM message_keys
    WHERE account_id = ${account} AND message_id = ${message}
    ORDER BY chat_id = ${chat} DESC LIMIT 1`.execute(db);
  return rows[0]?.sent_at ?? null;
}
