// Version 1 of the API for the owner, on the services of the account.
import type { Chat, ChatMessage } from '@relay/contract/api/chats';
import type { ListedContact } from '@relay/contract/api/contacts';
import type { ListedInstance } from '@relay/contract/api/instances';
import { type ContentFields, readContentFields } from '@relay/contract/api/outgoing';
import type { Schedule } from '@relay/contract/api/schedules';
import type { V1, V1Call, V1Surface } from '@relay/contract/api/v1';
import { RelayError } from '@relay/contract/errors';
import { recipientJid } from '@relay/core/contacts/alias';
import { groupDayText } from '@relay/core/observer/digest/format';
import { ambiguousContactError } from '../../../platform/db/contact-directory.ts';
import type { HttpDeps } from '../deps.ts';

/** The rest refers to messages that may be gone by then. */
function schedulableFields({
  text,
  media,
  poll,
  location,
  ...rest
}: Partial<ContentFields> & { text?: string | undefined }) {
  if (rest.reaction ?? rest.edit ?? rest.delete) {
    throw new RelayError('invalid_request', {
      what: 'only text, files, polls and locations can be scheduled',
    });
  }
  return { text, media, poll, location };
}

const NOT_ASKED = { approval_id: null, reason: null, explanation: null };
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createOwnerSurface(services: HttpDeps, { key }: V1Call): V1Surface {
  const { chats, people, conversations, schedules } = services;
  const keyed = key === null ? {} : { key };
  return {
    async listChats({ cursor, limit }) {
      const page = await chats.list({ limit, ...(cursor === null ? {} : { cursor }) });
      return { data: page.chats.map(toChat), next_cursor: page.cursor };
    },
    getChat: async (chat) => toChat(await chats.get(chat)),
    async listMessages(chat, { cursor, limit }) {
      const page = await chats.messages(chat, {
        limit,
        ...(cursor === null ? {} : { before: cursor }),
      });
      const [oldest] = page.messages;
      return {
        data: page.messages.map((one) => toMessage(chat, one)).reverse(),
        next_cursor: page.older && oldest !== undefined ? oldest.cursor : null,
      };
    },
    async send({ reply_to, send_at, ...request }) {
      const { text, content } = readContentFields(request);
      const where = request;
      const to =
        'to' in where
          ? await addressOf(services, where.to)
          : await chatAddress(services, where.chat);
      if (send_at !== undefined) {
        if (reply_to !== undefined) {
          throw new RelayError('invalid_request', {
            what: 'a scheduled message cannot be a reply',
          });
        }
        const rule = { kind: 'once' as const, at: new Date(send_at).toISOString() };
        const { id } = await schedules.create({ to, rule, ...schedulableFields(request) });
        return { ...NOTHING_SENT, state: 'scheduled', schedule_id: id };
      }
      const sent = await services.send({
        to,
        text,
        ...(content === undefined ? {} : { content }),
        ...(reply_to === undefined ? {} : { replyTo: reply_to }),
        ...keyed,
      });
      return {
        ...NOTHING_SENT,
        state: sent.state,
        chat_id: sent.chatId,
        message_id: sent.messageId,
        outbox_id: sent.id,
      };
    },
    async listContacts({ cursor, limit, query }) {
      const offset = Number(cursor ?? 0);
      const { contacts, total } = await people.find({
        ...{ kind: 'all', show: 'all', sort: 'recent', limit, offset },
        ...(query === undefined ? {} : { query }),
      });
      const end = offset + contacts.length;
      const more = contacts.length > 0 && end < total;
      return { data: contacts.map(toContact), next_cursor: more ? String(end) : null };
    },
    getContact: async (contact) => toContact((await people.detail(contact)).contact),
    async listConversations({ cursor, limit, state }) {
      const found = await conversations.list({
        limit: limit + 1,
        ...(state === undefined ? {} : { state }),
        ...(cursor === null ? {} : { after: cursor }),
      });
      const shown = found.slice(0, limit);
      return {
        data: shown.map(toConversation),
        next_cursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
      };
    },
    getConversation: async (id) => toConversation(await conversations.get(id)),
    async getResult(id) {
      const { result_status, result = null, result_reason = null } = await conversations.get(id);
      if (result_status === undefined) throw new RelayError('result_not_asked', { id });
      return {
        conversation_id: id,
        status: result_status,
        value: result,
        explanation: result_reason,
        from_contact: true,
      };
    },
    async createConversation({
      contact,
      follow_up_interval_ms,
      max_follow_ups,
      facts,
      result_schema,
      ...rest
    }) {
      const { id, state } = await conversations.create(
        {
          ...rest,
          target_contact: await numberOf(services, contact),
          ...(facts === undefined ? {} : { facts }),
          ...(result_schema === undefined ? {} : { result_schema }),
          heartbeat_config: {
            ...(follow_up_interval_ms === undefined ? {} : { interval_ms: follow_up_interval_ms }),
            ...(max_follow_ups === undefined ? {} : { max_followups: max_follow_ups }),
          },
        },
        key ?? undefined,
      );
      return { conversation_id: id, state, ...NOT_ASKED };
    },
    async controlConversation(id, control) {
      await conversations[control](id);
      return toConversation(await conversations.get(id));
    },
    async listTranscript(id, { cursor, limit }) {
      const lines = await conversations.transcript(id, { after: cursor ?? '0', limit });
      return {
        data: lines.map(toConversationMessage),
        next_cursor: lines.length === limit ? (lines.at(-1)?.id ?? null) : null,
      };
    },
    listTransitions: async (id) =>
      (await conversations.transitions(id)).map((one) => ({
        conversation_id: one.instance_id,
        from_state: one.from_state,
        to_state: one.to_state,
        reason: one.trigger,
        caused_by: one.caused_by,
        occurred_at: one.timestamp,
      })),
    listSchedules: async (state) => (await schedules.list(state)).map(toSchedule),
    async createSchedule({ to, text, when, zone, catch_up }) {
      const made = await schedules.create({
        ...{ to: await recipientOf(services, to), text, when },
        ...(zone === undefined ? {} : { zone }),
        ...(catch_up === undefined ? {} : { catch_up }),
      });
      return {
        schedule_id: made.id,
        state: made.state,
        next_at: made.next[0] ?? null,
        approval_id: null,
        reason: null,
        explanation: made.words,
      };
    },
    cancelSchedule: async (id) => toSchedule(await schedules.cancel(id)),
    async search({ q, limit, chat, from, to }) {
      const { sure, hits } = await services.search.search({
        q,
        limit,
        ...(chat === undefined ? {} : { chat }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      });
      return {
        sure,
        data: hits.map((hit) => ({
          chat_id: hit.chat_id,
          chat_name: hit.chat_name,
          message_id: hit.message_id,
          source: hit.source,
          direction: hit.from_me ? ('out' as const) : ('in' as const),
          from_name: hit.from_name,
          text: hit.text,
          sent_at: hit.at,
          media: hit.media ?? null,
          content: hit.content ?? null,
        })),
      };
    },
    async listDigests({ group, day }) {
      const { digests } = await services.digests.digests({
        ...(group === undefined ? {} : { group }),
        ...(day === undefined ? {} : { day }),
      });
      return digests.map((one) => ({
        chat_id: one.chat_id,
        chat_name: one.group,
        day: one.day,
        zone: one.zone,
        complete: one.daily !== null,
        text: groupDayText(one, { hours: false }),
      }));
    },
  };
}

const NOTHING_SENT = {
  ...{ chat_id: null, message_id: null, outbox_id: null, schedule_id: null },
  ...NOT_ASKED,
};

// Resolves what the caller typed to name somebody: a number, an address, an id, or the one contact with that name.

/** The address of a recipient of one message. */
async function addressOf(services: HttpDeps, typed: string): Promise<string> {
  const jid = recipientJid(typed) ?? (await findContact(services, typed))?.jid ?? null;
  if (jid === null) throw new RelayError('invalid_recipient', { to: typed });
  return jid;
}

/** A number where one is needed. */
async function numberOf(services: HttpDeps, typed: string): Promise<string> {
  if (recipientJid(typed) !== null) return typed;
  const phone = (await findContact(services, typed))?.phone_number ?? null;
  if (phone === null) throw new RelayError('contact_unknown', { who: typed });
  return `+${phone}`;
}

/** Schedules resolve names themselves, but not the ids of chats. */
const recipientOf = async (services: HttpDeps, typed: string): Promise<string> =>
  ID.test(typed) ? ((await findContact(services, typed))?.jid ?? typed) : typed;

async function findContact(
  { people, chats }: HttpDeps,
  typed: string,
): Promise<Pick<ListedContact, 'jid' | 'phone_number'> | null> {
  const { contacts, meant } = await people.find({
    ...{ query: typed, kind: 'all', show: 'all', sort: 'recent', limit: 10, offset: 0 },
  });
  const found = contacts.find(({ id }) => id === meant);
  if (found !== undefined) return found;
  if (contacts.length > 0) throw ambiguousContactError(typed, contacts);
  if (!ID.test(typed)) return null;
  const { address: jid, phone_number } = await chats.get(typed);
  return { jid, phone_number };
}

async function chatAddress({ chats }: HttpDeps, chat: string): Promise<string> {
  const { address } = await chats.get(chat);
  if (address === null) throw new RelayError('invalid_recipient', { to: chat });
  return address;
}

const grantOf = (grant: ListedContact['grant']): V1<'grant'> | null =>
  grant && {
    can_read: grant.can_read,
    can_reply: grant.can_reply,
    reply_mode: grant.reply_mode,
    can_initiate: grant.can_initiate,
  };

const toChat = (chat: Chat): V1<'chat'> => ({
  chat_id: chat.id,
  kind: chat.kind,
  name: chat.name,
  contact_id: chat.contact_id,
  phone_number: chat.phone_number,
  grant: grantOf(chat.grant),
  last_message_at: chat.last_message_at,
});

const toContact = (contact: ListedContact): V1<'contact'> => ({
  contact_id: contact.id,
  kind: contact.kind,
  name: contact.name,
  phone_number: contact.phone_number,
  grant: grantOf(contact.grant),
  last_message_at: contact.last_message_at,
});

const toMessage = (chat: string, said: ChatMessage): V1<'message'> => ({
  message_id: said.message_id,
  chat_id: chat,
  direction: said.author === 'contact' ? 'in' : 'out',
  author: said.author,
  from_name: said.name,
  text: said.text,
  label: said.label,
  sent_at: said.at,
  state: said.delivery,
  explanation: said.failure ?? null,
  media: said.media,
  content: said.content,
});

const toConversation = (one: ListedInstance): V1<'conversation'> => ({
  conversation_id: one.id,
  contact: { contact_id: one.contact_id, name: one.contact_name },
  chat_id: one.chat_id,
  state: one.state,
  explanation: one.reason,
  objective: one.objective,
  todos: one.todos,
  facts: one.facts,
  turn: one.turn,
  approval_id: one.approval_id,
  follow_up_count: one.follow_up_count,
  max_follow_ups: one.heartbeat_config.max_followups,
  next_follow_up_at: one.next_follow_up_at,
  result_status: one.result_status ?? null,
  created_by: one.created_by,
  created_at: one.created_at,
  updated_at: one.updated_at,
});

type TranscriptLine = Awaited<ReturnType<HttpDeps['conversations']['transcript']>>[number];

export const toConversationMessage = (line: TranscriptLine): V1<'conversationMessage'> => ({
  conversation_id: line.instance_id,
  message_id: line.message_id,
  author: line.role === 'manual' ? 'owner' : line.role,
  text: line.content,
  sent_at: line.timestamp,
  state: line.delivery,
  media: line.media ?? null,
  content: line.received ?? null,
});

const toSchedule = (one: Schedule): V1<'schedule'> => ({
  schedule_id: one.id,
  chat_id: one.chat_id,
  recipient: one.recipient,
  recipient_name: one.recipient_name,
  text: one.text,
  state: one.state,
  explanation: one.words,
  next_at: one.next[0] ?? null,
  last_outcome: one.last?.outcome ?? null,
  created_by: one.created_by,
  created_at: one.created_at,
});
