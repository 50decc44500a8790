// Operations on schedules for routes, commands and the assistant. Each is one transaction; a refusal of the gate is in
// the ledger, and its reason is the answer.

import type { CatchUp } from '@relay/contract/api/constants';
import type { ListedContact } from '@relay/contract/api/contacts';
import { type OutgoingContent, readContentFields } from '@relay/contract/api/outgoing';
import type { CreateSchedule, Schedule, ScheduleService } from '@relay/contract/api/schedules';
import { RelayError } from '@relay/contract/errors';
import {
  type ApprovalId,
  type ChatId,
  chatId,
  contactId,
  type ScheduleId,
} from '@relay/contract/ids';
import type { Weekday } from '@relay/contract/schedule/names';
import { defaultCatchUp, type ScheduleRule } from '@relay/contract/schedule/rule';
import type { Settings } from '@relay/contract/settings';
import { recipientJid } from '@relay/core/contacts/alias';
import type { Actor } from '@relay/core/policy/actors';
import { type Decision, decisionFor, refusalError } from '@relay/core/policy/reasons';
import { describeRule } from '@relay/core/schedule/format';
import { checkRule, nextOccurrence } from '@relay/core/schedule/occurrences';
import { parseTypedSchedule } from '@relay/core/schedule/typed';
import { findZone, weekdayOf, type Zone } from '@relay/core/schedule/zone';
import { sql } from 'kysely';
import { actorName } from '../../pipeline/gate/actors.ts';
import { withdrawApprovals } from '../../pipeline/gate/approval-store.ts';
import type { ApprovedActions, ApprovedScheduleActions } from '../../pipeline/gate/approvals.ts';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import type { EvaluatedProposal, Gate, GateResult } from '../../pipeline/gate/gate.ts';
import { resolveContent } from '../../pipeline/gate/outgoing-request.ts';
import { closeNotices, findOrMakeOwnerChat } from '../../pipeline/gate/owner-notices.ts';
import { findOrMakeChat } from '../../pipeline/gate/send-as-owner.ts';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { ambiguousContactError, matchContacts } from '../../platform/db/contact-directory.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { runAndRollBack, transaction } from '../../platform/db/transaction.ts';
import type { Engine } from '../../platform/jobs/engine.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import {
  listSchedules,
  lockSchedule,
  type ParsedSchedule,
  previewSchedule,
  readScheduleRecipient,
  ruleOf,
  setNextOccurrence,
  timerOf,
} from './sql.ts';

/** Enough to show a clock change, and whether the right days were understood. */
const PREVIEWED_OCCURRENCES = 5;

const OWNER: Actor = { kind: 'owner' };

export function createScheduleService(deps: ScheduleDeps): ScheduleService {
  const { db, lease } = deps;
  const shown = async (id: ScheduleId): Promise<Schedule> => {
    const [found] = await listSchedules(db, lease.account, { id });
    if (found === undefined) throw new RelayError('schedule_not_found', { id });
    return found;
  };
  return {
    list: (state, page) => listSchedules(db, lease.account, { state }, page),
    preview: (request) => runAndRollBack(db, (tx) => previewForOwner(deps, tx, request)),
    create: async (request) => {
      const { decision, id } = await transaction(deps, ({ tx }) =>
        createForOwner(deps, tx, request),
      );
      if (id === null) throw refusalError(decision.reason);
      return shown(id);
    },
    cancel: async (id) => {
      await transaction(deps, ({ tx }) => cancelSchedule(deps, tx, OWNER, id));
      return shown(id);
    },
  };
}

async function previewForOwner(deps: ScheduleDeps, tx: Transaction, request: CreateSchedule) {
  const asked = interpretScheduleRequest(deps, request);
  const chat = await resolveScheduleChat(deps, tx, request.to);
  const { content = null } = await contentFor(deps, tx, chat, request);
  const understood = { ...asked, content };
  const recipient = await readScheduleRecipient(tx, deps.lease.account, chat);
  return previewSchedule(understood, recipient, deps.now(), PREVIEWED_OCCURRENCES);
}

async function createForOwner(deps: ScheduleDeps, tx: Transaction, request: CreateSchedule) {
  const { rule, zone, catchUp, text } = interpretScheduleRequest(deps, request);
  const chat = await resolveScheduleChat(deps, tx, request.to);
  const content = await contentFor(deps, tx, chat, request);
  return submitSchedule(deps, tx, OWNER, {
    chat,
    text,
    ...content,
    rule,
    zone: zone.name,
    catchUp,
  });
}

const contentFor = (
  { lease: { account } }: ScheduleDeps,
  tx: Transaction,
  chat: ChatId,
  request: CreateSchedule,
) => resolveContent(tx, { account, chat }, readContentFields(request).content);

// Creates a schedule: checks it, submits it to the gate and stores it with its first timer, in the caller's
// transaction. If the owner must approve it, it becomes a schedule only then.

interface ScheduleToCreate {
  readonly chat: ChatId;
  readonly text: string;
  readonly content?: OutgoingContent;
  readonly rule: ScheduleRule;
  readonly zone: string;
  readonly catchUp: CatchUp;
}

interface ScheduleResult {
  readonly decision: Decision;
  /** Set exactly when it was allowed. */
  readonly id: ScheduleId | null;
  /** Set exactly when the owner is asked. */
  readonly approval: ApprovalId | null;
}

export async function submitSchedule(
  deps: ScheduleDeps,
  tx: Transaction,
  actor: Actor,
  { chat, text, content, rule, zone, catchUp }: ScheduleToCreate,
  context: SubmitContext = {},
  approved?: EvaluatedProposal,
): Promise<ScheduleResult> {
  const { next } = requireNextOccurrence(deps, rule, zone);
  const proposal = {
    kind: 'schedule_message',
    chat,
    text,
    ...(content === undefined ? {} : { content }),
    rule,
    zone,
    catchUp,
  } as const;
  const evaluated = approved ?? (await deps.gate.evaluate(tx, actor, proposal, context));
  const { decision, approval } = await evaluated.submit();
  if (decision.outcome !== 'allow') return { decision, id: null, approval };
  const { account } = deps.lease;
  const { id } = await tx
    .insertInto('schedules')
    .values({
      account_id: account,
      rule: JSON.stringify(rule),
      zone,
      chat_id: chat,
      body: text,
      content: content === undefined ? null : JSON.stringify(content),
      catch_up: catchUp,
      created_by: actorName(actor),
      approval_id: context.approval ?? null,
      next_at: next,
      created_at: deps.now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await setTimer(tx, timerOf(account, id), next);
  await appendEvent(tx, account, {
    kind: 'schedule',
    subject: id,
    data: { state: 'active', next: next.toISOString() },
  });
  return { decision, id, approval: null };
}

/** Returns the first run; throws if there is none or the rule is invalid. */
function requireNextOccurrence({ now }: ScheduleDeps, rule: unknown, zone: string) {
  const checked = checkRule(rule, zone, now());
  if (!checked.ok) throw new RelayError('invalid_schedule', { what: checked.sentence });
  return checked;
}

/** Carries out an approved `schedule_message`. */
export const createApprovedSchedule =
  (deps: ScheduleDeps): ApprovedActions['scheduleMessage'] =>
  async ({ tx }, { approval, actor, evaluated, schedule: asked }) => {
    await submitSchedule(deps, tx, actor, asked, { approval }, evaluated);
  };

// Cancelling stops the next run, a message of the schedule in the outbox (its permit is checked again before sending)
// and a pending approval.

const CANCELLED_SENTENCE = 'The schedule was cancelled.';

/** Cancelling twice is allowed; a finished schedule with nothing pending is refused. */
export async function cancelSchedule(
  deps: ScheduleDeps,
  tx: Transaction,
  actor: Actor,
  id: ScheduleId,
  context: SubmitContext = {},
  approved?: EvaluatedProposal,
): Promise<Pick<GateResult, 'decision' | 'approval'>> {
  const { account } = deps.lease;
  const row = await lockSchedule(tx, account, id);
  if (row === null) throw new RelayError('schedule_not_found', { id });
  if (row.state === 'cancelled') return { decision: decisionFor('narrowing'), approval: null };
  if (row.state === 'done' && !(await hasPendingMessage(deps, tx, id))) {
    throw new RelayError('schedule_over', { id });
  }
  const { chat_id: chat, body: text, content, zone } = row;
  const proposal = {
    kind: 'cancel_schedule',
    schedule: id,
    chat,
    text,
    ...(content === null ? {} : { content }),
    rule: ruleOf(row).rule,
    zone,
  } as const;
  // Withdrawals and events come before the ledger, which stays locked from its row to the commit.
  const evaluated = approved ?? (await deps.gate.evaluate(tx, actor, proposal, context));
  let withdrawn: readonly ApprovalId[] = [];
  if (evaluated.decision.outcome === 'allow') {
    await setNextOccurrence(tx, account, id, null, 'cancelled');
    withdrawn = await withdrawApprovals(tx, account, { schedule: id }, CANCELLED_SENTENCE);
    await appendEvent(tx, account, { kind: 'schedule', subject: id, data: { state: 'cancelled' } });
  }
  const submitted = await evaluated.submit();
  await closeNotices(tx, { gate: deps.gate, account }, withdrawn, CANCELLED_SENTENCE);
  return submitted;
}

/** Carries out an approved `cancel_schedule`. */
export const cancelApprovedSchedule =
  (deps: ScheduleDeps): ApprovedScheduleActions['cancelSchedule'] =>
  async ({ tx }, { approval, actor, evaluated, schedule }) => {
    await cancelSchedule(deps, tx, actor, schedule, { approval }, evaluated);
  };

async function hasPendingMessage(
  { lease }: ScheduleDeps,
  tx: Transaction,
  id: ScheduleId,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM outbox o JOIN permits p ON p.account_id = o.account_id AND p.id = o.permit_id
    WHERE o.account_id = ${lease.account} AND o.state = 'pending' AND p.schedule_id = ${id}
    UNION ALL SELECT FROM approvals
    WHERE account_id = ${lease.account} AND schedule_id = ${id} AND state = 'pending'`.execute(tx);
  return rows.length > 0;
}

// Schedules for the assistant's tools, in the transaction of the tool call. The assistant gives a time of day and a
// pattern, as the seed defines; the gate decides, and its decision is the answer.

export interface AgentScheduleRequest {
  readonly chat: ChatId;
  readonly text: string;
  readonly content?: OutgoingContent;
  /** HH:MM, in the owner's time zone. */
  readonly time: string;
  readonly pattern: 'once' | 'daily' | 'weekly' | 'cron';
  /** For `once`: YYYY-MM-DD; without it, the next time the clock shows this time. */
  readonly date?: string;
  /** For `weekly`; without it, the weekday of the next such time. */
  readonly days?: readonly Weekday[];
  /** For `cron`: the five fields, which include the time. */
  readonly cron?: string;
  readonly zone?: string;
  readonly catchUp?: CatchUp;
}

export interface AgentScheduleResult extends ScheduleResult {
  /** For example: every day at 09:00, Africa/Cairo. */
  readonly words: string;
  readonly next: Date;
}

/** `context` contains the run, its taint, and whether the owner is asked first. */
export async function scheduleForAgent(
  deps: ScheduleDeps,
  tx: Transaction,
  actor: Actor,
  request: AgentScheduleRequest,
  context: SubmitContext = {},
): Promise<AgentScheduleResult> {
  const zoneName = request.zone ?? deps.zone;
  const given = ruleFor(request, findZone(zoneName), deps.now());
  const { rule, zone, next } = requireNextOccurrence(deps, given, zoneName);
  const { chat, text, content, catchUp = defaultCatchUp(rule) } = request;
  const what = content === undefined ? { text } : { text, content };
  const asked = { chat, ...what, rule, zone: zone.name, catchUp };
  const scheduled = await submitSchedule(deps, tx, actor, asked, context);
  return { ...scheduled, words: describeRule(rule, zone), next };
}

/** Not yet checked: an invalid time gives an invalid rule. */
function ruleFor(
  { time, pattern, date, days, cron }: AgentScheduleRequest,
  zone: Zone | null,
  now: Date,
): unknown {
  const daily: ScheduleRule = { kind: 'daily', time };
  const next = () => (zone === null || !isTime(time) ? null : nextOccurrence(daily, zone, now));
  switch (pattern) {
    case 'daily':
      return daily;
    case 'once':
      if (date !== undefined) return { kind: 'once', at: `${date}T${time}` };
      return { kind: 'once', at: next()?.toISOString() ?? time };
    case 'weekly': {
      if (days !== undefined) return { kind: 'weekly', days, time };
      const at = next();
      const on = zone === null || at === null ? [] : [weekdayOf(zone.localAt(at.getTime()))];
      return { kind: 'weekly', days: on, time };
    }
    case 'cron':
      if (cron === undefined) {
        throw new RelayError('invalid_schedule', {
          what: 'Give a cron expression with five fields.',
        });
      }
      return { kind: 'cron', expression: cron };
  }
}

const isTime = (time: string): boolean => /^([01]\d|2[0-3]):[0-5]\d$/.test(time);

// Parses a request into rule, zone and catch-up. Throws with a sentence when something is not certain.

type ScheduleTimingInput = Omit<CreateSchedule, 'to'>;

function interpretScheduleRequest(
  deps: ScheduleDeps,
  request: ScheduleTimingInput,
): Omit<ParsedSchedule, 'content'> {
  const zoneName = request.zone ?? deps.zone;
  const given = request.rule ?? parseTypedRule(deps, request.when ?? '', zoneName);
  const { rule, zone } = requireNextOccurrence(deps, given, zoneName);
  return {
    rule,
    zone,
    catchUp: request.catch_up ?? defaultCatchUp(rule),
    text: readContentFields(request).text,
  };
}

function parseTypedRule({ now }: ScheduleDeps, when: string, zoneName: string) {
  const read = parseTypedSchedule(when, { zone: zoneOf(zoneName), now: now() });
  if (!read.ok) throw new RelayError('invalid_schedule', { what: read.sentence });
  return read.rule;
}

/** An unknown zone is refused later, when the rule is checked. */
const zoneOf = (name: string): Zone => {
  const zone = findZone(name) ?? findZone('UTC');
  if (zone === null) throw new Error('this machine knows no zones');
  return zone;
};

// Resolves the recipient: the owner (`me`), somebody by name, number or address, or a group. If several match, the
// error lists the candidates.

async function resolveScheduleChat(
  { lease: { account } }: ScheduleDeps,
  tx: Transaction,
  to: string,
): Promise<ChatId> {
  if (to.trim().toLowerCase() === 'me') return ownChat(tx, account);
  const asked = { query: to, kind: 'all', limit: 20 } as const;
  const { matches, choice, number } = await matchContacts(tx, account, asked);
  const address = number === null ? recipientJid(to) : `+${number}`;
  // A complete number that is unknown is a new number, not part of somebody else's.
  const certain = matches.some(({ rank, byProfile }) => rank === 0 && !byProfile);
  if (!certain && address !== null) return findOrMakeChat(tx, account, address);
  if ('found' in choice) return chatOfContact(tx, account, choice.found);
  if ('nobody' in choice) throw new RelayError('contact_unknown', { who: to });
  throw ambiguousContactError(to, choice.ambiguous);
}

type Account = ScheduleDeps['lease']['account'];

async function ownChat(tx: Transaction, account: Account): Promise<ChatId> {
  const own = await findOrMakeOwnerChat(tx, account);
  if (own === null) throw new RelayError('no_own_chat');
  return own;
}

async function chatOfContact(
  tx: Transaction,
  account: Account,
  found: ListedContact,
): Promise<ChatId> {
  if (found.kind === 'group') return chatId(found.id);
  const contact = contactId(found.id);
  const made = await findOrMakeChats(tx, account, { contacts: [contact], groups: [] });
  const chat = made.byContact.get(contact);
  if (chat === undefined) throw new Error('a contact without a chat');
  return chat;
}

// Dependencies of schedules.

export interface ScheduleDeps extends Engine {
  readonly gate: Gate;
  readonly settings: Pick<Settings, 'tell_owner_on_whatsapp'>;
}
