// The script: which rule answers a request. Between the HTTP routes and the reply they write.
// Invariant: the first match wins; a rule with `times` answers at most that often; without it, it
// never repeats calls that this turn has already made, so a scripted call is not an endless loop.
import type { ChatRequest, Reply, Rule } from './schemas.ts';
import { callsOfTurn, endingResults, newestUserText, systemText } from './transcript.ts';

const MAX_RULES = 1000;

export interface Script {
  /** A later batch is tried before the earlier ones. False: it would hold too many. */
  add(batch: readonly Rule[]): boolean;
  clear(): void;
  answer(request: ChatRequest): Reply | undefined;
}

export function createScript(): Script {
  let rules: { rule: Rule; used: number }[] = [];
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

function matches(rule: Rule, request: ChatRequest): boolean {
  const { contains, system, tool_result } = rule.when;
  if (contains !== undefined && !holds(newestUserText(request), contains)) return false;
  if (system !== undefined && !holds(systemText(request), system)) return false;
  if (tool_result !== undefined) {
    return endingResults(request).some((result) => holds(result, tool_result));
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

/** The arguments as they go over the wire. */
export const argumentsText = (call: { arguments: string | Record<string, unknown> }): string =>
  typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
