// A fixture with one client, whose token the tests know.
import { createHash } from 'node:crypto';
import type { ClientToken, FoundClient } from '@relay/contract/api/credentials';
import type { V1Surface } from '@relay/contract/api/v1';
import { RelayError } from '@relay/contract/errors';
import { type AccountId, tokenId } from '@relay/contract/ids';
import type { HttpDeps } from '../deps.ts';
import type { Recorded } from './recorded.ts';

/** The client's secret. */
export const PROGRAM_TOKEN = 'relay_program_secret_of_the_tests';

const PROGRAM_HASH = createHash('sha256').update(PROGRAM_TOKEN).digest('hex');

const PROGRAM: FoundClient = {
  id: tokenId('7f3c1a52-3a55-4a0c-9d0e-2f6f6f0c9a11'),
  name: 'claude',
  scopes: ['messages:read', 'messages:send'],
  contacts: null,
  confirm: true,
  accounts: [1 as AccountId],
};

const programToken: ClientToken = {
  ...PROGRAM,
  accounts: ['default'],
  scopes: [...PROGRAM.scopes],
  contacts: null,
  has_read: false,
  created_at: '2026-11-15T09:00:00.000Z',
  rotated_at: null,
  suspended_at: null,
  last_used_at: null,
  expires_at: null,
};

/** A client that may see nothing. */
const unfound = new Proxy(
  {},
  { get: () => () => Promise.reject(new RelayError('not_found')) },
) as V1Surface;

export const programStandIns = (
  recorded: Recorded,
): Pick<HttpDeps, 'clientTokens' | 'tokens' | 'clients'> => ({
  clientTokens: {
    findClient: async (hash) => (hash === PROGRAM_HASH ? PROGRAM : null),
    isValid: async (hash) => hash === PROGRAM_HASH,
  },
  tokens: {
    list: recorded('listTokens', async () => [programToken]),
    create: recorded('createToken', async () => ({ ...programToken, secret: PROGRAM_TOKEN })),
    rotate: recorded('rotateToken', async () => ({ ...programToken, secret: PROGRAM_TOKEN })),
    resume: recorded('resumeToken', async () => programToken),
    revoke: recorded('revokeToken', async () => programToken),
  },
  clients: {
    fetch: recorded('mcp', async () => Response.json({})),
    pipe: recorded('pipe', () => {}),
    tools: recorded('tools', async () => []),
    call: recorded('callTool', async () => ({})),
    v1: recorded('v1', () => unfound),
  },
});
