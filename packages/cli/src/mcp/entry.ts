// The entry of Relay in a program's settings: put in, taken out, with all else left as it was written. Pure.
import { RelayError } from '@relay/core/errors';
import type { Place } from './clients.ts';

type Json = Record<string, unknown>;

export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The text of a settings file, understood. */
export interface SettingsText {
  readonly value: Json;
  /** How it is indented, and how its lines end. */
  readonly indent: string;
  readonly newline: string;
  readonly last: string;
}

export function readText(text: string, file: string): SettingsText {
  const bare = text.replace(/^\uFEFF/, '');
  const value = bare.trim() === '' ? {} : parse(bare);
  if (!isObject(value)) throw new RelayError('settings_unreadable', { file });
  return {
    value,
    indent: /\n([ \t]+)/.exec(bare)?.[1] ?? '  ',
    newline: bare.includes('\r\n') ? '\r\n' : '\n',
    last: bare === '' || /\n$/.test(bare) ? '\n' : '',
  };
}

export function writeText({ value, indent, newline, last }: SettingsText): string {
  return `${JSON.stringify(value, null, indent)}${last}`.replaceAll('\n', newline);
}

/** What stands under this name. Throws where it is somebody else's. */
export function entryIn({ value }: SettingsText, { key, name, file }: Place): Json | null {
  const servers = value[key];
  if (servers === undefined) return null;
  if (!isObject(servers)) throw new RelayError('settings_unreadable', { file });
  const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (entry === undefined) return null;
  if (isObject(entry) && secretIn(entry) !== null) return entry;
  throw new RelayError('settings_name_taken', { file, name });
}

/** Only an entry of ours has one. */
export function secretIn(entry: Json | null): string | null {
  const { args, env } = entry ?? {};
  if (!Array.isArray(args) || args.at(-1) !== 'mcp' || !isObject(env)) return null;
  return typeof env.RELAY_TOKEN === 'string' ? env.RELAY_TOKEN : null;
}

export function put(text: SettingsText, place: Place, entry: Entry): SettingsText {
  const before = entryIn(text, place);
  const env = { ...(isObject(before?.env) ? before.env : {}), ...entry.env };
  const after = { ...(place.typed ? { type: 'stdio' } : {}), ...before, ...entry, env };
  const servers = { ...(text.value[place.key] as Json | undefined), [place.name]: after };
  return { ...text, value: { ...text.value, [place.key]: servers } };
}

/** What becomes empty by it stays: it may have been there before. */
export function takeOut(text: SettingsText, { key, name }: Place): SettingsText {
  const { [name]: _gone, ...others } = text.value[key] as Json;
  return { ...text, value: { ...text.value, [key]: others } };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Numbers stay as they were written, also those that no JavaScript number holds. */
function parse(text: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  const asWritten = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value;
  try {
    return JSON.parse(text, asWritten);
  } catch {
    return null;
  }
}
