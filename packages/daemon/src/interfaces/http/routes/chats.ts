// Routes that read chats and their messages, for the owner's token or session only, never for a client's token. Reading
// changes nothing and sends no read receipts.
import {
  chatDetailSchema,
  chatDraftSchema,
  chatMessagesQuerySchema,
  chatMessagesSchema,
  chatsPageSchema,
  draftRequestSchema,
  listChatsSchema,
  suggestionDismissedSchema,
} from '@relay/contract/api/chats';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['chats'];
const params = z.strictObject({ id: z.string() });

export function chatRoutes(app: App, { chats, drafts }: Pick<HttpDeps, 'chats' | 'drafts'>): void {
  app.get(
    '/api/chats',
    {
      schema: {
        operationId: 'listChats',
        summary: 'List chats with their last message, newest first',
        tags,
        querystring: listChatsSchema,
        response: { 200: chatsPageSchema, ...errorResponses(400) },
      },
    },
    (request) => chats.list(request.query),
  );

  app.get(
    '/api/chats/:id',
    {
      schema: {
        operationId: 'getChat',
        summary: 'Get a chat with its grant and conversations',
        tags,
        params,
        response: { 200: chatDetailSchema, ...errorResponses(404) },
      },
    },
    (request) => chats.get(request.params.id),
  );

  app.get(
    '/api/chats/:id/messages',
    {
      schema: {
        operationId: 'listChatMessages',
        summary: 'List the messages of a chat, page by page',
        description:
          'By default, returns the last messages. `before` and `after` take the `cursor` of a message; `message` takes WhatsApp’s id of a message and returns the messages around it.',
        tags,
        params,
        querystring: chatMessagesQuerySchema,
        response: { 200: chatMessagesSchema, ...errorResponses(400, 404) },
      },
    },
    (request) => chats.messages(request.params.id, request.query),
  );

  app.post(
    '/api/chats/:id/draft',
    {
      schema: {
        operationId: 'draftMessage',
        summary: 'Ask the model for the next message of a chat; sends nothing',
        description:
          'Reads the last messages of the chat, which needs a grant to read or an open conversation. `hint` says what you want to write.',
        tags,
        params,
        body: draftRequestSchema,
        response: { 200: chatDraftSchema, ...errorResponses(400, 404, 409, 413, 415, 502, 503) },
      },
    },
    (request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return drafts.draft(request.params.id, request.body, gone.signal);
    },
  );

  app.delete(
    '/api/chats/:id/suggestion',
    {
      schema: {
        operationId: 'dismissSuggestion',
        summary: 'Dismiss the suggested reply in a chat',
        tags,
        params,
        response: { 200: suggestionDismissedSchema, ...errorResponses(404) },
      },
    },
    async (request) => {
      await drafts.dismissSuggestion(request.params.id);
      return { dismissed: true as const };
    },
  );
}
