// Starts and stops observing a group. Starting is one transaction: it checks that the group was informed, gives the
// grant to read through the gate if it is missing, and records the start in the ledger. Stopping is another.
import type {
  ObservedGroup,
  ObservedGroupService,
  ObservedPreview,
  ObserveGroupRequest,
} from '@relay/contract/api/observed-groups';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, ChatId } from '@relay/contract/ids';
import type { ObserverSettings, RetentionSettings } from '@relay/contract/settings';
import {
  announcementFor,
  effectiveTerms,
  type ObservedOptions,
} from '@relay/core/observer/options';
import { refusalError } from '@relay/core/policy/reasons';
import { findZone } from '@relay/core/schedule/zone';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { matchContacts } from '../../platform/db/contact-directory.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import {
  loadObservedGroups,
  type ObservedOverview,
  putObservedGroup,
  readObservedGroup,
  readObservedOverview,
  removeObservedGroup,
} from '../../platform/db/observer/groups.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import type { Gate } from './gate.ts';
import { lockGrantee } from './grant-store.ts';

interface ObservedGroupDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly gate: Gate;
  readonly now: () => Date;
  readonly settings: {
    readonly observer: ObserverSettings;
    readonly retention: RetentionSettings;
  };
  /** The owner's time zone. */
  readonly zone: string;
  /** Runs in the transaction that starts observing, for features that work on observed groups at set times. */
  readonly onObserved?: (work: UnitOfWork, chat: ChatId) => Promise<void>;
  /** Runs after observing has stopped: deletes everything stored about the group. */
  readonly erase?: (chat: ChatId) => Promise<unknown>;
  /** Called after a commit that changed something a stream shows. */
  readonly onChange: () => void;
}

export function createObservedGroupService(deps: ObservedGroupDeps): ObservedGroupService {
  const { db, lease } = deps;
  const { account } = lease;
  const list = async () =>
    (await readObservedOverview(db, account, deps.now())).map((one) => shown(deps, one));
  return {
    list,
    preview: async (request) => {
      const { chat, address, name } = await resolveGroup(db, account, request.group);
      const found = chat === null ? null : await readObservedGroup(db, account, chat);
      return {
        ...termsShown(deps, { address, name, ...requestedTerms(deps, request, found?.options) }),
        may_answer: request.may_answer,
        observed: found !== null,
      };
    },
    add: async (request) => {
      const chat = await transaction(deps, (work) => begin(deps, work, request));
      deps.onChange();
      const group = (await list()).find(({ chat_id }) => chat_id === chat);
      if (group === undefined) throw new RelayError('not_observed', { group: request.group });
      return group;
    },
    remove: async (group, { erase }) => {
      const { chat, name } = await transaction(deps, ({ tx }) => end(deps, tx, group));
      if (erase) await deps.erase?.(chat);
      deps.onChange();
      return { chat_id: chat, name, erased: erase };
    },
  };
}

async function begin(
  deps: ObservedGroupDeps,
  work: UnitOfWork,
  request: ObserveGroupRequest,
): Promise<ChatId> {
  const { tx } = work;
  const { account } = deps.lease;
  const meant = await resolveGroup(tx, account, request.group);
  const chat = meant.chat ?? (await findOrMakeGroupChat(tx, account, meant.address));
  const held = await readObservedGroup(tx, account, chat);
  const terms = requestedTerms(deps, request, held?.options);
  if (held?.announcedAt == null && !request.announced) {
    const { announcement } = termsShown(deps, { ...meant, ...terms });
    throw new RelayError('not_announced', { group: meant.name, announcement });
  }
  await grantReading(deps, tx, chat, request.may_answer);
  await putObservedGroup(tx, account, {
    chat,
    zone: request.zone === undefined ? (held?.zone ?? terms.zone) : terms.zone,
    options: terms.options,
    announcedAt: request.announced ? deps.now() : null,
    since: deps.now(),
  });
  if (held === null) await deps.onObserved?.(work, chat);
  await note(tx, account, chat, 'observe_group');
  return chat;
}

async function end(deps: ObservedGroupDeps, tx: Transaction, given: string) {
  const { account } = deps.lease;
  const groups = await loadObservedGroups(tx, account);
  const group = groups.find(({ chat, address }) => chat === given || address === given);
  if (group === undefined) throw new RelayError('not_observed', { group: given });
  const { chat, name } = group;
  await removeObservedGroup(tx, account, chat);
  await note(tx, account, chat, 'unobserve_group');
  return { chat, name };
}

/** Grants reading, and answering if requested. What the grant already allows stays allowed. */
async function grantReading(
  { gate, lease: { account } }: ObservedGroupDeps,
  tx: Transaction,
  chat: ChatId,
  mayAnswer: boolean,
): Promise<void> {
  const of = { kind: 'group', chat } as const;
  const known = await lockGrantee(tx, account, of);
  const held = known?.held?.grant ?? null;
  if (held?.canRead === true && (!mayAnswer || held.canReply)) return;
  const { decision } = await gate.submit(
    tx,
    { kind: 'owner' },
    {
      kind: 'manage_grant',
      of,
      displayName: null,
      grant: {
        canRead: true,
        canReply: mayAnswer || (held?.canReply ?? false),
        replyMode: mayAnswer && held?.canReply !== true ? 'auto' : (held?.replyMode ?? 'draft'),
        canInitiate: held?.canInitiate ?? false,
      },
      options: known?.held?.options ?? {},
    },
  );
  if (decision.outcome !== 'allow') {
    throw refusalError(decision.reason);
  }
}

const note = (
  tx: Transaction,
  account: AccountId,
  chat: ChatId,
  action: 'observe_group' | 'unobserve_group',
) =>
  appendLedger(tx, account, {
    actor: 'owner',
    action,
    subject: { kind: 'chat', id: chat },
    outcome: 'allow',
    reason: 'owner',
    detail: { chat },
  });

interface RequestedTerms {
  readonly zone: string;
  readonly options: ObservedOptions;
}

function requestedTerms(
  { zone: own }: ObservedGroupDeps,
  { zone, assistant_name, answers_per_day }: ObserveGroupRequest,
  held: ObservedOptions = {},
): RequestedTerms {
  if (zone !== undefined && findZone(zone) === null) throw new RelayError('unknown_zone', { zone });
  return {
    zone: zone ?? own,
    options: {
      ...held,
      ...(assistant_name === undefined ? {} : { assistant_name }),
      ...(answers_per_day === undefined ? {} : { answers_per_day }),
    },
  };
}

type Shown = Omit<ObservedPreview, 'may_answer' | 'observed'>;

function termsShown(
  { settings }: ObservedGroupDeps,
  { address, name, zone, options }: Omit<ResolvedGroup, 'chat'> & RequestedTerms,
): Shown {
  const terms = effectiveTerms(options, settings.observer);
  return {
    address,
    name,
    zone,
    assistant_name: terms.assistantName,
    answers_per_day: terms.answersPerDay,
    announcement: announcementFor(terms, settings.retention.observed_messages_days),
  };
}

const shown = (deps: ObservedGroupDeps, group: ObservedOverview): ObservedGroup => ({
  ...termsShown(deps, group),
  chat_id: group.chat,
  may_answer: group.mayAnswer,
  since: group.since.toISOString(),
  announced_at: group.announcedAt?.toISOString() ?? null,
  messages_kept: group.kept,
  messages_cut: group.cut,
  tokens_spent: group.spent,
  tokens_avoided: group.saved,
  answers_today: group.answersToday,
  messages_sent: group.sent,
  days: [...group.days],
  last_digest_at: group.lastDigestAt?.toISOString() ?? null,
  oldest_message_at: group.oldestMessageAt?.toISOString() ?? null,
});

// Finds the group that the owner typed: by its name or a part of it, its address or its id. If two match, neither is
// chosen.

interface ResolvedGroup {
  /** Null for a group from which nothing was received yet. */
  readonly chat: ChatId | null;
  readonly address: string;
  readonly name: string;
}

const GROUP = /^\d+(-\d+)?@g\.us$/;
const NAMED = 5;

async function resolveGroup(db: Db, account: AccountId, given: string): Promise<ResolvedGroup> {
  const query = given.trim();
  const { choice } = await matchContacts(db, account, { query, kind: 'group', limit: NAMED });
  if ('found' in choice) {
    const { id, jid, name } = choice.found;
    return { chat: id as ChatId, address: jid ?? '', name: name ?? jid ?? '' };
  }
  if ('ambiguous' in choice) {
    const names = choice.ambiguous.slice(0, NAMED).map(({ name, jid }) => `${name ?? ''} (${jid})`);
    const candidates = [...names, ...(choice.ambiguous.length > NAMED ? ['…'] : [])].join(', ');
    throw new RelayError('group_unclear', { group: query, candidates });
  }
  if (GROUP.test(query)) return { chat: null, address: query, name: query };
  throw new RelayError('group_unknown', { group: query });
}

async function findOrMakeGroupChat(
  tx: Transaction,
  account: AccountId,
  address: string,
): Promise<ChatId> {
  const { byGroup } = await findOrMakeChats(tx, account, { contacts: [], groups: [address] });
  const chat = byGroup.get(address);
  if (chat === undefined) throw new Error('a group without a chat');
  return chat;
}
