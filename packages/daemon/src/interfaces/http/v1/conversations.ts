// Conversations of version 1: start, list and control them, and read what was said in them.
import { v1 } from '@relay/contract/api/v1';
import { instanceId } from '@relay/contract/ids';
import { z } from 'zod';
import type { App } from '../app.ts';
import { EXAMPLE } from './examples.ts';
import {
  OFFSET,
  operation,
  pageQuery,
  readPage,
  slicePage,
  toPage,
  UUID,
  type V1Context,
} from './operation.ts';
import { toConversationMessage } from './owner-surface.ts';

const tag = 'conversations';
const params = { conversation_id: z.guid() };
const path = '/conversations/:conversation_id';
const named = { conversation_id: EXAMPLE.conversation.conversation_id };
const LINE = /^\d{1,15}$/;

export function conversationOperations(app: App, context: V1Context): void {
  operation(app, context, {
    method: 'GET',
    path: '/conversations',
    operationId: 'conversations.list',
    summary: 'List conversations, newest first',
    tag,
    scope: 'conversations:read',
    query: z.strictObject({ ...pageQuery, state: v1.conversation.shape.state.optional() }),
    response: 'conversations',
    example: {
      query: { limit: 20 },
      response: { data: [EXAMPLE.conversation], next_cursor: null },
    },
    run: async ({ surface, query: { state, ...page } }) =>
      toPage(tag, await surface.listConversations({ ...readPage(tag, page, UUID), state })),
  });

  operation(app, context, {
    method: 'POST',
    path: '/conversations',
    operationId: 'conversations.create',
    summary: 'Start a conversation, which an agent holds until its objective is reached',
    description:
      'For a client it may wait for the owner: then `state` is `waiting_for_approval`, and nothing happens before the approval.',
    tag,
    scope: 'conversations:write',
    body: v1.createConversation,
    status: 201,
    response: 'createdConversation',
    example: {
      body: {
        contact: EXAMPLE.contact.contact_id,
        objective: 'Agree on a day for the delivery',
        todos: [{ text: 'Get a day' }],
        result_schema: {
          type: 'object',
          properties: { day: { type: 'string', format: 'date' } },
          required: ['day'],
        },
      },
      response: {
        conversation_id: EXAMPLE.conversation.conversation_id,
        state: 'CREATED',
        approval_id: null,
        reason: null,
        explanation: null,
      },
    },
    run: ({ surface, body }) => surface.createConversation(body),
  });

  operation(app, context, {
    method: 'GET',
    path,
    operationId: 'conversations.get',
    summary: 'Get a conversation',
    tag,
    scope: 'conversations:read',
    params,
    response: 'conversation',
    example: { params: named, response: EXAMPLE.conversation },
    run: ({ surface, params }) => surface.getConversation(instanceId(params.conversation_id)),
  });

  operation(app, context, {
    method: 'GET',
    path: `${path}/result`,
    operationId: 'conversations.result',
    summary: 'Get the result of a conversation that was asked for one',
    description:
      'It consists of what the contact wrote. For a client it counts as reading the chat, and needs a grant to read.',
    tag,
    scope: 'conversations:read',
    params,
    response: 'conversationResult',
    example: { params: named, response: EXAMPLE.conversationResult },
    run: ({ surface, params }) => surface.getResult(instanceId(params.conversation_id)),
  });

  operation(app, context, {
    method: 'GET',
    path: `${path}/messages`,
    operationId: 'conversations.messages',
    summary: 'List what was said in a conversation, oldest first',
    description: 'For a client it counts as reading the chat, and needs a grant to read.',
    tag,
    scope: 'conversations:read',
    params,
    query: z.strictObject(pageQuery),
    response: 'conversationMessages',
    example: {
      params: named,
      query: { limit: 20 },
      response: { data: [EXAMPLE.conversationMessage], next_cursor: null },
    },
    run: async ({ surface, params, query }) => {
      const id = instanceId(params.conversation_id);
      return toPage(
        'transcript',
        await surface.listTranscript(id, readPage('transcript', query, LINE)),
      );
    },
  });

  operation(app, context, {
    method: 'POST',
    path: `${path}/messages`,
    operationId: 'conversations.send',
    summary: 'Send a message to the contact yourself',
    tag,
    params,
    body: v1.sendInConversation,
    status: 201,
    response: 'conversationMessage',
    example: {
      params: named,
      body: { text: 'Is Tuesday fine?' },
      response: EXAMPLE.ownMessage,
    },
    run: async ({ services, params, body, key }) =>
      toConversationMessage(
        await services.conversations.send(
          instanceId(params.conversation_id),
          body.text,
          key ?? undefined,
          body.reply_to,
        ),
      ),
  });

  operation(app, context, {
    method: 'GET',
    path: `${path}/transitions`,
    operationId: 'conversations.transitions',
    summary: 'List the changes of state of a conversation, oldest first',
    tag,
    scope: 'conversations:read',
    params,
    query: z.strictObject(pageQuery),
    response: 'transitions',
    example: {
      params: named,
      query: { limit: 20 },
      response: { data: [EXAMPLE.transition], next_cursor: null },
    },
    run: async ({ surface, params, query }) => {
      const all = await surface.listTransitions(instanceId(params.conversation_id));
      return toPage('transitions', slicePage(all, readPage('transitions', query, OFFSET)));
    },
  });

  for (const [control, summary, state] of [
    ['pause', 'Pause a conversation; nothing is sent until it is resumed', 'PAUSED'],
    ['resume', 'Resume a conversation that is paused or waits for you', 'ACTIVE'],
    ['cancel', 'Cancel a conversation; no goodbye message is sent', 'FAILED'],
  ] as const) {
    operation(app, context, {
      method: 'POST',
      path: `${path}/${control}`,
      operationId: `conversations.${control}`,
      summary,
      tag,
      scope: 'conversations:write',
      params,
      response: 'conversation',
      example: { params: named, response: { ...EXAMPLE.conversation, state } },
      run: ({ surface, params }) =>
        surface.controlConversation(instanceId(params.conversation_id), control),
    });
  }
}
