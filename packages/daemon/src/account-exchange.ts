// What an account's worker does for other processes: it publishes the link's state, and carries out their requests.
import type { LinkPasskeyAnswer } from '@relay/contract/api/whatsapp';
import type { Log } from '@relay/core/log';
import type { Transport, TransportEvent, WhatsAppLink } from '@relay/core/ports/transport';
import type { Lease } from './platform/db/lease.ts';
import {
  answerRequests,
  publishLink,
  type RequestPlace,
  type WorkerRequest,
} from './platform/db/worker-requests.ts';
import { PollLoop } from './platform/poll-loop.ts';

interface ExchangeOptions {
  readonly place: RequestPlace;
  readonly lease: Lease;
  readonly transport: Transport;
  readonly log: Log;
  /** The account's settings have changed. */
  reopen(): void;
}

/** During a replay the link changes with every message. */
const GATHER_MS = 100;
const AFTER_FAILURE_MS = 1_000;

export class AccountExchange {
  readonly #options: ExchangeOptions;
  #published: WhatsAppLink | null = null;
  readonly #links = new PollLoop({
    look: async () => {
      const { place, lease, transport } = this.#options;
      const { link } = transport;
      if (!isSameLink(link, this.#published)) {
        await publishLink(place, lease, link);
        this.#published = link;
      }
      return Number.POSITIVE_INFINITY;
    },
    failed: (error) => this.#onFailure('publishing the link failed', error),
    gatherMs: GATHER_MS,
  });
  readonly #requests = new PollLoop({
    look: async () => {
      await answerRequests(this.#options.place, (request) => this.#carryOut(request));
      // The worker's own look says when there is more.
      return Number.POSITIVE_INFINITY;
    },
    failed: (error) => this.#onFailure('answering another process failed', error),
  });

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  onTransportEvent(event: TransportEvent): void {
    if (event.type === 'link') this.#links.hint();
  }

  answer(): void {
    this.#requests.hint();
  }

  start(): void {
    this.#links.start();
    this.#requests.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.#links.stop(), this.#requests.stop()]);
  }

  async #carryOut(request: WorkerRequest): Promise<unknown> {
    const { transport, reopen } = this.#options;
    const { capabilities } = transport;
    switch (request.kind) {
      case 'reopen':
        return reopen();
      case 'connect':
        return transport.connect(request.method);
      case 'disconnect':
        return transport.disconnect({ forget: request.forget });
      case 'answer_passkey':
        return transport.answerPasskey(request.answer as LinkPasskeyAnswer);
      case 'find_registered':
        return capabilities.findRegistered?.(request.address);
      case 'read_group':
        return capabilities.groups?.(request.address);
      case 'typing':
        return capabilities.typing?.(request.chat, request.on);
    }
  }

  #onFailure(what: string, error: unknown): number {
    this.#options.log.warn(what, { account: this.#options.place.account, error });
    return AFTER_FAILURE_MS;
  }
}

/** Leaves the health figures out: they change with every stanza, and no process waits for them. */
function isSameLink(link: WhatsAppLink, before: WhatsAppLink | null): boolean {
  if (before === null) return false;
  const { health: _, ...visible } = link;
  const { health: __, ...published } = before;
  return JSON.stringify(visible) === JSON.stringify(published);
}
