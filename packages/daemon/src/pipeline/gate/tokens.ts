// The owner's operations on clients' tokens. A token's scopes are fixed when it is created; rotating the secret does
// not change them. Invariant: the secret is generated here and returned once, and only its hash is stored.
import { createHash, randomBytes } from 'node:crypto';
import type { ClientToken, TokenService } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import {
  type AccountId,
  type ContactId,
  contactId,
  type TokenId,
  tokenId,
} from '@relay/contract/ids';
import { CLIENT_SCOPES, type Scope } from '@relay/contract/policy/scopes';
import { phoneAlias } from '@relay/core/contacts/alias';
import { type RawBuilder, sql } from 'kysely';
import { ambiguousContactError, matchContacts } from '../../platform/db/contact-directory.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import {
  IS_CLIENT_TOKEN_SQL,
  IS_VALID_TOKEN_SQL,
  resumeToken,
  tokenHashBytes,
} from '../../platform/db/tokens.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';

interface TokenServiceDeps {
  readonly db: Db;
  readonly lease: Lease;
  /** Called after a commit that changed something a stream shows. */
  readonly changed: () => void;
  /** Runs in the transaction that revokes the token: stops what its client has in progress. */
  readonly onRevoke?: (work: UnitOfWork, token: TokenId) => Promise<void>;
}

export function createTokenService({
  db,
  lease,
  changed,
  onRevoke,
}: TokenServiceDeps): TokenService {
  const { account } = lease;
  const change = async <T>(run: (work: UnitOfWork) => Promise<T>): Promise<T> => {
    const done = await transaction({ db, lease }, run);
    changed();
    return done;
  };
  return {
    list: () => loadTokens(db, account, sql`true`),
    create: ({ name, scopes, contacts, confirm, expires_at }, shared) =>
      change(async ({ tx }) => {
        if (expires_at !== undefined && Date.parse(expires_at) <= Date.now()) {
          throw new RelayError('token_expires_past');
        }
        await endExpired(tx, account, name);
        const people =
          contacts === undefined ? null : await findTokenContacts(tx, account, contacts);
        const secret = shared?.secret ?? newTokenSecret();
        const wanted = CLIENT_SCOPES.filter((scope) => scopes.includes(scope));
        const { rows } = await sql<{ id: TokenId }>`
          INSERT INTO tokens (account_id, id, spans, name, hash, scopes, contacts, confirm, expires_at)
          VALUES (${account}, coalesce(${shared?.id ?? null}::uuid, gen_random_uuid()), ${shared?.spans ?? null}::bigint[], ${name}, ${tokenHashBytes(hashOf(secret))}, ${wanted}::text[],
            ${people}::uuid[], ${confirm}, ${expires_at ?? null}::timestamptz)
          ON CONFLICT DO NOTHING RETURNING id`.execute(tx);
        const [made] = rows;
        if (made === undefined) throw new RelayError('token_exists', { token: name });
        return { ...(await loadToken(tx, account, made.id)), secret };
      }),
    rotate: (given, shared) =>
      change(async ({ tx }) => {
        const { id, name } = await loadToken(tx, account, given);
        const secret = shared ?? newTokenSecret();
        const isCurrent = await resumeToken(tx, account, id, hashOf(secret));
        if (!isCurrent) throw new RelayError('token_expired', { token: name });
        return { ...(await loadToken(tx, account, id)), secret };
      }),
    resume: (given) =>
      change(async ({ tx }) => {
        const { id, name } = await loadToken(tx, account, given);
        const isCurrent = await resumeToken(tx, account, id, null);
        if (!isCurrent) throw new RelayError('token_expired', { token: name });
        return loadToken(tx, account, id);
      }),
    revoke: (given) =>
      change(async (work) => {
        const token = await loadToken(work.tx, account, given);
        await sql`UPDATE tokens SET revoked_at = now()
          WHERE account_id = ${account} AND id = ${token.id}`.execute(work.tx);
        await onRevoke?.(work, tokenId(token.id));
        return token;
      }),
  };
}

const newTokenSecret = (): string => `relay_${randomBytes(32).toString('base64url')}`;
const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Revokes an expired or suspended token with this name, so that the name is free. */
async function endExpired(tx: Transaction, account: AccountId, name: string): Promise<void> {
  await sql`UPDATE tokens t SET revoked_at = now() WHERE t.account_id = ${account} AND t.name = ${name}
    AND ${IS_CLIENT_TOKEN_SQL} AND t.revoked_at IS NULL AND NOT (${IS_VALID_TOKEN_SQL})`.execute(
    tx,
  );
}

async function loadToken(db: Db, account: AccountId, given: string): Promise<ClientToken> {
  const [token] = await loadTokens(db, account, sql`(t.name = ${given} OR t.id::text = ${given})`);
  if (token === undefined) throw new RelayError('token_not_found', { token: given.slice(0, 60) });
  return token;
}

interface TokenListRow {
  accounts: string[];
  id: TokenId;
  name: string;
  scopes: Scope[];
  contacts: { id: ContactId; name: string }[] | null;
  confirm: boolean;
  has_read: boolean;
  created_at: Date;
  rotated_at: Date | null;
  suspended_at: Date | null;
  last_used_at: Date | null;
  expires_at: Date | null;
}

async function loadTokens(
  db: Db,
  account: AccountId,
  which: RawBuilder<unknown>,
): Promise<ClientToken[]> {
  const { rows } = await sql<TokenListRow>`
    SELECT t.id, t.name, t.scopes, t.confirm, t.created_at, t.rotated_at, t.suspended_at, t.last_used_at, t.expires_at,
      account_names(coalesce(t.spans, ARRAY[t.account_id])) AS accounts,
      EXISTS (SELECT FROM token_reads r WHERE r.account_id = t.account_id AND r.token_id = t.id) AS has_read,
      CASE WHEN t.contacts IS NOT NULL THEN coalesce((
        SELECT json_agg(json_build_object('id', c.id, 'name', coalesce(g.display_name, c.display_name, c.push_name, a.value, '')) ORDER BY c.id)
        FROM contacts c LEFT JOIN grants g ON g.account_id = c.account_id AND g.contact_id = c.id
          LEFT JOIN LATERAL (SELECT s.value FROM contact_aliases s WHERE s.account_id = c.account_id
            AND s.contact_id = c.id ORDER BY s.kind DESC LIMIT 1) a ON true
        WHERE c.account_id = t.account_id AND c.id = ANY(t.contacts)), '[]'::json) END AS contacts
    FROM tokens t WHERE t.account_id = ${account} AND ${IS_CLIENT_TOKEN_SQL} AND t.revoked_at IS NULL AND ${which}
    ORDER BY t.name`.execute(db);
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    rotated_at: row.rotated_at?.toISOString() ?? null,
    suspended_at: row.suspended_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  }));
}

// Finds the contacts that a token is for, by the names the owner gave. An ambiguous name is refused, because a token
// for the wrong person would be noticed too late. An unknown number becomes a contact.

async function findTokenContacts(
  tx: Transaction,
  account: AccountId,
  people: readonly string[],
): Promise<ContactId[]> {
  const found: ContactId[] = [];
  for (const who of people) found.push(await findTokenContact(tx, account, who));
  return [...new Set(found)];
}

async function findTokenContact(
  tx: Transaction,
  account: AccountId,
  who: string,
): Promise<ContactId> {
  const asked = { query: who, kind: 'person', limit: 1 } as const;
  const { choice, number } = await matchContacts(tx, account, asked);
  if ('found' in choice) return contactId(choice.found.id);
  if ('ambiguous' in choice) throw ambiguousContactError(who, choice.ambiguous);
  const alias = number === null ? null : phoneAlias(number);
  const [met] = alias === null ? [] : await resolveSightings(tx, account, [[alias]]);
  if (met === undefined) throw new RelayError('contact_unknown', { who });
  return met;
}
