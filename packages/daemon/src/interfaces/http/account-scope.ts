// The account of a request. Routes are declared once and use `deps.…`; each service is that of the account which the
// request names: `/api/accounts/<name>/…`, `/api/v1/accounts/<name>/…`, or the default one.
// Invariant: outside a request there is no account, and a service that is used there throws.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { SignedInOwner } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import { type AccountId, HOME_OWNER, type OwnerId } from '@relay/contract/ids';
import type { FastifyRequest } from 'fastify';
import type { Principal, RouteSubject } from './app.ts';
import type { AccountDirectory, AccountServices, HttpDeps, ServedAccount } from './deps.ts';

const scope = new AsyncLocalStorage<ServedAccount>();

/** Runs `work` for this account. A stream that outlives it keeps the services it has read from `deps` by then. */
export const inAccount = <T>(account: ServedAccount, work: () => T): T => scope.run(account, work);

/**
 * The account that a request is for; null if it is for none. For a caller who may not know of an account, there
 * is none.
 */
export function accountOf(
  accounts: AccountDirectory,
  principal: Principal | null,
  wanted: WantedAccount,
): ServedAccount | null {
  if (principal === null) return accounts.defaultOf(HOME_OWNER);
  if (principal.kind === 'forwarder') return accounts.byId(principal.account);
  return principal.kind === 'program'
    ? accountOfClient(accounts, principal.program.accounts, wanted)
    : accountOfOwner(accounts, principal.owner, wanted);
}

interface WantedAccount {
  /** Null if the request names none. */
  readonly name: string | null;
  readonly subject: RouteSubject;
}

const missing = ({ name }: WantedAccount) =>
  new RelayError('account_not_found', { account: name ?? 'default' });

function accountOfClient(
  accounts: AccountDirectory,
  own: readonly AccountId[],
  wanted: WantedAccount,
): ServedAccount {
  const fallback = own.find((id) => id === accounts.defaultOf(HOME_OWNER)?.id) ?? own[0];
  const unnamed = fallback === undefined ? null : accounts.byId(fallback);
  const asked = wanted.name === null ? unnamed : accounts.find(wanted.name);
  if (asked === null || !own.includes(asked.id)) throw missing(wanted);
  return asked;
}

function accountOfOwner(
  accounts: AccountDirectory,
  caller: SignedInOwner,
  wanted: WantedAccount,
): ServedAccount | null {
  const { name, subject } = wanted;
  const owner = caller.id;
  const mayKnow = seesAllAccounts(caller);
  const isRefused =
    (subject === 'home' && owner !== HOME_OWNER) || (subject === 'machine' && !mayKnow);
  if (isRefused) throw new RelayError('home_only');
  const asked = name === null ? accounts.defaultOf(owner) : accounts.find(name);
  if (asked?.owner === owner) return asked;
  // Also where the answer would not depend on the account: a path that names none of the caller's leads nowhere.
  const isOfNone = subject === 'caller' || subject === 'home' || subject === 'machine';
  if (isOfNone && name === null) return null;
  const shown = asked ?? (name === null ? accounts.defaultOf(HOME_OWNER) : null);
  if (!mayKnow || shown === null) throw missing(wanted);
  if (subject !== 'figures') throw new RelayError('account_of_another');
  return shown;
}

/** Named here, because a route may be declared with a service before there is any account. */
const SERVICES = {
  conversations: true,
  whatsapp: true,
  media: true,
  messages: true,
  chats: true,
  drafts: true,
  ledger: true,
  activity: true,
  send: true,
  assistant: true,
  approvals: true,
  hold: true,
  grants: true,
  people: true,
  schedules: true,
  search: true,
  observing: true,
  digests: true,
  memory: true,
  evaluation: true,
  ingest: true,
  imports: true,
  digestExport: true,
  forwarderTokens: true,
  tokens: true,
  clients: true,
  retention: true,
  webhooks: true,
  typedEvents: true,
  keptResponses: true,
  notifications: true,
  status: true,
  figures: true,
  checks: true,
  events: true,
} as const satisfies Record<keyof AccountServices, true>;

/** Adds the services to `deps`: in a request those of its account, before it placeholders that find them when called. */
export function withServicesOfRequest(deps: Omit<HttpDeps, keyof AccountServices>): HttpDeps {
  for (const name of Object.keys(SERVICES) as (keyof AccountServices)[]) {
    const placeholder = placeholderOf(name);
    Object.defineProperty(deps, name, {
      enumerable: true,
      get: () => scope.getStore()?.services[name] ?? placeholder,
    });
  }
  return deps as HttpDeps;
}

function placeholderOf(name: keyof AccountServices): unknown {
  const current = (): object => {
    const account = scope.getStore();
    if (account === undefined) throw new Error(`${name} was used outside a request`);
    return account.services[name];
  };
  // A function, because some services are functions.
  return new Proxy(() => {}, {
    apply: (_target, _self, given: unknown[]) =>
      (current() as (...all: unknown[]) => unknown)(...given),
    get(_target, property) {
      const service = current();
      const found: unknown = Reflect.get(service, property);
      return typeof found === 'function' ? found.bind(service) : found;
    },
  });
}

/** The owner who calls. */
export function callerOf({ principal }: Pick<FastifyRequest, 'principal'>): SignedInOwner {
  if (principal === null || !('owner' in principal)) throw new RelayError('unauthorized');
  return principal.owner;
}

/** Whether the caller may know that this account exists; null is one that no process serves. */
export function mayKnowOf(
  { principal }: Pick<FastifyRequest, 'principal'>,
  account: ServedAccount | null,
): boolean {
  if (principal?.kind === 'program') {
    return account !== null && principal.program.accounts.includes(account.id);
  }
  if (principal === null || !('owner' in principal)) return false;
  return seesAllAccounts(principal.owner) || account?.owner === principal.owner.id;
}

/** Whether the caller may see figures of the process and its disk: the home's owner, their clients, and operators. */
export const runsMachine = ({
  principal,
  account,
}: Pick<FastifyRequest, 'principal' | 'account'>): boolean =>
  principal?.kind === 'program'
    ? account?.owner === HOME_OWNER
    : principal !== null && 'owner' in principal && seesAllAccounts(principal.owner);

const seesAllAccounts = ({ id, role }: SignedInOwner): boolean =>
  id === HOME_OWNER || role === 'operator';

/** An account of this owner. */
export function findOwnAccount(
  accounts: AccountDirectory,
  owner: OwnerId,
  name: string,
): ServedAccount {
  const found = accounts.find(name);
  if (found?.owner !== owner) throw new RelayError('account_not_found', { account: name });
  return found;
}

// The account in a request's path.

const named = new WeakMap<IncomingMessage, string>();

/**
 * The same routes are served below each account, and so are the pages of the console: remembers the account's name and
 * returns the path without it.
 */
export function withoutAccountPrefix(request: IncomingMessage): string {
  const url = request.url ?? '/';
  const page = /^\/accounts\/[a-z0-9-]+(\/.*)?$/.exec(url);
  if (page !== null) return page[1] ?? '/';
  const found = /^\/api\/accounts\/([^/?]+)(\/[^?].*)$/.exec(url);
  if (found?.[1] === undefined) return url;
  named.set(request, decode(found[1]));
  return `/api${found[2]}`;
}

export const accountInPath = (request: IncomingMessage): string | null =>
  named.get(request) ?? null;

/** A name that cannot be decoded is the name of no account. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
