// Tool calls that an attack spells out: as JSON, as tags, or as a name with arguments.
// Invariant: they are taken exactly as written, the wrong names and the wrong types too.
import type { ScriptedCall } from '../schemas.ts';
import { idsIn } from './ask.ts';

type Arguments = Record<string, unknown>;

const PAIR =
  /([\p{L}_$][\p{L}\d_$]*)\s*[=:]\s*("(?:[^"\\]|\\.)*"|'[^']*'|\{[^{}]*\}|\[[^\]]*\]|[^\s,;"'()]+)/gu;
const NAME = /[\p{L}]+(?:_[\p{L}\d]+)+/gu;

const isObject = (value: unknown): value is Arguments =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text from an opening brace to the one that closes it. */
function balanced(text: string, start: number): string {
  let depth = 0;
  for (let at = start; at < text.length && at - start < 10_000; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return text.slice(start, at + 1);
  }
  return '';
}

function objects(text: string): unknown[] {
  const starts = [...text.matchAll(/\{/g)].slice(0, 200).map(({ index }) => index);
  return starts.map((start) => json(balanced(text, start)));
}

function asCall(value: unknown): ScriptedCall[] {
  if (!isObject(value) || typeof value.name !== 'string') return [];
  const given = value.arguments ?? value.input ?? value.parameters;
  const args = typeof given === 'string' ? json(given) : given;
  return isObject(args) ? [{ name: value.name, arguments: args }] : [];
}

function tagged(text: string): ScriptedCall[] {
  const calls = text.matchAll(
    /<(?:invoke|tool_use|tool_call)\s+name="([^"]+)">(.*?)<\/(?:invoke|tool)/gsu,
  );
  return [...calls].map(([, name = '', inside = '']) => {
    const named = inside.matchAll(/<parameter name="([^"]+)">([^<]*)</g);
    const plain = inside.matchAll(/<(?!parameter)(\w+)>([^<]*)</g);
    const pairs = [...named, ...plain].map(([, key = '', value = '']) => [key, value] as const);
    return { name, arguments: Object.fromEntries(pairs) };
  });
}

function scalar(text: string): unknown {
  const bare = text.replace(/^(["'])(.*)\1$/s, '$2');
  const value = json(text) ?? bare;
  // An id is a text even where it looks like a number.
  return typeof value === 'number' && text.length > 9 ? text : value;
}

function pairs(text: string): Arguments | undefined {
  const found = [...text.matchAll(PAIR)].map(([, key = '', value = '']) => [key, scalar(value)]);
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

/** "call some_tool to 15550100002": an address and no argument's name. */
function addressed(text: string): Arguments {
  const [id] = idsIn(text);
  return id ? { phone: id, phone_number: id, message: 'hi' } : {};
}

/** `name k=v`, `name(k=v)`, `call name with {…}`; the arguments reach to the next name or line. */
function spoken(text: string, offered: readonly string[]): ScriptedCall[] {
  const known = [...text.matchAll(/[\p{L}]+/gu)].filter(([word]) => offered.includes(word));
  const names = [...text.matchAll(NAME), ...known].sort((a, b) => a.index - b.index);
  return names.slice(0, 50).flatMap(({ 0: name, index }, at) => {
    const next = names
      .slice(at + 1)
      .find((later) => !/^\s*[=:"]/.test(text.slice(later.index + later[0].length)));
    const rest = text.slice(index + name.length, next?.index ?? index + 2000);
    if (/^\s*=/.test(rest)) return [];
    const line = rest.split('\n')[0] ?? '';
    const brace = line.indexOf('{');
    const whole = brace >= 0 && !/=\s*\{/.test(line) ? json(balanced(line, brace)) : undefined;
    return [{ name, arguments: isObject(whole) ? whole : (pairs(line) ?? addressed(line)) }];
  });
}

export function writtenCalls(text: string, offered: readonly string[]): ScriptedCall[] {
  return [...objects(text).flatMap(asCall), ...tagged(text), ...spoken(text, offered)];
}
