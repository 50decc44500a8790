// Through whose eyes the owner looks: the scope that an actor would search with. To look is no use of a token, and
// nothing is written down as read by the one whose eyes they are.
import type { SearchQuery } from '@relay/core/api/search';
import { RelayError } from '@relay/core/errors';
import { tokenId } from '@relay/core/ids';
import { readProgram } from '../store/tokens.ts';
import type { SearchScope } from './scope.ts';
import type { SearchWorld } from './search.ts';

export async function eyesOf(
  { db, account }: Pick<SearchWorld, 'db' | 'account'>,
  as: SearchQuery['as'],
): Promise<SearchScope> {
  if (as === undefined) return { kind: 'owner' };
  if (as === 'assistant') return { kind: 'assistant' };
  const program = await readProgram(db, account, tokenId(as));
  if (program === null) throw new RelayError('token_not_found', { token: as });
  if (!program.scopes.includes('search:read'))
    throw new RelayError('token_searches_nothing', { token: program.name });
  return { kind: 'token', contacts: program.contacts };
}
