// The structured result of a conversation: checks the JSON Schema that its creator gives, and values against it. The
// subset has no references, no regular expressions and no free fields, so a check takes time proportional to the size
// of what is checked, and a valid value has only fields that the creator named.
// Invariant: no problem quotes a value, because a contact may have written it.
import { z } from 'zod';

/**
 * `pending` until the conversation ends. Then `valid`, or no result: the agent had none (`missing`), what it gave did
 * not match (`invalid`), or something else than the agent ended it (`none`).
 */
export const RESULT_STATUSES = ['pending', 'valid', 'missing', 'invalid', 'none'] as const;
export type ResultStatus = (typeof RESULT_STATUSES)[number];

const LIMITS = {
  schemaBytes: 8_192,
  depth: 5,
  properties: 50,
  options: 100,
  text: 500,
  valueBytes: 16_384,
  problems: 10,
} as const;

export type ResultSchema = Readonly<Record<string, unknown>>;
type Path = readonly (string | number)[];

interface ResultProblem {
  readonly path: Path;
  /** Continues a sentence that begins with the place. */
  readonly text: string;
}

const problem = (path: Path, text: string): ResultProblem => ({ path, text });

/** With the place as a JSON pointer. */
export const formatProblem = ({ path, text }: ResultProblem): string =>
  `${path.length === 0 ? 'the result' : `/${path.join('/')}`} ${text}`;

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean'] as const;
type ValueType = (typeof TYPES)[number];

const COMMON = ['type', 'title', 'description'];
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength'];
const KEYWORDS: Readonly<Record<ValueType, readonly string[]>> = {
  object: [...COMMON, 'properties', 'required', 'additionalProperties'],
  array: [...COMMON, 'items', 'minItems', 'maxItems'],
  string: [...COMMON, 'enum', 'minLength', 'maxLength', 'format'],
  number: [...COMMON, 'enum', ...BOUNDS],
  integer: [...COMMON, 'enum', ...BOUNDS],
  boolean: COMMON,
};

const FORMATS: ReadonlyMap<unknown, z.ZodType> = new Map<string, z.ZodType>([
  ['date', z.iso.date()],
  ['date-time', z.iso.datetime({ offset: true })],
  ['email', z.email()],
  ['uri', z.url()],
  ['uuid', z.guid()],
]);

/** Model providers accept no other names. */
const PROPERTY_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const DIALECTS: readonly unknown[] = [
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema#',
];

/** The schema of a `result_schema` in a request. */
export const resultSchemaSchema = z
  .record(z.string(), z.unknown())
  .superRefine((schema, context) => {
    const found = findSchemaProblem(schema);
    if (found !== null)
      context.addIssue({ code: 'custom', path: [...found.path], message: found.text });
  });

/** The first problem of a schema; null if it can be used. */
export function findSchemaProblem(given: unknown): ResultProblem | null {
  const schema = toRecord(given);
  if (schema?.type !== 'object') return problem(['type'], 'must be "object" for a result');
  const { $schema: dialect, ...root } = schema;
  if (dialect !== undefined && !DIALECTS.includes(dialect))
    return problem(['$schema'], 'must be that of draft 2020-12 or draft-07');
  const found = findNodeProblem(root, [], 1, { properties: LIMITS.properties });
  if (found !== null) return found;
  return byteLength(schema) > LIMITS.schemaBytes
    ? problem([], `must have at most ${LIMITS.schemaBytes} bytes`)
    : null;
}

interface Budget {
  properties: number;
}

function findNodeProblem(
  given: unknown,
  path: Path,
  depth: number,
  budget: Budget,
): ResultProblem | null {
  if (depth > LIMITS.depth)
    return problem(path, `must not be nested more than ${LIMITS.depth} levels deep`);
  const node = toRecord(given);
  if (node === null) return problem(path, 'must be a schema object');
  const type = typeOf(node);
  if (type === null)
    return problem(
      [...path, 'type'],
      `must be one of ${TYPES.join(', ')}, or one of them and null`,
    );
  const keywords = KEYWORDS[type.name];
  const unknown = Object.keys(node).find((keyword) => !keywords.includes(keyword));
  if (unknown !== undefined)
    return problem(
      [...path, unknown.slice(0, 64)],
      `is not supported for the type ${type.name}. Use ${keywords.join(', ')}`,
    );
  return (
    findKeywordProblem(node, path, type.name) ??
    (type.name === 'array'
      ? findNodeProblem(node.items, [...path, 'items'], depth + 1, budget)
      : null) ??
    (type.name === 'object' ? findFieldProblem(node, path, depth, budget) : null)
  );
}

function findKeywordProblem(node: ResultSchema, path: Path, type: ValueType): ResultProblem | null {
  for (const [keyword, value] of Object.entries(node)) {
    const text = keywordProblem(keyword, value, type);
    if (text !== null) return problem([...path, keyword], text);
  }
  return null;
}

function keywordProblem(keyword: string, value: unknown, type: ValueType): string | null {
  if (keyword === 'title' || keyword === 'description')
    return isShortText(value) ? null : `must be a text of at most ${LIMITS.text} characters`;
  if (keyword === 'format')
    return FORMATS.has(value) ? null : `must be one of ${[...FORMATS.keys()].join(', ')}`;
  if (BOUNDS.includes(keyword)) return Number.isFinite(value) ? null : 'must be a number';
  if (COUNTS.includes(keyword))
    return Number.isSafeInteger(value) && Number(value) >= 0
      ? null
      : 'must be a whole number from 0 on';
  if (keyword !== 'enum') return null;
  const fits = (option: unknown) =>
    type === 'string' ? isShortText(option) : hasType(option, type);
  return Array.isArray(value) && value.length > 0 && value.every(fits)
    ? value.length > LIMITS.options
      ? `must have at most ${LIMITS.options} values`
      : null
    : `must be a list of values of the type ${type}`;
}

function findFieldProblem(
  { properties, required = [], additionalProperties = false }: ResultSchema,
  path: Path,
  depth: number,
  budget: Budget,
): ResultProblem | null {
  const fields = toRecord(properties) ?? {};
  const names = Object.keys(fields);
  const place = [...path, 'properties'];
  budget.properties -= names.length;
  if (names.length === 0) return problem(place, 'must have at least one property');
  if (budget.properties < 0)
    return problem(place, `must have at most ${LIMITS.properties} properties in all`);
  if (additionalProperties !== false)
    return problem([...path, 'additionalProperties'], 'must be false');
  if (!Array.isArray(required) || !required.every((name) => names.includes(name)))
    return problem([...path, 'required'], 'must be a list of names in `properties`');
  for (const name of names) {
    if (!PROPERTY_NAME.test(name) || name in {})
      return problem(
        [...place, name.slice(0, 64)],
        'must have a name of at most 64 letters, digits, _ and - that begins with a letter',
      );
    const found = findNodeProblem(fields[name], [...place, name], depth + 1, budget);
    if (found !== null) return found;
  }
  return null;
}

function typeOf({ type }: ResultSchema): { name: ValueType; nullable: boolean } | null {
  const given: readonly unknown[] = Array.isArray(type) ? type : [type];
  const named = given.filter((one) => one !== 'null');
  const name = TYPES.find((one) => one === named[0]);
  return name === undefined || named.length !== 1 || given.length > 2
    ? null
    : { name, nullable: given.length === 2 };
}

/** Titles and descriptions: they are for the agent, and not for the contact. */
export function textsOfSchema({ title, description, properties, items }: ResultSchema): string[] {
  const parts = [...Object.values(toRecord(properties) ?? {}), items].map(toRecord);
  return [
    ...[title, description].filter((text) => typeof text === 'string'),
    ...parts.flatMap((part) => (part === null ? [] : textsOfSchema(part))),
  ];
}

// Checks a value against a schema that has no problem.

/** Empty if the value is valid. */
export function findResultProblems(schema: ResultSchema, value: unknown): readonly ResultProblem[] {
  const found: ResultProblem[] = [];
  checkValue(schema, value, [], found);
  if (found.length === 0 && byteLength(value) > LIMITS.valueBytes)
    found.push(problem([], `must have at most ${LIMITS.valueBytes} bytes`));
  return found.slice(0, LIMITS.problems);
}

function checkValue(
  schema: ResultSchema,
  value: unknown,
  path: Path,
  found: ResultProblem[],
): void {
  const type = typeOf(schema);
  if (type === null) throw new Error('the schema of a result was not checked');
  if (found.length >= LIMITS.problems || (value === null && type.nullable)) return;
  if (!hasType(value, type.name)) {
    const expected = type.nullable ? `${type.name} or null` : type.name;
    found.push(problem(path, `must be of the type ${expected}`));
  } else if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    found.push(problem(path, `must be one of ${JSON.stringify(schema.enum)}`));
  } else if (Array.isArray(value)) checkList(schema, value, path, found);
  else if (typeof value === 'string') checkText(schema, value, path, found);
  else if (typeof value === 'number') checkNumber(schema, value, path, found);
  else if (typeof value === 'object') checkFields(schema, toRecord(value) ?? {}, path, found);
}

function checkFields(
  { properties, required }: ResultSchema,
  value: Readonly<Record<string, unknown>>,
  path: Path,
  found: ResultProblem[],
): void {
  const fields = toRecord(properties) ?? {};
  const names = Object.keys(fields);
  if (Object.keys(value).some((name) => !names.includes(name)))
    found.push(problem(path, `must have no other fields than ${names.join(', ')}`));
  for (const name of names) {
    const place = [...path, name];
    if (Object.hasOwn(value, name))
      checkValue(toRecord(fields[name]) ?? {}, value[name], place, found);
    else if (Array.isArray(required) && required.includes(name))
      found.push(problem(place, 'is missing'));
  }
}

function checkList(
  { items, minItems, maxItems }: ResultSchema,
  value: readonly unknown[],
  path: Path,
  found: ResultProblem[],
): void {
  checkCount(value.length, [minItems, maxItems], 'entries', path, found);
  for (const [at, entry] of value.entries()) {
    if (found.length >= LIMITS.problems) return;
    checkValue(toRecord(items) ?? {}, entry, [...path, at], found);
  }
}

function checkText(
  { minLength, maxLength, format }: ResultSchema,
  value: string,
  path: Path,
  found: ResultProblem[],
): void {
  checkCount([...value].length, [minLength, maxLength], 'characters', path, found);
  if (FORMATS.get(format)?.safeParse(value).success === false)
    found.push(problem(path, `must be in the format ${format}`));
}

function checkCount(
  count: number,
  [least, most]: readonly [unknown, unknown],
  what: string,
  path: Path,
  found: ResultProblem[],
): void {
  if (typeof least === 'number' && count < least)
    found.push(problem(path, `must have at least ${least} ${what}`));
  if (typeof most === 'number' && count > most)
    found.push(problem(path, `must have at most ${most} ${what}`));
}

function checkNumber(schema: ResultSchema, value: number, path: Path, found: ResultProblem[]) {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (typeof minimum === 'number' && value < minimum)
    found.push(problem(path, `must be at least ${minimum}`));
  if (typeof maximum === 'number' && value > maximum)
    found.push(problem(path, `must be at most ${maximum}`));
  if (typeof above === 'number' && value <= above)
    found.push(problem(path, `must be more than ${above}`));
  if (typeof below === 'number' && value >= below)
    found.push(problem(path, `must be less than ${below}`));
}

function hasType(value: unknown, type: ValueType): boolean {
  switch (type) {
    case 'object':
      return toRecord(value) !== null;
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
  }
}

const toRecord = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;

const isShortText = (text: unknown): boolean =>
  typeof text === 'string' &&
  text.length <= LIMITS.text &&
  text.isWellFormed() &&
  !text.includes('\0');

const byteLength = (value: unknown): number =>
  new TextEncoder().encode(JSON.stringify(value)).length;
