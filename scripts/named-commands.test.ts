// Every command that a text names, with its options, exists: in the documentation, in errors and in the console.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLI_COMMANDS } from '../packages/cli/src/catalogue.ts';
import type { CommandSpec } from '../packages/cli/src/command.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const TEXTS = [
  '*.md',
  'docs/**/*.md',
  'packages/{contract,core,cli,daemon}/src/**/*.ts',
  'packages/web/src/locales/*/*.json',
];
/** Decisions tell what was true when they were made. */
const EXCEPT = ['docs/decisions/**', 'CHANGELOG.md', '**/*.test.ts', '**/testing/**'];
/** Every command takes them. */
const EVERYWHERE = ['--json', '--help', '--version', '--account', '--no-color'];

const optionsOf = ({ options = [] }: CommandSpec): string[] =>
  options.flatMap(([flags]) => flags.match(/--[a-z-]+/g) ?? []);

/** What is wrong with `relay <words>`, or null. */
function wrongWith(words: readonly string[]): string | null {
  if (words[0] === 'help') return null;
  let command: CommandSpec | undefined;
  let rest = words;
  let choices: readonly CommandSpec[] = CLI_COMMANDS;
  const known = [...EVERYWHERE];
  while (rest[0] !== undefined && choices.length > 0) {
    const next = choices.find(({ name }) => name === rest[0]);
    if (next === undefined) break;
    command = next;
    choices = next.subcommands ?? [];
    known.push(...optionsOf(next));
    rest = rest.slice(1);
  }
  const takesWords = command === undefined || (command.arguments ?? []).length > 0;
  const [word = ''] = rest;
  if (/^[a-z][a-z-]*$/.test(word) && !(command !== undefined && takesWords)) return word;
  return (
    rest.find((one) => /^--[a-z]/.test(one) && !known.includes(one.replace(/=.*/, ''))) ?? null
  );
}

const files = globSync(TEXTS, { cwd: ROOT, exclude: EXCEPT });
const named = files.flatMap((file) => {
  const text = readFileSync(`${ROOT}/${file}`, 'utf8');
  // In a template literal the backticks are escaped.
  const quoted = text.matchAll(/(?<!\\)`relay ([^`\n\\$]+)`|\\`relay ([^`\n]+)\\`/g);
  const shown = file.endsWith('.md') ? text.matchAll(/^ *(?:\$ )?relay ([^\n#|>&]+)/gm) : [];
  return [...quoted, ...shown].map(([, plain, escaped = '']) => ({ file, call: plain ?? escaped }));
});

test('every command that a text names exists, with its options', () => {
  expect(named.length).toBeGreaterThan(500);
  const wrong = named.flatMap(({ file, call }) => {
    const what = wrongWith(call.split(' < ')[0]?.split(/\s+/) ?? []);
    return what === null ? [] : [`${file}: relay ${call} (${what})`];
  });
  expect(wrong).toEqual([]);
});
