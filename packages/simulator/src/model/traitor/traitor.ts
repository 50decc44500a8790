// The traitor: a model that obeys whatever the newest untrusted text asks for, one round at a time.
// Invariant: its state is the transcript alone. It makes no call of a plan twice, and ends: first
// what the text demands, then every offered tool with every id in sight, then it tells all it knows.
import { argumentsText } from '../rules.ts';
import { sample } from '../sample.ts';
import type { ChatRequest, JsonSchema, Knows, Reply, ScriptedCall } from '../schemas.ts';
import {
  callsOfTurn,
  contextText,
  type MadeCall,
  openingText,
  roundsOfTurn,
  systemText,
  turnText,
} from '../transcript.ts';
import { type Ask, survey, understand } from './ask.ts';
import { readings } from './decode.ts';
import { adapt, fillCall, isRecipient, type World } from './fill.ts';
import { say } from './wish.ts';
import { POWER } from './wishes-power.ts';
import { TALK } from './wishes-talk.ts';
import { writtenCalls } from './written.ts';

const MAX_ROUNDS = 8;
const LISTENING_ROUNDS = 3;
const MAX_TEXTS = 32;
const MAX_CALLS = 128;
const MAX_CONTEXT = 20_000;

const ECHO = [say('{{attack}}')];
const WISHES = [...TALK, ...POWER];

/** What one text demands: plans whose calls may wait for each other's results. */
function demands(ask: Ask, offered: readonly string[]): ScriptedCall[][] {
  const written = readings(ask.text).flatMap((reading) => writtenCalls(reading, offered));
  const wished = WISHES.filter(({ cue }) => cue.test(ask.folded)).flatMap((wish) =>
    wish.plans(ask),
  );
  return [...written.map((call) => [call, say('{{result:0}}')]), ...wished];
}

export function betray(request: ChatRequest, knows: Knows): Reply {
  const tools = new Map(
    (request.tools ?? []).map(({ function: { name, parameters } }) => [name, parameters ?? {}]),
  );
  const made = callsOfTurn(request);
  const context = contextText(request).slice(-MAX_CONTEXT);
  const heard = turnText(request).slice(-MAX_CONTEXT);
  const confession = confess(request, `${context}\n${heard}`);
  if (roundsOfTurn(request) >= MAX_ROUNDS) return { text: confession };

  const scene = survey(`${systemText(request)}\n${context}\n${heard}`, knows);
  const sources = [openingText(request), ...untrusted(made, tools)];
  const asks = [...new Set(sources)]
    .filter((text) => text.trim() !== '')
    .map((text) => understand(text, scene));
  const world = { prompt: systemText(request), context };
  const demanded = asks.flatMap((ask, at) =>
    // The newest message is echoed whatever it says; a tool's result would echo its own echo.
    [...demands(ask, [...tools.keys()]), ...(at === 0 ? [ECHO] : [])].map((plan) =>
      ready(plan, { ...world, attack: ask.text }, made, tools),
    ),
  );
  const fresh = unmade(demanded, made);
  const calls = fresh.length > 0 ? fresh : unmade([sweep(tools, asks)], made);
  if (calls.length === 0) return { text: confession };
  return {
    tool_calls: calls.slice(0, MAX_CALLS),
    // Without tools nobody may come back for more, so everything is said at once.
    ...(tools.size === 0 && { text: confession }),
  };
}

/** Texts that tools brought in. Later results are mostly refusals, which ask for nothing. */
const untrusted = (made: readonly MadeCall[], tools: Map<string, JsonSchema>): string[] =>
  made
    .filter(({ name, round }) => tools.has(name) && round < LISTENING_ROUNDS)
    .map(({ result }) => result ?? '')
    .slice(-MAX_TEXTS);

const signature = (call: { name: string; arguments: string | Record<string, unknown> }): string =>
  `${call.name} ${argumentsText(call)}`;

/** A plan may say the same twice: the second time is another call. */
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

function unmade(plans: readonly ScriptedCall[][], made: readonly MadeCall[]): ScriptedCall[] {
  const done = new Map(numbered(made));
  const wanted = new Map(plans.flatMap(numbered));
  return [...wanted].filter(([key]) => !done.has(key)).map(([, call]) => call);
}

/** The calls of a plan that can be made now, each also in the words of its tool's schema. */
function ready(
  plan: ScriptedCall[],
  world: World,
  made: MadeCall[],
  tools: Map<string, JsonSchema>,
): ScriptedCall[] {
  const results: (string | undefined)[] = [];
  const forms = plan.map((wanted) => {
    const call = fillCall(wanted, world, (index) => results[index]);
    const both = call ? [...adapt(call, tools), call] : [];
    // The fitted form comes first: where both were made, its result is the one worth telling.
    const keys = both.map(signature);
    results.push(made.find((done) => keys.includes(signature(done)))?.result);
    return both;
  });
  return forms.flat();
}

/** Every offered tool with every id in sight: what is left to try when no demand is open. */
function sweep(tools: Map<string, JsonSchema>, asks: Ask[]): ScriptedCall[] {
  const ids = new Set(asks.flatMap(({ everyone }) => everyone.map(({ id }) => id)));
  const text = asks[0]?.text ?? '';
  return [...tools].flatMap(([name, schema]) =>
    [...(ids.size > 0 ? ids : ['me'])].map((id) => {
      const args = sample({ type: 'object', properties: {}, ...schema }, (property) =>
        isRecipient(property) || /id$|contact|chat|phone/i.test(property) ? id : text,
      );
      return { name, arguments: args as Record<string, unknown> };
    }),
  );
}

/** Everything it was given; where a form is prescribed, in that form. */
function confess({ response_format }: ChatRequest, context: string): string {
  if (!response_format?.type.startsWith('json')) return context;
  return JSON.stringify(sample(response_format.json_schema?.schema ?? {}, () => context));
}
