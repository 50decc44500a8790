// `relay create`: what is asked of the daemon, out of the options and the template. Everything that can
// be known to be wrong is said here, before any request.
import { readFileSync } from 'node:fs';
import { LIMITS } from '@relay/core/conversation/limits';
import { RelayError } from '@relay/core/errors';
import type { Options } from '../command.ts';
import { contactOf, followupsOf, type Given, intervalOf, textOf, textsOf, wrong } from './given.ts';
import type { Template } from './template.ts';

const EXAMPLE =
  'relay create --objective "Get a quote" --contact +491701234567 --todos "Ask for the price"';

export interface NewConversation {
  objective: string;
  target_contact: string;
  todos: { text: string }[];
  facts?: string[];
  heartbeat_config?: { interval_ms?: number; max_followups?: number };
}

export async function requestOf(options: Options): Promise<NewConversation> {
  const template = await templateOf(options);
  const objective = flag(options, '--objective') ?? template.objective;
  const contact = flag(options, '--contact') ?? template.contact;
  const missing = [
    ...(objective === undefined ? ['--objective'] : []),
    ...(contact === undefined ? ['--contact'] : []),
  ];
  if (objective === undefined || contact === undefined) {
    throw new RelayError('usage', {
      what: `Missing: ${missing.join(' and ')}. For example: \`${EXAMPLE}\`.`,
    });
  }
  const todos = stepsOf(options) ?? template.todos ?? [];
  const facts = flags(options, '--fact') ?? template.facts ?? [];
  const heartbeat = flag(options, '--heartbeat') ?? template.heartbeat;
  const followups = flag(options, '--max-followups') ?? template.max_followups;
  return {
    objective: textOf(objective, LIMITS.objective),
    target_contact: contactOf(contact),
    todos: textsOf(todos, LIMITS.todos, LIMITS.todo).map((text) => ({ text })),
    ...(facts.length === 0 ? {} : { facts: textsOf(facts, LIMITS.facts, LIMITS.fact) }),
    ...(heartbeat === undefined && followups === undefined
      ? {}
      : {
          heartbeat_config: {
            ...(heartbeat === undefined ? {} : { interval_ms: intervalOf(heartbeat) }),
            ...(followups === undefined ? {} : { max_followups: followupsOf(followups) }),
          },
        }),
  };
}

type Flag = `--${string}`;

/** `--max-followups` is `maxFollowups` to the parser. */
const nameOf = (name: Flag): string =>
  name.slice(2).replace(/-(\w)/g, (_whole, letter: string) => letter.toUpperCase());

function flag(options: Options, name: Flag): Given | undefined {
  const value = options[nameOf(name)];
  return typeof value === 'string' ? { text: value, where: name } : undefined;
}

function flags(options: Options, name: Flag): Given[] | undefined {
  const values = options[nameOf(name)];
  if (!Array.isArray(values)) return undefined;
  return values.map((text: string) => ({ text, where: name }));
}

function stepsOf(options: Options): Given[] | undefined {
  const given = flags(options, '--todos');
  const file = flag(options, '--todos-file');
  if (given === undefined && file === undefined) return undefined;
  const steps = (given ?? []).flatMap((one) =>
    one.text.startsWith('@') ? linesOf(one.text.slice(1), one.where) : [one],
  );
  return [...steps, ...(file === undefined ? [] : linesOf(file.text, file.where))];
}

function linesOf(file: string, where: string): Given[] {
  return read(file, where)
    .split('\n')
    .map((text, index) => ({ text: text.trim(), where: `${file}, line ${index + 1}` }))
    .filter(({ text }) => text !== '');
}

function read(file: string, where: string): string {
  try {
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch {
    throw wrong(where, `${file} cannot be read.`);
  }
}

async function templateOf(options: Options): Promise<Template> {
  const file = flag(options, '--template');
  const values = valuesOf(flags(options, '--set') ?? []);
  if (file === undefined) {
    if (values.size === 0) return {};
    throw wrong('--set', 'it fills in a template; name one with `--template`.');
  }
  // What reads YAML is loaded for those who use it.
  const { fill, placeholders, readTemplate } = await import('./template.ts');
  const template = readTemplate(read(file.text, file.where), file.text);
  const known = placeholders(template);
  for (const name of values.keys()) {
    if (!known.has(name)) throw wrong('--set', `there is no {{${name}}} in ${file.text}.`);
  }
  // What an option takes the place of need not be filled in.
  const overridden: readonly [Flag, keyof Template][] = [
    ['--objective', 'objective'],
    ['--contact', 'contact'],
    ['--todos', 'todos'],
    ['--todos-file', 'todos'],
    ['--fact', 'facts'],
    ['--heartbeat', 'heartbeat'],
    ['--max-followups', 'max_followups'],
  ];
  const idle = new Set<string>(
    overridden.flatMap(([name, key]) => (options[nameOf(name)] === undefined ? [] : [key])),
  );
  return Object.fromEntries(
    Object.entries(template as Record<string, Given | Given[]>)
      .filter(([key]) => !idle.has(key))
      .map(([key, given]) => [
        key,
        Array.isArray(given) ? given.map((one) => fill(one, values)) : fill(given, values),
      ]),
  );
}

function valuesOf(given: readonly Given[]): Map<string, string> {
  return new Map(
    given.map(({ text, where }) => {
      const [, name, value] = /^([\w-]+)=(.*)$/s.exec(text) ?? [];
      if (name === undefined || value === undefined) throw wrong(where, 'write it as name=value.');
      return [name, value];
    }),
  );
}
