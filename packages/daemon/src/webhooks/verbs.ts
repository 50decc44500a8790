// Webhooks as the owner makes, changes and ends them. Whoever is named in a filter is found as everywhere else:
// a person means the chat with them, a group itself. A secret is handed out once, when it is made.
import { randomUUID } from 'node:crypto';
import type { CreateWebhook, Webhook } from '@relay/core/api/webhooks';
import { choose } from '@relay/core/contacts/find';
import { RelayError } from '@relay/core/errors';
import type { AccountId, WebhookId } from '@relay/core/ids';
import type { WebhookVerbs } from '@relay/core/ports/webhooks';
import type { WebhookFilter } from '@relay/core/webhooks/filter';
import { WEBHOOK_EVENTS } from '@relay/core/webhooks/kinds';
import type { Reader, Transaction } from '../store/database.ts';
import { fenced } from '../store/fenced.ts';
import { matchPeople } from '../store/people.ts';
import { beginNow } from '../store/webhooks/progress.ts';
import {
  type CountedWebhook,
  deleteWebhook,
  enabledWebhooks,
  findWebhook,
  insertWebhook,
  listWebhooks,
  rotateWebhook,
  updateWebhook,
} from '../store/webhooks/webhooks.ts';
import { newSecret, sealSecret } from './secrets.ts';
import type { WebhookWorld } from './world.ts';

type Verbs = Pick<WebhookVerbs, 'list' | 'create' | 'change' | 'rotate' | 'remove'>;

const MOST_WEBHOOKS = 20;
const MOST_NAMED = 10;

/** `changed`: after a commit, that webhooks are no longer what they were. */
export function webhookVerbs(world: WebhookWorld, changed: () => void): Verbs {
  const { db, lease, sealer, now } = world;
  const { account } = lease;
  const change = async <T>(run: (tx: Transaction) => Promise<T>): Promise<T> => {
    const done = await fenced(db, lease, run);
    changed();
    return done;
  };
  return {
    list: async () => (await listWebhooks(db, account)).map(toApi),
    create: (wish) =>
      change(async (tx) => {
        const all = await listWebhooks(tx, account);
        if (all.length >= MOST_WEBHOOKS) {
          throw new RelayError('webhook_too_many', { most: MOST_WEBHOOKS });
        }
        const id = randomUUID() as WebhookId;
        const { url, include_text } = wish;
        const name = wish.name ?? freeName(hostOf(url), all);
        await refuseTaken(tx, account, name, null);
        const secret = newSecret();
        await beginIfFirst(tx, account);
        await insertWebhook(tx, account, {
          id,
          name,
          url: plainUrl(url),
          events: inOrder(wish.events),
          filter: await filterOf(tx, account, {}, wish),
          include_text,
          secret: sealSecret(sealer, id, secret),
        });
        return { ...toApi(await oneWebhook(tx, account, id)), secret };
      }),
    change: (given, wish) =>
      change(async (tx) => {
        const before = await oneWebhook(tx, account, given);
        const { name = before.name, enabled = before.enabled } = wish;
        await refuseTaken(tx, account, name, before.id);
        if (enabled && !before.enabled) await beginIfFirst(tx, account);
        await updateWebhook(tx, account, {
          id: before.id,
          name,
          url: wish.url === undefined ? before.url : plainUrl(wish.url),
          events: wish.events === undefined ? before.events : inOrder(wish.events),
          filter: await filterOf(tx, account, before.filter, wish),
          include_text: wish.include_text ?? before.include_text,
          enabled,
        });
        return toApi(await oneWebhook(tx, account, before.id));
      }),
    rotate: (given) =>
      change(async (tx) => {
        const { id } = await oneWebhook(tx, account, given);
        const secret = newSecret();
        await rotateWebhook(tx, account, {
          id,
          secret: sealSecret(sealer, id, secret),
          now: now(),
        });
        return { ...toApi(await oneWebhook(tx, account, id)), secret };
      }),
    remove: (given) =>
      change(async (tx) => {
        const webhook = await oneWebhook(tx, account, given);
        await deleteWebhook(tx, account, webhook.id);
        return toApi(webhook);
      }),
  };
}

export async function oneWebhook(
  db: Reader,
  account: AccountId,
  given: string,
): Promise<CountedWebhook> {
  const webhook = await findWebhook(db, account, given);
  if (webhook === null) throw new RelayError('webhook_not_found', { webhook: given.slice(0, 60) });
  return webhook;
}

/** Nobody has followed the log while nobody listened. */
async function beginIfFirst(tx: Transaction, account: AccountId): Promise<void> {
  if ((await enabledWebhooks(tx, account)).length === 0) await beginNow(tx, account);
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

/** A name and a password in an address would be sent to nobody. */
function plainUrl(url: string): string {
  const { username, password } = new URL(url);
  if (username !== '' || password !== '') throw new RelayError('webhook_url');
  return url;
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
  WEBHOOK_EVENTS.filter((event) => wanted.includes(event));

type Wish = {
  readonly [Part in 'chats' | 'directions' | 'states']?: CreateWebhook[Part] | null | undefined;
};

/** What is not named stays; null takes it away. */
async function filterOf(
  tx: Transaction,
  account: AccountId,
  before: WebhookFilter,
  { chats, directions, states }: Wish,
): Promise<WebhookFilter> {
  const { contacts: _, chats: __, ...others } = before;
  return compact({
    ...(chats === undefined ? before : others),
    ...(chats ? await whoAre(tx, account, chats) : {}),
    ...(directions === undefined ? {} : { directions }),
    ...(states === undefined ? {} : { states }),
  });
}

const compact = (filter: object): WebhookFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== null));

async function whoAre(
  tx: Transaction,
  account: AccountId,
  named: readonly string[],
): Promise<Required<Pick<WebhookFilter, 'contacts' | 'chats'>>> {
  const found = { contacts: new Set<string>(), chats: new Set<string>() };
  for (const who of named) {
    const asked = { query: who, kind: 'all', limit: MOST_NAMED } as const;
    const { meant } = await matchPeople(tx, account, asked);
    const choice = choose(meant);
    if ('found' in choice) {
      found[choice.found.kind === 'group' ? 'chats' : 'contacts'].add(choice.found.id);
    } else if ('ambiguous' in choice) {
      const candidates = choice.ambiguous.slice(0, MOST_NAMED).map(({ name }) => name);
      throw new RelayError('contact_ambiguous', { who, candidates: candidates.join(', ') });
    } else throw new RelayError('contact_unknown', { who });
  }
  return { contacts: [...found.contacts], chats: [...found.chats] };
}

const NOTES = {
  gone: 'The receiver said that it is gone (410), so Relay switched it off.',
  failing: 'Nothing has arrived there for three days, so Relay switched it off.',
} as const;

function toApi(row: CountedWebhook): Webhook {
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
