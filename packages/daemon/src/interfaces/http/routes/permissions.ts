// Seed 000's routes for permissions, exactly as specified: paths, bodies, codes and sentences. Where the seed answers a
// refusal with a sentence only, so do these routes.
import {
  createPermissionSchema,
  listPermissionsSchema,
  type Permission,
  permissionRemovedSchema,
  permissionSchema,
  seedErrorSchema,
  updatePermissionSchema,
} from '@relay/contract/api/contacts';
import { type KnownErrorCode, RelayError } from '@relay/contract/errors';
import { type GrantId, grantId } from '@relay/contract/ids';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { type App, errorResponses } from '../app.ts';
import type { HttpDeps } from '../deps.ts';

const tags = ['permissions'];
const params = z.strictObject({ id: z.string() });
const PATH = '/api/whatsapp/permissions';

export function permissionRoutes(app: App, { grants }: Pick<HttpDeps, 'grants'>): void {
  app.get(
    PATH,
    {
      schema: {
        operationId: 'listPermissions',
        summary: 'List the grants of contacts and groups, sorted by name',
        tags,
        querystring: listPermissionsSchema,
        response: { 200: z.array(permissionSchema), ...errorResponses(400) },
      },
    },
    async (request) => [...(await grants.list(request.query.kind))],
  );

  app.post(
    PATH,
    {
      schema: {
        operationId: 'createPermission',
        summary: 'Create a grant for a contact, by number, or for a group',
        tags,
        body: createPermissionSchema.nullish(),
        response: {
          200: permissionSchema,
          ...errorResponses(404, 413, 415),
          400: seedErrorSchema,
          409: seedErrorSchema,
        },
      },
    },
    ({ body }, reply) =>
      answerAsSeed(reply, () => {
        const known = body?.contactId || body?.group;
        if (!body || !(known || (body.phoneNumber && body.displayName))) {
          throw new RelayError('permission_incomplete');
        }
        return grants.create({ ...body, displayName: body.displayName || null });
      }),
  );

  app.patch(
    `${PATH}/:id`,
    {
      schema: {
        operationId: 'updatePermission',
        summary: 'Change a grant; omitted fields stay unchanged',
        tags,
        params,
        body: updatePermissionSchema.nullish(),
        response: { 200: permissionSchema, ...errorResponses(400, 413, 415), 404: seedErrorSchema },
      },
    },
    ({ params: { id }, body }, reply) =>
      answerAsSeed(reply, () => grants.update(named(id), body ?? {})),
  );

  app.delete(
    `${PATH}/:id`,
    {
      schema: {
        operationId: 'removePermission',
        summary: 'Delete a grant',
        tags,
        params,
        response: { 200: permissionRemovedSchema, ...errorResponses(), 404: seedErrorSchema },
      },
    },
    ({ params: { id } }, reply) =>
      answerAsSeed(reply, async () => {
        await grants.remove(named(id));
        return { success: true as const };
      }),
  );
}

/** A string that is not an id is answered with 404, like the id of a permission that never existed. */
function named(id: string): GrantId {
  try {
    return grantId(id);
  } catch {
    throw new RelayError('permission_not_found');
  }
}

const SEED_ERROR_CODES: ReadonlySet<KnownErrorCode> = new Set([
  'permission_incomplete',
  'invalid_phone',
  'permission_exists',
  'permission_not_found',
]);

async function answerAsSeed<T extends Permission | { success: true }>(
  reply: FastifyReply,
  answer: () => Promise<T>,
): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof RelayError) || !SEED_ERROR_CODES.has(error.code)) throw error;
    return reply.code(error.status).send({ error: error.message });
  }
}
