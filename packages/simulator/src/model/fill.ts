// A reply that depends on the request: placeholders in its text and arguments become what the model was
// given, plain or disguised. `{{prompt}}` is all of it, `{{context}}` the conversation, `{{result:N}}` what
// the turn's Nth call gave; `{{repeat:A:1000}}` is long; `|base64` and its like say in which form.
// Invariant: only a reply that asks for it is filled, and what is filled in is not filled again.
import type { ChatRequest, Reply, ScriptedCall } from './schemas.ts';
import { callsOfTurn, contextText, systemText } from './transcript.ts';

const PLACEHOLDER = /\{\{(prompt|context|result|repeat)(?::([^}|]*))?(?:\|(\w+))?\}\}/g;

const characters = (text: string): string[] => [...text];

/** How a text may be dressed so that a search for it finds nothing. */
export const FORMS = {
  base64: (text: string) => Buffer.from(text).toString('base64'),
  hex: (text: string) => Buffer.from(text).toString('hex'),
  reversed: (text: string) => characters(text).reverse().join(''),
  spaced: (text: string) => characters(text).join(' '),
  invisible: (text: string) => characters(text).join('\u200b'),
  url: (text: string) => encodeURIComponent(text.toWellFormed()),
} as const satisfies Record<string, (text: string) => string>;

export type Form = keyof typeof FORMS;

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
    const plain = held(name, rest, request);
    return Object.hasOwn(FORMS, form) ? FORMS[form as Form](plain) : plain;
  });
}

function held(name: string, rest: string, request: ChatRequest): string {
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
  // `__proto__` is a name like any other here: an attack may use it.
  const filled = Object.entries(value).map(
    ([key, inner]) => [key, fillValue(inner, fill)] as const,
  );
  return Object.fromEntries(filled);
}
