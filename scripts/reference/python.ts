// Writes the Python client's types and methods from the document of version 1: a TypedDict for each schema, a class for
// each noun and a method for each operation.

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

/** The body of a request or a response that is a file. */
export const isFile = (content: Content = {}): boolean =>
  '*/*' in content || 'application/octet-stream' in content;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const PLAIN: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** Names that Python keeps for itself; they cannot be fields of a class. */
const KEYWORDS = new Set(['from', 'class', 'import', 'global', 'in', 'is', 'not', 'pass']);

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const camel = (name: string): string => name.split(/[_.]/).map(capital).join('');

/** Python's types of schemas. Objects inside others become classes of their own, named after where they are. */
class PythonTypes {
  readonly #written = new Map<string, string>();

  get text(): string {
    return [...this.#written.values()].join('\n');
  }

  add(name: string, schema: Schema): void {
    const type = this.typeOf(schema, name);
    if (type !== name) this.#written.set(name, `${name} = ${type}\n`);
  }

  typeOf(schema: Schema, name: string): string {
    if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices !== undefined) {
      const names = choices.map((choice, index) =>
        this.typeOf(choice, choiceName(name, choice, index)),
      );
      return `Union[${[...new Set(names)].join(', ')}]`;
    }
    if (Array.isArray(schema.type)) {
      const types = schema.type.map((type: string) => this.typeOf({ ...schema, type }, name));
      return `Union[${types.join(', ')}]`;
    }
    if (schema.type === 'array') return `List[${this.typeOf(schema.items ?? {}, `${name}Item`)}]`;
    if (schema.type === 'object') return this.#object(schema, name);
    return PLAIN[String(schema.type)] ?? 'Any';
  }

  #object({ properties, required = [], additionalProperties }: Schema, name: string): string {
    if (properties === undefined) {
      const value =
        typeof additionalProperties === 'object'
          ? this.typeOf(additionalProperties, `${name}Value`)
          : 'Any';
      return `Dict[str, ${value}]`;
    }
    const fields = Object.entries(properties).map(([field, schema]) => {
      const type = this.typeOf(schema, `${name}${camel(field)}`);
      return [field, required.includes(field) ? type : `NotRequired[${type}]`] as const;
    });
    this.#written.set(
      name,
      fields.some(([field]) => KEYWORDS.has(field)) ? byCall(name, fields) : byClass(name, fields),
    );
    return name;
  }
}

function literal(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

/** Events are told apart by their `type`, other choices by their number. */
function choiceName(name: string, { properties }: Schema, index: number): string {
  const type = properties?.type?.const;
  return `${name}${typeof type === 'string' ? camel(type) : index === 0 ? '' : index + 1}${
    typeof type === 'string' || index > 0 ? '' : 'Value'
  }`;
}

type Fields = readonly (readonly [field: string, type: string])[];

const byClass = (name: string, fields: Fields): string =>
  `class ${name}(TypedDict):\n${
    fields.map(([field, type]) => `    ${field}: ${type}\n`).join('') || '    pass\n'
  }`;

const byCall = (name: string, fields: Fields): string =>
  `${name} = TypedDict(\n    "${name}",\n    {\n${fields
    .map(([field, type]) => `        "${field}": ${JSON.stringify(type)},\n`)
    .join('')}    },\n)\n`;

interface Method {
  readonly noun: string;
  readonly text: string;
}

function methodOf(types: PythonTypes, path: string, verb: string, operation: Operation): Method {
  const [noun = '', name = ''] = operation.operationId.split('.');
  const { parameters = [], requestBody, summary } = operation;
  const inPath = parameters.filter((one) => one.in === 'path' && one.name !== 'account');
  const inQuery = parameters.filter((one) => one.in === 'query');
  const isKeyed = verb !== 'get';
  const takesFile = isFile(requestBody?.content);
  const schema = requestBody?.content['application/json']?.schema;
  const json = schema === undefined ? null : types.typeOf(schema, camel(operation.operationId));
  const body = takesFile ? 'bytes' : json;
  const isOptional = requestBody?.required === false;
  const parts = [
    'self',
    ...inPath.map((one) => `${one.name}: str`),
    ...(body === null ? [] : [isOptional ? `body: Optional[${body}] = None` : `body: ${body}`]),
    ...(takesFile ? ['content_type: str'] : []),
    ...(inQuery.length > 0 || isKeyed ? ['*'] : []),
    ...inQuery.map(
      (one) =>
        `${pythonName(one.name)}: Optional[${types.typeOf(one.schema, camel(one.name))}] = None`,
    ),
    ...(isKeyed ? ['idempotency_key: Optional[str] = None'] : []),
  ];
  const [, success] =
    Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const givesFile = isFile(success?.content);
  const answer = success?.content?.['application/json']?.schema;
  const value =
    answer === undefined ? 'None' : types.typeOf(answer, `${camel(operation.operationId)}Result`);
  const result = givesFile ? 'bytes' : value;
  const ended = path.replace('/api/v1/accounts/{account}', '');
  const filled = inPath.reduce(
    (done, one) => done.replace(`{${one.name}}`, `{_quoted(${one.name})}`),
    ended,
  );
  const given = [
    `"${verb.toUpperCase()}"`,
    `${inPath.length > 0 ? 'f' : ''}"${filled}"`,
    ...(body === null ? [] : ['body=body']),
    ...(takesFile ? ['content_type=content_type'] : []),
    ...(givesFile ? ['file=True'] : []),
    ...(inQuery.length === 0
      ? []
      : [`query={${inQuery.map((one) => `"${one.name}": ${pythonName(one.name)}`).join(', ')}}`]),
    ...(isKeyed ? ['key=idempotency_key'] : []),
  ];
  const text = `    def ${name}(
${parts.map((part) => `        ${part},\n`).join('')}    ) -> ${result}:
        """${summary}."""
        return self._call(
${given.map((part) => `            ${part},\n`).join('')}        )
`;
  return { noun, text };
}

const pythonName = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);

export function pythonClient({ paths, components }: ApiDocument): string {
  const types = new PythonTypes();
  for (const [name, schema] of Object.entries(components.schemas)) types.add(name, schema);
  const methods = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => methodOf(types, path, verb, operation)),
  );
  const nouns = [...Map.groupBy(methods, ({ noun }) => noun)];
  const classes = nouns.map(
    ([noun, its]) => `class ${capital(noun)}Api(_Api):\n${its.map(({ text }) => text).join('\n')}`,
  );
  return `# Generated from the API's schemas by \`npm run generate\`. Do not edit.
from __future__ import annotations

from typing import Any, Dict, List, Literal, NotRequired, Optional, Protocol, TypedDict, Union
from urllib.parse import quote


class Call(Protocol):
    def __call__(
        self,
        method: str,
        path: str,
        *,
        query: Optional[Dict[str, Any]] = None,
        body: Any = None,
        key: Optional[str] = None,
        content_type: Optional[str] = None,
        file: bool = False,
    ) -> Any: ...


def _quoted(part: str) -> str:
    return quote(part, safe="")


class _Api:
    def __init__(self, call: Call) -> None:
        self._call = call


${types.text}
${classes.join('\n\n')}

class Nouns:
    """The nouns of version 1. Each method is one operation of the API."""

    def __init__(self, call: Call) -> None:
${nouns.map(([noun]) => `        self.${noun} = ${capital(noun)}Api(call)\n`).join('')}`;
}
