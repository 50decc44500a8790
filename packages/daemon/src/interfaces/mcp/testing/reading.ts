// Harness for tools that read: a database with messages, tokens as the owner creates them, and tool calls as a
// transport makes them. The test provides the model as a function.
import { createHash } from 'node:crypto';
import type { CreateToken } from '@relay/contract/api/credentials';
import type { ChatId, ContactId } from '@relay/contract/ids';
import type { Transport } from '@relay/core/ports/transport';
import { freshDaemonHarness } from '@relay/testing/daemon-harness';
import type { CleanupHook } from '@relay/testing/store';
import { afterAll } from 'vitest';
import { createDigestService } from '../../../features/observer/digest/service.ts';
import { openChatter } from '../../../features/search/testing/chatter.ts';
import { createTokenService } from '../../../pipeline/gate/tokens.ts';
import { createLedgerReader } from '../../../platform/db/ledger-reader.ts';
import { createClientTokens } from '../../../platform/db/tokens.ts';
import { CallOrder, callTool } from '../call.ts';
import type { CallContext, ClientDeps } from '../tool.ts';

export type Scopes = CreateToken['scopes'];

export const ADMIN = '4915112345678';
export const NOW = new Date('2026-10-14T12:00:00Z');

export async function openReading(after: CleanupHook = afterAll) {
  const base = await freshDaemonHarness(after);
  const { account, database, sql, conversations } = base;
  const { kysely: db } = database;
  const { lease } = conversations;
  const now = () => NOW;
  await sql(`UPDATE accounts SET phone = '15550000000', lid = '900000001' WHERE id = $1`, [
    account,
  ]);
  const chatter = await openChatter(base, { now, admins: [ADMIN], lease });
  const asked: string[] = [];
  const model = { say: async (text: string) => `Summary of ${text.split('\n').length} lines` };
  const tokens = createTokenService({ db, lease, changed: () => {} });
  // Tools that only read do not use the other dependencies.
  const deps = {
    ...conversations,
    now,
    tokens: createClientTokens(db, account),
    transport: { link: { phone: null } } as unknown as Transport,
    search: chatter.search,
    conversations: base.service,
    schedules: base.schedules.service,
    digests: createDigestService({ db, account, now, zone: 'UTC', dailyAt: '04:00' }),
    summaries: {
      begin: async () => (name, lines) => {
        const text = lines.map(({ who, text }) => `${who ?? 'me'}: ${text}`).join('\n');
        asked.push(`${name}\n${text}`);
        return model.say(text);
      },
    },
    ledger: createLedgerReader({ db, account, admins: [ADMIN], now, zone: 'UTC' }),
    approvals: base.approvals,
    callOrder: new CallOrder(),
    wait: async () => {},
    keepsSession: async () => true,
    renderQr: async () => '',
    admins: [ADMIN],
    zone: 'UTC',
    onChange: () => {},
  } satisfies Partial<ClientDeps> as unknown as ClientDeps;

  let made = 0;
  async function token(
    scopes: Readonly<Scopes>,
    contacts?: readonly ContactId[],
  ): Promise<{ id: string; hash: string }> {
    const { id, secret } = await tokens.create({
      name: `client ${++made}`,
      scopes: [...scopes],
      confirm: true,
      ...(contacts === undefined ? {} : { contacts: [...contacts] }),
    });
    return { id, hash: createHash('sha256').update(secret).digest('hex') };
  }

  const call = (
    { hash }: { hash: string },
    tool: string,
    input: unknown = {},
    context: Partial<CallContext> = {},
  ) => callTool(deps, hash, tool, input, { ...PLAIN_CALL, ...context });

  /** A grant, with the owner's name for the contact or group. */
  async function grant(
    of: { contact: ContactId } | { group: ChatId },
    name: string,
    { read = true, reply = false } = {},
  ): Promise<void> {
    const [contact, group] = 'contact' in of ? [of.contact, null] : [null, of.group];
    await sql(`DELETE FROM grants WHERE account_id = $1 AND (contact_id = $2 OR chat_id = $3)`, [
      account,
      contact,
      group,
    ]);
    await sql(
      `INSERT INTO grants (account_id, contact_id, chat_id, display_name, can_read, can_reply)
       VALUES ($1, $2, $3, $4, $5, $6)`,
      [account, contact, group, name, read, reply],
    );
  }

  /** A digest of one day, for a group that is observed from now on. */
  async function digest(group: ChatId, text: string): Promise<void> {
    await sql(
      `INSERT INTO observed_groups (account_id, chat_id, zone, since) VALUES ($1, $2, 'UTC', $3)`,
      [account, group, '2026-10-01T00:00:00Z'],
    );
    await sql(
      `INSERT INTO digests (account_id, chat_id, kind, period_start, period_end, body, tokens)
       VALUES ($1, $2, 'daily', '2026-10-13T04:00:00Z', '2026-10-14T04:00:00Z', $3, 10)`,
      [account, group, text],
    );
  }

  const readBy = async ({ id }: { id: string }): Promise<string[]> =>
    (
      await sql<{ chat_id: string }>('SELECT chat_id FROM token_reads WHERE token_id = $1', [id])
    ).map(({ chat_id }) => chat_id);

  return { ...base, chatter, deps, asked, model, token, call, grant, digest, readBy };
}

const PLAIN_CALL: CallContext = {
  signal: new AbortController().signal,
  key: null,
  progress() {},
  confirm: async () => 'cannot',
};
