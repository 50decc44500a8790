// Writes each change of the link's state to the event log, for streams and webhooks. QR codes and counters are not
// written.
import type { ConnectionState } from '@relay/contract/connection/states';
import type { Log } from '@relay/core/log';
import type { TransportEvent } from '@relay/core/ports/transport';
import type { Db } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { transaction } from '../../platform/db/transaction.ts';

interface LinkEventWriterOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly log: Log;
  /** Called after a commit that streams have to show. */
  readonly changed: () => void;
}

export class LinkEventWriter {
  readonly #options: LinkEventWriterOptions;
  #state: ConnectionState | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: LinkEventWriterOptions) {
    this.#options = options;
  }

  onTransportEvent(event: TransportEvent): void {
    if (event.type !== 'link' || event.link.state === this.#state) return;
    const from = this.#state;
    const { state } = event.link;
    this.#state = state;
    this.#writing = this.#writing
      .then(() => this.#write(state, from))
      .catch((error: unknown) =>
        this.#options.log.warn('could not write a link change to the event log', { error }),
      );
  }

  waitUntilWritten(): Promise<void> {
    return this.#writing;
  }

  async #write(state: ConnectionState, from: ConnectionState | null): Promise<void> {
    const { lease, changed } = this.#options;
    await transaction(this.#options, ({ tx }) =>
      appendEvent(tx, lease.account, { kind: 'link', subject: null, data: { state, from } }),
    );
    changed();
  }
}
