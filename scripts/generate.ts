// Generates files from the API schemas, the tools, the commands, the errors and the settings: the OpenAPI document, the
// client's types, the reference pages and the schema of relay.config.json. `--check` writes nothing and fails when a
// file is outdated.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { IDEMPOTENCY_KEY_HEADER } from '@relay/contract/client/client';
import { ERRORS } from '@relay/contract/errors';
import { settingsJsonSchema } from '@relay/contract/settings-catalog';
import { webhookBodySchema } from '@relay/contract/webhooks/events';
import { silentLog } from '@relay/core/log';
import openapiTypes, { astToString, type OpenAPI3 } from 'openapi-typescript';
import { CLI_COMMANDS } from '../packages/cli/src/catalogue.ts';
import type { RouteAccess } from '../packages/daemon/src/interfaces/http/app.ts';
import type { HttpDeps } from '../packages/daemon/src/interfaces/http/deps.ts';
import { describeV1 } from '../packages/daemon/src/interfaces/http/openapi.ts';
import { createHttpServer } from '../packages/daemon/src/interfaces/http/server.ts';
import { CLIENT_TOOLS } from '../packages/daemon/src/interfaces/mcp/call.ts';
import { toJsonSchema } from '../packages/daemon/src/interfaces/mcp/tool.ts';
import { commandsPage } from './reference/commands.ts';
import { errorsPage } from './reference/errors.ts';
import { type ApiDocument, type Content, isFile, pythonClient } from './reference/python.ts';
import { routesPage } from './reference/routes.ts';
import { settingsPage } from './reference/settings.ts';

const root = join(import.meta.dirname, '..');
const CLIENT = 'packages/contract/src/client';
const headed = (from: string, text: string) =>
  `// Generated from ${from} by \`npm run generate\`. Do not edit.\n\n${text}`;

interface Api {
  readonly document: OpenAPI3;
  /** Version 1 alone. */
  readonly v1: OpenAPI3;
  /** `GET /api/status` → who may call it. */
  readonly access: ReadonlyMap<string, string>;
}

async function describedApi(): Promise<Api> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const token = 'generate';
  // Routes are declared but never run, so these dependencies are enough.
  const deps = {
    version,
    port: 3214,
    log: silentLog,
    webDirectory: null,
    ownerToken: () => token,
    accounts: { find: () => null, byId: () => null, defaultOf: () => null },
    stopping: () => false,
  } as unknown as HttpDeps;
  const app = await createHttpServer(deps);
  const response = await app.inject({
    url: '/api/openapi.json',
    headers: { host: '127.0.0.1:3214', authorization: `Bearer ${token}` },
  });
  const access = app.routes.flatMap(({ method, url, config }) =>
    [method]
      .flat()
      .map((verb): [string, string] => [
        `${verb} ${url.replace(/:(\w+)/g, '{$1}')}`,
        nameOf(config?.access ?? 'owner'),
      ]),
  );
  const v1 = (await describeV1(app.routes, version)) as unknown as OpenAPI3;
  await app.close();
  if (response.statusCode !== 200) throw new Error(response.body);
  return { document: response.json(), v1, access: new Map(access) };
}

const nameOf = (access: RouteAccess): string =>
  typeof access === 'object' ? access.scope : access;

/**
 * Types of schemas that belong to no route, generated from a document that contains only them. Each is named and
 * indented.
 */
async function typesOf(schemas: Record<string, object>): Promise<string> {
  const document = {
    openapi: '3.1.0',
    info: { title: 'schemas', version: '' },
    components: { schemas },
  } as unknown as OpenAPI3;
  // A property with a default is optional in input; in output it is required anyway.
  const types = astToString(await openapiTypes(document, { defaultNonNullable: false }));
  const [, members = ''] = /^ {4}schemas: \{\n(.*?)\n {4}\};$/ms.exec(types) ?? [];
  return members.replace(/^ {4}/gm, '');
}

async function toolTypes(): Promise<string> {
  const tools = [...CLIENT_TOOLS.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const schemas = tools.map(({ name, input, output }) => {
    const properties = {
      input: toJsonSchema(input, 'input'),
      output: toJsonSchema(output, 'output'),
    };
    return [name, { type: 'object', required: ['input', 'output'], properties }];
  });
  const names = tools.map(({ name }) => `  '${name}',\n`).join('');
  return `export const TOOL_NAMES = [\n${names}] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** What each tool takes and gives. */
export interface Tools {\n${await typesOf(Object.fromEntries(schemas))}\n}\n`;
}

async function webhookTypes(): Promise<string> {
  const types = await typesOf({ event: webhookBodySchema.toJSONSchema({ io: 'output' }) });
  return `/** The body of a webhook, by its \`type\`. */
export type WebhookEvent =${types.replace(/^ *event:/, '').replace(/^ {4}/gm, '')}\n`;
}

function errorCodes(): string {
  const codes = Object.keys(ERRORS).sort();
  return `export type RelayErrorCode =\n${codes.map((code) => `  | '${code}'`).join('\n')};\n`;
}

/** The calls that take an idempotency key. */
function keyedCalls({ paths = {} }: OpenAPI3): string {
  // Every write of version 1 takes one, which the client knows without a list.
  const listed = Object.entries(paths).filter(([path]) => !path.startsWith('/api/v1/'));
  const keyed = listed.flatMap(([path, verbs]) =>
    Object.entries(verbs as Record<string, { parameters?: { name: string }[] }>)
      .filter(([, { parameters = [] }]) =>
        parameters.some(({ name }) => name === IDEMPOTENCY_KEY_HEADER),
      )
      .map(([verb]) => `  '${verb.toUpperCase()} ${path}',\n`),
  );
  return `export const KEYED: ReadonlySet<string> = new Set([\n${keyed.sort().join('')}]);\n`;
}

/** Method and path of each operation of version 1, and whether it answers with a file. */
function v1Operations({ paths = {} }: OpenAPI3): string {
  const rows = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs as Record<string, DescribedOperation>).map(
      ([verb, { operationId, responses }]) => {
        const file = isFile(responses['200']?.content) ? ", 'file'" : '';
        return `  '${operationId}': ['${verb.toUpperCase()}', '${path}'${file}],\n`;
      },
    ),
  );
  return `export const V1_OPERATIONS = {\n${rows.sort().join('')}} as const;\n`;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

async function generated(): Promise<Record<string, string>> {
  const { document, v1, access } = await describedApi();
  // A property with a default is optional in a request; in a response it is required anyway.
  const options = { alphabetize: true, defaultNonNullable: false };
  const types = astToString(await openapiTypes(structuredClone(document), options));
  return {
    'docs/api/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'docs/api/v1.json': `${JSON.stringify(v1, null, 2)}\n`,
    'docs/relay.config.schema.json': `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`,
    [`${CLIENT}/openapi.ts`]: headed('the API’s schemas', types),
    [`${CLIENT}/keyed.ts`]: headed('the API’s schemas', keyedCalls(document)),
    [`${CLIENT}/v1-operations.ts`]: headed('the API’s schemas', v1Operations(v1)),
    'integrations/python/relay_client/v1.py': pythonClient(v1 as unknown as ApiDocument),
    [`${CLIENT}/tools.ts`]: headed('the registry of tools', await toolTypes()),
    [`${CLIENT}/webhook-event.ts`]: headed('the schema of webhooks', await webhookTypes()),
    [`${CLIENT}/codes.ts`]: headed('the table of errors', errorCodes()),
    'docs/reference/commands.md': commandsPage(CLI_COMMANDS),
    'docs/reference/api.md': routesPage({ document, access }),
    'docs/reference/errors.md': errorsPage(ERRORS),
    'docs/reference/settings.md': settingsPage(),
  };
}

async function main(check: boolean): Promise<void> {
  for (const [path, wanted] of Object.entries(await generated())) {
    const file = join(root, path);
    const found = await readFile(file, 'utf8').catch(() => null);
    if (found === wanted) continue;
    if (check) {
      console.error(`${path} is stale. Run \`npm run generate\`.`);
      process.exitCode = 1;
    } else {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, wanted);
      console.log(`wrote ${path}`);
    }
  }
}

await main(process.argv.includes('--check'));
