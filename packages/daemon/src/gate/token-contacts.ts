// Whom a token is for, by the names the owner gave. A name that fits two is refused: a token for the wrong
// person would be found out too late. A number that was never met is known from then on.
import { phoneAlias } from '@relay/core/contacts/alias';
import { choose } from '@relay/core/contacts/find';
import { RelayError } from '@relay/core/errors';
import type { AccountId, ContactId } from '@relay/core/ids';
import { contactId } from '@relay/core/ids';
import { meet } from '../store/contacts.ts';
import type { Transaction } from '../store/database.ts';
import { matchPeople } from '../store/people.ts';

const MOST_NAMED = 10;

export async function contactsMeant(
  tx: Transaction,
  account: AccountId,
  people: readonly string[],
): Promise<ContactId[]> {
  const found: ContactId[] = [];
  for (const who of people) found.push(await contactMeant(tx, account, who));
  return [...new Set(found)];
}

async function contactMeant(tx: Transaction, account: AccountId, who: string): Promise<ContactId> {
  const asked = { query: who, kind: 'person', limit: MOST_NAMED } as const;
  const { meant, number } = await matchPeople(tx, account, asked);
  const choice = choose(meant);
  if ('found' in choice) return contactId(choice.found.id);
  if ('ambiguous' in choice) {
    const names = choice.ambiguous.slice(0, MOST_NAMED).map(({ name }) => name);
    throw new RelayError('contact_ambiguous', { who, candidates: names.join(', ') });
  }
  const alias = number === null ? null : phoneAlias(number);
  const [met] = alias === null ? [] : await meet(tx, account, [[alias]]);
  if (met === undefined) throw new RelayError('contact_unknown', { who });
  return met;
}
