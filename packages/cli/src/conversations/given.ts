// What somebody handed in for a conversation, each piece with the place it came from, so that a mistake
// is said in one sentence that names the option or the line.
import { phoneAlias } from '@relay/core/contacts/alias';
import { LIMITS } from '@relay/core/conversation/limits';
import { RelayError } from '@relay/core/errors';
import { count } from '../format.ts';
import { parseSpan } from './span.ts';

export interface Given {
  readonly text: string;
  /** `--heartbeat`, or `quote.yaml, line 3`. */
  readonly where: string;
}

export const wrong = (where: string, what: string): RelayError =>
  new RelayError('usage', { what: `${where}: ${what}` });

export function textOf({ text, where }: Given, most: number): string {
  if (text.trim() === '') throw wrong(where, 'the text is empty.');
  if (text.length > most) throw wrong(where, `the text is longer than ${most} characters.`);
  return text.trim();
}

export function textsOf(given: readonly Given[], most: number, mostEach: number): string[] {
  const tooMany = given[most];
  if (tooMany !== undefined) throw wrong(tooMany.where, `there can be ${most} at most.`);
  return given.map((one) => textOf(one, mostEach));
}

export function contactOf(given: Given): string {
  const text = textOf(given, LIMITS.contact);
  if (phoneAlias(text) !== null) return text;
  throw wrong(given.where, 'give a phone number in international form, as in +491701234567.');
}

export function intervalOf({ text, where }: Given): number {
  const ms = parseSpan(text);
  if (ms === null) throw wrong(where, 'give a time such as 90s, 30m, 2h or 1d.');
  if (ms >= LIMITS.shortestIntervalMs && ms <= LIMITS.longestIntervalMs) return ms;
  throw wrong(where, 'the time between follow-ups is one second at least and 30 days at most.');
}

export function followupsOf({ text, where }: Given): number {
  const many = /^\d{1,6}$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (many <= LIMITS.followups) return many;
  throw wrong(where, `give a whole number, ${count(LIMITS.followups, 'follow-up')} at most.`);
}
