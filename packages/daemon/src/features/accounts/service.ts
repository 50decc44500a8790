// The accounts of a home: lists, adds, renames and removes them. An owner sees their own; the home's owner and operators
// also see the figures of others, and nothing that is in them.
import type {
  AccountCaller,
  AccountService,
  AccountSettings,
  AccountsInbox,
  ChangeAccountSettings,
  ListedAccount,
  ShownAccountSettings,
} from '@relay/contract/api/accounts';
import type { ApprovalService } from '@relay/contract/api/approvals';
import type { ChatReader } from '@relay/contract/api/chats';
import { connectionSentence } from '@relay/contract/connection/states';
import { RelayError } from '@relay/contract/errors';
import { type AccountId, HOME_OWNER } from '@relay/contract/ids';
import type { Settings } from '@relay/contract/settings';
import type { Log } from '@relay/core/log';
import type { Sealer } from '@relay/core/ports/sealer';
import type { Transport } from '@relay/core/ports/transport';
import type { Db } from '../../platform/db/database.ts';
import { findOwner } from '../../platform/db/owners.ts';
import { EgressError, resolvePublicHost } from '../../platform/egress/egress.ts';
import { changeAccountSettings, readAccountSettings } from './settings.ts';
import {
  type AccountRow,
  deleteAccount,
  insertAccount,
  listAccountRows,
  makeDefaultAccount,
  renameAccount,
} from './sql.ts';

/** What the process that works for an account offers of it. */
interface HostedAccount {
  readonly services: {
    readonly whatsapp: Pick<Transport, 'link' | 'disconnect'>;
    readonly approvals: Pick<ApprovalService, 'list'>;
    readonly chats: Pick<ChatReader, 'list'>;
  };
}

interface AccountServiceDeps {
  readonly db: Db;
  readonly log: Log;
  readonly home: Settings;
  readonly sealer: Pick<Sealer, 'forAccount'>;
  readonly hosting: {
    byId(account: AccountId): HostedAccount | null;
    /** Begins to work for an account that was just added. */
    add(account: AccountId): Promise<unknown>;
    /** Its settings have changed: whoever works for it opens it again. */
    reopen(account: AccountId): Promise<void>;
    /** Stops working for an account. */
    remove(account: AccountId): Promise<void>;
    /** Names or defaults have changed. */
    refresh(): Promise<void>;
  };
}

const INBOX_CHATS = 30;

export function createAccountService(deps: AccountServiceDeps): AccountService {
  const { db, log, hosting } = deps;
  const list = async (caller: AccountCaller): Promise<ListedAccount[]> => {
    const rows = await listAccountRows(db, seesAll(caller) ? null : caller.id);
    return rows.map((row) => toListed(row, caller, hosting.byId(row.id)));
  };
  const find = async (caller: AccountCaller, name: string): Promise<AccountRow> => {
    const rows = await listAccountRows(db, caller.id === HOME_OWNER ? null : caller.id);
    const found = rows.find((row) => row.name === name);
    if (found === undefined) throw new RelayError('account_not_found', { account: name });
    return found;
  };
  const findOwnAccount = async (caller: AccountCaller, name: string): Promise<AccountRow> => {
    const found = await find(caller, name);
    if (found.owner_id !== caller.id) throw new RelayError('account_of_another');
    return found;
  };
  const show = async (caller: AccountCaller, name: string): Promise<ListedAccount> => {
    const row = await find(caller, name);
    return toListed(row, caller, hosting.byId(row.id));
  };
  return {
    list,
    async add(caller, { name, owner }) {
      const belongsTo = owner === undefined ? caller.id : await findOwner(db, owner);
      const account = await insertAccount(db, { name, owner: belongsTo });
      if (account === null) throw new RelayError('account_exists', { account: name });
      await hosting.add(account);
      log.info('account added', { account });
      return show(caller, name);
    },
    async change(caller, given, { name = given, default: makeDefault }) {
      const { id, owner_id: owner } = await find(caller, given);
      if (name !== given && !(await renameAccount(db, id, name))) {
        throw new RelayError('account_exists', { account: name });
      }
      if (makeDefault === true) {
        if (owner !== caller.id) throw new RelayError('account_of_another');
        await makeDefaultAccount(db, owner, id);
      }
      await hosting.refresh();
      return show(caller, name);
    },
    async settings(caller, name) {
      const { id } = await findOwnAccount(caller, name);
      return showSettings(await readAccountSettings(db, id, deps.sealer.forAccount(id)));
    },
    async changeSettings(caller, name, changed) {
      const { id } = await findOwnAccount(caller, name);
      const sealer = deps.sealer.forAccount(id);
      if (caller.id !== HOME_OWNER) await refuseInsideAddresses(changed);
      await changeAccountSettings(db, id, sealer, { home: deps.home, changed });
      await hosting.reopen(id);
      return showSettings(await readAccountSettings(db, id, sealer));
    },
    async remove(caller, name, confirm) {
      const row = await find(caller, name);
      const hosted = hosting.byId(row.id);
      const listed = toListed(row, caller, hosted);
      if ((await listAccountRows(db, null)).length === 1) {
        throw new RelayError('account_last', { account: name });
      }
      const isLinked = row.phone !== null;
      if (isLinked && confirm !== name) throw new RelayError('account_linked', { account: name });
      if (hosted === null) throw new RelayError('account_elsewhere', { account: name });
      // The phone forgets this device; without a connection its owner removes it there.
      if (isLinked) {
        await hosted.services.whatsapp
          .disconnect({ forget: true })
          .catch((error: unknown) =>
            log.warn('unlinking a removed account failed', { account: row.id, error }),
          );
      }
      await hosting.remove(row.id);
      await deleteAccount(db, row.id);
      await hosting.refresh();
      log.info('account removed', { account: row.id });
      return listed;
    },
    async inbox(caller): Promise<AccountsInbox> {
      const accounts = (await list(caller)).filter(({ own }) => own);
      const rows = (await listAccountRows(db, caller.id)).flatMap(({ id, name }) => {
        const hosted = hosting.byId(id);
        return hosted === null ? [] : [{ account: name, ...hosted.services }];
      });
      const each = await Promise.all(
        rows.map(async ({ account, chats, approvals }) => ({
          chats: (await chats.list({ limit: INBOX_CHATS })).chats.map((chat) => ({
            ...chat,
            account,
          })),
          approvals: (await approvals.list('pending')).map((one) => ({ ...one, account })),
        })),
      );
      return {
        accounts,
        chats: each
          .flatMap(({ chats }) => chats)
          .sort((a, b) => compare(b.last_message_at ?? '', a.last_message_at ?? ''))
          .slice(0, INBOX_CHATS),
        approvals: each
          .flatMap(({ approvals }) => approvals)
          .sort((a, b) => compare(a.created_at, b.created_at)),
      };
    },
  };
}

/** What is refused here could not be reached later either; names are resolved again then. */
async function refuseInsideAddresses({
  model_base_url,
  proxy,
}: ChangeAccountSettings): Promise<void> {
  for (const [name, url] of Object.entries({ model_base_url, proxy })) {
    if (typeof url !== 'string') continue;
    await resolvePublicHost(new URL(url).hostname).catch((cause: unknown) => {
      if (!(cause instanceof EgressError)) throw cause;
      const what = `"${name}" must be an address on the public internet`;
      throw new RelayError('setting_invalid', { what }, { cause });
    });
  }
}

function showSettings(own: AccountSettings): ShownAccountSettings {
  const { proxy, model_api_key: key, ...shown } = own;
  const address = proxy === undefined ? null : new URL(proxy);
  if (address !== null) address.password = '';
  return { ...shown, proxy: address?.href ?? null, has_model_key: key !== undefined };
}

const seesAll = ({ id, role }: AccountCaller): boolean => id === HOME_OWNER || role === 'operator';

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

function toListed(
  row: AccountRow,
  caller: AccountCaller,
  hosted: HostedAccount | null,
): ListedAccount {
  const own = row.owner_id === caller.id;
  const state = hosted?.services.whatsapp.link.state ?? null;
  return {
    name: row.name,
    default: row.is_default,
    owner: row.owner,
    own,
    served: hosted !== null,
    state,
    sentence: state === null ? 'No process works for this account now.' : connectionSentence(state),
    phone_number: own ? row.phone : null,
    profile_name: own && row.phone !== null && row.label !== 'me' ? row.label : null,
    created_at: row.created_at.toISOString(),
    waiting_count: row.waiting,
    hold: row.hold,
    sent_today: row.sent,
  };
}
