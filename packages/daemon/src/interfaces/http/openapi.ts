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
import { v1 } from '@relay/contract/api/v1';
import {
  bufferedMessageSchema,
  linkSchema,
  whatsappStatusSchema,
} from '@relay/contract/api/whatsapp';
import { RelayError } from '@relay/contract/errors';
import { webhookBodySchema } from '@relay/contract/webhooks/events';
import type { RouteOptions } from 'fastify';
import Fastify from 'fastify';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import { type OperationExample, streamSchema, ZOD_COMPILERS } from './app.ts';
import { problemOf } from './errors.ts';
import { EXAMPLE, WEBHOOK_EXAMPLES } from './v1/examples.ts';

const EXAMPLE_REQUEST = '0c5ff5a5-2f6e-4a3c-9b7d-1e2f3a4b5c6d';

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

/** Two schemas of one name would overwrite each other in the document, so that is an error. */
function* namedSchemas(): Generator<readonly [id: string, schema: z.ZodType]> {
  yield* Object.entries(NAMES);
  for (const [name, schema] of Object.entries(v1)) {
    const id = name.charAt(0).toUpperCase() + name.slice(1);
    if (id in NAMES) throw new Error(`two schemas are named ${id}`);
    yield [id, schema];
  }
}

/** All routes; those of the specifications that Relay was built from have the tag `compatibility` as well. */
export const describeApi = (routes: readonly RouteOptions[], version: string) =>
  describeRoutes(routes, version, {
    title: 'Relay',
    description: 'AI agents on WhatsApp, under their owner’s control.',
  });

/** Version 1 alone, with an example of each request and response, and what webhooks send. */
export async function describeV1(routes: readonly RouteOptions[], version: string) {
  const operations = routes.filter(({ url }) => url.startsWith('/api/v1/'));
  const document: object = await describeRoutes(operations, version, {
    title: 'Relay API, version 1',
    description: V1_DESCRIPTION,
  });
  const { paths = {}, components } = document as { paths?: Paths; components?: object };
  for (const verbs of Object.values(paths)) {
    for (const { responses } of Object.values(verbs)) {
      for (const [status, response] of Object.entries(responses)) {
        const isPassing = PASSING_STATUSES.includes(status);
        response.headers = referTo(isPassing ? { ...V1_HEADERS, ...RETRY_HEADER } : V1_HEADERS);
      }
    }
  }
  return {
    ...document,
    components: { ...components, headers: { ...V1_HEADERS, ...RETRY_HEADER } },
    tags: V1_TAGS,
    webhooks: describeWebhooks(),
  };
}

const header = (description: string, type: string, example: unknown) => ({
  description,
  schema: { type },
  example,
});
const V1_HEADERS = {
  'x-request-id': header('The id of the request, as in the log.', 'string', EXAMPLE_REQUEST),
  'ratelimit-limit': header('Requests in a minute.', 'integer', 30_000),
  'ratelimit-remaining': header('Requests left in this minute.', 'integer', 29_999),
  'ratelimit-reset': header('Seconds until the minute is over.', 'integer', 42),
};

const RETRY_HEADER = {
  'retry-after': header('Seconds until the request may succeed.', 'integer', 5),
};
/** Statuses after which the same request may succeed. */
const PASSING_STATUSES = ['429', '503'];

const referTo = (headers: object) =>
  Object.fromEntries(
    Object.keys(headers).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

const V1_DESCRIPTION = `Version 1 of Relay's API. Everything belongs to an account, by its name; the first is \`default\`.

**Errors** are problem details (RFC 9457) with a \`code\` of a fixed list, an \`action\`, and the \`request_id\`. **Lists** are pages: give \`next_cursor\` as \`cursor\` for the next one. **Writes** take an \`Idempotency-Key\`: a repeated request has no second effect and gets the first response, for at least 24 hours. **Every response** has \`x-request-id\` and the headers \`ratelimit-limit\`, \`ratelimit-remaining\` and \`ratelimit-reset\`.

**Versions.** Within version 1 operations, fields, codes and events are only added; ignore what you do not know. What will end is marked as deprecated here and answers with a \`deprecation\` header for at least 12 months before a version without it; version 1 is served for at least 12 months after version 2 appears.`;

const V1_TAGS = [
  { name: 'account', description: 'The account and its link to WhatsApp.' },
  { name: 'conversations', description: 'Goals that an agent pursues with one contact.' },
  { name: 'chats', description: 'Chats with people and groups.' },
  { name: 'messages', description: 'Messages in chats.' },
  { name: 'media', description: 'Files of messages.' },
  { name: 'search', description: 'Search in all messages.' },
  { name: 'digests', description: 'Summaries of observed groups.' },
  { name: 'contacts', description: 'People and groups.' },
  { name: 'grants', description: 'What contacts are granted.' },
  { name: 'approvals', description: 'Actions that wait for the owner.' },
  { name: 'schedules', description: 'Messages that are sent at set times.' },
  { name: 'events', description: 'What happened, as pages or as a stream.' },
  { name: 'webhooks', description: 'Addresses to which Relay sends events.' },
  { name: 'tokens', description: 'Tokens of clients.' },
  { name: 'ledger', description: 'The record of every decision.' },
];

interface Title {
  readonly title: string;
  readonly description: string;
}

async function describeRoutes(
  routes: readonly RouteOptions[],
  version: string,
  { title, description }: Title,
) {
  const schemaRegistry = z.registry<{ id?: string; type?: string }>();
  for (const [id, schema] of namedSchemas()) schemaRegistry.add(schema, { id });
  schemaRegistry.add(streamSchema, { type: 'string' });
  const complete = createJsonSchemaTransformObject({ schemaRegistry });
  const app = Fastify(ZOD_COMPILERS);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        version,
        description,
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
    transform: withFileBody(createJsonSchemaTransform({ schemaRegistry })),
    transformObject: (document) =>
      withoutUnused(
        withExamples(
          withCompatibility(withOptionalBodies(withReasons(complete(document)))),
          routes,
        ),
      ),
  });
  for (const route of routes) app.route({ ...route, handler: () => undefined });
  await app.ready();
  return app.swagger();
}

/** A file is streamed, so no schema validates it, but the document must still list the body. */
function withFileBody(transform: SwaggerTransform): SwaggerTransform {
  return (given) => {
    const { schema, url } = transform(given);
    const isFile = schema?.consumes?.some((type) => FILE_TYPES.includes(type)) ?? false;
    if (!isFile) return { schema, url };
    return { schema: { ...schema, body: { type: 'string', format: 'binary' } }, url };
  };
}

const FILE_TYPES = ['application/gzip', '*/*'];

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

const SEED_PATHS = /^\/api\/(instances|whatsapp|status|init)\b/;

/** The routes that version 1 replaces for programs. */
function withCompatibility<Document extends object>(document: Document): Document {
  const { paths = {} } = document as { paths?: Paths };
  for (const [path, verbs] of Object.entries(paths)) {
    if (!SEED_PATHS.test(path)) continue;
    for (const operation of Object.values(verbs)) operation.tags.push('compatibility');
  }
  return document;
}

/** Puts the example of each operation where its parameters, its body and its response are described. */
function withExamples<Document extends object>(
  document: Document,
  routes: readonly RouteOptions[],
): Document {
  const { paths = {} } = document as { paths?: Paths };
  for (const { url, method, config } of routes) {
    const operation = paths[url.replace(/:(\w+)/g, '{$1}')]?.[String(method).toLowerCase()];
    const example = config?.example;
    if (operation === undefined || example === undefined) continue;
    const given: Readonly<Record<string, unknown>> = {
      account: 'default',
      'idempotency-key': '6f0d2f3e-order-1042',
      ...example.params,
      ...example.query,
    };
    for (const parameter of operation.parameters ?? []) {
      if (parameter.name in given) parameter.example = given[parameter.name];
    }
    for (const media of Object.values(operation.requestBody?.content ?? {})) {
      media.example = example.body;
    }
    for (const [status, { content = {} }] of Object.entries(operation.responses)) {
      for (const [type, media] of Object.entries(content)) {
        media.example = exampleOf(type, Number(status), example);
      }
    }
  }
  return document;
}

function exampleOf(
  type: string,
  status: number,
  { response, problems = {} }: OperationExample,
): unknown {
  if (type === 'application/problem+json') {
    return exampleProblem(problems[status] ?? EXAMPLE_CODES[status]);
  }
  return type === 'text/event-stream' ? EXAMPLE_STREAM : response;
}

const EXAMPLE_STREAM = EXAMPLE.events
  .slice(0, 1)
  .map(
    (event) => `id: ZXZlbnRzCjEyMzQ1LTY3\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  )
  .join('');

type ExampleProblem = NonNullable<OperationExample['problems']>[number];

const EXAMPLE_CODES: Readonly<Record<number, ExampleProblem>> = {
  400: ['invalid_request', { what: '"limit" must be a number' }],
  401: ['unauthorized', {}],
  403: ['scope_missing', { scope: 'events:read' }],
  404: ['account_not_found', { account: 'sales' }],
  409: ['key_reused', {}],
  410: ['cursor_gone', {}],
  413: ['body_too_large', { limit: '1048576 bytes' }],
  415: ['unsupported_media', {}],
  416: ['media_range', { bytes: EXAMPLE.uploadedMedia.bytes }],
  421: ['bad_host', {}],
  429: ['rate_limited', { seconds: 30 }],
  500: ['internal', { request: EXAMPLE_REQUEST }],
  503: ['database_unavailable', {}],
  507: ['media_no_room', {}],
};

function exampleProblem(
  [code, params]: ExampleProblem = ['internal', { request: EXAMPLE_REQUEST }],
): object {
  return problemOf(new RelayError(code, params), { request: EXAMPLE_REQUEST, account: 'default' });
}

/** What Relay sends to a webhook, by the type of the event. */
function describeWebhooks(): Record<string, object> {
  return Object.fromEntries(
    webhookBodySchema.options.map((body) => {
      const type = body.shape.type.value;
      const schema = body.toJSONSchema({ io: 'output', target: 'draft-2020-12' });
      const { $schema: _, ...described } = schema;
      return [
        type,
        {
          post: {
            operationId: `webhook.${type}`,
            summary: `A webhook receives ${type}`,
            description:
              'Signed as Standard Webhooks describe: the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.',
            tags: ['webhooks'],
            security: [],
            requestBody: {
              required: true,
              content: {
                'application/json': { schema: described, example: WEBHOOK_EXAMPLES[type] },
              },
            },
            responses: {
              '200': { description: 'Received; any status from 200 to 299.' },
              '410': { description: 'Not wanted any more; Relay turns the webhook off.' },
            },
          },
        },
      ];
    }),
  );
}

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
}

interface Content {
  schema: Schema;
  example?: unknown;
}

interface Operation {
  readonly tags: string[];
  readonly parameters?: { readonly name: string; example?: unknown }[];
  readonly responses: Record<
    string,
    { description: string; content?: Record<string, Content>; headers?: object }
  >;
  readonly requestBody?: { required: boolean; content: Record<string, Content> };
}

type Paths = Record<string, Record<string, Operation>>;

/** A schema that only an unused one refers to is unused too. */
function withoutUnused<Document extends object>(document: Document): Document {
  const { components } = document as { components?: { schemas?: Record<string, unknown> } };
  const text = JSON.stringify(document);
  const all = Object.entries(components?.schemas ?? {});
  const used = all.filter(([id]) => text.includes(`"#/components/schemas/${id}"`));
  if (used.length === all.length) return document;
  return withoutUnused({
    ...document,
    components: { ...components, schemas: Object.fromEntries(used) },
  });
}
