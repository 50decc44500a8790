// Notices when the link is away, and says what happened meanwhile once all that had waited is taken in.
// Invariant: an absence is written down when it begins, so that a kill during it does not hide it.
import { statusOf } from '@relay/core/connection/states';
import type { Log } from '@relay/core/log';
import type { TransportEvent } from '@relay/core/ports/transport';
import { reportSentence } from '@relay/core/report/report';
import type { Reader } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';
import { beginReport, finishReport } from '../store/report.ts';
import type { Intake } from './intake.ts';

export interface AbsenceOptions {
  readonly db: Reader;
  readonly lease: Lease;
  readonly intake: Pick<Intake, 'drained'>;
  readonly log: Log;
  /** After a commit that streams show. */
  readonly changed: () => void;
}

export class Absence {
  readonly #options: AbsenceOptions;
  #connected = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: AbsenceOptions) {
    this.#options = options;
  }

  follow(event: TransportEvent): void {
    if (event.type === 'replayed') this.#enqueue(() => this.#finish(event.count));
    if (event.type !== 'link') return;
    const connected = statusOf(event.link.state) === 'connected';
    const { since } = event.link;
    if (this.#connected && !connected) this.#enqueue(() => this.#begin(since));
    this.#connected = connected;
  }

  settled(): Promise<void> {
    return this.#writing;
  }

  #begin(since: Date): Promise<void> {
    return beginReport(this.#options.db, this.#options.lease, { cause: 'link', since });
  }

  async #finish(replayed: number): Promise<void> {
    const { db, lease, intake, log, changed } = this.#options;
    await intake.drained();
    const report = await finishReport(db, lease, replayed);
    if (report === null) return;
    log.info('back', { reason: reportSentence(report), count: report.messages });
    changed();
  }

  #enqueue(work: () => Promise<void>): void {
    this.#writing = this.#writing
      .then(work)
      .catch((error: unknown) => this.#options.log.warn('the report was not written', { error }));
  }
}
