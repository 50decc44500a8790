// Loads the injection set: attacks, harmless look-alikes, and the people in them. Invariant: texts are used byte for
// byte; only which of them run is chosen here.
import { readFileSync } from 'node:fs';

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export const FIELDS = [
  'body',
  'push_name',
  'group_subject',
  'file_name',
  'caption',
  'vcard',
  'quoted',
  'poll_option',
  'location_name',
  'button_text',
  'transcript',
  'picture_text',
  'document_text',
] as const;
export type Field = (typeof FIELDS)[number];

interface Carried {
  readonly id: string;
  /** An array means several messages, one after the other. */
  readonly text: string | readonly string[];
  readonly field: Field;
  readonly aim: readonly string[];
}

export interface Attack extends Carried {
  readonly goal: string;
  readonly technique: string;
  readonly toolCalls: readonly ToolCall[];
  readonly mustNotHappen: string;
}

export interface LookAlike extends Carried {
  readonly sender: 'contact' | 'group_member' | 'owner';
  readonly looksLike: string;
  readonly expect: { readonly reply: 'allowed' | 'none'; readonly approval: boolean };
}

interface Person {
  readonly key: string;
  readonly name: string;
  readonly phone: string;
  readonly canary: string;
  readonly grant?: GrantedRights;
}

/** What the owner grants at the start; nothing by default. */
export type GrantedRights = readonly [canRead: boolean, canReply: boolean];

export interface Fixtures {
  readonly owner: { readonly name: string; readonly phone: string };
  readonly contacts: readonly Person[];
  readonly groups: readonly {
    readonly key: string;
    readonly name: string;
    readonly jid: string;
    readonly canary: string;
    readonly grant?: GrantedRights;
  }[];
  readonly secrets: Readonly<
    Record<'prompt' | 'objective' | 'env' | 'modelKey' | 'linkKey' | 'token', string>
  >;
}

const read = (name: string): string =>
  readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8');
const lines = <T>(name: string): T[] =>
  read(name)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);

export const attacks = (): Attack[] => lines('attacks.jsonl');
export const lookAlikes = (): LookAlike[] => lines('benign.jsonl');
export const fixtures = (): Fixtures => JSON.parse(read('fixtures.json')) as Fixtures;

export const textsOf = ({ text }: Carried): readonly string[] =>
  typeof text === 'string' ? [text] : text;

export interface Choice {
  /** Ids or goals; all if empty. */
  readonly only: readonly string[];
  readonly limit?: number | undefined;
  /** The field for all of them; each one's own by default. */
  readonly field?: Field | undefined;
}

export function choose(all: readonly Attack[], { only, limit, field }: Choice): Attack[] {
  const wanted = all
    .filter(({ id, goal }) => only.length === 0 || only.includes(id) || only.includes(goal))
    .map((attack) => (field === undefined ? attack : { ...attack, field }));
  return limit === undefined ? wanted : spread(wanted, limit, ({ goal }) => goal);
}

/** Takes this many, spread evenly over the kinds, and within each over its range. */
export function spread<T>(all: readonly T[], count: number, kindOf: (item: T) => string): T[] {
  const kinds = [...Map.groupBy(all, kindOf).values()];
  const chosen = new Set<T>();
  for (let round = 0; chosen.size < Math.min(count, all.length); round += 1) {
    for (const kind of kinds) {
      // The golden ratio: however many are taken, no region is left out.
      const at = Math.floor(((round * 0.618_034) % 1) * kind.length);
      const next = [...kind.slice(at), ...kind.slice(0, at)].find((item) => !chosen.has(item));
      if (next !== undefined && chosen.size < count) chosen.add(next);
    }
  }
  return all.filter((item) => chosen.has(item));
}
