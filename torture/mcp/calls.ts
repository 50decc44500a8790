// Creates tool calls from the schemas that the daemon lists: valid ones, odd ones that may be valid, and invalid ones.
// Each contains a unique mark, so that its effects can be found in the database.
import type { ListedTool } from '@relay/contract/api/tools';
import { chance, ODD_NAMES, ODD_TEXTS, oddJson, pick, type Random } from './values.ts';

export type Kind = 'valid' | 'odd' | 'broken';

export interface FuzzCall {
  readonly kind: Kind;
  readonly mark: string;
  readonly tool: string;
  /** JSON text. */
  readonly args: string;
}

/** Ids that valid calls can name. */
export interface KnownIds {
  readonly people: readonly [string, ...string[]];
  readonly conversation: string;
  readonly message: string;
  /** Created by valid calls; some are cancelled. */
  readonly schedules: string[];
}

type Args = Record<string, unknown>;

const VALID: Readonly<Record<string, (random: Random, mark: string, known: KnownIds) => Args>> = {
  authenticate_qr: () => ({}),
  get_chats: (random) => (chance(random, 0.5) ? {} : { unread_only: chance(random, 0.5) }),
  send_message: (random, mark, { people }) => ({ chat_id: pick(random, people), message: mark }),
  read_messages: (random, _mark, { people }) => ({
    chat_id: pick(random, people),
    limit: 1 + Math.floor(random() * 20),
  }),
  search_messages: (random) => ({ query: pick(random, ['hello', 'dinner', '"a phrase"']) }),
  summarize_chat: (random, _mark, { people }) => ({ chat_id: pick(random, people) }),
  get_digest: () => ({}),
  list_permissions: () => ({}),
  why: (_random, _mark, { message }) => ({ id: message }),
  create_conversation: (random, mark, { people }) => ({
    chat_id: pick(random, people),
    objective: mark,
  }),
  list_conversations: () => ({ limit: 10 }),
  get_conversation: (_random, _mark, { conversation }) => ({ id: conversation }),
  control_conversation: (random, _mark, { conversation }) => ({
    id: conversation,
    action: pick(random, ['pause', 'resume']),
  }),
  schedule_message: (random, mark, { people }) => ({
    chat_id: pick(random, people),
    message: mark,
    time: '09:00',
    date: new Date(Date.now() + 300 * 86_400_000).toISOString().slice(0, 10),
  }),
  list_schedules: () => ({}),
  cancel_schedule: (_random, _mark, { schedules }) => ({
    id: schedules.shift() ?? '00000000-0000-4000-8000-000000000000',
  }),
};

export const unknownTo = (tools: readonly ListedTool[]): string[] =>
  tools.map(({ name }) => name).filter((name) => VALID[name] === undefined);

/** A mark of one kind cannot be mistaken for another kind, nor for part of a longer mark. */
const SIGN: Readonly<Record<Kind, string>> = { valid: 'v', odd: 'o', broken: 'b' };

/** `shape` is the form of the arguments; `kind` is the effect it may have where it is sent. */
export function makeCall(
  random: Random,
  n: number,
  tool: ListedTool,
  shape: Kind,
  known: KnownIds,
  kind: Kind = shape,
): FuzzCall {
  const mark = `zq${SIGN[kind]}${n}q`;
  const args = VALID[tool.name]?.(random, mark, known) ?? {};
  const text = { valid: asIs, odd: madeOdd, broken: madeWrong }[shape](random, args, tool, mark);
  return { kind, mark, tool: tool.name, args: text };
}

const asIs = (_random: Random, args: Args): string => JSON.stringify(args);

/** One text contains something unusual, or a name appears twice. */
function madeOdd(random: Random, args: Args, _tool: ListedTool, mark: string): string {
  const texts = Object.entries(args).filter(([, value]) => typeof value === 'string');
  const [name] = texts[Math.floor(random() * texts.length)] ?? ['__proto__'];
  const odd = pick(random, ODD_TEXTS);
  const value = args[name] === mark ? `${mark}${odd}` : odd;
  const whole = JSON.stringify(args).slice(1, -1);
  const more = `${JSON.stringify(name)}:${JSON.stringify(value)}`;
  return chance(random, 0.1)
    ? `{${more}${whole === '' ? '' : `,${whole}`}}`
    : JSON.stringify(Object.fromEntries([...Object.entries(args), [name, value]]));
}

interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly maxLength?: number;
  readonly maximum?: number;
}

/** Invalid by the schema, whatever else is valid. */
function madeWrong(random: Random, args: Args, { input }: ListedTool, mark: string): string {
  const { properties = {}, required = [] } = input as {
    properties?: Record<string, Shape>;
    required?: string[];
  };
  const names = Object.keys(properties);
  const name = names[Math.floor(random() * names.length)];
  const shape = name === undefined ? undefined : properties[name];
  const dice = random();
  if (dice < 0.1) return pick(random, ['[]', '7', 'true', `"${mark}"`, `["${mark}"]`] as const);
  if (dice < 0.35 && required.length > 0) {
    const missing = required[Math.floor(random() * required.length)] ?? '';
    const { [missing]: _gone, ...rest } = args;
    return JSON.stringify(rest);
  }
  if (dice < 0.75 && name !== undefined && shape !== undefined) {
    return textOf({ ...args, [name]: undefined }, [name, wrongFor(random, shape)]);
  }
  const extra = pick(random, ODD_NAMES.slice(1) as [string, ...string[]]);
  return textOf(args, [extra, oddJson(random)]);
}

/** Undefined values are omitted, as in JSON. */
function textOf(args: Args, [name, json]: readonly [string, string]): string {
  const whole = JSON.stringify(args).slice(1, -1);
  return `{${whole === '' ? '' : `${whole},`}${JSON.stringify(name)}:${json}}`;
}

function wrongFor(random: Random, shape: Shape): string {
  if (shape.maxLength !== undefined && chance(random, 0.3)) {
    return JSON.stringify('x'.repeat(shape.maxLength + 1 + Math.floor(random() * 100_000)));
  }
  if (shape.maximum !== undefined && chance(random, 0.3)) return String(shape.maximum + 1);
  const right = shape.type ?? (shape.enum === undefined ? 'any' : 'enum');
  const wrong: Readonly<Record<string, readonly [string, ...string[]]>> = {
    string: ['7', 'true', '{}', '["x"]', 'null', '{"toString":"x"}', '{"length":3}'],
    integer: ['"7"', '1.5', '{}', '[]', 'true', 'null', '1e400'],
    number: ['"7"', '{}', '[]', 'true'],
    boolean: ['"yes"', '1', '{}', '[]', 'null'],
    array: ['"x"', '{}', '7', '{"length":1,"0":"x"}'],
    object: ['"x"', '[]', '7', 'true'],
  };
  return pick(random, wrong[shape.enum === undefined ? right : 'object'] ?? ['{"__proto__":[]}']);
}
