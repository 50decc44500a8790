// A program's token as its owner reads it: what it may do, with whom, and what it has done. Pure.
import type { ProgramToken } from '@relay/core/api/tokens';
import { clock, oneLine } from '../format.ts';
import { cut } from '../width.ts';

export interface Look {
  /** Null where nobody looks: nothing is cut. */
  readonly columns: number | null;
  readonly colours: {
    bold(text: string): string;
    dim(text: string): string;
    yellow(text: string): string;
  };
  readonly now: Date;
}

export const listed = (tokens: readonly ProgramToken[], look: Look): string[] =>
  tokens.flatMap((token) => described(token, look));

function described(token: ProgramToken, { columns, colours, now }: Look): string[] {
  const fitted = (line: string) => cut(line, columns ?? Number.POSITIVE_INFINITY);
  return [
    colours.bold(fitted(oneLine(token.name))),
    fitted(`  May ${token.scopes.join(', ')}; ${withWhom(token)}.`),
    ...(sends(token) ? [fitted(`  ${asking(token)}`)] : []),
    colours.dim(fitted(`  ${used(token, now)}`)),
    ...ending(token, now).map((line) => colours.yellow(fitted(`  ${line}`))),
  ];
}

export function withWhom({ contacts }: ProgramToken): string {
  if (contacts === null) return 'with everybody your grants allow';
  if (contacts.length === 0) return 'with nobody: whoever it was for is forgotten';
  return `only with ${contacts.map(({ name }) => oneLine(name)).join(', ')}`;
}

const WRITES: ReadonlySet<string> = new Set([
  'messages:send',
  'conversations:write',
  'schedules:write',
]);

const sends = ({ scopes }: ProgramToken): boolean => scopes.some((scope) => WRITES.has(scope));

function asking({ confirm, has_read: hasRead }: ProgramToken): string {
  const first = confirm ? 'Somebody is asked before it sends.' : 'It sends without asking.';
  return hasRead ? `${first} It has read, so what it sends elsewhere waits for your yes.` : first;
}

function used(
  { last_used_at: last, created_at: made, rotated_at: rotated }: ProgramToken,
  now: Date,
) {
  const when = (at: string) => clock(new Date(at), now);
  return [
    last === null ? 'Never used' : `Last used ${when(last)}`,
    `made ${made.slice(0, 10)}`,
    ...(rotated === null ? [] : [`new secret since ${when(rotated)}`]),
  ].join(', ');
}

function ending({ expires_at: at }: ProgramToken, now: Date): string[] {
  if (at === null) return [];
  const past = new Date(at) <= now;
  return [
    past ? `It expired on ${at.slice(0, 10)} and opens nothing.` : `Ends ${at.slice(0, 10)}.`,
  ];
}
