// Finds words and patterns that need decoding, in everything people read: the console's texts, help texts, errors,
// reasons, log messages, documentation, comments and test titles.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLI_COMMANDS } from '@relay/cli/catalogue';
import type { CommandSpec } from '@relay/cli/command';
import { ERRORS } from '@relay/contract/errors';
import type { ErrorSpec } from '@relay/contract/errors/spec';
import { REASONS } from '@relay/core/policy/reasons';
import { verifies } from '@relay/testing/verifies';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

const BANNED: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bknock(s|ed|ing)?\b/i, 'message request'],
  [/\b(your|a|the|their|his|her|each|new|another) yes\b/i, 'approval'],
  [/\bsa(y|ys|id) (yes|no)\b/i, 'approve, decline'],
  [/\bran out\b/i, 'expired'],
  [/\btalks done\b/i, 'completed'],
  [/\b(came|comes) in\b(?! (one|two|\d|a|an|the|this|its|order|as)\b)/i, 'received'],
  [/\babout to leave\b/i, 'queued'],
  [/\d messages? (left|leaves?)\b/i, 'sent'],
  [/\banew\b|\bafresh\b/i, 'again'],
  [/\bmend(ed|s|ing)?\b/i, 'fix'],
  [/\bin vain\b/i, 'what failed'],
  [/\bhow-manieth\b/i, 'the nth'],
  [/\bso many are\b/i, 'how many'],
  [/\bword for word\b/i, 'verbatim'],
  [/\bgoes? on\b(?! hold\b)|\bgoing on\b/i, 'continue'],
  [/\b(is|are|was|were|been|be) told\b(?! apart)/i, 'name who is notified'],
  [/\bgone deaf\b|\blets? go\b|\bletting go\b/i, 'what the program does'],
  [/\bof its that\b|\bthose there are\b|\bwhat there is\b/i, 'list what is meant'],
  [/\bso far as\b|\blest\b|\bthereof\b|\bwhence\b|\bhitherto\b/i, 'everyday English'],
  [/" is no [a-z]/, 'is not a valid …'],
  [
    /(?<!here )\b(is|are|was|were) no (?!longer|more|less|different|other|one|such|\w+er\b)[a-z]/i,
    'is not a …',
  ],
  [/\bunless given\b/i, 'default: …'],
  [/\bfor ever\b/i, 'forever, permanently'],
  [/\bin th(is|at) moment\b/i, 'at this moment'],
  [/\b(came|comes?) of (it|them|that)\b/i, 'the result'],
  [/\b(0|exit code) well\b|\bnot understood,/i, 'success, invalid input'],
];

/** Vague in a text that asks somebody to act; plain in a test title: “answers nobody else”. */
const BANNED_ON_SCREEN: typeof BANNED = [[/\b(nobody|whoever)\b/i, 'name the actor']];

interface Text {
  readonly where: string;
  readonly text: string;
}

const problems = (
  { where, text }: Text,
  banned: typeof BANNED = [...BANNED, ...BANNED_ON_SCREEN],
): string[] =>
  banned
    .filter(([pattern]) => pattern.test(text))
    .map(([pattern, instead]) => `${where}: “${text}” has ${pattern}; say: ${instead}`);

const files = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: (name) => /node_modules|dist|fixtures/.test(name) });

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const matches = (pattern: string, expression: RegExp): Text[] =>
  files(pattern).flatMap((file) =>
    Array.from(read(file).matchAll(expression), ([, quoted, other, third]) => ({
      where: file,
      text: quoted ?? other ?? third ?? '',
    })),
  );

const commandTexts = (spec: CommandSpec, path = 'relay'): Text[] => {
  const where = `${path} ${spec.name}`;
  return [
    { where, text: spec.summary },
    { where, text: spec.helpFooter ?? '' },
    ...(spec.arguments ?? []).map(({ summary }) => ({ where, text: summary })),
    ...(spec.options ?? []).map(([, summary]) => ({ where, text: summary })),
    ...(spec.subcommands ?? []).flatMap((one) => commandTexts(one, where)),
  ];
};

const tableTexts = (table: Readonly<Record<string, Pick<ErrorSpec, TextField>>>): Text[] =>
  Object.entries(table).flatMap(([where, { sentence, action = '', actionFor = {} }]) =>
    [sentence, action, ...Object.values(actionFor)].map((text) => ({ where, text })),
  );

type TextField = 'sentence' | 'action' | 'actionFor';

const QUOTED = String.raw`(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|\`((?:[^\`\\]|\\.)*)\`)`;

const ON_SCREEN: Readonly<Record<string, () => Text[]>> = {
  'the console': () =>
    files('packages/web/src/locales/en/*.json').flatMap((file) =>
      Object.entries(JSON.parse(read(file)) as Record<string, string>).map(([key, text]) => ({
        where: `${file} ${key}`,
        text,
      })),
    ),
  'help texts': () => CLI_COMMANDS.flatMap((spec) => commandTexts(spec)),
  errors: () => tableTexts(ERRORS),
  reasons: () => tableTexts(REASONS),
  'log messages': () =>
    matches('packages/*/src/**/*.ts', new RegExp(String.raw`\blog\.\w+\(\s*${QUOTED}`, 'g')),
};

/** Lines of `//`, with those that follow, or a block. */
const COMMENT = /(?:^|\s)\/\/ .*(?:\n\s*\/\/ .*)*|\/\*\*[\s\S]*?\*\//g;

/** Made from texts that are checked where they are written. */
const GENERATED = /contract\/src\/client\/(openapi|tools|webhook-event)\.ts$/;

const IN_SOURCE: Readonly<Record<string, () => Text[]>> = {
  documentation: () =>
    files('{*,docs/**/*,packages/*/*,integrations/**/*,testing/**/*,torture/**/*}.md').flatMap(
      (file) =>
        read(file)
          .split('\n')
          .map((line) => ({ where: file, text: line.replaceAll(/`[^`]*`/g, '') })),
    ),
  comments: () =>
    files('{packages/*/src,testing,scripts,bench,torture}/**/*.{ts,tsx}')
      .filter((file) => !GENERATED.test(file))
      .flatMap((file) =>
        Array.from(read(file).matchAll(COMMENT), ([comment]) => ({
          where: file,
          text: comment.replaceAll(/\s*\n\s*(?:\/\/|\*) ?/g, ' '),
        })),
      ),
  'test titles': () =>
    matches(
      '{packages/*/src,testing,scripts,bench,torture,requirements}/**/*.test.ts',
      new RegExp(String.raw`\b(?:test|it|describe)(?:\.\w+)*\(\s*${QUOTED}`, 'g'),
    ),
};

describe('plain language', () => {
  test.each(Object.entries(ON_SCREEN))('%s: nothing has to be decoded', (_name, list) => {
    verifies('WORDS-PLAIN');
    const texts = list();
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.flatMap((text) => problems(text))).toEqual([]);
  });

  test.each(Object.entries(IN_SOURCE))('%s: nothing has to be decoded', (_name, list) => {
    const texts = list();
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.flatMap((text) => problems(text, BANNED))).toEqual([]);
  });

  test.each([
    '1 person knocked; nobody read them.',
    'Nothing waits for your yes.',
    '16 came in',
    '"abc" is no id.',
    'Choose another and mend it',
    'It is no error',
    '50 unless given',
    '3 messages left in the last 24 hours',
  ])('the check finds “%s”', (text) => {
    expect(problems({ where: 'sample', text })).not.toEqual([]);
  });
});
