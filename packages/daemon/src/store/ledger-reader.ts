// The ledger, read for people: the story of one message in one sentence, and the decisions page by page. A
// row's number is its cursor: numbers are dense and given in commit order, so a page never shifts.
import type { LedgerLine, LedgerPage, Why } from '@relay/core/api/ledger';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ApprovalId, ChatId } from '@relay/core/ids';
import { explain } from '@relay/core/ledger/explain';
import type { Place, Reading, Story } from '@relay/core/ledger/story';
import type { LedgerQuery, LedgerReader } from '@relay/core/ports/ledger';
import { sql } from 'kysely';
import type { Reader } from './database.ts';
import { verifyChain } from './ledger-chain.ts';
import { placesOf } from './names.ts';
import { candidates, type Found, findMessages } from './why/find.ts';
import { toLines } from './why/lines.ts';
import { COLUMNS, rowsAboutQuestion, type StoredRow } from './why/rows.ts';
import { tell } from './why/tell.ts';

export interface LedgerReaderOptions {
  readonly db: Reader;
  readonly account: AccountId;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly now: () => Date;
  /** Where the owner reads the time; IANA. */
  readonly zone: string;
}

export function ledgerReader(options: LedgerReaderOptions): LedgerReader {
  return {
    why: (id, chat) => why(options, id, chat ?? null),
    asked: (id) => asked(options, id),
    list: (query) => list(options, query),
    verify: ({ full }) => verifyChain(options.db, options.account, { full }),
  };
}

async function why(options: LedgerReaderOptions, id: string, chat: ChatId | null): Promise<Why> {
  const { db, account, admins, now, zone } = options;
  const found = await findMessages(db, account, id, chat);
  const places = await placesOf(
    db,
    account,
    admins,
    found.map((message) => message.chat),
  );
  const [message, ...others] = found;
  if (message === undefined) throw new RelayError('message_unknown', { id });
  if (others.length > 0) {
    const names = new Map([...places].map(([at, { name }]) => [at, name]));
    throw new RelayError('message_ambiguous', { id, candidates: candidates(found, names) });
  }
  const place = places.get(message.chat) ?? { kind: 'direct', name: 'somebody' };
  const { story, rows } = await tell(db, account, message, place);
  return {
    ...toApi(message, place, story, { now: now(), zone }),
    rows: await toLines(db, account, admins, rows),
  };
}

function toApi(message: Found, place: Place, story: Story, reading: Reading): Omit<Why, 'rows'> {
  const run = story.way === 'out' ? story.run : (story.answer?.run ?? story.conversation?.run);
  const approval =
    story.way === 'out' ? story.approval : (story.answer?.approval ?? story.conversation?.approval);
  const deliveries =
    story.way === 'out'
      ? [story.delivery]
      : [
          ...(story.conversation?.answers ?? []),
          ...(story.answer?.answer ? [story.answer.answer] : []),
        ];
  return {
    sentence: explain(story, reading),
    message_id: message.messageId,
    outbox_id: message.outbox,
    way: story.way,
    chat: { id: message.chat, ...place },
    at: story.at.toISOString(),
    outcome: story.way === 'out' ? 'allow' : (story.route?.outcome ?? null),
    reason: story.way === 'out' ? story.reason : (story.route?.reason ?? null),
    run: run ? { id: run.id, model: run.model, state: run.state } : null,
    instance_id: story.conversation?.id ?? null,
    schedule_id: story.way === 'out' ? (story.schedule?.id ?? null) : null,
    approval: approval ? { id: approval.id, state: approval.state } : null,
    deliveries: deliveries.map(({ id, messageId, state, at, failure }) => ({
      id,
      message_id: messageId,
      state,
      at: at?.toISOString() ?? null,
      failure,
    })),
  };
}

async function asked(
  { db, account, admins }: LedgerReaderOptions,
  id: ApprovalId,
): Promise<LedgerLine[]> {
  return toLines(db, account, admins, await rowsAboutQuestion(db, account, id));
}

async function list(options: LedgerReaderOptions, query: LedgerQuery): Promise<LedgerPage> {
  const { db, account, admins } = options;
  const { order, cursor, limit, actor, action, outcome, subject, since } = query;
  const down = order === 'newest';
  const { rows } = await sql<StoredRow>`
    SELECT ${COLUMNS} FROM ledger l WHERE l.account_id = ${account}
      ${cursor === undefined ? sql`` : down ? sql`AND l.seq < ${cursor}` : sql`AND l.seq > ${cursor}`}
      ${actor === undefined ? sql`` : sql`AND (l.actor = ${actor} OR l.actor LIKE ${`${literal(actor)}:%`})`}
      ${action === undefined ? sql`` : sql`AND l.action = ${action}`}
      ${outcome === undefined ? sql`` : sql`AND l.outcome = ANY(${outcome.split(',')}::text[])`}
      ${subject === undefined ? sql`` : about(subject)}
      ${since === undefined ? sql`` : sql`AND l.at >= ${since}`}
    ORDER BY l.seq ${down ? sql`DESC` : sql`ASC`} LIMIT ${limit + 1}`.execute(db);
  const page = rows.slice(0, limit);
  return {
    entries: await toLines(db, account, admins, page),
    cursor: page.at(-1)?.seq.toString() ?? cursor ?? null,
    more: rows.length > limit,
  };
}

/** Itself, or whatever happened in its chat or to its person. */
const about = (id: string) => sql`AND (l.subject_id = ${id} OR l.detail->>'chat' = ${id}
  OR l.detail->>'contact' = ${id} OR l.detail->>'instance' = ${id})`;

const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
