// The token that an installed server has: the one it had if that is still good for what is wanted, else one
// with a new secret, else a new one. Which of these it was is said, since the first leaves others at work.
import type { ProgramToken, TokenSecret } from '@relay/core/api/tokens';
import { clientOf } from '../api.ts';
import type { Options } from '../command.ts';
import { send } from '../http.ts';
import { requestOf, type TokenRequest } from '../tokens/request.ts';

export interface Held {
  readonly how: 'kept' | 'rotated' | 'made';
  readonly token: ProgramToken;
  readonly secret: string;
}

/** All that looks, and sending, which somebody is asked about; the rest is given by name. */
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

export async function holdToken(
  home: string,
  name: string,
  secret: string | null,
  options: Options,
): Promise<Held> {
  const api = clientOf(home);
  const wish = requestOf({ scopes: USUAL_SCOPES, ...options, name }, new Date());
  const there = await tokenCalled(home, name);
  if (there !== null && fits(there, wish, options)) {
    if (secret !== null && (await opens(home, secret)))
      return { how: 'kept', token: there, secret };
    return held(
      'rotated',
      await api.post('/api/tokens/{token}/rotate', { path: { token: there.id } }),
    );
  }
  if (there !== null) await api.delete('/api/tokens/{token}', { path: { token: there.id } });
  return held('made', await api.post('/api/tokens', { body: wish }));
}

/** Whether one that is there opens what is wanted; where nothing was said, it stays as it is. */
function fits(there: ProgramToken, wish: TokenRequest, options: Options): boolean {
  if (wish.contacts !== undefined || wish.expires_at !== undefined) return false;
  if (there.expires_at !== null && Date.parse(there.expires_at) <= Date.now()) return false;
  const scopes = new Set<string>(there.scopes);
  const asWished = wish.scopes.length === scopes.size && wish.scopes.every((s) => scopes.has(s));
  return (options.scopes === undefined || asWished) && (wish.confirm || !there.confirm);
}

export async function tokenCalled(home: string, name: string): Promise<ProgramToken | null> {
  const { tokens } = await clientOf(home).get('/api/tokens');
  return tokens.find((token) => token.name === name) ?? null;
}

const held = (how: Held['how'], { secret, ...token }: TokenSecret): Held => ({
  how,
  token,
  secret,
});

async function opens(home: string, secret: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${secret}` };
  return (await send(home, { method: 'GET', path: '/api/tools', headers })).status === 200;
}
