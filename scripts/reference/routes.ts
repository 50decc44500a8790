// Generates the reference page of all routes, from the OpenAPI document and the access table.
import { sentence } from './words.ts';

/** The part of JSON Schema that the document uses. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
  }[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content }>
  >;
}

export interface Routes {
  readonly document: {
    readonly paths?: object;
    readonly components?: { readonly schemas?: object };
  };
  /** `GET /api/status` → who may call it. */
  readonly access: ReadonlyMap<string, string>;
}

const WHO: Readonly<Record<string, string>> = {
  owner: 'your token, or a signed-in browser',
  token: 'your token only, no browser',
  forwarder: 'your token, or the token of `relay observe token`',
  program: 'the token of a client, within its [scopes](../tokens.md); not your own token',
  any: 'you, or any client',
  monitor: 'you, or a client with the scope `metrics:read`',
  open: 'anybody on this machine, without a token',
};

export function routesPage({ document, access }: Routes): string {
  const schemas = (document.components?.schemas ?? {}) as Readonly<Record<string, Schema>>;
  const routes = Object.entries(document.paths ?? {}).flatMap(([path, verbs]) =>
    Object.entries(verbs as Readonly<Record<string, Operation>>).map(([verb, operation]) => ({
      name: `${verb.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const always = common(routes.map(({ operation }) => operation));
  const groups = new Map<string, string[]>();
  for (const { name, operation } of routes) {
    const tag = operation.tags?.[0] ?? 'other';
    const needed = access.get(name) ?? 'owner';
    const who = WHO[needed] ?? `you, or a client with the scope \`${needed}\``;
    groups.set(tag, [...(groups.get(tag) ?? []), entry(name, operation, { who, always, schemas })]);
  }
  const parts = [...groups].map(([tag, entries]) => `## ${capital(tag)}\n\n${entries.join('\n')}`);
  return `${introduction(always)}\n${parts.join('\n')}`;
}

const introduction = (always: ReadonlySet<string>): string => `# Routes

Every HTTP route. Generated from the OpenAPI document by \`npm run generate\`. The [document itself](../api/openapi.json) has the complete schemas; a running daemon serves it at \`/api/docs\` and \`/api/openapi.json\`.

The routes below \`/api/v1\` are [version 1 of the API](../api.md): use those in new programs. The others serve the \`relay\` command and the console.

The daemon listens on \`http://127.0.0.1:3214\`. Send \`Authorization: Bearer <token>\`; \`relay token\` prints your own token. Errors have one of these [codes](errors.md). Any route can fail with ${[...always].map((status) => `\`${status}\``).join(', ')}; other statuses are listed with the route. [The client](../client.md) has types for all of them.
`;

interface Known {
  readonly who: string;
  readonly always: ReadonlySet<string>;
  readonly schemas: Readonly<Record<string, Schema>>;
}

function entry(name: string, operation: Operation, { who, always, schemas }: Known): string {
  const { summary = '', description, parameters = [], requestBody, responses = {} } = operation;
  const [type = '', body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const refused = Object.keys(responses).filter((status) => status >= '400');
  const lines = [
    `- Access: ${who}.`,
    ...parameters.map(
      (one) =>
        `- ${PLACES[one.in] ?? one.in} \`${one.name}\`: ${kind(one.schema ?? {}, schemas)}${one.required === true ? '; required' : ''}`,
    ),
    ...(body === undefined ? [] : [`- Body (\`${type}\`):`, ...fields(body.schema ?? {}, schemas)]),
    ...Object.entries(responses)
      .filter(([status]) => status < '400')
      .map(([status, { content }]) => `- Returns \`${status}\`${answer(content, schemas)}`),
    ...[refused.filter((status) => !always.has(status)).map((status) => `\`${status}\``)]
      .filter((rest) => rest.length > 0)
      .map((rest) => `- Fails with ${rest.join(', ')}`),
  ];
  // The access table says it, too.
  const about = description?.replace(/ ?For the owner[^.]*\.$/, '') ?? '';
  const more = about === '' ? '' : `\n${sentence(about)}\n`;
  return `### \`${name}\`\n\n${sentence(summary)}\n${more}\n${lines.join('\n')}\n`;
}

const PLACES: Readonly<Record<string, string>> = {
  query: 'Query',
  path: 'Path',
  header: 'Header',
};

function fields(schema: Schema, schemas: Known['schemas']): string[] {
  const { properties, required = [], anyOf, oneOf } = resolved(schema, schemas);
  const either = anyOf ?? oneOf;
  if (either !== undefined)
    return either.flatMap((one, index) => [
      ...(index === 0 ? [] : ['  - or:']),
      ...fields(one, schemas),
    ]);
  if (properties === undefined) return [`  - ${kind(schema, schemas)}`];
  return Object.entries(properties).map(
    ([name, field]) =>
      `  - \`${name}\`: ${kind(field, schemas)}${required.includes(name) ? '; required' : ''}`,
  );
}

function answer(content: Content | undefined, schemas: Known['schemas']): string {
  const [type = '', media] = Object.entries(content ?? {})[0] ?? [];
  if (media?.schema === undefined) return type === '' ? '' : ` (\`${type}\`)`;
  const list = resolved(media.schema, schemas);
  const many = list.items !== undefined;
  const { properties = {} } = resolved(list.items ?? list, schemas);
  const names = Object.keys(properties).map((name) => `\`${name}\``);
  const of = names.length === 0 ? kind(media.schema, schemas) : names.join(', ');
  return `${type === 'application/json' ? '' : ` (\`${type}\`)`}: ${many && names.length > 0 ? 'a list of ' : ''}${of}`;
}

function kind(given: Schema, schemas: Known['schemas']): string {
  const schema = resolved(given, schemas);
  const limits = [
    schema.maxLength === undefined ? '' : `at most ${schema.maxLength} characters`,
    schema.maxItems === undefined ? '' : `at most ${schema.maxItems}`,
    range(schema),
    schema.default === undefined ? '' : `default: \`${JSON.stringify(schema.default)}\``,
  ].filter((limit) => limit !== '');
  return [word(schema, schemas), ...limits].join(', ');
}

function range({ type, minimum, maximum }: Schema): string {
  if (type !== 'integer' && type !== 'number') return '';
  const bounded = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && bounded) return `${minimum} to ${maximum}`;
  return bounded ? `at most ${maximum}` : '';
}

function word(schema: Schema, schemas: Known['schemas']): string {
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${one}\``).join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  const either = schema.anyOf ?? schema.oneOf;
  if (either !== undefined)
    return [...new Set(either.map((one) => word(resolved(one, schemas), schemas)))].join(' or ');
  if (schema.items !== undefined) return `a list of ${kind(schema.items, schemas)}`;
  if (schema.properties !== undefined)
    return `an object of ${Object.keys(schema.properties)
      .map((name) => `\`${name}\``)
      .join(', ')}`;
  return [schema.type ?? 'anything'].flat().join(' or ').replace('string', 'text');
}

function resolved(schema: Schema, schemas: Known['schemas']): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (schemas[name] ?? schema);
}

/** The statuses that almost all routes document: public routes refuse less. */
function common(operations: readonly Operation[]): ReadonlySet<string> {
  const all = operations.map(({ responses = {} }) => new Set(Object.keys(responses)));
  const refusals = [...new Set(all.flatMap((statuses) => [...statuses]))].filter((s) => s >= '400');
  const most = all.length * 0.9;
  return new Set(
    refusals
      .filter((status) => all.filter((statuses) => statuses.has(status)).length >= most)
      .sort(),
  );
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
