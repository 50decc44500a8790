// Tokens and the ledger of version 1, for the owner alone.
import type { ClientToken } from '@relay/contract/api/credentials';
import { type V1, v1 } from '@relay/contract/api/v1';
import { tokenId } from '@relay/contract/ids';
import { z } from 'zod';
import type { App } from '../app.ts';
import { sharedTokensOf } from '../shared-tokens.ts';
import { EXAMPLE } from './examples.ts';
import {
  OFFSET,
  operation,
  pageQuery,
  readPage,
  slicePage,
  toPage,
  type V1Context,
} from './operation.ts';

const params = { token_id: z.guid() };
const path = '/tokens/:token_id';
const named = { token_id: EXAMPLE.token.token_id };
const SECRET = 'relay_cGxlYXNlIGRvIG5vdCB1c2UgdGhpcyBleGFtcGxl';
const SEQ = /^\d{1,15}$/;

export function ownerOperations(app: App, context: V1Context): void {
  const { streams } = context;
  const tag = 'tokens';

  operation(app, context, {
    method: 'GET',
    path: '/tokens',
    operationId: 'tokens.list',
    summary: 'List the tokens of clients',
    tag,
    query: z.strictObject(pageQuery),
    response: 'tokens',
    example: { query: { limit: 20 }, response: { data: [EXAMPLE.token], next_cursor: null } },
    run: async ({ services, query }) =>
      toPage(
        tag,
        slicePage((await services.tokens.list()).map(toToken), readPage(tag, query, OFFSET)),
      ),
  });

  operation(app, context, {
    method: 'POST',
    path: '/tokens',
    operationId: 'tokens.create',
    summary: 'Create a token for a client; its secret is shown once',
    tag,
    owner: 'confirmed',
    body: v1.createToken,
    status: 201,
    response: 'tokenSecret',
    repeat: 'never',
    example: {
      body: {
        name: 'crm',
        scopes: EXAMPLE.token.scopes,
        contacts: ['6f1c2b3d-7d7e-4c3f-9f5b-0d6f6a1c2b3d'],
        confirm: false,
      },
      response: { ...EXAMPLE.token, secret: SECRET },
    },
    async run({ services, request, body }) {
      const tokens = sharedTokensOf(services.accounts, request);
      const { secret, ...made } = await tokens.create(body);
      return { ...toToken(made), secret };
    },
  });

  operation(app, context, {
    method: 'DELETE',
    path,
    operationId: 'tokens.revoke',
    summary: 'Revoke a token; its queued messages are not sent and its webhooks end',
    tag,
    params,
    response: 'token',
    example: { params: named, response: EXAMPLE.token },
    async run({ services, request, params }) {
      const revoked = await sharedTokensOf(services.accounts, request).revoke(params.token_id);
      streams.endProgram(tokenId(revoked.id));
      return toToken(revoked);
    },
  });

  operation(app, context, {
    method: 'GET',
    path: '/ledger',
    operationId: 'ledger.list',
    summary: 'List decisions, newest first: who decided what, and why',
    tag: 'ledger',
    query: z.strictObject({
      ...pageQuery,
      actor: z.string().min(1).max(100).optional(),
      action: z.string().min(1).max(100).optional(),
      outcome: z.string().min(1).max(100).optional(),
      /** The id of a message, an approval, a chat, a contact or a conversation. */
      subject: z.string().min(1).max(200).optional(),
    }),
    response: 'ledger',
    example: {
      query: { action: 'send_message', limit: 20 },
      response: { data: [EXAMPLE.ledgerEntry], next_cursor: null },
    },
    async run({ services, query: { cursor, limit, ...filter } }) {
      const page = readPage('ledger', { cursor, limit }, SEQ);
      const found = await services.ledger.list({
        ...filter,
        order: 'newest',
        limit,
        cursor: page.cursor ?? undefined,
      });
      return toPage('ledger', {
        data: found.entries.map((entry) => ({
          seq: entry.seq,
          occurred_at: entry.at,
          actor: entry.actor,
          action: entry.action,
          subject: entry.subject,
          outcome: entry.outcome,
          reason: entry.reason,
          explanation: entry.sentence,
        })),
        next_cursor: found.more ? found.cursor : null,
      });
    },
  });
}

const toToken = ({ id, contacts, ...one }: ClientToken): V1<'token'> => ({
  ...one,
  token_id: id,
  contacts: contacts?.map((of) => ({ contact_id: of.id, name: of.name })) ?? null,
});
