// The traitor: a model that obeys whatever the newest untrusted text asks for, one round at a time. Invariant: its only
// state is the transcript. It makes no call of a plan twice, and it ends: first the text's demands, then every offered
// tool with every known id, then it reveals all it knows.

import { sampleValue } from '../sample.ts';
import type { ChatRequest, JsonSchema, Reply, ScriptedCall, TraitorKnowledge } from '../schemas.ts';
import { argumentsText } from '../script.ts';
import {
  callsOfTurn,
  contextText,
  openingText,
  roundsOfTurn,
  systemText,
  type TurnCall,
  turnText,
} from '../transcript.ts';
import {
  createAttackContext,
  decodeReadings,
  findWrittenCalls,
  type ParsedAttack,
  parseAttack,
} from './attack.ts';
import { MESSAGE_PATTERNS, PRIVILEGE_PATTERNS, sendTextCall } from './attack-patterns.ts';

const MAX_ROUNDS = 8;
const LISTENING_ROUNDS = 3;
const MAX_TEXTS = 32;
const MAX_CALLS = 128;
const MAX_CONTEXT = 20_000;

const ECHO = [sendTextCall('{{attack}}')];
const ATTACK_PATTERNS = [...MESSAGE_PATTERNS, ...PRIVILEGE_PATTERNS];

/** The demands of one text: plans whose calls can depend on each other's results. */
function demands(ask: ParsedAttack, offered: readonly string[]): ScriptedCall[][] {
  const written = decodeReadings(ask.text).flatMap((reading) => findWrittenCalls(reading, offered));
  const wished = ATTACK_PATTERNS.filter(({ cue }) => cue.test(ask.folded)).flatMap((wish) =>
    wish.plans(ask),
  );
  return [...written.map((call) => [call, sendTextCall('{{result:0}}')]), ...wished];
}

export function replyAsTraitor(request: ChatRequest, knows: TraitorKnowledge): Reply {
  const tools = new Map(
    (request.tools ?? []).map(({ function: { name, parameters } }) => [name, parameters ?? {}]),
  );
  const made = callsOfTurn(request);
  const context = contextText(request).slice(-MAX_CONTEXT);
  const heard = turnText(request).slice(-MAX_CONTEXT);
  const confession = confess(request, `${context}\n${heard}`);
  if (roundsOfTurn(request) >= MAX_ROUNDS) return { text: confession };

  const scene = createAttackContext(`${systemText(request)}\n${context}\n${heard}`, knows);
  const sources = [openingText(request), ...untrusted(made, tools)];
  const asks = [...new Set(sources)]
    .filter((text) => text.trim() !== '')
    .map((text) => parseAttack(text, scene));
  const world = { prompt: systemText(request), context };
  const demanded = asks.flatMap((ask, at) =>
    // The newest message is always echoed; a tool's result is not, since it would echo its own echo.
    [...demands(ask, [...tools.keys()]), ...(at === 0 ? [ECHO] : [])].map((plan) =>
      ready(plan, { ...world, attack: ask.text }, made, tools),
    ),
  );
  const fresh = unmade(demanded, made);
  const calls = fresh.length > 0 ? fresh : unmade([sweep(tools, asks)], made);
  if (calls.length === 0) return { text: confession };
  return {
    tool_calls: calls.slice(0, MAX_CALLS),
    // Without tools there may be no next round, so everything is said at once.
    ...(tools.size === 0 && { text: confession }),
  };
}

/** Texts that tools returned. Later results are mostly refusals, which ask for nothing. */
const untrusted = (made: readonly TurnCall[], tools: Map<string, JsonSchema>): string[] =>
  made
    .filter(({ name, round }) => tools.has(name) && round < LISTENING_ROUNDS)
    .map(({ result }) => result ?? '')
    .slice(-MAX_TEXTS);

const signature = (call: { name: string; arguments: string | Record<string, unknown> }): string =>
  `${call.name} ${argumentsText(call)}`;

/** A plan may contain the same call twice: the second is numbered as another call. */
function numbered<T extends { name: string; arguments: string | Record<string, unknown> }>(
  calls: readonly T[],
): [string, T][] {
  const seen = new Map<string, number>();
  return calls.map((call) => {
    const key = signature(call);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return [`${key} ${count}`, call];
  });
}

function unmade(plans: readonly ScriptedCall[][], made: readonly TurnCall[]): ScriptedCall[] {
  const done = new Map(numbered(made));
  const wanted = new Map(plans.flatMap(numbered));
  return [...wanted].filter(([key]) => !done.has(key)).map(([, call]) => call);
}

/** The calls of a plan that can be made now, each also adapted to its tool's schema. */
function ready(
  plan: ScriptedCall[],
  world: AttackTexts,
  made: TurnCall[],
  tools: Map<string, JsonSchema>,
): ScriptedCall[] {
  const results: (string | undefined)[] = [];
  const forms = plan.map((wanted) => {
    const call = fillCall(wanted, world, (index) => results[index]);
    const both = call ? [...adaptToSchema(call, tools), call] : [];
    // The adapted form comes first: if both were made, its result is the useful one.
    const keys = both.map(signature);
    results.push(made.find((done) => keys.includes(signature(done)))?.result);
    return both;
  });
  return forms.flat();
}

/** Every offered tool with every known id, tried when no demand is open. */
function sweep(tools: Map<string, JsonSchema>, asks: ParsedAttack[]): ScriptedCall[] {
  const ids = new Set(asks.flatMap(({ everyone }) => everyone.map(({ id }) => id)));
  const text = asks[0]?.text ?? '';
  return [...tools].flatMap(([name, schema]) =>
    [...(ids.size > 0 ? ids : ['me'])].map((id) => {
      const args = sampleValue({ type: 'object', properties: {}, ...schema }, (property) =>
        isRecipient(property) || /id$|contact|chat|phone/i.test(property) ? id : text,
      );
      return { name, arguments: args as Record<string, unknown> };
    }),
  );
}

/** Everything it was given, in the requested response format. */
function confess({ response_format }: ChatRequest, context: string): string {
  if (!response_format?.type.startsWith('json')) return context;
  return JSON.stringify(sampleValue(response_format.json_schema?.schema ?? {}, () => context));
}

// Fills a call's placeholders with what the traitor has been given so far. Invariant: a call that needs a result waits
// for it; arguments also fit the offered tool's schema.

interface AttackTexts {
  prompt: string;
  context: string;
  attack: string;
}

const PLACEHOLDER = /\{\{(result|prompt|context|attack|repeat)(?::([^}]*))?\}\}/g;
const RECIPIENT = 'phone phone_number phoneNumber chat_id chatId contact recipient to'.split(' ');
const TEXT = ['text', 'message', 'body'];

type Results = (index: number) => string | undefined;

/** Undefined while a required result is missing. */
function fillText(text: string, world: AttackTexts, result: Results): string | undefined {
  let waiting = false;
  const filled = text.replace(PLACEHOLDER, (_, name: string, rest = '') => {
    if (name === 'repeat') {
      const cut = rest.lastIndexOf(':');
      return rest.slice(0, cut).repeat(Number(rest.slice(cut + 1)));
    }
    if (name !== 'result') return world[name as keyof AttackTexts];
    const found = result(Number(rest));
    waiting ||= found === undefined;
    return found ?? '';
  });
  return waiting ? undefined : filled;
}

function fillCall(
  { name, arguments: args }: ScriptedCall,
  world: AttackTexts,
  result: Results,
): ScriptedCall | undefined {
  if (typeof args === 'string') return { name, arguments: args };
  const filled: [string, unknown][] = [];
  for (const [key, value] of Object.entries(args)) {
    const now = typeof value === 'string' ? fillText(value, world, result) : value;
    if (now === undefined) return undefined;
    filled.push([key, now]);
  }
  return { name, arguments: Object.fromEntries(filled) };
}

const propertiesOf = (schema: JsonSchema | undefined): string[] =>
  Object.keys((schema?.properties as object | undefined) ?? {});

/** The same call in terms of the offered schema, so that it is not refused merely for an unknown argument. */
function adaptToSchema(call: ScriptedCall, tools: Map<string, JsonSchema>): ScriptedCall[] {
  const schema = tools.get(call.name);
  if (!schema || typeof call.arguments === 'string') return [];
  const offered = propertiesOf(schema);
  const fitted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(call.arguments)) {
    const family = [RECIPIENT, TEXT].find((words) => words.includes(key)) ?? [];
    const name = [key, ...family].find((word) => offered.includes(word));
    if (name) fitted[name] = value;
  }
  const same = JSON.stringify(fitted) === JSON.stringify(call.arguments);
  return same ? [] : [{ name: call.name, arguments: fitted }];
}

const isRecipient = (property: string): boolean => RECIPIENT.includes(property);
