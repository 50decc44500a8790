// Reads the ledger for people: the story of one message in a sentence, and the decisions page by page. A row's number
// is its cursor: numbers have no gaps and follow the commit order, so a page never shifts.
import type {
  LedgerLine,
  LedgerPage,
  LedgerQuery,
  LedgerReader,
  MessageExplanation,
} from '@relay/contract/api/ledger';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, ApprovalId, ChatId } from '@relay/contract/ids';
import { explainStory } from '@relay/core/ledger/explain';
import type { MessageStory, ReaderClock, StoryChat } from '@relay/core/ledger/story';
import { sql } from 'kysely';
import type { Db } from './database.ts';
import { verifyChain } from './ledger-chain.ts';
import {
  LEDGER_COLUMNS,
  ledgerRowsAboutApproval,
  type StoredLedgerRow,
  toLedgerLines,
} from './ledger-lines.ts';
import { loadChatNames } from './names-and-addresses.ts';
import {
  describeMessageMatches,
  findMessagesByIdOrPrefix,
  loadStory,
  type MessageMatch,
} from './why/story.ts';

interface LedgerReaderOptions {
  readonly db: Db;
  readonly account: AccountId;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly now: () => Date;
  /** The owner's time zone, an IANA name. */
  readonly zone: string;
}

export function createLedgerReader(options: LedgerReaderOptions): LedgerReader {
  return {
    why: (id, chat) => explainMessage(options, id, chat ?? null),
    linesAboutApproval: (id) => listAboutApproval(options, id),
    list: (query) => listLedger(options, query),
    verify: ({ full }) => verifyChain(options.db, options.account, { full }),
  };
}

async function explainMessage(
  options: LedgerReaderOptions,
  id: string,
  chat: ChatId | null,
): Promise<MessageExplanation> {
  const { db, account, admins, now, zone } = options;
  const found = await findMessagesByIdOrPrefix(db, account, id, chat);
  const places = await loadChatNames(
    db,
    account,
    admins,
    found.map((message) => message.chat),
  );
  const [message, ...others] = found;
  if (message === undefined) throw new RelayError('message_unknown', { id });
  if (others.length > 0) {
    const names = new Map([...places].map(([at, { name }]) => [at, name]));
    throw new RelayError('message_ambiguous', {
      id,
      candidates: describeMessageMatches(found, names),
    });
  }
  const place = places.get(message.chat) ?? { kind: 'direct', name: 'somebody' };
  const { story, rows } = await loadStory(db, account, message, place);
  return {
    ...toExplanation(message, place, story, { now: now(), zone }),
    rows: await toLedgerLines(db, account, admins, rows),
  };
}

function toExplanation(
  message: MessageMatch,
  place: StoryChat,
  story: MessageStory,
  reading: ReaderClock,
): Omit<MessageExplanation, 'rows'> {
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
    sentence: explainStory(story, reading),
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

async function listAboutApproval(
  { db, account, admins }: LedgerReaderOptions,
  id: ApprovalId,
): Promise<LedgerLine[]> {
  return toLedgerLines(db, account, admins, await ledgerRowsAboutApproval(db, account, id));
}

async function listLedger(options: LedgerReaderOptions, query: LedgerQuery): Promise<LedgerPage> {
  const { db, account, admins } = options;
  const { order, cursor, limit, actor, action, outcome, subject, since } = query;
  const down = order === 'newest';
  const { rows } = await sql<StoredLedgerRow>`
    SELECT ${LEDGER_COLUMNS} FROM ledger l WHERE l.account_id = ${account}
      ${cursor === undefined ? sql`` : down ? sql`AND l.seq < ${cursor}` : sql`AND l.seq > ${cursor}`}
      ${actor === undefined ? sql`` : sql`AND (l.actor = ${actor} OR l.actor LIKE ${`${literal(actor)}:%`})`}
      ${action === undefined ? sql`` : sql`AND l.action = ${action}`}
      ${outcome === undefined ? sql`` : sql`AND l.outcome = ANY(${outcome.split(',')}::text[])`}
      ${subject === undefined ? sql`` : aboutSubject(subject)}
      ${since === undefined ? sql`` : sql`AND l.at >= ${since}`}
    ORDER BY l.seq ${down ? sql`DESC` : sql`ASC`} LIMIT ${limit + 1}`.execute(db);
  const page = rows.slice(0, limit);
  return {
    entries: await toLedgerLines(db, account, admins, page),
    cursor: page.at(-1)?.seq.toString() ?? cursor ?? null,
    more: rows.length > limit,
  };
}

/** The subject itself, or anything that happened in its chat or to its person. */
const aboutSubject = (id: string) => sql`AND (l.subject_id = ${id} OR l.detail->>'chat' = ${id}
  OR l.detail->>'contact' = ${id} OR l.detail->>'instance' = ${id})`;

const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');
