// The tools as the SDK hands them to a provider: name, description, schema, and nothing that it could
// run by itself. A schema is turned into JSON Schema once, not on every call.
import type { JSONSchema7, ToolSet } from 'ai';
import { z } from 'zod';
import { sdk } from './sdk.ts';
import type { AgentTool } from './tool.ts';

const schemas = new WeakMap<z.ZodObject, JSONSchema7>();

export async function offered(tools: readonly AgentTool[]): Promise<ToolSet> {
  const { jsonSchema } = await sdk();
  return Object.fromEntries(
    tools.map(({ name, description, schema }) => [
      name,
      { description, inputSchema: jsonSchema(schemaOf(schema)) },
    ]),
  );
}

function schemaOf(schema: z.ZodObject): JSONSchema7 {
  const known = schemas.get(schema);
  if (known !== undefined) return known;
  const made = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' }) as JSONSchema7;
  schemas.set(schema, made);
  return made;
}
