// Routes of the ledger: the reasons for a message's treatment, the list of decisions, and the check of the chain.
import {
  ledgerPageSchema,
  ledgerVerdictSchema,
  listLedgerSchema,
  messageExplanationSchema,
  verifyLedgerSchema,
  whyQuerySchema,
} from '@relay/contract/api/ledger';
import { chatId } from '@relay/contract/ids';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['ledger'];

export function ledgerRoutes(app: App, { ledger }: Pick<HttpDeps, 'ledger'>): void {
  app.get(
    '/api/messages/:id/why',
    {
      schema: {
        operationId: 'explainMessage',
        summary: 'Explain in one sentence why a message was sent, answered or refused',
        description:
          'The id is WhatsApp’s id of the message, or the id that a send returned; a unique beginning is enough.',
        tags,
        params: z.object({ id: z.string().min(1).max(128) }),
        querystring: whyQuerySchema,
        response: { 200: messageExplanationSchema, ...errorResponses(400, 404, 409) },
      },
    },
    ({ params: { id }, query: { chat } }) =>
      ledger.why(id, chat === undefined ? undefined : chatId(chat)),
  );

  app.get(
    '/api/ledger',
    {
      schema: {
        operationId: 'listLedger',
        summary: 'List decisions: who decided what, about whom, and why',
        description:
          'A page ends with a cursor for the next one. With `order=oldest`, the cursor of the last page also finds later rows.',
        tags,
        querystring: listLedgerSchema,
        response: { 200: ledgerPageSchema, ...errorResponses(400) },
      },
    },
    ({ query: { since, ...query } }) =>
      ledger.list({ ...query, since: since === undefined ? undefined : new Date(since) }),
  );

  app.get(
    '/api/ledger/verify',
    {
      schema: {
        operationId: 'verifyLedger',
        summary: 'Verify the chain of decisions',
        description:
          'Rows that were verified before are skipped unless `full` is true. `head` is the last hash.',
        tags,
        querystring: verifyLedgerSchema,
        response: { 200: ledgerVerdictSchema, ...errorResponses(400) },
      },
    },
    ({ query: { full } }) => ledger.verify({ full }),
  );
}
