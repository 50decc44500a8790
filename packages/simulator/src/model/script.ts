// The script: decides which rule answers a request. Invariant: the first match wins; a rule with `times` answers at
// most that often; without it, a rule never repeats calls that this turn has already made, so a scripted call cannot
// loop.
import type { ChatRequest, Reply, ScriptedCall, ScriptedRule } from './schemas.ts';
import {
  callsOfTurn,
  contextText,
  endingToolResults,
  newestUserText,
  systemText,
} from './transcript.ts';

const MAX_RULES = 1000;

interface Script {
  /** A later batch is tried before earlier ones. False if it would exceed the limit. */
  add(batch: readonly ScriptedRule[]): boolean;
  clear(): void;
  answer(request: ChatRequest): Reply | undefined;
}

export function createScript(): Script {
  let rules: { rule: ScriptedRule; used: number }[] = [];
  return {
    add(batch) {
      const kept = rules.filter(({ rule, used }) => used < (rule.times ?? Infinity));
      if (kept.length + batch.length > MAX_RULES) return false;
      rules = [...batch.map((rule) => ({ rule, used: 0 })), ...kept];
      return true;
    },
    clear() {
      rules = [];
    },
    answer(request) {
      const entry = rules.find(
        ({ rule, used }) => used < (rule.times ?? Infinity) && matches(rule, request),
      );
      if (!entry) return undefined;
      entry.used += 1;
      return entry.rule.reply;
    },
  };
}

const holds = (text: string, wanted: string): boolean =>
  text.toLowerCase().includes(wanted.toLowerCase());

function matches(rule: ScriptedRule, request: ChatRequest): boolean {
  const { contains, system, tool_result } = rule.when;
  if (contains !== undefined && !holds(newestUserText(request), contains)) return false;
  if (system !== undefined && !holds(systemText(request), system)) return false;
  if (tool_result !== undefined) {
    return endingToolResults(request).some((result) => holds(result, tool_result));
  }
  return rule.times !== undefined || !repeats(rule.reply, request);
}

function repeats({ tool_calls = [] }: Reply, request: ChatRequest): boolean {
  const made = callsOfTurn(request).map((call) => `${call.name} ${call.arguments}`);
  return (
    tool_calls.length > 0 &&
    tool_calls.every((call) => made.includes(`${call.name} ${argumentsText(call)}`))
  );
}

/** The arguments as they are sent. */
export const argumentsText = (call: { arguments: string | Record<string, unknown> }): string =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);

// Fills placeholders in a reply from the request, plain or encoded. `{{prompt}}` is all of it, `{{context}}` the
// conversation, `{{result:N}}` the result of the turn's Nth call; `{{repeat:A:1000}}` is long; `|base64` and the like
// choose an encoding. Invariant: only a reply with `fill` is filled, and inserted text is not filled again.

const PLACEHOLDER = /\{\{(prompt|context|result|repeat)(?::([^}|]*))?(?:\|(\w+))?\}\}/g;

const characters = (text: string): string[] => [...text];

/** Encodings that hide a text from a search for it. */
export const TEXT_DISGUISES = {
  base64: (text: string) => Buffer.from(text).toString('base64'),
  hex: (text: string) => Buffer.from(text).toString('hex'),
  reversed: (text: string) => characters(text).reverse().join(''),
  spaced: (text: string) => characters(text).join(' '),
  invisible: (text: string) => characters(text).join('\u200b'),
  url: (text: string) => encodeURIComponent(text.toWellFormed()),
} as const satisfies Record<string, (text: string) => string>;

export type TextDisguise = keyof typeof TEXT_DISGUISES;

export function fillReply(reply: Reply, request: ChatRequest): Reply {
  if (!reply.fill) return reply;
  const fill = (text: string) => fillText(text, request);
  return {
    ...reply,
    ...(reply.text !== undefined && { text: fill(reply.text) }),
    ...(reply.tool_calls && { tool_calls: reply.tool_calls.map((call) => fillCall(call, fill)) }),
  };
}

function fillText(text: string, request: ChatRequest): string {
  return text.replace(PLACEHOLDER, (_, name: string, rest = '', form = '') => {
    const plain = placeholderValue(name, rest, request);
    return Object.hasOwn(TEXT_DISGUISES, form)
      ? TEXT_DISGUISES[form as TextDisguise](plain)
      : plain;
  });
}

function placeholderValue(name: string, rest: string, request: ChatRequest): string {
  switch (name) {
    case 'prompt':
      return `${systemText(request)}\n${contextText(request)}`;
    case 'context':
      return contextText(request);
    case 'result':
      return callsOfTurn(request)[Number(rest)]?.result ?? '';
    default: {
      const cut = rest.lastIndexOf(':');
      return rest.slice(0, cut).repeat(Number(rest.slice(cut + 1)));
    }
  }
}

const fillCall = (call: ScriptedCall, fill: (text: string) => string): ScriptedCall => ({
  name: call.name,
  arguments: fillValue(call.arguments, fill) as ScriptedCall['arguments'],
});

function fillValue(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, fill));
  if (typeof value !== 'object' || value === null) return value;
  // `__proto__` is an ordinary name here: an attack may use it.
  const filled = Object.entries(value).map(
    ([key, inner]) => [key, fillValue(inner, fill)] as const,
  );
  return Object.fromEntries(filled);
}
