// Every setting with its value, where that comes from and what it means: what `relay config list` says while no daemon
// runs, and the schema that editors read. Invariant: the value of a secret is in none of it. Pure.
import { z } from 'zod';
import type { SettingShown, ShownSettings } from './api/settings.ts';
import { settingsFault, settingsSchema } from './settings.ts';
import { givenIn, VARIABLES } from './settings-environment.ts';
import { MEANINGS } from './settings-meanings.ts';
import { DEFAULT_SETTINGS, SETTINGS, secretsIn, settingNamed, sourceOf } from './settings-shown.ts';

interface Written {
  /** As the file has it. */
  readonly written: object;
  /** What was last changed over the API, by name. */
  readonly changed: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

type Listed = Pick<ShownSettings, 'settings' | 'secrets'>;

/** As a daemon that started now would see them. */
export function listSettings({ written, changed, env }: Written): Listed {
  const fault = settingsFault(written);
  if (fault !== null) throw new Error(fault);
  const file = settingsSchema.parse(written);
  const fromEnvironment = givenIn(env);
  const where = { written, changed, fromEnvironment };
  const settings = Object.entries(SETTINGS).map(([name, changes]): SettingShown => {
    const variable = fromEnvironment[name] ?? null;
    const given = variable === null ? undefined : readFrom(variable, env);
    return {
      name,
      value: (given ?? settingNamed(name, file)) as SettingShown['value'],
      default: settingNamed(name, DEFAULT_SETTINGS) as SettingShown['default'],
      from: sourceOf(name, where),
      variable,
      changes,
    };
  });
  return { settings, secrets: secretsIn(where) };
}

const readFrom = (variable: string, env: Written['env']): unknown =>
  variable in VARIABLES
    ? VARIABLES[variable as keyof typeof VARIABLES].read(env[variable] ?? '')
    : undefined;

/** What is wrong with what somebody wrote; here for whoever may load no more than this. */
export const faultIn = (written: unknown): string | null => settingsFault(written);

export const meaningOf = (name: string): string => MEANINGS[name] ?? '';

interface Node {
  description?: string;
  properties?: Record<string, Node>;
}

/** For editors, which know this draft best. */
export function settingsJsonSchema(): object {
  const schema = z.toJSONSchema(settingsSchema, { io: 'input', target: 'draft-7' }) as Node;
  for (const [name, meaning] of Object.entries(MEANINGS)) {
    const [section = '', key] = name.split('.');
    const holder = key === undefined ? schema : schema.properties?.[section];
    const node = holder?.properties?.[key ?? section];
    if (node !== undefined) node.description = meaning;
  }
  return { title: 'Settings of Relay (relay.config.json)', ...schema };
}
