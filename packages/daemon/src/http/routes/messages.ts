// The account's messages: reading the last ones, writing as the owner, and the probe after linking.
import { probeSchema, sendTextSchema, sentTextSchema } from '@relay/core/api/messages';
import { listMessagesResponseSchema, listMessagesSchema } from '@relay/core/api/whatsapp';
import { recipientJid } from '@relay/core/contacts/recipient';
import { RelayError } from '@relay/core/errors';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import type { Limits } from '../limits.ts';
import { probeWire } from '../probe.ts';
import { refusals } from './responses.ts';

const tags = ['messages'];
const headers = z.object({ 'idempotency-key': z.string().min(1).max(200).optional() });

export function messageRoutes(
  app: App,
  deps: Pick<HttpDeps, 'messages' | 'send' | 'whatsapp'>,
  limits: Limits,
): void {
  app.get(
    '/api/whatsapp/messages',
    {
      schema: {
        operationId: 'listMessages',
        summary: 'The last messages, the oldest first',
        tags,
        querystring: listMessagesSchema,
        response: { 200: listMessagesResponseSchema, ...refusals(400) },
      },
    },
    async ({ query: { contact = '', chat, limit } }) => {
      const digits = contact.replace(/\D/g, '');
      const whose = digits === '' ? {} : { contact: digits };
      const messages = await deps.messages.recent({
        limit,
        ...(chat === undefined ? whose : { chat }),
      });
      return { messages: [...messages] };
    },
  );

  app.post(
    '/api/whatsapp/messages',
    {
      schema: {
        operationId: 'sendText',
        summary: 'Write to somebody as yourself',
        description:
          'Answers when the message is safely stored; it leaves in its turn. The same `Idempotency-Key` never sends twice and answers where the message stands.',
        tags,
        headers,
        body: sendTextSchema,
        response: { 200: sentTextSchema, ...refusals(400, 409, 413, 415) },
      },
    },
    async ({ body: { to, text }, headers }) => {
      const jid = recipientJid(to);
      if (jid === null) throw new RelayError('invalid_recipient', { to });
      const key = headers['idempotency-key'];
      const sent = await deps.send({ to: jid, text, ...(key === undefined ? {} : { key }) });
      return { ...sent, success: sent.state !== 'failed' };
    },
  );

  app.post(
    '/api/whatsapp/probe',
    {
      schema: {
        operationId: 'probeWhatsApp',
        summary: 'Write a message to yourself, and say what came of it',
        tags,
        response: { 200: probeSchema, ...refusals(409, 415) },
      },
    },
    async (_request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return probeWire({ ...deps, limits, signal: gone.signal });
    },
  );
}
