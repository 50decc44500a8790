// The tools for scheduled messages: `schedule_message`, `list_schedules` and `cancel_schedule`; and which scheduled
// messages a client may see.
import { boundedText } from '@relay/contract/api/common';
import { CATCH_UPS } from '@relay/contract/api/constants';
import { RUN_OUTCOMES, SCHEDULE_STATES, type ScheduleFilter } from '@relay/contract/api/schedules';
import { RelayError } from '@relay/contract/errors';
import { type ScheduleId, scheduleId } from '@relay/contract/ids';
import { WEEKDAYS } from '@relay/contract/schedule/names';
import { withContent } from '@relay/core/messages/outgoing';
import { refusalError } from '@relay/core/policy/reasons';
import { describeRule } from '@relay/core/schedule/format';
import { sql } from 'kysely';
import { z } from 'zod';
import type { AgentScheduleRequest } from '../../../features/schedules/service.ts';
import { ruleOf, type ScheduleRow } from '../../../features/schedules/sql.ts';
import { actorName } from '../../../pipeline/gate/actors.ts';
import type { Db } from '../../../platform/db/database.ts';
import { reachableChatsSql } from '../../../platform/db/grants.ts';
import { CHAT_JID_SQL } from '../../../platform/db/names-and-addresses.ts';
import { transaction } from '../../../platform/db/transaction.ts';
import { resolveContentInput, SCHEDULABLE_INPUT } from '../content.ts';
import { chatInput, findOrMakeChatFor, formatRecipient, resolveChat } from '../resolve-chat.ts';
import { onceByKey, PENDING_APPROVAL_FIELDS, submitAction } from '../submission.ts';
import { type ClientCall, defineTool, READ_ONLY_HINTS } from '../tool.ts';

// `schedule_message`: schedules a message with the client's own text. The gate decides now and again when it is due: it
// is sent only while the token is valid and the grant exists.

const scheduleInput = z.strictObject({
  chat_id: chatInput,
  message: boundedText(5_000).optional().describe('The text, exactly as it will be sent.'),
  ...SCHEDULABLE_INPUT,
  time: z
    .string()
    .max(5)
    .optional()
    .describe('HH:MM in the owner’s time zone or in zone, such as 09:00. Not needed with cron.'),
  pattern: z.enum(['once', 'daily', 'weekly', 'cron']).default('once').describe('How it repeats.'),
  date: z
    .string()
    .max(10)
    .optional()
    .describe('With once: YYYY-MM-DD (default: the next time it is that time).'),
  days: z
    .array(z.enum(WEEKDAYS))
    .max(WEEKDAYS.length)
    .optional()
    .describe('With weekly: the days (default: the day of the next occurrence).'),
  cron: z.string().max(120).optional().describe('With cron: an expression with five fields.'),
  zone: z.string().max(64).optional().describe('An IANA time zone (default: the owner’s).'),
  catch_up: z
    .enum(CATCH_UPS)
    .optional()
    .describe('Runs missed while Relay was offline: skip them, send once, or send all.'),
});

const scheduleOutput = z.object({
  status: z.enum(['scheduled', 'waiting_for_approval']),
  schedule_id: z.string().optional(),
  when: z.string().optional().describe('The schedule in words.'),
  next_at: z.iso.datetime().optional(),
  ...PENDING_APPROVAL_FIELDS,
});

export const scheduleMessageTool = defineTool({
  name: 'schedule_message',
  title: 'Schedule a message',
  description:
    'Schedule a WhatsApp message to a person or group, once or repeated. If the owner must approve first, the status is waiting_for_approval and nothing is scheduled yet. Check “when” in the result: it is the schedule in words.',
  scope: 'schedules:write',
  hints: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
  input: scheduleInput,
  output: scheduleOutput,
  async run(call, asked) {
    const { actions } = call.deps;
    const outcome = await submitAction(
      call,
      onceByKey(call, 'schedule_message', asked, async (tx) => {
        const who = await resolveChat(call, asked.chat_id, tx);
        const chat = await findOrMakeChatFor(call, tx, who);
        const wanted = await resolveContentInput(call, tx, chat, asked);
        const shown = withContent(wanted.text, wanted.content);
        let when = '';
        return {
          // A getter, because `submit` sets `when` before the confirmation text is read.
          get confirmationText() {
            return `Send this to ${formatRecipient(who)}, ${when}?\n\n${shown}`;
          },
          async submit({ tx }, context) {
            const request = { chat, ...wanted, ...scheduleRequestOf(asked) };
            const result = await actions.scheduleMessage(tx, call.actor, request, context);
            const { id, decision, approval, words, next } = result;
            when = words;
            const output = id && {
              status: 'scheduled' as const,
              schedule_id: id,
              when: words,
              next_at: next.toISOString(),
            };
            return { decision, approval, output };
          },
        };
      }),
    );
    return outcome.status === 'done' ? outcome.done : outcome;
  },
});

const scheduleRequestOf = (
  asked: z.output<typeof scheduleInput>,
): Omit<AgentScheduleRequest, 'chat' | 'text' | 'content'> => ({
  time: asked.time ?? '',
  pattern: asked.pattern,
  ...(asked.date && { date: asked.date }),
  ...(asked.days && { days: asked.days }),
  ...(asked.cron && { cron: asked.cron }),
  ...(asked.zone && { zone: asked.zone }),
  ...(asked.catch_up && { catchUp: asked.catch_up }),
});

// `list_schedules`: scheduled messages to the client's contacts and their times; the text only of those that the client
// scheduled itself.

export const listSchedulesTool = defineTool({
  name: 'list_schedules',
  title: 'List scheduled messages',
  description:
    'List scheduled messages to chats that you may use, next run first. The text is included only for messages that you scheduled.',
  scope: 'schedules:read',
  hints: READ_ONLY_HINTS,
  input: z.strictObject({ state: z.enum([...SCHEDULE_STATES, 'all']).default('active') }),
  output: z.object({
    schedules: z.array(
      z.object({
        id: z.string(),
        chat_id: z.string(),
        name: z.string(),
        state: z.enum(SCHEDULE_STATES),
        when: z.string(),
        next_at: z.iso.datetime().nullable(),
        last_outcome: z.enum(RUN_OUTCOMES).nullable(),
        created_at: z.iso.datetime(),
        created_by_you: z.boolean(),
        message: z.string().optional(),
      }),
    ),
  }),
  async run(call, { state }) {
    const seen = await listVisibleSchedules(call, call.deps.db, { state });
    return { schedules: seen.map(toScheduleView) };
  },
});

// `cancel_schedule`: cancels a message that the client scheduled, immediately and permanently. It cannot cancel what
// others scheduled; that refusal is recorded in the ledger.

export const cancelScheduleTool = defineTool({
  name: 'cancel_schedule',
  title: 'Cancel a scheduled message',
  description:
    'Permanently cancel a message that you scheduled, even if it is due and not sent yet. You cannot cancel what the owner or others scheduled.',
  scope: 'schedules:write',
  hints: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  input: z.strictObject({
    id: z.guid().describe('Id from schedule_message or list_schedules.'),
  }),
  output: z.object({ id: z.string(), status: z.literal('cancelled') }),
  async run(call, { id: given }) {
    const { actions, onChange } = call.deps;
    const id = scheduleId(given);
    const { outcome, reason } = await call.inTurn(() =>
      transaction(call.deps, async ({ tx }) => {
        await loadVisibleSchedule(call, tx, id);
        return (await actions.cancelSchedule(tx, call.actor, id)).decision;
      }),
    );
    onChange();
    if (outcome !== 'allow') throw refusalError(reason);
    return { id, status: 'cancelled' as const };
  },
});

// The scheduled messages that a client may see: those to chats it may use.
// Invariant: the text of a message that has not been sent yet is shown only to the client that wrote it.

type ScheduleAccess = Pick<ClientCall, 'deps' | 'client' | 'actor'>;

interface VisibleSchedule extends ScheduleRow {
  readonly state: (typeof SCHEDULE_STATES)[number];
  readonly address: string | null;
  /** The owner's name for the contact; null without a record. */
  readonly name: string | null;
  /** Whether this client created it. */
  readonly own: boolean;
  readonly last: (typeof RUN_OUTCOMES)[number] | null;
}

type VisibleScheduleFilter = { readonly id: ScheduleId } | { readonly state: ScheduleFilter };

const MAX_SCHEDULES = 200;

/** The next one first. */
export async function listVisibleSchedules(
  { deps, client, actor }: ScheduleAccess,
  db: Db,
  which: VisibleScheduleFilter,
): Promise<VisibleSchedule[]> {
  const { account } = deps.lease;
  const { contacts } = client;
  const own = sql`s.created_by = ${actorName(actor)}`;
  const wanted = 'id' in which ? sql`s.id = ${which.id}` : stateIs(which.state);
  const { rows } = await sql<VisibleSchedule>`
    SELECT s.*, ${own} AS own, g.display_name AS name, ${CHAT_JID_SQL} AS address,
      (SELECT r.outcome FROM schedule_runs r WHERE r.account_id = s.account_id AND r.schedule_id = s.id
        ORDER BY r.due_at DESC LIMIT 1) AS last
    FROM schedules s JOIN chats c ON c.account_id = s.account_id AND c.id = s.chat_id
      LEFT JOIN grants g ON g.account_id = c.account_id AND (g.contact_id = c.contact_id OR g.chat_id = c.id)
    WHERE s.account_id = ${account} AND ${wanted}
      AND (${own} OR s.chat_id IN (${reachableChatsSql(account, { admins: deps.admins, contacts })}))
      AND (${contacts === null}::boolean OR c.contact_id = ANY(${contacts ?? []}::uuid[]))
    ORDER BY s.next_at NULLS LAST, s.created_at DESC, s.id LIMIT ${MAX_SCHEDULES}`.execute(db);
  return rows;
}

const stateIs = (state: ScheduleFilter) => (state === 'all' ? sql`true` : sql`s.state = ${state}`);

export async function loadVisibleSchedule(
  call: ScheduleAccess,
  db: Db,
  id: ScheduleId,
): Promise<VisibleSchedule> {
  const [found] = await listVisibleSchedules(call, db, { id });
  if (found === undefined) throw new RelayError('schedule_unseen', { id });
  return found;
}

function toScheduleView(seen: VisibleSchedule) {
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
