// Tokens that are valid for several accounts of one owner. Each account has its own row, with the same id and secret, so
// that everything about a token within an account works as for any other token.
import { randomBytes, randomUUID } from 'node:crypto';
import type { CreateToken, TokenSecret, TokenService } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import { tokenId } from '@relay/contract/ids';
import type { FastifyRequest } from 'fastify';
import { callerOf, findOwnAccount } from './account-scope.ts';
import type { AccountDirectory, ServedAccount } from './deps.ts';

interface SharedTokens extends Pick<TokenService, 'rotate' | 'resume' | 'revoke'> {
  create(request: CreateToken): Promise<TokenSecret>;
}

/** The tokens of the request's account, with their rows in other accounts. */
export function sharedTokensOf(
  accounts: AccountDirectory,
  request: Pick<FastifyRequest, 'principal' | 'account'>,
): SharedTokens {
  const { account } = request;
  if (account === undefined) throw new RelayError('account_not_found', { account: 'default' });
  const own = account.services.tokens;
  const find = (name: string): ServedAccount =>
    findOwnAccount(accounts, callerOf(request).id, name);
  const othersOf = async (given: string) => {
    const token = (await own.list()).find(({ id, name }) => id === given || name === given);
    const names = (token?.accounts ?? []).filter((name) => name !== account.name);
    return { id: token?.id ?? given, others: names.map((name) => find(name).services.tokens) };
  };
  /** The other accounts first: a call that was interrupted finds the token in this one again. */
  const inEach = async <T>(
    given: string,
    run: (tokens: TokenService, id: string) => Promise<T>,
  ): Promise<T> => {
    const { id, others } = await othersOf(given);
    for (const tokens of others) await run(tokens, id).catch(ignoreMissing);
    return run(own, id);
  };
  return {
    async create({ accounts: names = [account.name], ...wanted }) {
      const all = [...new Set(names)].map(find);
      const [first] = all;
      if (all.length === 1 && first?.id === account.id) return own.create(wanted);
      const shared = {
        id: tokenId(randomUUID()),
        secret: newSecret(),
        spans: all.map(({ id }) => id),
      };
      const made: ServedAccount[] = [];
      try {
        let token: TokenSecret | undefined;
        for (const each of all) {
          token = await each.services.tokens.create(wanted, shared);
          made.push(each);
        }
        if (token === undefined) throw new RelayError('invalid_request', { what: 'no account' });
        return token;
      } catch (error) {
        for (const each of made) await each.services.tokens.revoke(shared.id);
        throw error;
      }
    },
    rotate(given) {
      const secret = newSecret();
      return inEach(given, (tokens, id) => tokens.rotate(id, secret));
    },
    resume: (given) => inEach(given, (tokens, id) => tokens.resume(id)),
    revoke: (given) => inEach(given, (tokens, id) => tokens.revoke(id)),
  };
}

const newSecret = (): string => `relay_${randomBytes(32).toString('base64url')}`;

/** A call before this one was interrupted after this account. */
function ignoreMissing(error: unknown): undefined {
  if (error instanceof RelayError && error.code === 'token_not_found') return undefined;
  throw error;
}
