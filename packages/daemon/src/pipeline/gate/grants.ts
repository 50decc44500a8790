// The owner's operations on grants. Each change is one transaction: it locks the grantee, builds the new record from
// the current one, and submits it to the gate.
import type {
  ContactService,
  CreatePermission,
  GrantService,
  Permission,
} from '@relay/contract/api/contacts';
import { patchGrantOptions } from '@relay/contract/contacts/grant-options';
import { RelayError } from '@relay/contract/errors';
import {
  type AccountId,
  type ChatId,
  type ContactId,
  contactId,
  type GrantId,
} from '@relay/contract/ids';
import { phoneAlias } from '@relay/core/contacts/alias';
import type { GrantRecord } from '@relay/core/contacts/grants';
import { toStorableText } from '@relay/core/messages/text';
import { refusalError } from '@relay/core/policy/reasons';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import {
  countContacts,
  matchContacts,
  readContactDetail,
  readContactPage,
} from '../../platform/db/contact-directory.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { listGrants, readGrant } from '../../platform/db/grants.ts';
import type { Lease } from '../../platform/db/lease.ts';
import {
  listMessageRequests,
  markMessageRequestDismissed,
} from '../../platform/db/message-requests.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { Gate } from './gate.ts';
import { lockGrantee, type StoredGrant } from './grant-store.ts';
import type { Grantee } from './proposals.ts';

interface GrantDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  /** Called after a commit that changed something a stream shows. */
  readonly onChange: () => void;
}

export function createGrantService(deps: GrantDeps): GrantService {
  const { db, lease } = deps;
  const { account } = lease;
  const shown = async (id: GrantId): Promise<Permission> => {
    const permission = await readGrant(db, account, id);
    if (permission === null) throw new RelayError('permission_not_found');
    return permission;
  };
  const change = async <T>(run: (tx: Transaction) => Promise<T>): Promise<T> => {
    const changed = await transaction(deps, ({ tx }) => run(tx));
    deps.onChange();
    return changed;
  };
  return {
    list: (kind) => listGrants(db, account, kind),
    create: async (given) => shown(await change((tx) => create(deps, tx, given))),
    update: async (id, { displayName, options, ...flags }) => {
      await change(async (tx) => {
        const { of, held } = await lockRecord(tx, account, id);
        await submit(deps, tx, of, {
          displayName: displayName ?? held.displayName,
          grant: { ...held.grant, ...given(flags) },
          options: patchGrantOptions(held.options, options ?? {}),
        });
      });
      return shown(id);
    },
    remove: async (id) => {
      await change(async (tx) => {
        const { of } = await lockRecord(tx, account, id);
        await submit(deps, tx, of, null);
      });
    },
  };
}

/** Removes fields that are present but undefined. */
const given = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;

async function create(
  deps: GrantDeps,
  tx: Transaction,
  {
    displayName = null,
    options,
    canRead,
    canReply,
    replyMode,
    canInitiate,
    ...whom
  }: CreatePermission,
): Promise<GrantId> {
  const of = await granteeOf(tx, deps.lease.account, whom);
  const known = await lockGrantee(tx, deps.lease.account, of);
  if (known?.held) throw new RelayError('permission_exists');
  const grant = { canRead, canReply, replyMode, canInitiate };
  return submit(deps, tx, of, { displayName, grant, options });
}

type Whom = Pick<CreatePermission, 'phoneNumber' | 'contactId' | 'group'>;

const GROUP = /^\d+(-\d+)?@g\.us$/;

/** The contact or group that a grant is for. An unknown number or group is created. */
async function granteeOf(
  tx: Transaction,
  account: AccountId,
  { phoneNumber, contactId: known, group }: Whom,
): Promise<Grantee> {
  if (known !== undefined) return { kind: 'contact', contact: contactId(known) };
  if (group !== undefined) {
    if (!GROUP.test(group)) throw new RelayError('contact_not_found');
    const { byGroup } = await findOrMakeChats(tx, account, { contacts: [], groups: [group] });
    const chat = byGroup.get(group);
    if (chat === undefined) throw new Error('a group without a chat');
    return { kind: 'group', chat };
  }
  // This field holds nothing but a number, so letters (`tel:`) are dropped like other signs.
  const alias = phoneAlias((phoneNumber ?? '').replace(/\p{L}/gu, ''));
  if (alias === null) throw new RelayError('invalid_phone');
  const [contact] = await resolveSightings(tx, account, [[alias]]);
  if (contact === undefined) throw new Error('a number without a contact');
  return { kind: 'contact', contact };
}

/** Locks the grantee before the record, the order used everywhere. */
async function lockRecord(
  tx: Transaction,
  account: AccountId,
  id: GrantId,
): Promise<{ of: Grantee; held: StoredGrant }> {
  const row = await tx
    .selectFrom('grants')
    .select(['contact_id', 'chat_id'])
    .where('account_id', '=', account)
    .where('id', '=', id)
    .executeTakeFirst();
  const of = row === undefined ? null : granteeIn(row);
  const known = of === null ? null : await lockGrantee(tx, account, of);
  if (of === null || known?.held?.id !== id) throw new RelayError('permission_not_found');
  return { of, held: known.held };
}

function granteeIn(row: { contact_id: ContactId | null; chat_id: ChatId | null }): Grantee | null {
  if (row.contact_id !== null) return { kind: 'contact', contact: row.contact_id };
  return row.chat_id === null ? null : { kind: 'group', chat: row.chat_id };
}

async function submit(
  { gate }: GrantDeps,
  tx: Transaction,
  of: Grantee,
  record: GrantRecord | null,
): Promise<GrantId> {
  const { decision, grant } = await gate.submit(
    tx,
    { kind: 'owner' },
    {
      kind: 'manage_grant',
      of,
      displayName: record?.displayName == null ? null : toStorableText(record.displayName),
      grant: record?.grant ?? null,
      ...(record === null ? {} : { options: record.options }),
    },
  );
  if (grant !== null && decision.outcome === 'allow') return grant;
  if (decision.reason === 'unknown_contact') throw new RelayError('contact_not_found');
  throw refusalError(decision.reason);
}

interface PeopleDeps extends Pick<GrantDeps, 'db' | 'lease'> {
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
}

export function createPeopleService({ db, lease, admins }: PeopleDeps): ContactService {
  const { account } = lease;
  return {
    find: async ({ query = '', ...asked }) => {
      if (query === '') {
        return { ...(await readContactPage(db, account, asked)), meant: null, number: null };
      }
      const { matches, total, choice, number } = await matchContacts(db, account, {
        query,
        ...asked,
      });
      const one = 'found' in choice ? choice.found.id : null;
      return { contacts: matches.map(({ contact }) => contact), total, meant: one, number };
    },
    counts: () => countContacts(db, account),
    detail: async (id) => {
      const detail = await readContactDetail(db, account, admins, id);
      if (detail === null) throw new RelayError('contact_not_found');
      return detail;
    },
    messageRequests: () => listMessageRequests(db, account),
    dismiss: async (contact) => {
      const dismissed = await transaction({ db, lease }, ({ tx }) =>
        markMessageRequestDismissed(tx, account, contact),
      );
      if (!dismissed) throw new RelayError('contact_not_found');
    },
  };
}
