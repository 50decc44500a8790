// Version 1 of the API for clients. Reads show only what the token may see and note whose text was read; whatever sends
// or changes something goes through the gate as the client, like the tools.
// Invariant: each call looks up the token and its scope again.

import type { V1, V1Call, V1Surface } from '@relay/contract/api/v1';
import { STATE_SENTENCES, whoseTurnIn } from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import { approvalId, chatId, type InstanceId, instanceId } from '@relay/contract/ids';
import type { Scope } from '@relay/contract/policy/scopes';
import type { ScheduleRule } from '@relay/contract/schedule/rule';
import { groupDayText } from '@relay/core/observer/digest/format';
import { refusalError } from '@relay/core/policy/reasons';
import { describeRule } from '@relay/core/schedule/format';
import { parseTypedSchedule } from '@relay/core/schedule/typed';
import { findZone } from '@relay/core/schedule/zone';
import { parseDays } from '@relay/core/search/times';
import { ruleOf } from '../../features/schedules/sql.ts';
import { type NamedMessage, readMessagePage } from '../../features/search/messages.ts';
import { findReadableChats } from '../../features/search/scope.ts';
import { recipientAt } from '../../pipeline/gate/approval-store.ts';
import { toMediaBody } from '../../platform/db/media.ts';
import { callAsClient, callTool } from './call.ts';
import {
  findReachableByIds,
  listClientChats,
  type ReachableChat,
  resolveReadableChat,
} from './resolve-chat.ts';
import type { CallContext, ClientCall, ClientDeps } from './tool.ts';
import {
  listVisibleConversations,
  loadResult,
  loadVisibleConversation,
} from './tools/conversations.ts';
import {
  messageCursor,
  noteMessagesRead,
  parseMessageCursor,
  queueMessage,
} from './tools/messages.ts';
import { listVisibleSchedules, loadVisibleSchedule } from './tools/schedules.ts';

export function createClientSurface(
  deps: ClientDeps,
  hash: string,
  plain: Omit<CallContext, 'key' | 'signal'>,
  { key, signal }: V1Call,
): V1Surface {
  const context: CallContext = { ...plain, key, signal };
  const as = <T>(name: string, scope: Scope, run: (call: ClientCall) => Promise<T>): Promise<T> =>
    callAsClient(deps, hash, { name, queue: name, scope }, context, run);
  const tool = (name: string, input: object) => callTool(deps, hash, name, input, context);

  return {
    listChats: (page) =>
      as('list chats', 'messages:read', async (call) =>
        slicePage((await listClientChats(call)).filter(isOpenChat).map(toChat), page),
      ),
    getChat: (given) =>
      as('get chat', 'messages:read', async (call) => toChat(await findChat(call, given))),
    listMessages: (given, page) =>
      as('list messages', 'messages:read', async (call) => {
        const { chat } = await resolveReadableChat(call, given);
        const before = page.cursor === null ? null : parseMessageCursor(page.cursor);
        const found = await readMessagePage(readContext(call), call.scope, {
          chat,
          limit: page.limit,
          ...(before === null ? {} : { before }),
        });
        await noteMessagesRead(call, found.messages);
        const [oldest] = found.messages;
        return {
          data: found.messages.map(toMessage).reverse(),
          next_cursor: found.more && oldest !== undefined ? messageCursor(oldest) : null,
        };
      }),
    send: ({ text, reply_to, send_at, ...request }) => {
      const target = 'to' in request ? request.to : request.chat;
      const { media, reaction, edit, delete: deleted, poll, location } = request;
      const content = { media, reaction, edit, delete: deleted, poll, location };
      if (send_at !== undefined) {
        if (reaction ?? edit ?? deleted)
          throw new RelayError('invalid_request', { what: UNSCHEDULABLE });
        const what = { text, media, poll, location };
        return scheduled(() => tool('schedule_message', atInstant(target, what, send_at)));
      }
      return as('send', 'messages:send', async (call) => {
        const outcome = await queueMessage(call, {
          chat_id: target,
          message: text,
          ...content,
          reply_to,
        });
        if (outcome.status === 'waiting_for_approval') {
          const { chat_id } = await call.deps.approvals.show(outcome.approval_id);
          return { ...NOTHING_SENT, ...waiting(outcome), chat_id, state: outcome.status };
        }
        const { id, messageId, state } = outcome.done;
        const to = await chatOfOutbox(call, id);
        return { ...NOTHING_SENT, state, chat_id: to, message_id: messageId, outbox_id: id };
      });
    },
    listContacts: ({ query, ...page }) =>
      as('list contacts', 'permissions:read', async (call) => {
        const wanted = query?.toLowerCase() ?? '';
        const all = (await listClientChats(call)).map(toContact);
        return slicePage(
          all.filter(({ name, phone_number }) =>
            `${name} ${phone_number}`.toLowerCase().includes(wanted),
          ),
          page,
        );
      }),
    getContact: (given) =>
      as('get contact', 'permissions:read', async (call) => {
        const [found] = await findReachableByIds(call, [given]);
        if (found === undefined) throw new RelayError('contact_not_found');
        return toContact(found);
      }),
    listConversations: ({ cursor, limit, state }) =>
      as('list conversations', 'conversations:read', async (call) => {
        const after = cursor === null ? undefined : instanceId(cursor);
        const found = await listVisibleConversations(call, deps.db, {
          state,
          after,
          limit: limit + 1,
        });
        const shown = found.slice(0, limit);
        return {
          data: shown.map(toConversation),
          next_cursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
        };
      }),
    getConversation: (id) =>
      as('get conversation', 'conversations:read', (call) => showConversation(call, id)),
    getResult: (id) =>
      as('get result', 'conversations:read', async (call) => {
        const seen = await loadVisibleConversation(call, deps.db, id);
        const { result = null, result_reason = null } = await loadResult(call, deps.db, seen);
        if (seen.result_status === null) throw new RelayError('result_not_asked', { id });
        return {
          conversation_id: id,
          status: seen.result_status,
          value: result,
          explanation: result_reason,
          from_contact: true,
        };
      }),
    async createConversation({ contact, follow_up_interval_ms, max_follow_ups, ...rest }) {
      const heartbeat = {
        ...(follow_up_interval_ms !== undefined && { interval_ms: follow_up_interval_ms }),
        ...(max_follow_ups !== undefined && { max_followups: max_follow_ups }),
      };
      const made = await tool('create_conversation', {
        chat_id: contact,
        ...rest,
        heartbeat_config: heartbeat,
      });
      if (made.status === 'created') {
        return {
          conversation_id: String(made.id),
          state: made.state as V1<'conversation'>['state'],
          ...NOT_ASKED,
        };
      }
      const asked = await describeApproval(deps, String(made.approval_id));
      return { conversation_id: null, state: 'waiting_for_approval', ...asked };
    },
    async controlConversation(id, action) {
      await tool('control_conversation', { id, action });
      return as('get conversation', 'conversations:write', (call) => showConversation(call, id));
    },
    listTranscript: (id, page) =>
      as('list transcript', 'conversations:read', async (call) => {
        const seen = await loadVisibleConversation(call, deps.db, id);
        if (!seen.readable) throw refusalError('no_read_grant');
        await call.noteRead(deps.db, [seen.chat]);
        const after = page.cursor ?? '0';
        const lines = await deps.conversations.transcript(id, { after, limit: page.limit });
        const next = lines.length === page.limit ? (lines.at(-1)?.id ?? null) : null;
        return {
          // Notes of the system are for the owner and the agent.
          data: lines
            .filter(({ role }) => role !== 'system')
            .map(
              ({
                role,
                content,
                timestamp,
                delivery,
                message_id,
                instance_id,
                media,
                received,
              }) => ({
                conversation_id: instance_id,
                message_id,
                author: role === 'manual' ? ('owner' as const) : role,
                text: content,
                sent_at: timestamp,
                state: delivery,
                media: media ?? null,
                content: received ?? null,
              }),
            ),
          next_cursor: next,
        };
      }),
    listTransitions: (id) =>
      as('list transitions', 'conversations:read', async (call) => {
        await loadVisibleConversation(call, deps.db, id);
        return (await deps.conversations.transitions(id)).map((one) => ({
          conversation_id: one.instance_id,
          from_state: one.from_state,
          to_state: one.to_state,
          reason: one.trigger,
          caused_by: one.caused_by,
          occurred_at: one.timestamp,
        }));
      }),
    listSchedules: (state) =>
      as('list schedules', 'schedules:read', async (call) =>
        (await listVisibleSchedules(call, deps.db, { state })).map(toSchedule),
      ),
    createSchedule: async ({ to, text, when, zone, catch_up }) => {
      const zoneName = zone ?? deps.zone;
      const known = findZone(zoneName);
      if (known === null) throw new RelayError('invalid_schedule', { what: 'Unknown time zone.' });
      const parsed = parseTypedSchedule(when, { zone: known, now: deps.now() });
      if (!parsed.ok) throw new RelayError('invalid_schedule', { what: parsed.sentence });
      const made = await tool('schedule_message', {
        chat_id: to,
        message: text,
        ...ruleInput(parsed.rule, zoneName),
        ...(catch_up === undefined ? {} : { catch_up }),
      });
      if (made.status === 'scheduled') {
        return {
          schedule_id: String(made.schedule_id),
          state: 'active',
          next_at: String(made.next_at),
          approval_id: null,
          reason: null,
          explanation: String(made.when),
        };
      }
      const asked = await describeApproval(deps, String(made.approval_id));
      return { schedule_id: null, state: 'waiting_for_approval', next_at: null, ...asked };
    },
    async cancelSchedule(id) {
      await tool('cancel_schedule', { id });
      return as('get schedule', 'schedules:write', async (call) =>
        toSchedule(await loadVisibleSchedule(call, deps.db, id)),
      );
    },
    search: ({ q, limit, chat, from, to }) =>
      as('search', 'search:read', async (call) => {
        const only = chat === undefined ? null : await resolveReadableChat(call, chat);
        const found = await deps.search.search(call.scope, q, {
          limit,
          ...(only === null ? {} : { chat: only.chat }),
          ...(from === undefined ? {} : { from: daysOf(deps, from).from }),
          ...(to === undefined ? {} : { to: daysOf(deps, to).to }),
        });
        const chats = found.map((hit) => hit.chat);
        await call.noteRead(deps.db, chats);
        const names = new Map(
          (await findReachableByIds(call, chats)).map(({ chat, name }) => [chat, name]),
        );
        return {
          sure: found.some(({ isSure }) => isSure === true),
          data: found.flatMap((hit) => {
            const name = names.get(hit.chat);
            if (name === undefined) return [];
            const said = toMessage(hit);
            const { direction, from_name, text, sent_at, message_id, chat_id } = said;
            return [
              {
                ...{ chat_id, chat_name: name, message_id, direction, text, sent_at },
                media: said.media,
                content: said.content,
                from_name: from_name ?? '',
                source: hit.digestKind ?? ('message' as const),
              },
            ];
          }),
        };
      }),
    listDigests: (query) =>
      as('list digests', 'digests:read', async (call) => {
        const readable = await findReadableChats(readContext(call), call.scope);
        const { digests } = await deps.digests.digests(
          query.group === undefined && query.day === undefined ? {} : withoutUndefined(query),
          readable === 'all' ? [] : readable,
        );
        const chats = digests.map(({ chat_id }) => chatId(chat_id));
        await call.noteRead(deps.db, chats);
        const names = new Map(
          (await findReachableByIds(call, chats)).map(({ chat, name }) => [chat, name]),
        );
        return digests.flatMap((day) => {
          const name = names.get(chatId(day.chat_id));
          if (name === undefined) return [];
          const text = groupDayText(day, { hours: false });
          const { chat_id, zone } = day;
          return [
            { chat_id, chat_name: name, day: day.day, zone, complete: day.daily !== null, text },
          ];
        });
      }),
  };

  /** A message with `send_at` is a schedule that runs once. */
  async function scheduled(
    run: () => Promise<Record<string, unknown>>,
  ): Promise<V1<'sentMessage'>> {
    const made = await run();
    if (made.status === 'scheduled') {
      return { ...NOTHING_SENT, state: 'scheduled', schedule_id: String(made.schedule_id) };
    }
    const asked = await describeApproval(deps, String(made.approval_id));
    return { ...NOTHING_SENT, state: 'waiting_for_approval', ...asked };
  }
}

const NOT_ASKED = { approval_id: null, reason: null, explanation: null };
const NOTHING_SENT = {
  ...{ chat_id: null, message_id: null, outbox_id: null, schedule_id: null },
  ...NOT_ASKED,
};

const waiting = ({
  approval_id,
  reason,
  code,
}: {
  readonly approval_id: string;
  readonly reason: string;
  readonly code: string;
}) => ({ approval_id, reason: code, explanation: reason });

async function describeApproval({ approvals }: ClientDeps, id: string) {
  const { reason, reason_code, chat_id } = await approvals.show(approvalId(id));
  return { approval_id: id, reason: reason_code, explanation: reason, chat_id };
}

const readContext = ({ deps: { db, lease, admins } }: ClientCall) => ({
  db,
  account: lease.account,
  admins,
});

function slicePage<Item>(
  all: readonly Item[],
  { cursor, limit }: { readonly cursor: string | null; readonly limit: number },
) {
  const from = Number(cursor ?? 0);
  const end = from + limit;
  return { data: all.slice(from, end), next_cursor: end < all.length ? String(end) : null };
}

type OpenChat = ReachableChat & { readonly chat: NonNullable<ReachableChat['chat']> };

/** Chats without messages have no id yet; those without a read grant are not listed. */
const isOpenChat = (one: ReachableChat): one is OpenChat => one.chat !== null && one.canRead;

async function findChat(call: ClientCall, given: string): Promise<OpenChat> {
  const found = (await findReachableByIds(call, [given])).find(({ chat }) => chat === given);
  if (found === undefined || !isOpenChat(found)) throw new RelayError('chat_gone');
  return found;
}

const grantOf = ({ canRead, canReply, replyMode, canInitiate }: ReachableChat) => ({
  can_read: canRead,
  can_reply: canReply,
  reply_mode: replyMode,
  can_initiate: canInitiate,
});

const toChat = (of: OpenChat): V1<'chat'> => ({
  chat_id: of.chat,
  kind: of.kind,
  name: of.name,
  contact_id: of.contact,
  phone_number: of.phone,
  grant: grantOf(of),
  last_message_at: of.lastMessageAt?.toISOString() ?? null,
});

const toContact = (of: ReachableChat): V1<'contact'> => ({
  contact_id: of.contact ?? of.chat ?? '',
  kind: of.kind === 'group' ? 'group' : 'person',
  name: of.name,
  phone_number: of.phone,
  grant: grantOf(of),
  last_message_at: of.lastMessageAt?.toISOString() ?? null,
});

function toMessage(said: NamedMessage): V1<'message'> {
  const isOwn = said.sender === null && said.senderName === 'me';
  return {
    message_id: said.message,
    chat_id: said.chat,
    direction: isOwn ? 'out' : 'in',
    author: isOwn ? null : 'contact',
    from_name: isOwn ? null : said.senderName,
    text: said.text,
    label: null,
    sent_at: said.at.toISOString(),
    state: null,
    explanation: null,
    media: said.media ? toMediaBody(said.media) : null,
    content: said.content ?? null,
  };
}

const showConversation = async (call: ClientCall, id: InstanceId) =>
  toConversation(await loadVisibleConversation(call, call.deps.db, id));

type SeenConversation = Awaited<ReturnType<typeof loadVisibleConversation>>;

/** Objective, steps and facts are shown only to the client that wrote them. */
const toConversation = (seen: SeenConversation): V1<'conversation'> => ({
  conversation_id: seen.id,
  contact: { contact_id: seen.contact, name: seen.name },
  chat_id: seen.chat,
  state: seen.state,
  explanation: STATE_SENTENCES[seen.state],
  objective: seen.own ? seen.objective : null,
  todos: seen.own ? (seen.todos as V1<'conversation'>['todos']) : null,
  facts: seen.own ? [...seen.facts] : null,
  turn: whoseTurnIn(seen.state, false),
  approval_id: null,
  follow_up_count: seen.follow_up_count,
  max_follow_ups: seen.max_followups,
  next_follow_up_at: seen.timer_due_at?.toISOString() ?? null,
  result_status: seen.result_status,
  created_by: seen.created_by,
  created_at: seen.created_at.toISOString(),
  updated_at: seen.updated_at.toISOString(),
});

type SeenSchedule = Awaited<ReturnType<typeof loadVisibleSchedule>>;

function toSchedule(seen: SeenSchedule): V1<'schedule'> {
  const { rule, zone } = ruleOf(seen);
  return {
    schedule_id: seen.id,
    chat_id: seen.chat_id,
    recipient: recipientAt(seen.address),
    recipient_name: seen.name,
    text: seen.own ? seen.body : null,
    state: seen.state,
    explanation: describeRule(rule, zone),
    next_at: seen.next_at?.toISOString() ?? null,
    last_outcome: seen.last,
    created_by: seen.created_by,
    created_at: seen.created_at.toISOString(),
  };
}

async function chatOfOutbox({ deps: { db, lease } }: ClientCall, id: string): Promise<string> {
  const { chat_id } = await db
    .selectFrom('outbox')
    .select('chat_id')
    .where('account_id', '=', lease.account)
    .where('id', '=', id as never)
    .executeTakeFirstOrThrow();
  return chat_id;
}

const UNSCHEDULABLE = 'only text, files, polls and locations can be scheduled';

type ScheduledContent = Pick<V1<'sendToChat'>, 'text' | 'media' | 'poll' | 'location'>;

const atInstant = (to: string, { text: message, ...content }: ScheduledContent, at: string) => ({
  chat_id: to,
  message,
  ...content,
  ...ruleInput({ kind: 'once', at: new Date(at).toISOString() }, 'UTC'),
});

/** A rule as the tool `schedule_message` takes it. */
function ruleInput(rule: ScheduleRule, zone: string): object {
  switch (rule.kind) {
    case 'once': {
      const [date = '', time = ''] = rule.at.split('T');
      const where = rule.at.endsWith('Z') ? 'UTC' : zone;
      return { pattern: 'once', date, time: time.slice(0, 5), zone: where };
    }
    case 'cron':
      return { pattern: 'cron', cron: rule.expression, zone };
    case 'daily':
      return { pattern: 'daily', time: rule.time, zone };
    case 'weekly':
      return { pattern: 'weekly', time: rule.time, days: rule.days, zone };
  }
}

const withoutUndefined = (given: { group?: string | undefined; day?: string | undefined }) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

function daysOf({ zone: name, now }: ClientDeps, text: string) {
  const zone = findZone(name);
  const days = zone === null ? null : parseDays(text, now(), zone);
  if (days === null) throw new RelayError('unknown_day', { day: text });
  return days;
}
