// Contacts and grants of version 1. Only the owner changes a grant.
import type { Permission } from '@relay/contract/api/contacts';
import { v1 } from '@relay/contract/api/v1';
import { RelayError } from '@relay/contract/errors';
import { grantId } from '@relay/contract/ids';
import { z } from 'zod';
import type { App } from '../app.ts';
import type { HttpDeps } from '../deps.ts';
import { EXAMPLE } from './examples.ts';
import { OFFSET, operation, pageQuery, readPage, toPage, type V1Context } from './operation.ts';

const tag = 'contacts';
const params = { contact_id: z.guid() };
const path = '/contacts/:contact_id';
const named = { contact_id: EXAMPLE.contact.contact_id };

export function contactOperations(app: App, context: V1Context): void {
  operation(app, context, {
    method: 'GET',
    path: '/contacts',
    operationId: 'contacts.list',
    summary: 'List people and groups with their grants',
    description: 'A client sees those that it may use.',
    tag,
    scope: 'permissions:read',
    query: z.strictObject({
      ...pageQuery,
      /** A name or part of it, or a phone number. */
      q: z.string().trim().min(1).max(200).optional(),
    }),
    response: 'contacts',
    example: { query: { q: 'Ana' }, response: { data: [EXAMPLE.contact], next_cursor: null } },
    run: async ({ surface, query: { q, ...page } }) =>
      toPage(tag, await surface.listContacts({ ...readPage(tag, page, OFFSET), query: q })),
  });

  operation(app, context, {
    method: 'GET',
    path,
    operationId: 'contacts.get',
    summary: 'Get a person or group',
    tag,
    scope: 'permissions:read',
    params,
    response: 'contact',
    example: { params: named, response: EXAMPLE.contact },
    run: ({ surface, params }) => surface.getContact(params.contact_id),
  });

  operation(app, context, {
    method: 'GET',
    path: `${path}/grant`,
    operationId: 'grants.get',
    summary: 'Get what a contact is granted',
    tag: 'grants',
    scope: 'permissions:read',
    params,
    response: 'grant',
    example: { params: named, response: EXAMPLE.grant },
    async run({ surface, params }) {
      const { grant } = await surface.getContact(params.contact_id);
      if (grant === null) throw new RelayError('permission_not_found');
      return grant;
    },
  });

  operation(app, context, {
    method: 'PUT',
    path: `${path}/grant`,
    operationId: 'grants.put',
    summary: 'Set what a contact is granted',
    description:
      'The complete grant: a field that is omitted gets its default, which grants nothing.',
    tag: 'grants',
    params,
    body: v1.putGrant,
    response: 'grant',
    example: { params: named, body: EXAMPLE.grant, response: EXAMPLE.grant },
    async run({ services, params, body: { name, ...granted } }) {
      const { contact, grant } = await findGrant(services, params.contact_id);
      const { can_read: canRead, can_reply: canReply, can_initiate: canInitiate } = granted;
      const rights = { canRead, canReply, canInitiate, replyMode: granted.reply_mode };
      if (grant !== null) {
        const named = name === undefined ? {} : { displayName: name };
        return toGrant(await services.grants.update(grant, { ...rights, ...named }));
      }
      const who =
        contact.kind === 'group' ? { group: contact.jid ?? '' } : { contactId: contact.id };
      return toGrant(
        await services.grants.create({ ...who, ...rights, displayName: name ?? null, options: {} }),
      );
    },
  });

  operation(app, context, {
    method: 'DELETE',
    path: `${path}/grant`,
    operationId: 'grants.delete',
    summary: 'Delete the grant of a contact',
    description: 'The contact is then as one that the owner never granted anything.',
    tag: 'grants',
    params,
    response: 'contact',
    example: { params: named, response: { ...EXAMPLE.contact, grant: null } },
    async run({ services, surface, params }) {
      const { grant } = await findGrant(services, params.contact_id);
      if (grant !== null) await services.grants.remove(grant);
      return surface.getContact(params.contact_id);
    },
  });
}

async function findGrant({ people }: HttpDeps, id: string) {
  const { contact } = await people.detail(id);
  return { contact, grant: contact.grant === null ? null : grantId(contact.grant.id) };
}

const toGrant = ({ canRead, canReply, replyMode, canInitiate }: Permission) => ({
  can_read: canRead,
  can_reply: canReply,
  reply_mode: replyMode,
  can_initiate: canInitiate,
});
