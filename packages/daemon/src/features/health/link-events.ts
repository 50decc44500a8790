// Writes each change of the link to the log of events, where streams and webhooks follow it. Only changes of
// the state: codes to scan and figures are for those who look.
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
  /** After a commit that streams show. */
  readonly changed: () => void;
}

export class LinkEventWriter {
  readonly #options: LinkEventWriterOptions;
  #state: ConnectionState | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: LinkEventWriterOptions) {
    this.#options = options;
  }

  follow(event: TransportEvent): void {
    if (event.type !== 'link' || event.link.state === this.#state) return;
    const from = this.#state;
    const { state } = event.link;
    this.#state = state;
    this.#writing = this.#writing
      .then(() => this.#write(state, from))
      .catch((error: unknown) =>
        this.#options.log.warn('a change of the link was not written', { error }),
      );
  }

  settled(): Promise<void> {
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
