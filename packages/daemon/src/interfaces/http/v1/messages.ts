// The account, chats, messages and search of version 1.
import { v1 } from '@relay/contract/api/v1';
import { connectionSentence, whatsappStatusOf } from '@relay/contract/connection/states';
import { RelayError } from '@relay/contract/errors';
import { z } from 'zod';
import type { App } from '../app.ts';
import { EXAMPLE } from './examples.ts';
import {
  clientBehind,
  OFFSET,
  operation,
  pageQuery,
  readPage,
  slicePage,
  toPage,
  type V1Context,
} from './operation.ts';

const params = { chat_id: z.guid() };
const named = { chat_id: EXAMPLE.chat.chat_id };
const CHAT = /^(\d{1,9}|\d{1,17}_[0-9a-f-]{36})$/;
const MESSAGE = /^(\d{1,17}_\d{1,15}|\d{1,15}\.\d{1,15})$/;
const day = z.string().trim().min(1).max(64).optional();

export function accountOperations(app: App, context: V1Context): void {
  operation(app, context, {
    method: 'GET',
    path: '',
    operationId: 'account.get',
    summary: 'Get the state of the account: the link to WhatsApp, the model and counts',
    description: 'A client also gets its own name and scopes here; counts are for the owner.',
    tag: 'account',
    scope: 'any',
    response: 'account',
    example: { response: EXAMPLE.account },
    async run({ name, services, principal }) {
      const { state, phone } = services.whatsapp.link;
      const client = clientBehind(principal);
      const link = {
        state,
        status: whatsappStatusOf(state),
        explanation: connectionSentence(state),
      };
      const base = { account_id: name, version: services.version };
      if (client !== undefined) {
        const { name, scopes, contacts } = client;
        return {
          ...base,
          link: { ...link, phone_number: null },
          client: { name, scopes: [...scopes], contacts: contacts && [...contacts] },
          model: null,
          counts: null,
        };
      }
      const status = await services.status();
      return {
        ...base,
        link: { ...link, phone_number: phone },
        client: null,
        model: { ready: status.setup.model },
        counts: {
          conversations_active: status.active_instance_count,
          approvals_pending: status.approvals_waiting,
          messages_queued: status.sending.waiting,
        },
      };
    },
  });
}

export function messageOperations(app: App, context: V1Context): void {
  operation(app, context, {
    method: 'GET',
    path: '/chats',
    operationId: 'chats.list',
    summary: 'List chats, newest message first',
    description: 'A client sees the chats that it may read.',
    tag: 'chats',
    scope: 'messages:read',
    query: z.strictObject(pageQuery),
    response: 'chats',
    example: { query: { limit: 20 }, response: { data: [EXAMPLE.chat], next_cursor: null } },
    run: async ({ surface, query }) =>
      toPage('chats', await surface.listChats(readPage('chats', query, CHAT))),
  });

  operation(app, context, {
    method: 'GET',
    path: '/chats/:chat_id',
    operationId: 'chats.get',
    summary: 'Get a chat',
    tag: 'chats',
    scope: 'messages:read',
    params,
    response: 'chat',
    example: { params: named, response: EXAMPLE.chat },
    run: ({ surface, params }) => surface.getChat(params.chat_id),
  });

  operation(app, context, {
    method: 'GET',
    path: '/chats/:chat_id/messages',
    operationId: 'chats.messages',
    summary: 'List the messages of a chat, newest first',
    description:
      'For a client it counts as reading the chat: what it then sends elsewhere needs an approval.',
    tag: 'messages',
    scope: 'messages:read',
    params,
    query: z.strictObject(pageQuery),
    response: 'messages',
    example: {
      params: named,
      query: { limit: 20 },
      response: { data: [EXAMPLE.message], next_cursor: null },
    },
    run: async ({ surface, params, query }) =>
      toPage(
        'messages',
        await surface.listMessages(params.chat_id, readPage('messages', query, MESSAGE)),
      ),
  });

  operation(app, context, {
    method: 'POST',
    path: '/chats/:chat_id/messages',
    operationId: 'chats.send',
    summary: 'Send a message to a chat',
    description: SENDING,
    tag: 'messages',
    scope: 'messages:send',
    params,
    body: v1.sendToChat,
    status: 201,
    response: 'sentMessage',
    repeat: repeatOfMessage,
    example: {
      params: named,
      body: { text: 'The parcel arrives on Tuesday.' },
      response: EXAMPLE.sentMessage,
    },
    run: ({ surface, params, body }) => surface.send({ chat: params.chat_id, ...body }),
  });

  operation(app, context, {
    method: 'POST',
    path: '/messages',
    operationId: 'messages.send',
    summary: 'Send a message to a phone number or a contact',
    description: SENDING,
    tag: 'messages',
    scope: 'messages:send',
    body: v1.sendMessage,
    status: 201,
    response: 'sentMessage',
    repeat: repeatOfMessage,
    example: {
      body: { to: '+4915112345678', text: 'The parcel arrives on Tuesday.' },
      response: EXAMPLE.sentMessage,
    },
    run: ({ surface, body }) => surface.send(body),
  });

  operation(app, context, {
    method: 'GET',
    path: '/search',
    operationId: 'search.query',
    summary: 'Search messages, best match first',
    tag: 'search',
    scope: 'search:read',
    query: z.strictObject({
      q: z.string().trim().min(1).max(300),
      chat_id: z.guid().optional(),
      /** A day, an instant, or words: `yesterday`. */
      from: day,
      to: day,
      limit: z.coerce.number().int().min(1).max(50).default(20),
    }),
    response: 'searchHits',
    example: {
      query: { q: 'parcel', limit: 5 },
      response: { data: [EXAMPLE.searchHit], next_cursor: null, sure: true },
    },
    run: async ({ surface, query: { chat_id: chat, ...query } }) => ({
      ...(await surface.search({ ...query, chat })),
      next_cursor: null,
    }),
  });

  operation(app, context, {
    method: 'GET',
    path: '/digests',
    operationId: 'digests.list',
    summary: 'List the digests of observed groups for one day',
    tag: 'digests',
    scope: 'digests:read',
    query: z.strictObject({
      ...pageQuery,
      /** A name, an address or an id. */
      group: z.string().trim().min(1).max(128).optional(),
      /** `today`, `yesterday`, a weekday or a date; the last day with content if omitted. */
      day,
    }),
    response: 'digests',
    example: {
      query: { day: 'yesterday' },
      response: { data: [EXAMPLE.digest], next_cursor: null },
    },
    run: async ({ surface, query: { group, day, ...page } }) =>
      toPage(
        'digests',
        slicePage(
          await surface.listDigests({ group, day }).catch(noneObserved),
          readPage('digests', page, OFFSET),
        ),
      ),
  });
}

/** Without observed groups there are no digests; this is not an error. */
function noneObserved(error: unknown): [] {
  if (error instanceof RelayError && error.code === 'no_group_observed') return [];
  throw error;
}

/** A message is recognised by its key; a schedule is not. */
const repeatOfMessage = ({ send_at }: { readonly send_at?: string | undefined }) =>
  send_at === undefined ? 'safe' : 'never';

const SENDING =
  'Returns when the message is stored; it is sent in its turn. For a client it may wait for the owner: then `state` is `waiting_for_approval`. With `send_at` it becomes a schedule.';
