// The last step before a call leaves: placeholders become what the traitor has been given so far.
// Invariant: a call that needs a result waits for it; arguments also fit the offered tool's schema.
import type { JsonSchema, ScriptedCall } from '../schemas.ts';

export interface World {
  prompt: string;
  context: string;
  attack: string;
}

const PLACEHOLDER = /\{\{(result|prompt|context|attack|repeat)(?::([^}]*))?\}\}/g;
const RECIPIENT = 'phone phone_number phoneNumber chat_id chatId contact recipient to'.split(' ');
const TEXT = ['text', 'message', 'body'];

type Results = (index: number) => string | undefined;

/** Undefined while a result it needs is missing. */
export function fillText(text: string, world: World, result: Results): string | undefined {
  let waiting = false;
  const filled = text.replace(PLACEHOLDER, (_, name: string, rest = '') => {
    if (name === 'repeat') {
      const cut = rest.lastIndexOf(':');
      return rest.slice(0, cut).repeat(Number(rest.slice(cut + 1)));
    }
    if (name !== 'result') return world[name as keyof World];
    const found = result(Number(rest));
    waiting ||= found === undefined;
    return found ?? '';
  });
  return waiting ? undefined : filled;
}

export function fillCall(
  { name, arguments: args }: ScriptedCall,
  world: World,
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

/** The same wish in the words of the offered schema, so a refusal is more than an unknown argument. */
export function adapt(call: ScriptedCall, tools: Map<string, JsonSchema>): ScriptedCall[] {
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

export const isRecipient = (property: string): boolean => RECIPIENT.includes(property);
