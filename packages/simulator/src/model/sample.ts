// Generates a value for a JSON schema, for structured output and for the traitor's arguments. Invariant: it ends for
// every schema; it supports the keywords used here, not all of them.
import type { JsonSchema } from './schemas.ts';

const MAX_DEPTH = 8;

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined);

/** `write` gives the text for a property; without one, the schema's simplest value is used. */
export function sampleValue(
  schema: unknown,
  write: (property: string) => unknown,
  property = '',
  depth = 0,
): unknown {
  if (!isSchema(schema) || depth > MAX_DEPTH) return write(property) ?? '';
  if ('const' in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const branch = first(schema.anyOf) ?? first(schema.oneOf) ?? first(schema.allOf);
  if (branch !== undefined) return sampleValue(branch, write, property, depth + 1);

  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'array':
      return [sampleValue(schema.items, write, property, depth + 1)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return number(schema);
    case 'null':
      return null;
    case 'string':
      return text(schema, write(property));
    default:
      return isSchema(schema.properties)
        ? sampleObject(schema.properties, write, depth)
        : (write(property) ?? {});
  }
}

function sampleObject(properties: JsonSchema, write: (property: string) => unknown, depth: number) {
  const entries = Object.entries(properties);
  return Object.fromEntries(
    entries.map(([key, of]) => [key, sampleValue(of, write, key, depth + 1)]),
  );
}

function number({ minimum, maximum }: JsonSchema): number {
  if (typeof minimum === 'number') return minimum;
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

function text({ format, maxLength }: JsonSchema, written: unknown): string {
  if (format === 'date-time') return '2030-01-01T00:00:00Z';
  if (format === 'date') return '2030-01-01';
  const value = typeof written === 'string' ? written : '';
  return typeof maxLength === 'number' ? value.slice(0, maxLength) : value;
}
