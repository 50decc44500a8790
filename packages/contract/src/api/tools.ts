// Schemas of the tools for clients: the same tools that MCP offers, with one route each.
import { z } from 'zod';
import { SCOPES } from '../policy/scopes.ts';

const listedToolSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  scope: z.enum(SCOPES),
  read_only: z.boolean(),
  /** JSON Schema. */
  input: z.record(z.string(), z.unknown()),
  output: z.record(z.string(), z.unknown()),
});
export type ListedTool = z.infer<typeof listedToolSchema>;

export const toolsResponseSchema = z.object({ tools: z.array(listedToolSchema) });

export const toolCallResponseSchema = z.record(z.string(), z.unknown());
export type ToolCallResponse = z.infer<typeof toolCallResponseSchema>;
