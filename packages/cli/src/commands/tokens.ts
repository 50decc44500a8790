// `relay token`: prints the owner's token, which has every scope, and manages the tokens of clients.

import type { ClientToken } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import { CLIENT_SCOPES, type ClientScope } from '@relay/contract/policy/scopes';
import { clientOf, readTokenFile } from '../api.ts';
import type { CommandOptions, RunCommand } from '../command.ts';
import { formatClock, parseDuration, toOneLine, toPrintable, truncateText } from '../format.ts';

export const showOwnerTokenCommand: RunCommand = async ({ config, terminal, options }) => {
  const token = options.rotate
    ? (await clientOf(config.home).post('/api/token/rotate')).token
    : readTokenFile(config.home);
  if (terminal.json) terminal.writeJson({ token });
  else terminal.writeLine(token);
  return 0;
};

// `relay token create`: creates a client's token. Standard output has only the secret, so that a script can store it;
// it is never shown again.

export const createTokenCommand: RunCommand = async ({ config, terminal, options }) => {
  const body = parseTokenRequest(options, new Date());
  const made = await clientOf(config.home).post('/api/tokens', { body });
  if (terminal.json) {
    terminal.writeJson(made);
    return 0;
  }
  terminal.writeLine(made.secret);
  terminal.note(`Shown only once. Give it to ${toOneLine(made.name)} as RELAY_TOKEN.`);
  terminal.note(`${describeTokenAccess(made)}.`);
  return 0;
};

// `relay token list`: lists the clients' tokens by name.

export const listTokensCommand: RunCommand = async ({ config, terminal }) => {
  const { tokens } = await clientOf(config.home).get('/api/tokens');
  if (terminal.json) terminal.writeJson(tokens);
  else if (tokens.length === 0) {
    terminal.notice(
      'No client has a token. Create one with `relay token create --name claude --scopes messages:read`.',
    );
  } else {
    const columns = terminal.size?.columns ?? null;
    const look = { columns, colours: terminal.colours, now: new Date() };
    for (const line of formatTokenList(tokens, look)) terminal.writeLine(line);
  }
  return 0;
};

// `relay token rotate <name>`: creates a new secret; its scopes and the record of what it has read stay.

export const rotateTokenCommand: RunCommand = async ({ config, terminal, args }) => {
  const path = { token: args[0] ?? '' };
  const rotated = await clientOf(config.home).post('/api/tokens/{token}/rotate', { path });
  if (terminal.json) {
    terminal.writeJson(rotated);
    return 0;
  }
  terminal.writeLine(rotated.secret);
  terminal.note('Shown only once. The old secret no longer works.');
  return 0;
};

// `relay token resume <name>`: accepts the secret of a token again that a restore suspended.

export const resumeTokenCommand: RunCommand = async ({ config, terminal, args }) => {
  const path = { token: args[0] ?? '' };
  const resumed = await clientOf(config.home).post('/api/tokens/{token}/resume', { path });
  if (terminal.json) terminal.writeJson(resumed);
  else
    terminal.writeLine(
      `The token ${toOneLine(resumed.name)} works again with the secret that it had at the time of the backup. If you have rotated it since, rotate it again.`,
    );
  return 0;
};

// `relay token revoke <name>`: revokes the token.

export const revokeTokenCommand: RunCommand = async ({ config, terminal, args }) => {
  const path = { token: args[0] ?? '' };
  const revoked = await clientOf(config.home).delete('/api/tokens/{token}', { path });
  if (terminal.json) terminal.writeJson(revoked);
  else
    terminal.writeLine(
      `Revoked the token ${toOneLine(revoked.name)}. Its queued messages are not sent.`,
    );
  return 0;
};

// Converts the arguments of `relay token create` to an API request. The daemon resolves contact names. Pure.

export interface TokenRequest {
  readonly name: string;
  readonly scopes: ClientScope[];
  readonly contacts?: string[];
  readonly confirm: boolean;
  readonly accounts?: string[];
  readonly expires_at?: string;
}

export function parseTokenRequest(options: CommandOptions, now: Date): TokenRequest {
  const { name, scopes, contacts, expires } = options;
  if (typeof name !== 'string' || name.trim() === '') {
    throw usageError('Give the name of the client, such as --name claude.');
  }
  return {
    name: name.trim(),
    scopes: scopesOf(listOf(scopes)),
    ...(contacts === undefined ? {} : { contacts: peopleOf(listOf(contacts)) }),
    confirm: options.confirm !== false,
    ...(options.accounts === undefined ? {} : { accounts: accountsOf(listOf(options.accounts)) }),
    ...(typeof expires === 'string' ? { expires_at: momentOf(expires, now).toISOString() } : {}),
  };
}

const usageError = (what: string) => new RelayError('usage', { what });

const listOf = (given: CommandOptions[string]): string[] =>
  typeof given === 'string'
    ? given
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '')
    : [];

function scopesOf(given: readonly string[]): ClientScope[] {
  const known = (entry: string) => CLIENT_SCOPES.find((scope) => scope === entry);
  const unknown = given.find((entry) => known(entry) === undefined);
  if (given.length > 0 && unknown === undefined)
    return given.flatMap((entry) => known(entry) ?? []);
  const problem =
    unknown === undefined ? 'Scopes are missing.' : `${toPrintable(unknown)} is not a scope.`;
  throw usageError(`${problem} Give --scopes one or more of ${CLIENT_SCOPES.join(', ')}.`);
}

function accountsOf(given: string[]): string[] {
  if (given.length > 0) return given;
  throw usageError('Give --accounts at least one name, or omit it.');
}

/** An empty list is refused: it would mean a token for no contact, and must not mean every contact. */
function peopleOf(given: string[]): string[] {
  if (given.length > 0) return given;
  throw usageError('Give --contacts at least one name or number, or omit it.');
}

function momentOf(text: string, now: Date): Date {
  const span = parseDuration(text);
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00`) : new Date(text);
  const at = span === null ? date : new Date(now.getTime() + span);
  if (!/\d{4}/.test(text) && span === null) throw usageError(WHEN);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999) throw usageError(WHEN);
  if (at <= now) throw usageError('--expires is in the past. Give a later time.');
  return at;
}

const WHEN = 'Give --expires as `90d`, `12h` or `2027-01-31`.';

// Formats a client's token: its scopes, its contacts and its use. Pure.

interface TokenLayout {
  /** Null when the output is not a terminal: nothing is truncated. */
  readonly columns: number | null;
  readonly colours: {
    bold(text: string): string;
    dim(text: string): string;
    yellow(text: string): string;
  };
  readonly now: Date;
}

export const formatTokenList = (tokens: readonly ClientToken[], look: TokenLayout): string[] =>
  tokens.flatMap((token) => formatToken(token, look));

function formatToken(token: ClientToken, { columns, colours, now }: TokenLayout): string[] {
  const fitted = (line: string) => truncateText(line, columns ?? Number.POSITIVE_INFINITY);
  const [, ...others] = token.accounts;
  return [
    colours.bold(fitted(toOneLine(token.name))),
    fitted(`  ${describeTokenAccess(token)}.`),
    ...(others.length > 0 ? [fitted(`  Accounts: ${token.accounts.join(', ')}.`)] : []),
    ...(canSend(token) ? [fitted(`  ${describeConfirmation(token)}`)] : []),
    colours.dim(fitted(`  ${describeUse(token, now)}`)),
    ...describeSuspension(token).map((line) => colours.yellow(fitted(`  ${line}`))),
    ...describeExpiry(token, now).map((line) => colours.yellow(fitted(`  ${line}`))),
  ];
}

const describeTokenAccess = (token: ClientToken): string =>
  `Scopes: ${token.scopes.join(', ')}. Contacts: ${describeTokenContacts(token)}`;

export function describeTokenContacts({ contacts }: ClientToken): string {
  if (contacts === null) return 'all that your grants allow';
  if (contacts.length === 0) return 'none, because its contacts were erased';
  return `only ${contacts.map(({ name }) => toOneLine(name)).join(', ')}`;
}

const WRITES: ReadonlySet<string> = new Set([
  'messages:send',
  'conversations:write',
  'schedules:write',
]);

const canSend = ({ scopes }: ClientToken): boolean => scopes.some((scope) => WRITES.has(scope));

function describeConfirmation({ confirm, has_read: hasRead }: ClientToken): string {
  const first = confirm ? 'Asks for confirmation before it sends.' : 'Sends without confirmation.';
  return hasRead
    ? `${first} It has read a chat, so messages to other chats need your approval.`
    : first;
}

function describeUse(
  { last_used_at: last, created_at: made, rotated_at: rotated }: ClientToken,
  now: Date,
) {
  const when = (at: string) => formatClock(new Date(at), now);
  return [
    last === null ? 'Never used' : `Last used ${when(last)}`,
    `created ${made.slice(0, 10)}`,
    ...(rotated === null ? [] : [`secret rotated ${when(rotated)}`]),
  ].join(', ');
}

const describeSuspension = ({ name, suspended_at }: ClientToken): string[] =>
  suspended_at === null
    ? []
    : [`Suspended by a restore. Accept it again with \`relay token resume ${toOneLine(name)}\`.`];

function describeExpiry({ expires_at: at }: ClientToken, now: Date): string[] {
  if (at === null) return [];
  return [`${new Date(at) <= now ? 'Expired' : 'Expires'} on ${at.slice(0, 10)}.`];
}
