// A real model engine (llama.cpp with a model of 260,000 parameters) as the actor of the scripted model server. The model
// cannot follow instructions: it writes fragments of stories, and tool calls whose form is right and whose content is
// nonsense. Installed by `scripts/engine`; tests leave it out where it is missing.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ChatRequest, Reply } from '@relay/simulator/model/schemas';

const FOLDER = join(import.meta.dirname, '../engine');
const ENGINE = join(FOLDER, 'node_modules/node-llama-cpp/dist/index.js');
const MODEL = join(FOLDER, 'stories260K.gguf');

export const hasEngine = (): boolean => existsSync(ENGINE);

/** What is used of node-llama-cpp, which is not part of the workspace. */
interface EngineModule {
  getLlama(options: {
    gpu: false;
    maxThreads: number;
    build: 'never';
    logLevel: 'error';
  }): Promise<Llama>;
  readonly LlamaCompletion: new (options: { contextSequence: Sequence }) => Completion;
}
interface Llama {
  loadModel(options: { modelPath: string }): Promise<{
    createContext(options: { contextSize: number; threads: number }): Promise<{
      getSequence(): Sequence;
    }>;
  }>;
  createGrammarForJsonSchema(schema: object): Promise<object>;
  dispose(): Promise<void>;
}
interface Sequence {
  clearHistory(): Promise<void>;
}
interface Completion {
  generateCompletion(
    text: string,
    options: { maxTokens: number; temperature: number; seed: number; grammar?: object },
  ): Promise<string>;
}

export interface EngineCounts {
  texts: number;
  toolCalls: number;
  /** Arguments that are not JSON, because the engine was stopped within them. */
  broken: number;
  unknownTools: number;
  cut: number;
  tokens: number;
}

export interface Engine {
  /** Answers one request of an agent. One at a time: the engine has one context. */
  reply(request: ChatRequest): Promise<Reply>;
  readonly counts: Readonly<EngineCounts>;
  close(): Promise<void>;
}

const CONTEXT_TOKENS = 512;
const TEXT_TOKENS = 24;
const CALL_TOKENS = 96;

/** Half of the recipients in its calls are taken from `people`; the others are nonsense like everything else. */
export async function openEngine(
  random: () => number,
  people: readonly string[] = [],
): Promise<Engine> {
  const { getLlama, LlamaCompletion }: EngineModule = await import(pathToFileURL(ENGINE).href);
  // More threads than processors made the generation hang.
  const llama = await getLlama({ gpu: false, maxThreads: 1, build: 'never', logLevel: 'error' });
  const model = await llama.loadModel({ modelPath: MODEL });
  const context = await model.createContext({ contextSize: CONTEXT_TOKENS, threads: 1 });
  const sequence = context.getSequence();
  const completion = new LlamaCompletion({ contextSequence: sequence });
  const counts = { texts: 0, toolCalls: 0, broken: 0, unknownTools: 0, cut: 0, tokens: 0 };
  const grammars = new Map<string, Promise<object>>();

  async function generate(maxTokens: number, schema?: object): Promise<string> {
    await sequence.clearHistory();
    const key = JSON.stringify(schema);
    if (schema !== undefined && !grammars.has(key)) {
      grammars.set(key, llama.createGrammarForJsonSchema(schema));
    }
    const grammar = await grammars.get(key);
    counts.tokens += maxTokens;
    return completion.generateCompletion(pick(BEGINNINGS, random), {
      maxTokens,
      temperature: 1.2,
      seed: Math.floor(random() * 2 ** 31),
      ...(grammar === undefined ? {} : { grammar }),
    });
  }

  async function callTool(tools: NonNullable<ChatRequest['tools']>): Promise<Reply> {
    const { function: tool } = pick(tools, random);
    const known = random() < 0.5 ? people : [];
    const text = await generate(CALL_TOKENS, simpleSchema(Object(tool.parameters), known));
    counts.toolCalls += 1;
    if (!isJson(text)) counts.broken += 1;
    const isUnknown = random() < 0.05;
    if (isUnknown) counts.unknownTools += 1;
    return { tool_calls: [{ name: isUnknown ? `${tool.name}_now` : tool.name, arguments: text }] };
  }

  let last: Promise<unknown> = Promise.resolve();
  const answer = async (request: ChatRequest): Promise<Reply> => {
    const { tools = [] } = request;
    const chance = random();
    if (chance < 0.03) {
      counts.cut += 1;
      return { raw: { body: await generate(TEXT_TOKENS), cut: true } };
    }
    if (chance < 0.06) return { raw: await generate(TEXT_TOKENS) };
    if (tools.length > 0 && chance < 0.85) return callTool(tools);
    counts.texts += 1;
    return { text: await generate(TEXT_TOKENS) };
  };
  return {
    counts,
    reply(request) {
      const mine = last.then(() => answer(request));
      last = mine.catch(() => {});
      return mine;
    },
    async close() {
      await last;
      await llama.dispose();
    },
  };
}

const RECIPIENT = /^(to|who|chat|contact|recipient|phone|number|target)/i;

const BEGINNINGS = ['Once upon a time', 'The dog said', 'Lily wanted to', '"No!" said', 'One day'];

const pick = <T>(among: readonly T[], random: () => number): T => {
  const one = among[Math.floor(random() * among.length)];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Strings are short, so that most calls end within their tokens; what a grammar cannot express is left out. */
function simpleSchema(
  schema: Record<string, unknown>,
  people: readonly string[],
  name = '',
): object {
  const { type, properties, items, enum: values, const: only, anyOf, oneOf } = schema;
  if (only !== undefined) return { const: only };
  if (Array.isArray(values)) return { enum: values };
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices))
    return { oneOf: choices.map((one) => simpleSchema(Object(one), people, name)) };
  if (type === 'object' || properties !== undefined) {
    const fields = Object.entries(Object(properties)).map(([field, one]) => [
      field,
      simpleSchema(Object(one), people, field),
    ]);
    return { type: 'object', properties: Object.fromEntries(fields) };
  }
  if (type === 'array')
    return { type: 'array', items: simpleSchema(Object(items), people, name), maxItems: 2 };
  if (type === 'integer' || type === 'number' || type === 'boolean' || type === 'null')
    return { type };
  if (people.length > 0 && RECIPIENT.test(name)) return { enum: people };
  return { type: 'string', maxLength: 40 };
}
