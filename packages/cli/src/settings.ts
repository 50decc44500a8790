// What is wrong with a config.json, for `relay doctor`. The daemon judges by the schema; the command does
// without it, because it would load zod for every command. settings.test.ts holds the two together.
import type { Settings } from '@relay/core/settings';

type Rule = readonly [holds: (value: unknown) => boolean, wanted: string];

const TEXT: Rule = [(value) => value === null || typeof value === 'string', 'text'];
const LEVELS: readonly unknown[] = [
  'error',
  'warn',
  'info',
  'debug',
] satisfies Settings['log_level'][];

const RULES: Readonly<Record<keyof Settings, Rule>> = {
  daemon_port: [
    (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535,
    'a whole number up to 65535',
  ],
  model_provider: TEXT,
  model_api_key: TEXT,
  prepared_statements: [(value) => typeof value === 'boolean', 'true or false'],
  log_level: [(value) => LEVELS.includes(value), LEVELS.join(', ')],
};

/** The first fault, as the end of a sentence; null when there is none. */
export function faultIn(settings: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(settings)) {
    if (!Object.hasOwn(RULES, name)) return `"${name}" is not a setting`;
    const [holds, wanted] = RULES[name as keyof Settings];
    if (!holds(value)) return `"${name}" must be ${wanted}`;
  }
  return null;
}
