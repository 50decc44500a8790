// Schemas of the scripted model: OpenAI-compatible requests and control bodies. Invariant: requests are read leniently,
// as providers do; control bodies strictly, so that a misspelt rule is an error and not a rule that never matches.
import { z } from 'zod';

const Part = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  image_url: z.looseObject({ url: z.string() }).optional(),
});

const ToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});

const Message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(Part), z.null()]).optional(),
  tool_calls: z.array(ToolCall).optional(),
  tool_call_id: z.string().optional(),
});
export type Message = z.infer<typeof Message>;

const JsonSchema = z.record(z.string(), z.unknown());
export type JsonSchema = z.infer<typeof JsonSchema>;

const Tool = z.looseObject({
  type: z.string(),
  function: z.looseObject({ name: z.string(), parameters: JsonSchema.optional() }),
});

export const ChatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z.looseObject({ schema: JsonSchema.optional() }).optional(),
    })
    .nullish(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

const tokens = z.array(z.number().int().nonnegative());
export const EmbeddingsRequest = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(z.string()).min(1), tokens.min(1), z.array(tokens).min(1)]),
  dimensions: z.number().int().min(1).max(4096).optional(),
  encoding_format: z.enum(['float', 'base64']).optional(),
});
export type EmbeddingsRequest = z.infer<typeof EmbeddingsRequest>;

/** A string is sent unchanged, so that invalid JSON arguments can be scripted. */
const ScriptedCall = z.strictObject({
  name: z.string(),
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
});
export type ScriptedCall = z.infer<typeof ScriptedCall>;

const Raw = z.strictObject({
  body: z.string(),
  content_type: z.string().optional(),
  /** Breaks the connection after the body, like a provider that crashes mid-response. */
  cut: z.boolean().optional(),
});

const Reply = z.strictObject({
  text: z.string().optional(),
  tool_calls: z.array(ScriptedCall).max(1000).optional(),
  status: z.number().int().min(200).max(599).optional(),
  /** Seconds in the `retry-after` header; defaults to 1 for a 429 or 503. */
  retry_after: z.number().nonnegative().optional(),
  delay_ms: z.number().nonnegative().max(600_000).optional(),
  /** Delay before each chunk of a stream except the first, like a slow model. */
  chunk_delay_ms: z.number().nonnegative().max(600_000).optional(),
  raw: z.union([z.string(), Raw]).optional(),
  /** Fills placeholders in text and arguments from the request; see script.ts. */
  fill: z.boolean().optional(),
});
export type Reply = z.infer<typeof Reply>;

const Rule = z.strictObject({
  when: z
    .strictObject({
      /** Matches the newest user message; case does not matter, here and below. */
      contains: z.string().optional(),
      /** Matches the system prompt. */
      system: z.string().optional(),
      /** Matches a tool result at the end of the request; the empty text matches any. */
      tool_result: z.string().optional(),
    })
    .default({}),
  reply: Reply,
  times: z.number().int().positive().optional(),
});
export type ScriptedRule = z.infer<typeof Rule>;
/** A rule as it is written: fields with a default are optional. */
export type RuleInput = z.input<typeof Rule>;

export const RulesBody = z.strictObject({ rules: z.array(Rule).max(1000) });

const Person = z.strictObject({
  name: z.string().min(1),
  id: z.string().min(1),
  aliases: z.array(z.string().min(1)).optional(),
});
export type KnownPerson = z.infer<typeof Person>;

const KNOWLEDGE_FIELDS = {
  /** People the attacker can name, besides those whose ids are in the request. */
  people: z.array(Person).max(1000).optional(),
  /** The account's owner: an attack may use this name. */
  owner: Person.optional(),
  /** The attacker's own number: "give my number access". */
  sender: z.string().optional(),
};
export const TraitorKnowledge = z.strictObject(KNOWLEDGE_FIELDS);
export type TraitorKnowledge = z.infer<typeof TraitorKnowledge>;
export const TraitorBody = z.strictObject({ on: z.boolean(), ...KNOWLEDGE_FIELDS });
