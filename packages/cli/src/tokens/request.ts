// `relay token create`: what was typed, as the API takes it. Whom a name means is for the daemon to say. Pure.
import { RelayError } from '@relay/core/errors';
import { PROGRAM_SCOPES, type ProgramScope } from '@relay/core/policy/scopes';
import type { Options } from '../command.ts';
import { parseSpan } from '../conversations/span.ts';
import { printable } from '../format.ts';

export interface TokenRequest {
  readonly name: string;
  readonly scopes: ProgramScope[];
  readonly contacts?: string[];
  readonly confirm: boolean;
  readonly expires_at?: string;
}

export function requestOf(options: Options, now: Date): TokenRequest {
  const { name, scopes, contacts, expires } = options;
  if (typeof name !== 'string' || name.trim() === '') {
    throw unclear('Say what you call the program: --name claude.');
  }
  return {
    name: name.trim(),
    scopes: scopesOf(listOf(scopes)),
    ...(contacts === undefined ? {} : { contacts: peopleOf(listOf(contacts)) }),
    confirm: options.confirm !== false,
    ...(typeof expires === 'string' ? { expires_at: momentOf(expires, now).toISOString() } : {}),
  };
}

const unclear = (what: string) => new RelayError('usage', { what });

const listOf = (given: Options[string]): string[] =>
  typeof given === 'string'
    ? given
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '')
    : [];

function scopesOf(given: readonly string[]): ProgramScope[] {
  const known = (entry: string) => PROGRAM_SCOPES.find((scope) => scope === entry);
  const unknown = given.find((entry) => known(entry) === undefined);
  if (given.length > 0 && unknown === undefined)
    return given.flatMap((entry) => known(entry) ?? []);
  const wrong =
    unknown === undefined ? 'Say what it may do.' : `${printable(unknown)} is no scope.`;
  throw unclear(`${wrong} Give --scopes some of ${PROGRAM_SCOPES.join(', ')}.`);
}

/** Nobody named is no list: it would be a token for nobody, and surely not for everybody. */
function peopleOf(given: string[]): string[] {
  if (given.length > 0) return given;
  throw unclear('Give --contacts at least one name or number, or leave it out.');
}

function momentOf(text: string, now: Date): Date {
  const span = parseSpan(text);
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00`) : new Date(text);
  const at = span === null ? date : new Date(now.getTime() + span);
  if (!/\d{4}/.test(text) && span === null) throw unclear(WHEN);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() > 9999) throw unclear(WHEN);
  if (at <= now) throw unclear('--expires is past already: the token would be good for nothing.');
  return at;
}

const WHEN = 'Write --expires as `90d`, `12h` or `2027-01-31`.';
