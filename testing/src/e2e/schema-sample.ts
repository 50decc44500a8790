// Draws values that a JSON schema allows, with texts from a given list. It draws the same ones in every run of the quick
// tier.

export type Schema = Readonly<Record<string, unknown>>;

const MODULUS = 2_147_483_647;
let seed = process.env.PROPERTY_RUNS ? Date.now() % MODULUS : 20_261_119;

export const random = (): number => {
  seed = (seed * 48_271) % MODULUS;
  return seed / MODULUS;
};

export function pick<T>(from: readonly T[]): T {
  const found = from[Math.floor(random() * from.length)];
  if (found === undefined) throw new Error('nothing to pick');
  return found;
}

/** Deeper, optional parts are left out. */
const DEEPEST = 4;

export function sample(schema: Schema, root: Schema, texts: readonly string[], depth = 0): unknown {
  const next = (part: unknown) => sample((part ?? {}) as Schema, root, texts, depth + 1);
  if (typeof schema.$ref === 'string') return next(resolve(schema.$ref, root));
  if (Array.isArray(schema.anyOf)) return next(pick(schema.anyOf));
  if (Array.isArray(schema.oneOf)) return next(pick(schema.oneOf));
  if (Array.isArray(schema.allOf)) return Object.assign({}, ...schema.allOf.map(next));
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return pick(schema.enum);
  const type = Array.isArray(schema.type) ? pick(schema.type as string[]) : schema.type;
  if (type === 'object') return sampleObject(schema, next, depth);
  if (type === 'array') return depth > DEEPEST ? [] : [next(schema.items)];
  return samplePlain(schema, type, texts);
}

const resolve = (reference: string, root: Schema): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>((at, part) => (at as Schema | undefined)?.[part], root);

function sampleObject(schema: Schema, next: (part: unknown) => unknown, depth: number): unknown {
  const required = (schema.required ?? []) as readonly string[];
  const chosen = Object.entries((schema.properties ?? {}) as Record<string, Schema>).filter(
    ([key]) => required.includes(key) || (depth < DEEPEST && random() < 0.4),
  );
  return Object.fromEntries(chosen.map(([key, part]) => [key, next(part)]));
}

function samplePlain(schema: Schema, type: unknown, texts: readonly string[]): unknown {
  if (type === 'integer' || type === 'number')
    return pick([schema.minimum ?? 0, 1, 5, 20, schema.maximum ?? 50]);
  if (type === 'boolean') return random() < 0.5;
  if (type === 'null') return null;
  if (schema.format === 'date-time') return new Date().toISOString();
  return random() < 0.9 ? pick(texts) : `+${pick(texts)}`;
}
