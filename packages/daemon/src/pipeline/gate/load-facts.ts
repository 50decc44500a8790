// Reads the facts that the gate decides on, in the transaction of the decision, so that a grant revoked a moment ago
// already counts. It is one query, because every message waits for it.

import type { SendRisk } from '@relay/contract/api/approvals';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import { textsOfSchema } from '@relay/contract/conversation/result';
import type {
  AccountId,
  ChatId,
  ContactId,
  GrantId,
  InstanceId,
  RequestId,
  RunId,
  ScheduleId,
} from '@relay/contract/ids';
import type { ObserverSettings, PacingSettings } from '@relay/contract/settings';
import type { Grant } from '@relay/core/contacts/grants';
import { ANSWER_MAX_AGE_MS, checkCadence, isRequestTooOld } from '@relay/core/observer/answering';
import { effectiveTerms, observedOptionsSchema } from '@relay/core/observer/options';
import { FREEZES } from '@relay/core/outbox/freeze';
import { PACING_DAY_MS } from '@relay/core/outbox/pacing';
import type { Actor } from '@relay/core/policy/actors';
import { SCOPE_FOR } from '@relay/core/policy/decide';
import { isDictated } from '@relay/core/policy/dictated';
import {
  BARE_FACTS,
  type ChatFacts,
  type ConversationFacts,
  type PolicyFacts,
  type ScheduleFacts,
} from '@relay/core/policy/facts';
import { leaksPrivateText } from '@relay/core/policy/private-text';
import { type RiskFacts, sendRisks } from '@relay/core/policy/risks';
import { findZone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import { type NumberRegistration, numberRegistrationSql } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { listPermittedChats } from '../../platform/db/grants.ts';
import {
  CHAT_JID_SQL,
  ownChatKindSql,
  ownContactsSql,
} from '../../platform/db/names-and-addresses.ts';
import { readAnswerTimes } from '../../platform/db/observer/requests.ts';
import { contentHash } from '../../platform/db/seal.ts';
import { IS_CLIENT_TOKEN_SQL, IS_VALID_TOKEN_SQL } from '../../platform/db/tokens.ts';
import type { MessageToSend } from './proposals.ts';

/** Freezes that keep this account from writing to new contacts. */
const LOCKS = Object.entries(FREEZES)
  .filter(([, freeze]) => freeze.stops === 'first_contacts')
  .map(([cause]) => cause);

interface OpeningFactsRow {
  kind: 'direct' | 'group' | 'own';
  written: boolean;
  locked: boolean;
  registration: NumberRegistration;
}

/** What decides whether a chat may be written to for the first time. For use in `chats c`. */
const openingFactsSql = (now: Date, admins: readonly string[]) => sql`
  CASE WHEN ${ownChatKindSql(sql.ref('c'), admins)} IS NULL THEN c.kind ELSE 'own' END AS kind,
  c.kind = 'group' OR EXISTS (SELECT FROM outbox o WHERE o.account_id = c.account_id AND o.chat_id = c.id
      AND (o.state <> 'failed' OR o.in_doubt))
    OR EXISTS (SELECT FROM message_keys k WHERE k.account_id = c.account_id AND k.chat_id = c.id) AS written,
  EXISTS (SELECT FROM freezes f WHERE f.account_id = c.account_id
    AND f.cause = ANY(${LOCKS}) AND f.until > ${now}) AS locked,
  ${numberRegistrationSql(sql.ref('c'), now)} AS registration`;

interface ChatFactsRow extends OpeningFactsRow {
  contact_id: ContactId | null;
  hold: boolean;
  observed: boolean;
  address: string | null;
  grant_id: GrantId | null;
  can_read: boolean;
  can_reply: boolean;
  can_initiate: boolean;
  reply_mode: 'auto' | 'draft';
}

interface LoadedChatFacts {
  readonly facts: PolicyFacts;
  /** A direct chat in which neither side has written. */
  readonly firstContact: boolean;
  /** The existing grant for the chat, whether or not it allows this. */
  readonly grant: GrantId | null;
  /** The number to ask WhatsApp about before the first message; null if there is none or nothing to ask. */
  readonly uncheckedNumber: string | null;
}

export interface FactOptions extends GroupAnswerOptions {
  readonly pacing: PacingSettings;
  /** The owner's other numbers, in digits. */
  readonly admins?: readonly string[];
}

export async function loadChatFacts(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  conversation: ConversationFacts | null,
  { pacing, admins = [], now = () => new Date() }: FactOptions,
): Promise<LoadedChatFacts> {
  const { rows } = await sql<ChatFactsRow>`
    SELECT c.contact_id, ${openingFactsSql(now(), admins)},
      EXISTS (SELECT FROM holds h WHERE h.account_id = c.account_id) AS hold,
      EXISTS (SELECT FROM observed_groups o WHERE o.account_id = c.account_id AND o.chat_id = c.id) AS observed,
      ${CHAT_JID_SQL} AS address, g.id AS grant_id, g.can_read, g.can_reply, g.can_initiate, g.reply_mode
    FROM chats c LEFT JOIN grants g ON g.account_id = c.account_id
      AND ((c.kind = 'direct' AND g.contact_id = c.contact_id) OR (c.kind = 'group' AND g.chat_id = c.id))
    WHERE c.account_id = ${account} AND c.id = ${chat}`.execute(tx);
  const row = rows[0];
  if (row === undefined) {
    const facts = { ...BARE_FACTS, conversation };
    return { facts, firstContact: true, grant: null, uncheckedNumber: null };
  }
  const grant: Grant | null =
    row.grant_id === null
      ? null
      : {
          canRead: row.can_read,
          canReply: row.can_reply,
          canInitiate: row.can_initiate,
          replyMode: row.reply_mode,
        };
  const facts: PolicyFacts = {
    ...BARE_FACTS,
    hold: row.hold,
    timeLocked: row.locked,
    firstContactsOff: pacing.enabled && pacing.first_contacts_per_day === 0,
    unregistered: row.kind === 'direct' && row.registration === 'unregistered',
    conversation,
    chat: chatFacts(chat, row),
    contactGrant: row.kind === 'direct' ? grant : null,
    groupGrant: row.kind === 'group' ? grant : null,
  };
  const asks = row.kind === 'direct' && !row.written && row.registration === 'unknown';
  return {
    facts,
    firstContact: !row.written,
    grant: row.grant_id,
    uncheckedNumber: asks ? row.address : null,
  };
}

function chatFacts(id: ChatId, { kind, contact_id, observed }: ChatFactsRow): ChatFacts {
  switch (kind) {
    case 'own':
      return { kind, id };
    case 'direct':
      return { kind, id, contact: contact_id };
    case 'group':
      return { kind, id, observed };
  }
}

// What is risky about writing to these chats now, for whoever decides about it: read when an approval is shown, because
// a contact may have written, and a time lock may have begun, since it was requested.

interface ChatRiskRow extends OpeningFactsRow {
  readonly id: ChatId;
  readonly heard: boolean;
}

/** The other side has written: the account's own messages have the sender `me`. For use in `chats c`. */
const HEARD_SQL = sql<boolean>`EXISTS (SELECT FROM message_keys k
  WHERE k.account_id = c.account_id AND k.chat_id = c.id AND k.sender <> 'me')`;

/** Only chats with a risk are listed. */
export async function loadChatRisks(
  db: Db,
  account: AccountId,
  chats: readonly ChatId[],
  { admins = [], now = () => new Date() }: Pick<FactOptions, 'admins' | 'now'> = {},
): Promise<ReadonlyMap<ChatId, SendRisk[]>> {
  if (chats.length === 0) return new Map();
  const at = now();
  const { rows } = await sql<ChatRiskRow>`
    SELECT c.id, ${openingFactsSql(at, admins)}, ${HEARD_SQL} AS heard
    FROM chats c WHERE c.account_id = ${account} AND c.id = ANY(${chats}::uuid[])`.execute(db);
  const cold = rows.filter(({ kind, heard }) => kind === 'direct' && !heard);
  if (cold.length === 0) return new Map();
  const ofAccount = await loadAccountRiskFacts(db, account, admins, at);
  return new Map(
    cold.map(({ id, locked, ...facts }) => [
      id,
      sendRisks({ ...facts, ...ofAccount, direct: true, timeLocked: locked }, at),
    ]),
  );
}

async function loadAccountRiskFacts(
  db: Db,
  account: AccountId,
  admins: readonly string[],
  now: Date,
): Promise<Pick<RiskFacts, 'sentToday' | 'coldToday' | 'linkedAt'>> {
  const yesterday = new Date(now.getTime() - PACING_DAY_MS);
  const { rows } = await sql<{ linked_at: Date | null; sent: number; cold: number }>`
    SELECT a.linked_at, t.sent, t.cold FROM accounts a, LATERAL (
      SELECT coalesce(sum(o.sent), 0)::int AS sent,
        coalesce(sum(o.sent) FILTER (WHERE c.kind = 'direct' AND NOT ${HEARD_SQL}), 0)::int AS cold
      FROM (SELECT s.chat_id, count(*) AS sent FROM outbox s
          WHERE s.account_id = a.id AND s.attempted_at > ${yesterday} GROUP BY s.chat_id) o
        JOIN chats c ON c.account_id = a.id AND c.id = o.chat_id
      WHERE c.contact_id IS NULL OR c.contact_id NOT IN (${ownContactsSql(account, admins)})
    ) t WHERE a.id = ${account}`.execute(db);
  const [row] = rows;
  return {
    sentToday: row?.sent ?? 0,
    coldToday: row?.cold ?? 0,
    linkedAt: row?.linked_at ?? null,
  };
}

// Whether the assistant may answer in an observed group: the owner asked for it there, this very run answers them, and
// the group was not answered too often. It is looked up in the transaction of the decision and never taken from the
// submitter. The group stays locked, so that two answers are decided one after the other.

interface GroupAnswerOptions {
  /** Without these settings no group is answered. */
  readonly observer?: ObserverSettings;
  readonly now?: () => Date;
}

export interface GroupAnswerFacts extends Pick<PolicyFacts, 'isAskedByOwner' | 'withinCadence'> {
  /** The owner's request is too old to answer. */
  readonly isTooOld: boolean;
}

export const NO_GROUP_ANSWER: GroupAnswerFacts = {
  isAskedByOwner: false,
  withinCadence: false,
  isTooOld: false,
};

interface GroupAnswerQuery {
  readonly account: AccountId;
  readonly actor: Actor;
  readonly chat: ChatFacts | null;
  /** Its position in the outbox, once it has one. */
  readonly seq: number | null;
}

interface GroupRequestRow {
  id: RequestId;
  sent_at: Date;
  zone: string;
  options: unknown;
}

export async function loadGroupAnswerFacts(
  tx: Transaction,
  { account, actor, chat, seq }: GroupAnswerQuery,
  { observer, now: clock = () => new Date() }: GroupAnswerOptions,
): Promise<GroupAnswerFacts> {
  if (actor.kind !== 'assistant' || chat?.kind !== 'group' || !chat.observed)
    return NO_GROUP_ANSWER;
  if (observer === undefined) return NO_GROUP_ANSWER;
  const row = await findGroupRequest(
    tx,
    account,
    chat.id,
    actor.run,
    seq === null ? 'answering' : 'answered',
  );
  const zone = row === null ? null : findZone(row.zone);
  if (row === null || zone === null) return NO_GROUP_ANSWER;
  const now = clock();
  const { answersPerDay, minutesBetweenAnswers } = effectiveTerms(
    observedOptionsSchema.parse(row.options),
    observer,
  );
  const answered = await readAnswerTimes(tx, account, chat.id, {
    now,
    except: row.id,
    ...(seq === null ? {} : { before: seq }),
  });
  const settings = {
    answers_per_day: answersPerDay,
    minutes_between_answers: minutesBetweenAnswers,
  };
  return {
    isAskedByOwner: true,
    withinCadence: checkCadence({ answered, settings, zone, now }).allowed,
    isTooOld: isRequestTooOld(row.sent_at, now, ANSWER_MAX_AGE_MS),
  };
}

async function findGroupRequest(
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  run: RunId,
  state: 'answering' | 'answered',
): Promise<GroupRequestRow | null> {
  const { rows } = await sql<GroupRequestRow>`
    SELECT r.id, r.sent_at, o.zone, o.options
    FROM observed_groups o JOIN observer_requests r ON r.account_id = o.account_id AND r.chat_id = o.chat_id
    WHERE o.account_id = ${account} AND o.chat_id = ${chat} AND r.run_id = ${run} AND r.state = ${state}
      AND r.verdict = 'direct_request'
    FOR NO KEY UPDATE OF o`.execute(tx);
  return rows[0] ?? null;
}

// Reads the schedule that a scheduler's message fulfils, when it is submitted and again before it is sent. The hash is
// made from the current schedule, so that a changed or cancelled schedule permits nothing; nor does one whose client
// may no longer schedule.

export interface LoadedSchedule extends ScheduleFacts {
  readonly isCancelled: boolean;
}

export async function loadScheduleFacts(
  tx: Transaction,
  account: AccountId,
  ids: readonly ScheduleId[],
): Promise<ReadonlyMap<ScheduleId, LoadedSchedule>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<ScheduleRow>`
    SELECT s.id, s.chat_id, s.body, s.content, s.created_by, s.approval_id, s.state, ${PROGRAM_GONE} AS program_gone
    FROM schedules s WHERE s.account_id = ${account} AND s.id = ANY(${ids}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, factsOf(row)]));
}

export async function isScheduledBy(
  tx: Transaction,
  account: AccountId,
  id: ScheduleId,
  actor: string,
): Promise<boolean> {
  const row = await tx
    .selectFrom('schedules')
    .select('created_by')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.created_by === actor;
}

/** For use in `schedules s`. */
const PROGRAM_GONE = sql`s.created_by LIKE 'token:%' AND NOT EXISTS (SELECT FROM tokens t
  WHERE t.account_id = s.account_id AND 'token:' || t.id = s.created_by AND ${IS_CLIENT_TOKEN_SQL} AND ${IS_VALID_TOKEN_SQL}
    AND ${SCOPE_FOR.schedule_message} = ANY(t.scopes)
    AND (t.contacts IS NULL OR EXISTS (SELECT FROM chats c WHERE c.account_id = s.account_id
      AND c.id = s.chat_id AND c.contact_id = ANY(t.contacts))))`;

interface ScheduleRow {
  readonly id: ScheduleId;
  readonly chat_id: ChatId;
  readonly body: string;
  readonly content: OutgoingContent | null;
  readonly created_by: string;
  readonly approval_id: string | null;
  readonly state: string;
  readonly program_gone: boolean;
}

const factsOf = (row: ScheduleRow): LoadedSchedule => ({
  chat: row.chat_id,
  hash: contentHash({ chat: row.chat_id, text: row.body, content: row.content }),
  by: row.created_by === 'owner' ? 'owner' : 'agent',
  clientRevoked: row.program_gone,
  approved: row.approval_id !== null,
  isCancelled: row.state === 'cancelled',
});

// Whether the owner dictated a message in the turn that sends it, checked against what the owner really wrote.

const MOST_RECIPIENTS = 1_000;

export async function isDictatedByOwner(
  tx: Transaction,
  account: AccountId,
  run: RunId,
  { chat, text }: MessageToSend,
  admins: readonly string[],
): Promise<boolean> {
  const { rows } = await sql<{ content: string }>`
    SELECT m.content FROM runs r
      JOIN sessions s ON s.account_id = r.account_id AND s.id = r.session_id
      JOIN session_messages m ON m.account_id = s.account_id AND m.session_id = s.id AND m.id = r.read_up_to
    WHERE r.account_id = ${account} AND r.id = ${run} AND s.kind = 'assistant'
      AND m.role = 'user' AND NOT m.untrusted`.execute(tx);
  const [question] = rows;
  if (question === undefined) return false;
  const permitted = await listPermittedChats(tx, account, admins, MOST_RECIPIENTS);
  const recipient = permitted.find((each) => each.chat === chat);
  return recipient !== undefined && isDictated(question.content, text, recipient, permitted);
}

/** Whether the question of this run is a voice message, of which the model was given a transcript. */
export async function isSpokenByOwner(
  tx: Transaction,
  account: AccountId,
  run: RunId,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM runs r JOIN sessions s ON s.account_id = r.account_id AND s.id = r.session_id
      JOIN session_messages q ON q.account_id = s.account_id AND q.session_id = s.id AND q.id = r.read_up_to
      JOIN media m ON m.account_id = s.account_id AND m.chat_id = s.chat_id AND m.message_id = q.message_id
    WHERE r.account_id = ${account} AND r.id = ${run} AND m.transcript IS NOT NULL LIMIT 1`.execute(
    tx,
  );
  return rows.length > 0;
}

// Whether a message reveals its agent's private text, alone or together with the agent's last messages:
// for a conversation its objective and everything that belongs to it, for an auto-reply its persona, for both the
// owner's instructions for all agents. What the contact and the owner said is read only after a match, because most
// messages quote nothing.

/** How many earlier lines, and how many characters of them, may contain the other pieces of a secret. */
const LINES = 40;
const CHARACTERS = 4_000;

interface ConversationSpeaker {
  readonly account: AccountId;
  readonly instance: InstanceId;
  /** The owner's instructions for all agents. */
  readonly instructions: string | null;
  /** Messages of the same turn that are not stored yet. */
  readonly earlierInTurn: readonly string[];
}

export async function quotesPrivateWords(
  tx: Transaction,
  text: string,
  { account, instance, instructions, earlierInTurn }: ConversationSpeaker,
): Promise<boolean> {
  const stored = await loadPrivateTexts(tx, account, instance);
  if (stored === undefined) return false;
  // A single todo may be said; the whole list may not.
  const todos = stored.todos.map((todo) => todo.text).join('\n');
  const lines = stored.lines.toReversed();
  // Relay's notes for the agent may contain the owner's own words, for example when they decline a message.
  const notes = lines.flatMap(({ role, end }) => (role === 'system' ? [end] : [])).join('\n');
  const privateTexts = [
    stored.objective,
    instructions ?? '',
    todos,
    stored.summary ?? '',
    notes,
    ...textsOfSchema(stored.result_schema ?? {}),
  ];
  const facts = stored.options.facts ?? [];
  const spoken = lines.flatMap(({ role, end }) => (role === 'agent' ? [end] : []));
  const saidBefore = newest([...spoken, ...earlierInTurn]);
  const words = { privateTexts, facts, saidBefore };
  if (!leaksPrivateText(text, { ...words, knownTexts: [] })) return false;
  const said = await tx
    .selectFrom('instance_messages')
    .select('content')
    .where('account_id', '=', account)
    .where('instance_id', '=', instance)
    .where('role', 'in', ['contact', 'manual'])
    .execute();
  const knownTexts = [stored.target_contact, ...said.map(({ content }) => content)];
  return leaksPrivateText(text, { ...words, knownTexts });
}

interface ChatSpeaker {
  readonly account: AccountId;
  readonly chat: ChatId;
  /** The owner's instructions for all agents. */
  readonly instructions: string | null;
}

/** The same check for an auto-reply, in its session with the contact. */
export async function quotesPersona(
  tx: Transaction,
  text: string,
  { account, chat, instructions }: ChatSpeaker,
): Promise<boolean> {
  const session = await tx
    .selectFrom('sessions as s')
    .leftJoin('grants as g', (join) =>
      join.onRef('g.account_id', '=', 's.account_id').onRef('g.contact_id', '=', 's.contact_id'),
    )
    .select(['s.id', sql<string | null>`g.options->>'persona'`.as('persona')])
    .where('s.account_id', '=', account)
    .where('s.kind', '=', 'auto_reply')
    .where('s.chat_id', '=', chat)
    .executeTakeFirst();
  const privateTexts = [instructions ?? '', session?.persona ?? ''];
  if (session === undefined || privateTexts.every((privateText) => privateText === ''))
    return false;
  const linesOf = (role: 'user' | 'assistant') =>
    tx
      .selectFrom('session_messages')
      .select('content')
      .where('account_id', '=', account)
      .where('session_id', '=', session.id)
      .where('role', '=', role)
      .orderBy('id', 'desc');
  const spoken = (await linesOf('assistant').limit(LINES).execute()).toReversed();
  const saidBefore = newest(spoken.map(({ content }) => content));
  const words = { privateTexts, facts: [], saidBefore };
  if (!leaksPrivateText(text, { ...words, knownTexts: [] })) return false;
  const heard = await linesOf('user').execute();
  return leaksPrivateText(text, { ...words, knownTexts: heard.map(({ content }) => content) });
}

/** The same check for an answer in a group, against the owner's instructions for all agents. */
export async function quotesInstructions(
  tx: Transaction,
  text: string,
  { account, chat, instructions }: ChatSpeaker,
): Promise<boolean> {
  const words = { privateTexts: [instructions ?? ''], facts: [] };
  if (!leaksPrivateText(text, { ...words, knownTexts: [] })) return false;
  const { rows } = await sql<{ body: string }>`SELECT body FROM messages
    WHERE account_id = ${account} AND chat_id = ${chat}
    ORDER BY sent_at DESC, id DESC LIMIT ${LINES}`.execute(tx);
  return leaksPrivateText(text, { ...words, knownTexts: rows.map(({ body }) => body) });
}

/** The agent's first private text, then what it said and received since, newest first. */
const loadPrivateTexts = (tx: Transaction, account: AccountId, instance: InstanceId) =>
  tx
    .selectFrom('instances')
    .select(['objective', 'todos', 'summary', 'options', 'result_schema', 'target_contact'])
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('instance_messages')
          .select((of) => [
            'role',
            of.fn<string>('right', ['content', of.lit(CHARACTERS)]).as('end'),
          ])
          .where('account_id', '=', account)
          .where('instance_id', '=', instance)
          .where('role', 'in', ['agent', 'system'])
          .orderBy('id', 'desc')
          .limit(LINES),
      ).as('lines'),
    )
    .where('account_id', '=', account)
    .where('id', '=', instance)
    .executeTakeFirst();

function newest(lines: readonly string[]): string[] {
  const kept: string[] = [];
  let left = CHARACTERS;
  for (const line of lines.slice(-LINES).toReversed()) {
    if (left === 0) break;
    const end = line.slice(-left);
    kept.unshift(end);
    left -= end.length;
  }
  return kept;
}
