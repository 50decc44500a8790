// Routes that list recent messages, send a message as the owner, and send the test message after linking.

import { randomUUID } from 'node:crypto';
import { readContentFields } from '@relay/contract/api/outgoing';
import {
  type OwnerMessageStatus,
  type ProbeReport,
  probeReportSchema,
  type SendAsOwner,
  sendAsOwnerSchema,
  sentTextSchema,
} from '@relay/contract/api/sending';
import { listMessagesResponseSchema, listMessagesSchema } from '@relay/contract/api/whatsapp';
import { connectionSentence } from '@relay/contract/connection/states';
import { RelayError } from '@relay/contract/errors';
import type { OutboxState } from '@relay/contract/outbox/states';
import { recipientJid } from '@relay/core/contacts/alias';
import { PROBE_MESSAGE_TEXT } from '@relay/core/messages/text';
import type { Transport } from '@relay/core/ports/transport';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps, HttpLimits } from '../deps.ts';
import { isConnected } from '../linking.ts';
import { createWakeSignal } from '../streams.ts';

const tags = ['messages'];
const headers = z.object({ 'idempotency-key': z.string().min(1).max(200).optional() });

export function messageRoutes(
  app: App,
  deps: Pick<HttpDeps, 'messages' | 'send' | 'whatsapp'>,
  limits: HttpLimits,
): void {
  app.get(
    '/api/whatsapp/messages',
    {
      schema: {
        operationId: 'listMessages',
        summary: 'List recent messages, oldest first',
        tags,
        querystring: listMessagesSchema,
        response: { 200: listMessagesResponseSchema, ...errorResponses(400) },
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
        summary: 'Send a message as yourself',
        description:
          'Returns when the message is stored; it is sent in its turn. The same `Idempotency-Key` never sends twice and returns the state of the message. It becomes part of the open conversation with that contact, if there is one. Give a `text`, or one of `media`, `reaction`, `edit` (with `text`), `delete`, `poll` and `location`.',
        tags,
        headers,
        body: sendAsOwnerSchema,
        response: { 200: sentTextSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async ({ body: { to, replyTo, ...what }, headers }) => {
      const jid = recipientJid(to);
      if (jid === null) throw new RelayError('invalid_recipient', { to });
      const key = headers['idempotency-key'];
      const sent = await deps.send({
        to: jid,
        ...readContentFields(what),
        ...(replyTo === undefined ? {} : { replyTo }),
        ...(key === undefined ? {} : { key }),
      });
      return { ...sent, success: sent.state !== 'failed' };
    },
  );

  app.post(
    '/api/whatsapp/probe',
    {
      schema: {
        operationId: 'probeWhatsApp',
        summary: 'Send a test message to yourself and return the result',
        tags,
        response: { 200: probeReportSchema, ...errorResponses(409, 415) },
      },
    },
    async (_request, reply) => {
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      return probeTransport({ ...deps, limits, signal: gone.signal });
    },
  );
}

// The test message to oneself after linking. It is sent like any other and then looked up by its key, so it is never
// sent twice.

const SENTENCES: Readonly<Record<OutboxState, string>> = {
  pending: 'The message to yourself is queued. Check sending with `relay status`.',
  sent: 'WhatsApp accepted the message to yourself.',
  delivered: 'The message to yourself was delivered.',
  read: 'The message to yourself was delivered.',
  failed: 'The message to yourself could not be sent. See the reason with `relay logs`.',
  unknown: 'It is unknown whether the message to yourself arrived. Relay waits for a receipt.',
};

interface ProbeDeps {
  readonly whatsapp: Transport;
  readonly send: SendAsOwner;
  readonly limits: Pick<HttpLimits, 'probeMs' | 'probeLookMs'>;
  /** Aborts when the caller has disconnected. */
  readonly signal: AbortSignal;
}

async function probeTransport({ whatsapp, send, limits, signal }: ProbeDeps): Promise<ProbeReport> {
  const { phone, state } = whatsapp.link;
  if (!isConnected(whatsapp) || phone === null) {
    throw new RelayError('whatsapp_not_connected', { sentence: connectionSentence(state) });
  }
  const message = {
    to: `${phone}@s.whatsapp.net`,
    text: PROBE_MESSAGE_TEXT,
    key: `probe:${randomUUID()}`,
  };
  const bell = createWakeSignal();
  const unsubscribe = whatsapp.subscribe((event) => {
    if (event.type === 'receipt' || event.type === 'refused') bell.wake();
  });
  try {
    const until = performance.now() + limits.probeMs;
    let sent = await send(message);
    while (sent.state === 'pending' && performance.now() < until && !signal.aborted) {
      await bell.wait(limits.probeLookMs, signal);
      sent = await send(message);
    }
    return report(sent);
  } finally {
    unsubscribe();
  }
}

function report({ state, messageId }: OwnerMessageStatus): ProbeReport {
  const arrived = state === 'sent' || state === 'delivered' || state === 'read';
  return { arrived, state, messageId, sentence: SENTENCES[state] };
}
