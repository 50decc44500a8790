// Two followers of the transport's events besides the intake of messages: `AbsenceTracker` for times without a
// connection, and `ContactSync` for what WhatsApp reports about contacts, groups and the account.
import { whatsappStatusOf } from '@relay/contract/connection/states';
import type { Log } from '@relay/core/log';
import type { TransportEvent, WhatsAppLink } from '@relay/core/ports/transport';
import { reportSentence } from '@relay/core/restart-report';
import { noteLinkedIdentity, noteNewLink } from '../../platform/db/account.ts';
import { noteGroup, noteGroupNames } from '../../platform/db/chats.ts';
import { noteAliases } from '../../platform/db/contacts.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { beginRestartReport, finishRestartReport } from '../../platform/db/restart-report.ts';
import type { Intake } from './intake.ts';

// Records when the connection to WhatsApp is lost, and reports what was received meanwhile once the backlog is stored.
// Invariant: an absence is recorded when it begins, so that a kill during it does not hide it.

interface AbsenceTrackerOptions {
  readonly db: Db;
  readonly lease: Lease;
  readonly intake: Pick<Intake, 'waitUntilEmpty'>;
  readonly log: Log;
  /** Called after a commit that changed something a stream shows. */
  readonly changed: () => void;
}

export class AbsenceTracker {
  readonly #options: AbsenceTrackerOptions;
  #connected = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: AbsenceTrackerOptions) {
    this.#options = options;
  }

  onTransportEvent(event: TransportEvent): void {
    if (event.type === 'replayed') this.#enqueue(() => this.#finish(event.count));
    if (event.type !== 'link') return;
    const connected = whatsappStatusOf(event.link.state) === 'connected';
    const { since } = event.link;
    if (this.#connected && !connected) this.#enqueue(() => this.#begin(since));
    this.#connected = connected;
  }

  settled(): Promise<void> {
    return this.#writing;
  }

  #begin(since: Date): Promise<void> {
    return beginRestartReport(this.#options.db, this.#options.lease, { cause: 'link', since });
  }

  async #finish(replayed: number): Promise<void> {
    const { db, lease, intake, log, changed } = this.#options;
    await intake.waitUntilEmpty();
    const report = await finishRestartReport(db, lease, replayed);
    if (report === null) return;
    log.info('caught up after outage', { reason: reportSentence(report), count: report.messages });
    changed();
  }

  #enqueue(work: () => Promise<void>): void {
    this.#writing = this.#writing
      .then(work)
      .catch((error: unknown) => this.#options.log.warn('restart report not written', { error }));
  }
}

// Stores what the transport reports about contacts, groups and the account, in order. Invariant: nothing waits for it;
// what could not be written is reported again by a later stanza.

export class ContactSync {
  readonly #db: Db;
  readonly #lease: Lease;
  readonly #log: Log;
  #learning: Promise<void> = Promise.resolve();
  #linkedAs = '';

  constructor(db: Db, lease: Lease, log: Log) {
    this.#db = db;
    this.#lease = lease;
    this.#log = log;
  }

  onTransportEvent(event: TransportEvent): void {
    if (event.type === 'aliases')
      this.#enqueue(() => noteAliases(this.#db, this.#lease, event.addresses));
    if (event.type === 'group_names')
      this.#enqueue(() => noteGroupNames(this.#db, this.#lease, event.groups));
    if (event.type === 'group') this.#enqueue(() => noteGroup(this.#db, this.#lease, event.group));
    if (event.type === 'link') this.#noteOwner(event.link);
  }

  settled(): Promise<void> {
    return this.#learning;
  }

  #noteOwner({ state, phone, lid, name }: WhatsAppLink): void {
    if (state === 'scanned') {
      this.#linkedAs = '';
      this.#enqueue(() => noteNewLink(this.#db, this.#lease));
    }
    const who = `${phone}/${lid}/${name}`;
    if (phone === null || who === this.#linkedAs) return;
    this.#linkedAs = who;
    this.#enqueue(() => noteLinkedIdentity(this.#db, this.#lease, { phone, lid, name }));
  }

  #enqueue(work: () => Promise<unknown>): void {
    this.#learning = this.#learning.then(work).then(
      () => {},
      (error: unknown) => this.#log.warn('storing contact updates failed', { error }),
    );
  }
}
