// Builds the OpenAPI document from the schemas that validate requests. It is rarely requested and its libraries load
// slowly, so a temporary server declares the same routes again on request.
// Invariant: the document describes exactly the routes that are served.
import { STATUS_CODES } from 'node:http';
import type { SwaggerTransform } from '@fastify/swagger';
import swagger from '@fastify/swagger';
import { archiveImportReportSchema } from '@relay/contract/api/backups';
import { apiErrorSchema } from '@relay/contract/api/common';
import { loginCodeSchema, ownerTokenSchema } from '@relay/contract/api/credentials';
import {
  createInstanceResponseSchema,
  instanceSchema,
  stateTransitionSchema,
  transcriptLineSchema,
} from '@relay/contract/api/instances';
import { probeReportSchema, sentTextSchema } from '@relay/contract/api/sending';
import { healthCheckSchema, statusSchema } from '@relay/contract/api/status';
import {
  bufferedMessageSchema,
  linkSchema,
  whatsappStatusSchema,
} from '@relay/contract/api/whatsapp';
import type { RouteOptions } from 'fastify';
import Fastify from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import { streamSchema, ZOD_COMPILERS } from './app.ts';

/** Schema names, from the seeds where they give one. */
const NAMES = {
  ApiErrorResponse: apiErrorSchema,
  ConversationInstance: instanceSchema,
  CreateInstanceResponse: createInstanceResponseSchema,
  StateTransition: stateTransitionSchema,
  TranscriptMessage: transcriptLineSchema,
  DaemonStatusResponse: statusSchema,
  HealthCheck: healthCheckSchema,
  ImportReport: archiveImportReportSchema,
  LoginCode: loginCodeSchema,
  OwnerToken: ownerTokenSchema,
  BufferedMessage: bufferedMessageSchema,
  WhatsAppStatus: whatsappStatusSchema,
  Link: linkSchema,
  SentText: sentTextSchema,
  Probe: probeReportSchema,
};

export async function describeApi(routes: readonly RouteOptions[], version: string) {
  const schemaRegistry = z.registry<{ id?: string; type?: string }>();
  for (const [id, schema] of Object.entries(NAMES)) schemaRegistry.add(schema, { id });
  schemaRegistry.add(streamSchema, { type: 'string' });
  const complete = createJsonSchemaTransformObject({ schemaRegistry });
  const app = Fastify(ZOD_COMPILERS);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Relay',
        version,
        description: 'AI agents on WhatsApp, under their owner’s control.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          token: { type: 'http', scheme: 'bearer', description: 'Print it with `relay token`.' },
        },
      },
      security: [{ token: [] }],
    },
    transform: withArchiveBody(createJsonSchemaTransform({ schemaRegistry })),
    transformObject: (document) =>
      withoutUnused(withOptionalBodies(withReasons(complete(document)))),
  });
  for (const route of routes) app.route({ ...route, handler: () => undefined });
  await app.ready();
  return app.swagger();
}

/** The archive is streamed, so no schema validates it, but the document must still list the body. */
function withArchiveBody(transform: SwaggerTransform): SwaggerTransform {
  return (given) => {
    const { schema, url } = transform(given);
    if (!schema?.consumes?.includes('application/gzip')) return { schema, url };
    return { schema: { ...schema, body: { type: 'string', format: 'binary' } }, url };
  };
}

/** The generator describes every response as `Default Response`; the status text says more. */
function withReasons<Document extends object>(document: Document): Document {
  const { paths = {} } = document as { paths?: Paths };
  for (const { responses } of Object.values(paths).flatMap((path) => Object.values(path))) {
    for (const [status, response] of Object.entries(responses)) {
      response.description = STATUS_CODES[status] ?? status;
    }
  }
  return document;
}

/** A nullable body is also optional; the generator only marks it as nullable. */
function withOptionalBodies<Document extends object>(document: Document): Document {
  const { paths = {} } = document as { paths?: Paths };
  for (const { requestBody } of Object.values(paths).flatMap((path) => Object.values(path))) {
    const json = requestBody?.content['application/json'];
    const [given, nothing] = json?.schema.anyOf ?? [];
    if (requestBody === undefined || json === undefined || given === undefined) continue;
    if (nothing?.type !== 'null') continue;
    json.schema = given;
    requestBody.required = false;
  }
  return document;
}

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
}

interface Operation {
  readonly responses: Record<string, { description: string }>;
  readonly requestBody?: { required: boolean; content: Record<string, { schema: Schema }> };
}

type Paths = Record<string, Record<string, Operation>>;

function withoutUnused<Document extends object>(document: Document): Document {
  const { components } = document as { components?: { schemas?: Record<string, unknown> } };
  const text = JSON.stringify(document);
  const used = Object.entries(components?.schemas ?? {}).filter(([id]) =>
    text.includes(`"#/components/schemas/${id}"`),
  );
  return { ...document, components: { ...components, schemas: Object.fromEntries(used) } };
}
