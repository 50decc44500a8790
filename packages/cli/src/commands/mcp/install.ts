// `relay mcp install` and `uninstall`: create a token for an MCP client and write the server into its settings. The
// file is read and checked before a token is created, and the secret is never shown.
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ClientToken, TokenSecret } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import { clientOf, sendRequest } from '../../api.ts';
import type { CommandOptions, RunCommand } from '../../command.ts';
import type { CliConfig } from '../../config.ts';
import { ensureDaemon } from '../../daemon-process.ts';
import { formatRows } from '../../format.ts';
import type { Terminal } from '../../terminal.ts';
import { describeTokenContacts, parseTokenRequest, type TokenRequest } from '../tokens.ts';
import { type McpClientTarget, resolveClientTarget } from './clients.ts';

export const installMcpServerCommand: RunCommand = async ({ config, terminal, options }) => {
  const place = resolveClientTarget(options, config);
  if (options.print) {
    printEntry(terminal, place, entryOf(config, 'PUT THE TOKEN HERE'));
    return 0;
  }
  const before = readClientSettings(place.file);
  const text = parseSettings(before ?? '', place.file);
  const secret = findEntrySecret(findServerEntry(text, place));
  await ensureDaemon(config, terminal);
  const held = await ensureClientToken(config.home, place.tokenName, secret, options);
  const after = serializeSettings(putServerEntry(text, place, entryOf(config, held.secret)));
  const copy = after === before ? null : replaceClientSettings(place.file, before, after);
  if (terminal.json) {
    const { client, file, name } = place;
    const { how, token } = held;
    terminal.writeJson({ client, file, name, changed: after !== before, backup: copy, how, token });
  } else printInstallation(terminal, config, place, held, { changed: after !== before, copy });
  return 0;
};

/** Absolute paths, because a client that was not started from a shell may have no PATH. */
const entryOf = ({ home }: CliConfig, secret: string): ServerEntry => ({
  command: process.execPath,
  args: [realpathSync(process.argv[1] ?? ''), 'mcp'],
  env: { RELAY_HOME: home, RELAY_TOKEN: secret },
});

function printEntry(terminal: Terminal, place: McpClientTarget, entry: ServerEntry): void {
  const text = putServerEntry(parseSettings('', place.file), place, entry);
  if (terminal.json) {
    terminal.writeJson({ file: place.file, settings: text.value });
    return;
  }
  terminal.write(serializeSettings(text));
  terminal.note(`Add this to ${place.file}. Create the token with \`relay token create\`.`);
}

const kindsOf = (scopes: readonly string[]): string =>
  scopes.map((scope) => scope.replace(':read', '')).join(', ');

const HOW: Readonly<Record<InstalledToken['how'], string>> = {
  made: 'a new token',
  rotated: 'a new secret for its token; the old secret no longer works',
  kept: 'its existing token',
};

function printInstallation(
  terminal: Terminal,
  { databaseUrl }: CliConfig,
  { title, file, name, client }: McpClientTarget,
  { how, token }: InstalledToken,
  { changed, copy }: { changed: boolean; copy: string | null },
): void {
  const { bold, dim } = terminal.colours;
  terminal.writeLine(
    changed
      ? `Added Relay to ${bold(title)} as the server ${bold(name)}, with ${HOW[how]}.`
      : `${bold(title)} already has Relay as the server ${bold(name)}. Nothing was changed.`,
  );
  const reads = token.scopes.filter((scope) => scope.endsWith(':read'));
  const writes = token.scopes.filter((scope) => !reads.includes(scope));
  const confirmation = token.confirm ? 'with confirmation' : 'without confirmation';
  const rows: readonly (readonly [string, string])[] = [
    ['File', file],
    ...(copy === null ? [] : [['', dim(`backup: ${basename(copy)}`)] as const]),
    ['Token', token.name],
    ['Contacts', describeTokenContacts(token)],
    ...(reads.length === 0 ? [] : [['Reads', kindsOf(reads)] as const]),
    ...(writes.length === 0 ? [] : [['Writes', `${writes.join(', ')} (${confirmation})`] as const]),
  ];
  for (const line of formatRows(rows)) terminal.writeLine(line);
  const which = client === null ? `--file '${file}'` : `--client ${client}`;
  terminal.writeLine(
    `Restart ${title} to use it. Remove it with \`relay mcp uninstall ${which}\`.`,
  );
  if (databaseUrl !== null) {
    terminal.writeLine('Start Relay yourself first: the client does not know your DATABASE_URL.');
  }
}

// `relay mcp uninstall`: removes the server from the client's settings and revokes its token.

export const uninstallMcpServerCommand: RunCommand = async ({ config, terminal, options }) => {
  const place = resolveClientTarget(options, config);
  const { client, title, file, name } = place;
  const before = readClientSettings(file);
  const text = parseSettings(before ?? '', file);
  const removed = findServerEntry(text, place) !== null;
  if (removed)
    replaceClientSettings(file, before, serializeSettings(removeServerEntry(text, place)));
  await ensureDaemon(config, terminal);
  const token = await findTokenByName(config.home, place.tokenName);
  if (token !== null) {
    await clientOf(config.home).delete('/api/tokens/{token}', { path: { token: token.id } });
  }
  if (terminal.json) {
    terminal.writeJson({ client, file, name, removed, revoked: token?.name ?? null });
    return 0;
  }
  terminal.writeLine(
    removed ? `Removed Relay from ${title}: ${file}` : `${file} has no server named ${name}.`,
  );
  if (token !== null) terminal.writeLine(`Revoked the token ${token.name}.`);
  return 0;
};

// Adds or removes Relay's entry in a client's settings and leaves everything else as written. Pure.

type Json = Record<string, unknown>;

export interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A parsed settings file. */
interface ParsedSettings {
  readonly value: Json;
  /** Its indentation and line endings. */
  readonly indent: string;
  readonly newline: string;
  readonly last: string;
}

export function parseSettings(text: string, file: string): ParsedSettings {
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

export function serializeSettings({ value, indent, newline, last }: ParsedSettings): string {
  return `${JSON.stringify(value, null, indent)}${last}`.replaceAll('\n', newline);
}

/** The entry with this name. Throws if it belongs to another server. */
export function findServerEntry(
  { value }: ParsedSettings,
  { key, name, file }: McpClientTarget,
): Json | null {
  const servers = value[key];
  if (servers === undefined) return null;
  if (!isObject(servers)) throw new RelayError('settings_unreadable', { file });
  const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (entry === undefined) return null;
  if (isObject(entry) && findEntrySecret(entry) !== null) return entry;
  throw new RelayError('settings_name_taken', { file, name });
}

/** Only Relay's entries have one. */
export function findEntrySecret(entry: Json | null): string | null {
  const { args, env } = entry ?? {};
  if (!Array.isArray(args) || args.at(-1) !== 'mcp' || !isObject(env)) return null;
  return typeof env.RELAY_TOKEN === 'string' ? env.RELAY_TOKEN : null;
}

export function putServerEntry(
  text: ParsedSettings,
  place: McpClientTarget,
  entry: ServerEntry,
): ParsedSettings {
  const before = findServerEntry(text, place);
  const env = { ...(isObject(before?.env) ? before.env : {}), ...entry.env };
  const after = { ...(place.hasTypeField ? { type: 'stdio' } : {}), ...before, ...entry, env };
  const servers = { ...(text.value[place.key] as Json | undefined), [place.name]: after };
  return { ...text, value: { ...text.value, [place.key]: servers } };
}

/** Objects that become empty stay: they may have existed before. */
export function removeServerEntry(
  text: ParsedSettings,
  { key, name }: McpClientTarget,
): ParsedSettings {
  const { [name]: _removed, ...others } = text.value[key] as Json;
  return { ...text, value: { ...text.value, [key]: others } };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Numbers keep their original spelling, also those that exceed a JavaScript number. */
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

// A client's settings file on disk. Invariant: it is replaced as a whole or not at all, a copy of the old one is kept
// beside it, and only the owner can read either, because both contain a secret.

/** Null when the file does not exist. */
function readClientSettings(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(file, error);
  }
}

/** Returns the path of the backup copy, if there was a file. */
function replaceClientSettings(file: string, before: string | null, after: string): string | null {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // A symbolic link to the settings file stays a link.
    const target = before === null ? file : realpathSync(file);
    const copy = before === null ? null : `${target}.before-relay`;
    if (copy !== null && before !== null) replace(copy, before);
    replace(target, after);
    return copy;
  } catch (error) {
    throw unusable(file, error);
  }
}

function replace(file: string, text: string): void {
  const draft = `${file}.new-${process.pid}`;
  rmSync(draft, { force: true });
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

const unusable = (file: string, cause: unknown) => {
  const { code } = cause as NodeJS.ErrnoException;
  return new RelayError('settings_unwritable', { file, code: code ?? 'unknown' }, { cause });
};

// Chooses the token of an installed server: the existing one if it is valid and sufficient, else the same with a new
// secret, else a new one. The result says which, because keeping a secret leaves other users of it working.

interface InstalledToken {
  readonly how: 'kept' | 'rotated' | 'made';
  readonly token: ClientToken;
  readonly secret: string;
}

/** All reading scopes, and sending, which needs approval; others must be named. */
const USUAL_SCOPES = [
  'messages:read',
  'messages:send',
  'search:read',
  'digests:read',
  'conversations:read',
  'schedules:read',
  'permissions:read',
  'ledger:read',
].join(',');

async function ensureClientToken(
  home: string,
  name: string,
  secret: string | null,
  options: CommandOptions,
): Promise<InstalledToken> {
  const api = clientOf(home);
  const request = parseTokenRequest({ scopes: USUAL_SCOPES, ...options, name }, new Date());
  const there = await findTokenByName(home, name);
  if (there !== null && isTokenSufficient(there, request, options)) {
    if (secret !== null && (await isSecretAccepted(home, secret)))
      return { how: 'kept', token: there, secret };
    return toInstalledToken(
      'rotated',
      await api.post('/api/tokens/{token}/rotate', { path: { token: there.id } }),
    );
  }
  if (there !== null) await api.delete('/api/tokens/{token}', { path: { token: there.id } });
  return toInstalledToken('made', await api.post('/api/tokens', { body: request }));
}

/** Whether the existing token has the wanted scopes; if none were named, it is kept. */
function isTokenSufficient(
  there: ClientToken,
  request: TokenRequest,
  options: CommandOptions,
): boolean {
  if (request.contacts !== undefined || request.expires_at !== undefined) return false;
  if (there.expires_at !== null && Date.parse(there.expires_at) <= Date.now()) return false;
  const scopes = new Set<string>(there.scopes);
  const asRequested =
    request.scopes.length === scopes.size && request.scopes.every((s) => scopes.has(s));
  return (options.scopes === undefined || asRequested) && (request.confirm || !there.confirm);
}

async function findTokenByName(home: string, name: string): Promise<ClientToken | null> {
  const { tokens } = await clientOf(home).get('/api/tokens');
  return tokens.find((token) => token.name === name) ?? null;
}

const toInstalledToken = (
  how: InstalledToken['how'],
  { secret, ...token }: TokenSecret,
): InstalledToken => ({
  how,
  token,
  secret,
});

async function isSecretAccepted(home: string, secret: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${secret}` };
  return (await sendRequest(home, { method: 'GET', path: '/api/tools', headers })).status === 200;
}
