// Routes for accounts, and for the owners that they belong to. Every other route is also served below
// `/api/accounts/<name>`: see account-scope.ts.
import {
  accountSchema,
  accountsInboxSchema,
  accountsSchema,
  addAccountSchema,
  addOwnerSchema,
  changeAccountSchema,
  changeAccountSettingsSchema,
  ownerSchema,
  ownerSecretSchema,
  ownersSchema,
  removeAccountSchema,
  shownAccountSettingsSchema,
} from '@relay/contract/api/accounts';
import { z } from 'zod';
import { callerOf } from '../account-scope.ts';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { OWNER_TOKEN_HEADER } from '../guard.ts';

const tags = ['accounts'];
const params = z.object({ name: z.string().max(64).describe('Name of the account') });
/** Needed only by a browser session that did not sign in within the last five minutes; the guard reads it. */
const headers = z.object({ [OWNER_TOKEN_HEADER]: z.string().max(200).optional() });

export function accountRoutes(app: App, deps: Pick<HttpDeps, 'accountService'>): void {
  const accounts = deps.accountService;
  const config = { subject: 'caller' } as const;
  app.get(
    '/api/accounts',
    {
      config,
      schema: {
        operationId: 'listAccounts',
        summary: 'List the accounts with their states and figures',
        description:
          'Your own accounts; for the home’s owner and for operators also those of others. Every other path below `/api` is also served below `/api/accounts/{name}`, for that account; without it, your default account is meant.',
        tags,
        response: { 200: accountsSchema, ...errorResponses() },
      },
    },
    async (request) => ({ accounts: [...(await accounts.list(callerOf(request)))] }),
  );

  app.post(
    '/api/accounts',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'addAccount',
        summary: 'Add an account, to which a phone can then be linked',
        tags,
        body: addAccountSchema,
        response: { 201: accountSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await accounts.add(callerOf(request), request.body)),
  );

  app.patch(
    '/api/accounts/:name',
    {
      config,
      schema: {
        operationId: 'changeAccount',
        summary: 'Rename an account, or make it your default',
        tags,
        params,
        body: changeAccountSchema,
        response: { 200: accountSchema, ...errorResponses(400, 404, 409, 413, 415) },
      },
    },
    (request) => accounts.change(callerOf(request), request.params.name, request.body),
  );

  app.delete(
    '/api/accounts/:name',
    {
      config: { subject: 'caller', access: 'confirmed' },
      schema: {
        operationId: 'removeAccount',
        summary: 'Remove an account with everything in it',
        description:
          'Refused while a phone is linked, unless `confirm` is the name once more; the phone is then unlinked.',
        tags,
        params,
        headers,
        querystring: removeAccountSchema,
        response: { 200: accountSchema, ...errorResponses(400, 404, 409) },
      },
    },
    (request) =>
      accounts.remove(callerOf(request), request.params.name, request.query.confirm ?? null),
  );

  app.get(
    '/api/account-settings',
    {
      schema: {
        operationId: 'getAccountSettings',
        summary: 'Get the settings that this account has over those of the home',
        tags,
        response: { 200: shownAccountSettingsSchema, ...errorResponses() },
      },
    },
    (request) => accounts.settings(callerOf(request), request.account?.name ?? ''),
  );

  app.patch(
    '/api/account-settings',
    {
      schema: {
        operationId: 'changeAccountSettings',
        summary: 'Change settings of this account; null restores the home’s',
        description: 'The account is restarted with them: it is offline for a moment.',
        tags,
        body: changeAccountSettingsSchema,
        response: { 200: shownAccountSettingsSchema, ...errorResponses(400, 409, 413, 415) },
      },
    },
    (request) =>
      accounts.changeSettings(callerOf(request), request.account?.name ?? '', request.body),
  );

  app.get(
    '/api/inbox',
    {
      config,
      schema: {
        operationId: 'getInbox',
        summary: 'Get what waits for you, and the newest chats, in all your accounts',
        tags,
        response: { 200: accountsInboxSchema, ...errorResponses() },
      },
    },
    (request) => accounts.inbox(callerOf(request)),
  );
}

export function ownerRoutes(app: App, { owners }: Pick<HttpDeps, 'owners'>): void {
  app.get(
    '/api/owners',
    {
      config: { subject: 'home' },
      schema: {
        operationId: 'listOwners',
        summary: 'List the people that accounts belong to, and the operators',
        tags,
        response: { 200: ownersSchema, ...errorResponses() },
      },
    },
    async () => ({ owners: [...(await owners.list())] }),
  );

  app.post(
    '/api/owners',
    {
      config: { subject: 'home', access: 'confirmed' },
      schema: {
        operationId: 'addOwner',
        summary: 'Add an owner or an operator; their token is shown once',
        description:
          'The person changes the token with `POST /api/token/rotate`; from then on only they know it.',
        tags,
        headers,
        body: addOwnerSchema,
        response: { 201: ownerSecretSchema, ...errorResponses(400, 409, 413, 415) },
      },
    },
    async ({ body }, reply) =>
      reply
        .code(201)
        .header('cache-control', 'no-store')
        .send(await owners.add(body)),
  );

  app.delete(
    '/api/owners/:owner',
    {
      config: { subject: 'home', access: 'confirmed' },
      schema: {
        operationId: 'removeOwner',
        summary: 'Remove an owner without accounts, or an operator',
        tags,
        params: z.object({ owner: z.string().max(64) }),
        headers,
        response: { 200: ownerSchema, ...errorResponses(404, 409) },
      },
    },
    ({ params: { owner } }) => owners.remove(owner),
  );
}
