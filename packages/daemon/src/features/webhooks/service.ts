// The owner's operations on webhooks: create, change and delete. A name in a filter is resolved as everywhere else: a
// contact means the chat with them, a group the group itself. A secret is returned once, when it is created.
import { randomUUID } from 'node:crypto';
import type { TokenClient } from '@relay/contract/api/credentials';
import type {
  CreateWebhook,
  Webhook,
  WebhookDelivery,
  WebhookService,
} from '@relay/contract/api/webhooks';
import { RelayError } from '@relay/contract/errors';
import type { AccountId, DeliveryId, WebhookId } from '@relay/contract/ids';
import { PING_EVENT, WEBHOOK_EVENT_TYPES } from '@relay/contract/webhooks/event-types';
import type { WebhookFilter } from '@relay/contract/webhooks/events';
import { deliveryFailureSentence } from '@relay/core/webhooks/failure';
import { ambiguousContactError, matchContacts } from '../../platform/db/contact-directory.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import { beginFollowingNow } from '../../platform/db/event-follower.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { EgressError } from '../../platform/egress/egress.ts';
import {
  enqueueDeliveries,
  laneKeysOf,
  newWebhookSecret,
  sealWebhookSecret,
  sendWebhookRequest,
  type WebhookDeps,
} from './delivery.ts';
import {
  findDeliveries,
  insertPing,
  type ListedDelivery,
  listDeliveries,
  reopenDeliveries,
} from './delivery-store.ts';
import {
  type CountedWebhook,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listEnabledWebhooks,
  listWebhooks,
  noteWebhookDelivered,
  rotateWebhook,
  updateWebhook,
} from './webhooks.ts';

type WebhookSetup = Pick<WebhookService, 'list' | 'create' | 'change' | 'rotate' | 'remove'>;

const MAX_WEBHOOKS = 20;
const MAX_OF_CLIENT = 5;

/** `changed` is called after a commit that changed webhooks. */
export function createWebhookSetup(deps: WebhookDeps, changed: () => void): WebhookSetup {
  const { db, lease, sealer, now } = deps;
  const { account } = lease;
  const change = async <T>(run: (tx: Transaction) => Promise<T>): Promise<T> => {
    const done = await transaction(deps, ({ tx }) => run(tx));
    changed();
    return done;
  };
  return {
    list: async (client) =>
      (await listWebhooks(db, account))
        .filter((webhook) => isOf(webhook, client))
        .map(toApiWebhook),
    create: async (request, client) => {
      if (request.verify) await refuseUndeliverable(deps, plainUrl(request.url));
      return change(async (tx) => {
        const all = await listWebhooks(tx, account);
        if (all.length >= MAX_WEBHOOKS) {
          throw new RelayError('webhook_too_many', { most: MAX_WEBHOOKS });
        }
        if (
          client !== undefined &&
          all.filter((one) => isOf(one, client)).length >= MAX_OF_CLIENT
        ) {
          throw new RelayError('webhook_too_many', { most: MAX_OF_CLIENT });
        }
        const id = randomUUID() as WebhookId;
        const { url, include_text } = request;
        const name = request.name ?? freeName(hostOf(url), all);
        await refuseTaken(tx, account, name, null);
        const secret = newWebhookSecret();
        await beginIfFirst(tx, account);
        await insertWebhook(tx, account, {
          id,
          token_id: client?.id ?? null,
          name,
          url: plainUrl(url),
          events: inOrder(request.events),
          filter: await filterOf(tx, account, {}, request),
          include_text,
          secret: sealWebhookSecret(sealer, id, secret),
        });
        return { ...toApiWebhook(await getWebhook(tx, account, id)), secret };
      });
    },
    change: async (given, request, client) => {
      if (request.url !== undefined) await refuseUndeliverable(deps, plainUrl(request.url));
      return change(async (tx) => {
        const before = await getWebhook(tx, account, given, client);
        const { name = before.name, enabled = before.enabled } = request;
        await refuseTaken(tx, account, name, before.id);
        if (enabled && !before.enabled) await beginIfFirst(tx, account);
        await updateWebhook(tx, account, {
          id: before.id,
          name,
          url: request.url === undefined ? before.url : plainUrl(request.url),
          events: request.events === undefined ? before.events : inOrder(request.events),
          filter: await filterOf(tx, account, before.filter, request),
          include_text: request.include_text ?? before.include_text,
          enabled,
        });
        return toApiWebhook(await getWebhook(tx, account, before.id));
      });
    },
    rotate: (given, client) =>
      change(async (tx) => {
        const { id } = await getWebhook(tx, account, given, client);
        const secret = newWebhookSecret();
        await rotateWebhook(tx, account, {
          id,
          secret: sealWebhookSecret(sealer, id, secret),
          now: now(),
        });
        return { ...toApiWebhook(await getWebhook(tx, account, id)), secret };
      }),
    remove: (given, client) =>
      change(async (tx) => {
        const webhook = await getWebhook(tx, account, given, client);
        await deleteWebhook(tx, account, webhook.id);
        return toApiWebhook(webhook);
      }),
  };
}

/** A client has its own webhooks; the owner has all. */
const isOf = ({ token_id }: CountedWebhook, client: TokenClient | undefined): boolean =>
  client === undefined || token_id === client.id;

async function getWebhook(
  db: Db,
  account: AccountId,
  given: string,
  client?: TokenClient,
): Promise<CountedWebhook> {
  const webhook = await findWebhook(db, account, given);
  if (webhook === null || !isOf(webhook, client))
    throw new RelayError('webhook_not_found', { webhook: given.slice(0, 60) });
  return webhook;
}

/** The follower is idle while no webhook is enabled, so it starts at this moment. */
async function beginIfFirst(tx: Transaction, account: AccountId): Promise<void> {
  if ((await listEnabledWebhooks(tx, account)).length === 0)
    await beginFollowingNow(tx, 'webhook_progress', account);
}

async function refuseTaken(
  tx: Transaction,
  account: AccountId,
  name: string,
  except: WebhookId | null,
): Promise<void> {
  const taken = await findWebhook(tx, account, name);
  if (taken !== null && taken.id !== except) {
    throw new RelayError('webhook_exists', { webhook: name });
  }
}

/** A user name and a password in a URL would not be sent, so they are refused. */
function plainUrl(url: string): string {
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw new RelayError('webhook_url');
  return url;
}

/** Refuses at once an address to which no delivery could ever succeed. Nothing is sent to it. */
async function refuseUndeliverable(
  { insideAddresses, allowedAddresses }: WebhookDeps,
  url: string,
): Promise<void> {
  try {
    const inside = await insideAddresses(url);
    if (inside.length === 0) return;
    const allow = [...allowedAddresses, ...inside].join(',');
    throw new RelayError('webhook_inside', { place: new URL(url).host, allow });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    // A resolver that does not answer says nothing about the name.
    const { code } = (error.cause ?? {}) as NodeJS.ErrnoException;
    if (code === 'EAI_AGAIN') return;
    throw new RelayError('webhook_host_unknown', { host: new URL(url).host }, { cause: error });
  }
}

const hostOf = (url: string): string =>
  new URL(url).hostname.replace(/[^\p{L}\p{N}.-]/gu, '') || 'webhook';

function freeName(wanted: string, all: readonly CountedWebhook[]): string {
  const taken = new Set(all.map(({ name }) => name));
  for (let n = 1; ; n++) {
    const name = n === 1 ? wanted : `${wanted}-${n}`;
    if (!taken.has(name)) return name;
  }
}

const inOrder = (wanted: CreateWebhook['events']): CreateWebhook['events'] =>
  WEBHOOK_EVENT_TYPES.filter((event) => wanted.includes(event));

type FilterInput = {
  readonly [Part in 'chats' | 'directions' | 'states']?: CreateWebhook[Part] | null | undefined;
};

/** Fields that are not given stay; null removes one. */
async function filterOf(
  tx: Transaction,
  account: AccountId,
  before: WebhookFilter,
  { chats, directions, states }: FilterInput,
): Promise<WebhookFilter> {
  const { contacts: _, chats: __, ...others } = before;
  return compact({
    ...(chats === undefined ? before : others),
    ...(chats ? await findFilterChats(tx, account, chats) : {}),
    ...(directions === undefined ? {} : { directions }),
    ...(states === undefined ? {} : { states }),
  });
}

const compact = (filter: object): WebhookFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null));

async function findFilterChats(
  tx: Transaction,
  account: AccountId,
  named: readonly string[],
): Promise<Required<Pick<WebhookFilter, 'contacts' | 'chats'>>> {
  const found = { contacts: new Set<string>(), chats: new Set<string>() };
  for (const who of named) {
    const asked = { query: who, kind: 'all', limit: 1 } as const;
    const { choice } = await matchContacts(tx, account, asked);
    if ('found' in choice) {
      found[choice.found.kind === 'group' ? 'chats' : 'contacts'].add(choice.found.id);
    } else if ('ambiguous' in choice) throw ambiguousContactError(who, choice.ambiguous);
    else throw new RelayError('contact_unknown', { who });
  }
  return { contacts: [...found.contacts], chats: [...found.chats] };
}

const NOTES = {
  gone: 'The receiver answered 410 (gone), so Relay turned the webhook off.',
  failing: 'All deliveries failed for 3 days, so Relay turned the webhook off.',
  restored:
    'It was restored from a backup, so Relay turned it off: it may have been deleted since. Turn it on if you still want it.',
} as const;

function toApiWebhook(row: CountedWebhook): Webhook {
  const { filter, note } = row;
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    events: row.events,
    chats: row.chats,
    directions: filter.directions ?? null,
    states: filter.states ?? null,
    include_text: row.include_text,
    enabled: row.enabled,
    note: note === null ? null : NOTES[note],
    created_at: row.created_at.toISOString(),
    rotated_at: row.rotated_at?.toISOString() ?? null,
    last_delivered_at: row.last_delivered_at?.toISOString() ?? null,
    failing_since: row.failing_since?.toISOString() ?? null,
    pending: row.pending,
    dead: row.dead,
  };
}

// Lists deliveries and repeats them: a test, one delivery, or all dead ones.

type DeliveryLog = Pick<WebhookService, 'test' | 'deliveries' | 'replay' | 'replayDead'>;

export function createDeliveryLog(deps: WebhookDeps): DeliveryLog {
  const { db, lease, jobs } = deps;
  const { account } = lease;
  const again = async (
    webhook: WebhookId,
    which: Parameters<typeof reopenDeliveries>[3],
  ): Promise<number> => {
    const opened = await transaction(deps, async ({ tx }) => {
      const queued = await reopenDeliveries(tx, account, webhook, which, deps.now());
      await enqueueDeliveries(jobs, tx, account, queued);
      return queued;
    });
    jobs.wake('webhook');
    return opened.length;
  };
  return {
    test: (given, client) => sendTestDelivery(deps, given, client),
    async deliveries(given, query, client) {
      const { id } = await getWebhook(db, account, given, client);
      const rows = await listDeliveries(db, account, id, { ...query, limit: query.limit + 1 });
      const shown = rows.slice(0, query.limit);
      const cursor = rows.length > query.limit ? String(shown.at(-1)?.seq) : null;
      return { deliveries: shown.map(toApiDelivery), cursor };
    },
    async replay(given, delivery) {
      const { id } = await getWebhook(db, account, given);
      const meant = await getDelivery(deps, id, delivery);
      await again(id, { id: meant.id });
      return toApiDelivery(await getDelivery(deps, id, meant.id));
    },
    async replayDead(given) {
      const { id } = await getWebhook(db, account, given);
      return again(id, { state: 'dead' });
    },
  };
}

async function sendTestDelivery(
  deps: WebhookDeps,
  given: string,
  client: TokenClient | undefined,
): Promise<WebhookDelivery> {
  const { db, lease, jobs } = deps;
  const { account } = lease;
  const webhook = await getWebhook(db, account, given, client);
  const id = randomUUID() as DeliveryId;
  const at = deps.now();
  const data = { webhook_id: webhook.id };
  const { status, failure } = await sendWebhookRequest(deps, webhook, {
    id,
    type: PING_EVENT,
    at,
    data,
  });
  const state = failure === null ? ('delivered' as const) : ('dead' as const);
  const settled = { state, attempts: 1, status, failure, nextAt: null };
  await transaction(deps, async ({ tx }) => {
    await insertPing(tx, account, { id, webhook: webhook.id, settled }, at);
    if (state !== 'delivered') return;
    const wasFailing = await noteWebhookDelivered(tx, account, webhook.id, deps.now());
    if (wasFailing) await jobs.makeReadyNow(tx, 'webhook', laneKeysOf(account, webhook.id));
  });
  jobs.wake('webhook');
  return toApiDelivery(await getDelivery(deps, webhook.id, id));
}

async function getDelivery(
  { db, lease }: WebhookDeps,
  webhook: WebhookId,
  given: string,
): Promise<ListedDelivery> {
  const [only, another] = await findDeliveries(db, lease.account, webhook, given);
  if (only === undefined || another !== undefined) {
    throw new RelayError('delivery_not_found', { delivery: given.slice(0, 60) });
  }
  return only;
}

const toApiDelivery = (row: ListedDelivery): WebhookDelivery => ({
  id: row.id,
  type: row.type,
  state: row.state,
  attempts: row.attempts,
  next_at: row.next_at?.toISOString() ?? null,
  last_status: row.last_status,
  last_error: deliveryFailureSentence(row.failure, row.last_status),
  event_at: row.event_at.toISOString(),
  settled_at: row.settled_at?.toISOString() ?? null,
});
