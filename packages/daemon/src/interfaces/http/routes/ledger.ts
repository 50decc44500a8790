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
        summary: 'Why a message was treated as it was, in one sentence',
        description:
          'The id is the one WhatsApp knows the message by, or the one a send answered; its beginning is enough where it fits one message alone.',
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
        summary: 'What was decided, by whom, about whom, and why',
        description:
          'A page ends with a cursor; the next begins behind it. With `order=oldest` the cursor of the last page also finds what is written later.',
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
        summary: 'Whether the chain of decisions is whole',
        description:
          'What was found whole before is not computed anew unless `full` is true. `head` is the last hash.',
        tags,
        querystring: verifyLedgerSchema,
        response: { 200: ledgerVerdictSchema, ...errorResponses(400) },
      },
    },
    ({ query: { full } }) => ledger.verify({ full }),
  );
}
