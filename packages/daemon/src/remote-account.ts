// An account that another process holds, as this one sees it: its link is read from the row that its worker publishes,
// and what needs the socket is asked of that worker.
import type { LinkPasskeyAnswer } from '@relay/contract/api/whatsapp';
import { RelayError } from '@relay/contract/errors';
import type { AccountId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import type { Sealer } from '@relay/core/ports/sealer';
import {
  type GroupInfo,
  type LinkMethod,
  SendFault,
  type Transport,
  type TransportCapabilities,
  type TransportEvent,
  type WhatsAppLink,
} from '@relay/core/ports/transport';
import type { MessagePipeline } from './message-pipeline.ts';
import { checkNumber } from './pipeline/outbox/deliverer.ts';
import type { Db } from './platform/db/database.ts';
import type { Lease } from './platform/db/lease.ts';
import {
  askWorker,
  type PublishedLink,
  type RequestPlace,
  readPublishedLinks,
  type WorkerRequest,
} from './platform/db/worker-requests.ts';
import { wakeAccount } from './platform/db/workers.ts';
import { PollLoop } from './platform/poll-loop.ts';
import { isSimulated } from './whatsapp/socket.ts';

/** An account changes hands within this time; a request waits for its next worker. */
const ANSWER_MS = 15_000;
const ASK_WITHIN_MS = 5_000;
const LOOK_MS = 500;
const AFTER_FAILURE_MS = 1_000;
/** A link may be committed later than its time says; a worker whose commit takes longer than this has lost its lease. */
const COMMITS_WITHIN_MS = 30_000;

/** The links of all accounts, read for the whole process at once. */
export class PublishedLinks {
  readonly #db: Db;
  readonly #sealer: Sealer;
  readonly #known = new Map<AccountId, WhatsAppLink>();
  readonly #listeners = new Map<AccountId, Set<() => void>>();
  #since = new Date(0);
  #begun = false;
  readonly #loop: PollLoop;

  constructor(db: Db, sealer: Sealer, log: Log) {
    this.#db = db;
    this.#sealer = sealer;
    this.#loop = new PollLoop({
      look: async () => {
        await this.#read();
        return LOOK_MS;
      },
      failed: (error) => {
        log.warn('reading the links of other workers failed', { error });
        return AFTER_FAILURE_MS;
      },
    });
  }

  /** Without being started, it starts with the first account that is asked for. */
  async start(): Promise<void> {
    await this.#read();
    this.#begin();
  }

  #begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Resolves when what was published until now is known. */
  caughtUp(): Promise<void> {
    return this.#loop.caughtUp();
  }

  get(account: AccountId): WhatsAppLink {
    this.#begin();
    return this.#known.get(account) ?? NEVER_LINKED;
  }

  subscribe(account: AccountId, listener: () => void): () => void {
    const listeners = this.#listeners.get(account) ?? new Set();
    this.#listeners.set(account, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  async #read(): Promise<void> {
    const since = new Date(this.#since.getTime() - COMMITS_WITHIN_MS);
    const { at, links } = await readPublishedLinks(this.#db, this.#sealer, since);
    this.#since = at;
    for (const published of links) this.#note(published);
  }

  #note({ account, link, isServed }: PublishedLink): void {
    const before = this.#known.get(account);
    const newest = link ?? before;
    if (newest === undefined) return;
    const now = isServed ? newest : unserved(newest);
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(now)) return;
    this.#known.set(account, now);
    for (const listener of this.#listeners.get(account) ?? []) listener();
  }
}

/** Between two workers: the next one connects it. */
const unserved = (link: WhatsAppLink): WhatsAppLink => ({
  ...link,
  state: link.phone === null ? 'disconnected' : 'reconnecting',
  ...{ qr: null, qrExpiresAt: null, pairingCode: null, passkey: null, replaying: null },
});

const NEVER_LINKED: WhatsAppLink = {
  state: 'disconnected',
  since: new Date(0),
  ...{ phone: null, lid: null, name: null, qr: null, qrExpiresAt: null, pairingCode: null },
  ...{ passkey: null, replaying: null, timeLockedUntil: null, retryAt: null, fault: null },
  health: {
    ...{ lastStanzaAt: null, pingMs: null, flaps: 0, received: 0, undecryptable: 0, restarts: 0 },
  },
};

class RemoteTransport implements Transport {
  readonly capabilities: TransportCapabilities;
  readonly #place: RequestPlace;
  readonly #links: PublishedLinks;
  readonly #log: Log;

  constructor(place: RequestPlace, links: PublishedLinks, log: Log) {
    this.#place = place;
    this.#links = links;
    this.#log = log;
    this.capabilities = {
      typing: async (chat, on) => {
        await this.#ask({ kind: 'typing', chat, on }, ASK_WITHIN_MS);
      },
      groups: async (address) =>
        (await this.#ask({ kind: 'read_group', address }, ASK_WITHIN_MS)) as GroupInfo | null,
      findRegistered: async (address) =>
        (await this.#ask({ kind: 'find_registered', address }, ASK_WITHIN_MS)) as string | null,
    };
  }

  get link(): WhatsAppLink {
    return this.#links.get(this.#place.account);
  }

  subscribe(listener: (event: TransportEvent) => unknown): () => void {
    return this.#links.subscribe(this.#place.account, () =>
      listener({ type: 'link', link: this.link }),
    );
  }

  connect(method: LinkMethod = { kind: 'qr' }): void {
    void this.#ask({ kind: 'connect', method }).catch((error: unknown) =>
      this.#log.warn('no worker connected the account', { account: this.#place.account, error }),
    );
  }

  resume(): void {}

  answerPasskey(answer: LinkPasskeyAnswer): void {
    if (this.link.passkey === null) throw new RelayError('link_passkey_not_asked');
    void this.#ask({ kind: 'answer_passkey', answer }).catch((error: unknown) =>
      this.#log.warn('the passkey was not accepted', { account: this.#place.account, error }),
    );
  }

  async disconnect({ forget }: { readonly forget: boolean }): Promise<void> {
    await this.#ask({ kind: 'disconnect', forget });
    await this.#links.caughtUp();
  }

  async send(): Promise<void> {
    throw new SendFault('not_sent', 'Another process holds this account.');
  }

  async close(): Promise<void> {}

  #ask(request: WorkerRequest, withinMs = ANSWER_MS): Promise<unknown> {
    return askWorker(this.#place, request, withinMs);
  }
}

interface RemotePipelineOptions {
  readonly place: RequestPlace;
  readonly lease: Lease;
  readonly links: PublishedLinks;
  readonly log: Log;
  readonly now: () => Date;
}

/** In the place of the message pipeline, for an account that another process holds. */
export function createRemotePipeline(options: RemotePipelineOptions): MessagePipeline {
  const { place, lease, links, log, now } = options;
  const { db, account } = place;
  const transport = new RemoteTransport(place, links, log);
  return {
    transport,
    checkNumber: (address) =>
      checkNumber({ db, lease, transport, log, now }, address, ASK_WITHIN_MS),
    isSimulated: isSimulated(),
    wake: () => void wakeAccount(db, account).catch(() => {}),
    lookAgain() {},
    start() {},
    stop: async () => {},
  };
}
