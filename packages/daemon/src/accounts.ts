// The accounts that this process serves. Those whose leases its worker holds run here; the services of all others work
// here too, over rows that their workers read and write.
import type { FoundClient } from '@relay/contract/api/credentials';
import { RelayError } from '@relay/contract/errors';
import { type AccountId, HOME_OWNER, type OwnerId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import {
  type AccountRuntime,
  loadRemoteAccount,
  openAccount,
  openRemoteAccount,
  type ProcessContext,
  type RemoteAccount,
} from './account.ts';
import { adoptLease, type HomeRecord } from './account-lease.ts';
import type { AccountDirectory, ServedAccount } from './interfaces/http/deps.ts';
import type { ClientDeps } from './interfaces/mcp/tool.ts';
import {
  type AccountIdentity,
  listAccountIds,
  readAccountIdentities,
} from './platform/db/account.ts';
import { databaseOf, type SharedDatabase } from './platform/db/database.ts';
import type { Lease } from './platform/db/lease.ts';
import { askWorker } from './platform/db/worker-requests.ts';
import type { PublishedLinks } from './remote-account.ts';
import type { RunningAccount, TakenFrom, Worker } from './worker.ts';

interface AccountSetDeps {
  readonly database: SharedDatabase;
  readonly home: string;
  readonly log: Log;
  readonly record: Pick<HomeRecord, 'lastSeen'>;
  /** The links of accounts that other processes hold; null if no other process can. */
  readonly links: PublishedLinks | null;
}

/** Starting an account is a few dozen statements, one after the other. */
const STARTED_AT_ONCE = 8;
const REOPENED_WITHIN_MS = 5_000;
/** How long the jobs of an account may take to end when it is given up. */
const DRAIN_MS = 10_000;

export class AccountSet implements AccountDirectory {
  readonly #deps: AccountSetDeps;
  readonly #runtimes = new Map<AccountId, AccountRuntime>();
  readonly #remote = new Map<AccountId, AccountRuntime>();
  readonly #started = new Set<AccountRuntime>();
  #shared: ProcessContext | null = null;
  #worker: Worker | null = null;
  /** Each owner's default account first, then the oldest. */
  #identities: readonly AccountIdentity[] = [];
  /** Of accounts that run in other processes, with the settings that they were loaded with. */
  readonly #loaded = new Map<AccountId, RemoteAccount & { readonly mark: string }>();
  /** Whether accounts begin to work as soon as they are open. */
  #starts = false;

  constructor(deps: AccountSetDeps) {
    this.#deps = deps;
  }

  /** From now on the worker may open accounts. Without a worker all accounts are held elsewhere. */
  async assemble(shared: ProcessContext, worker: Worker | null): Promise<void> {
    this.#shared = shared;
    this.#worker = worker;
    await this.refresh();
  }

  /** Opens an account whose lease the worker has taken. */
  async run(lease: Lease, before: TakenFrom): Promise<RunningAccount> {
    const shared = this.#shared;
    if (shared === null) throw new Error('the process is not assembled yet');
    const { database, home, log, record } = this.#deps;
    const { account } = lease;
    const db = databaseOf(database, account).kysely;
    const absence = before.unservedSince === null ? null : new Date(before.unservedSince);
    const unservedSince = before.wasOwn ? record.lastSeen : absence;
    const release = await adoptLease({ db, home, log, lease, unservedSince });
    const runtime = await openAccount(shared, { lease, stop: release });
    if (!this.#isListed(account)) await this.refresh();
    this.#runtimes.set(account, runtime);
    this.#remote.delete(account);
    if (this.#starts) await this.#start(runtime);
    return {
      onWake: () => runtime.wake(),
      stop: async () => {
        if (this.#runtimes.get(account) === runtime) this.#runtimes.delete(account);
        await runtime.stopFeatures();
        await runtime.disconnect();
        await shared.jobs.dropAccount(account, DRAIN_MS);
        await runtime.release();
      },
    };
  }

  /** The accounts that are open begin to work, and those that come later at once. */
  async start(): Promise<void> {
    this.#starts = true;
    const waiting = [...this.#runtimes.values()];
    const next = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        await this.#start(one);
      }
    };
    await Promise.all(Array.from({ length: STARTED_AT_ONCE }, next));
  }

  async #start(runtime: AccountRuntime): Promise<void> {
    if (this.#started.has(runtime)) return;
    this.#started.add(runtime);
    await runtime.start();
  }

  /** An account that was just added. */
  async add(account: AccountId): Promise<AccountRuntime> {
    await this.refresh();
    await this.#worker?.take(account);
    const found = this.#serve(account);
    if (found === null) throw new RelayError('account_unserved');
    return found;
  }

  /** After a restore: the accounts that it brought. */
  async addMissing(): Promise<void> {
    await this.refresh();
    for (const account of await listAccountIds(this.#deps.database.allAccounts)) {
      if (!this.#runtimes.has(account)) await this.add(account);
    }
  }

  /** Its settings have changed: whoever works for it opens it again. */
  async reopen(account: AccountId): Promise<void> {
    if (this.#runtimes.has(account)) {
      await this.#worker?.giveUp(account);
      await this.add(account);
      return;
    }
    await this.refresh();
    if (this.#shared === null) return;
    const { database, vault } = this.#shared;
    const db = databaseOf(database, account).kysely;
    const place = { db, account, sealer: vault.sealer.forAccount(account) };
    // A worker that opens it later reads the new settings anyway.
    await askWorker(place, { kind: 'reopen' }, REOPENED_WITHIN_MS).catch(() => {});
  }

  /** Stops working for an account, for as long as this process runs. */
  async remove(account: AccountId): Promise<void> {
    await this.#worker?.giveUp(account);
    this.#remote.delete(account);
  }

  /** The first step of a stop: running requests may still end. */
  async stopFeatures(): Promise<void> {
    const stopped = await Promise.allSettled(this.all.map((runtime) => runtime.stopFeatures()));
    const failed = stopped.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    // An account that cannot be stopped must not keep the others running.
    if (failed.length > 0) throw new AggregateError(failed, 'stopping an account failed');
  }

  /** Those that run here. */
  get all(): readonly AccountRuntime[] {
    return [...this.#runtimes.values()];
  }

  /** The default account of the home's owner, or the oldest. */
  get main(): AccountRuntime {
    const ofOwner = this.#identities.filter((one) => one.owner_id === HOME_OWNER);
    for (const { id } of [...ofOwner, ...this.#identities]) {
      const found = this.#serve(id);
      if (found !== null) return found;
    }
    throw new RelayError('account_in_use');
  }

  /** Call when an account was added, renamed, made a default or set up differently. */
  async refresh(): Promise<void> {
    const { database, links } = this.#deps;
    this.#identities = await readAccountIdentities(database.allAccounts);
    if (links === null || this.#shared === null) return;
    for (const { id, settings_mark: mark } of this.#identities) {
      if (this.#runtimes.has(id) || this.#loaded.get(id)?.mark === mark) continue;
      this.#loaded.set(id, { ...(await loadRemoteAccount(this.#shared, id)), mark });
      this.#remote.delete(id);
    }
  }

  find(name: string): ServedAccount | null {
    return this.#served((one) => one.name === name);
  }

  byId(account: AccountId): ServedAccount | null {
    return this.#served((one) => one.id === account);
  }

  defaultOf(owner: OwnerId): ServedAccount | null {
    return this.#served((one) => one.owner_id === owner);
  }

  /** All accounts of an owner; undefined if all accounts are theirs. */
  ofOwner(owner: OwnerId): readonly AccountId[] | undefined {
    const own = this.#identities.filter((one) => one.owner_id === owner);
    return own.length === this.#identities.length ? undefined : own.map(({ id }) => id);
  }

  /** What the tools of this client use in each account that its token is valid for, the default account first. */
  clientsOf(client: FoundClient | null): ReadonlyMap<string, ClientDeps> {
    return new Map(
      this.#identities.flatMap(({ id, name }) => {
        const runtime = client?.accounts.includes(id) ? this.#serve(id) : null;
        return runtime === null ? [] : [[name, runtime.clientDeps] as const];
      }),
    );
  }

  #served(matches: (one: AccountIdentity) => boolean): ServedAccount | null {
    for (const identity of this.#identities) {
      if (!matches(identity)) continue;
      const runtime = this.#serve(identity.id);
      if (runtime === null) continue;
      const { id, name, owner_id: owner } = identity;
      return { id, name, owner, services: runtime.services };
    }
    return null;
  }

  #isListed(account: AccountId): boolean {
    return this.#identities.some(({ id }) => id === account);
  }

  /** Null only if no other process can serve it and this one does not. */
  #serve(account: AccountId): AccountRuntime | null {
    const known = this.#runtimes.get(account) ?? this.#remote.get(account);
    const { links } = this.#deps;
    if (known !== undefined) return known;
    const loaded = this.#loaded.get(account);
    if (this.#shared === null || links === null || loaded === undefined) return null;
    const remote = openRemoteAccount(this.#shared, links, loaded);
    this.#remote.set(account, remote);
    return remote;
  }
}
