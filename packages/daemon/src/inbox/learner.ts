// Writes down what the transport finds out by itself about people, groups and the account, one after the
// other. Invariant: nothing waits for it; what could not be written is told again by a later stanza.
import type { Log } from '@relay/core/log';
import type { Link, TransportEvent } from '@relay/core/ports/transport';
import { noteLinked } from '../store/account.ts';
import { noteGroup, noteGroupNames } from '../store/chats.ts';
import { learnAliases } from '../store/contacts.ts';
import type { Reader } from '../store/database.ts';
import type { Lease } from '../store/lease.ts';

export class Learner {
  readonly #db: Reader;
  readonly #lease: Lease;
  readonly #log: Log;
  #learning: Promise<void> = Promise.resolve();
  #linkedAs = '';

  constructor(db: Reader, lease: Lease, log: Log) {
    this.#db = db;
    this.#lease = lease;
    this.#log = log;
  }

  follow(event: TransportEvent): void {
    if (event.type === 'aliases')
      this.#enqueue(() => learnAliases(this.#db, this.#lease, event.addresses));
    if (event.type === 'group_names')
      this.#enqueue(() => noteGroupNames(this.#db, this.#lease, event.groups));
    if (event.type === 'group') this.#enqueue(() => noteGroup(this.#db, this.#lease, event.group));
    if (event.type === 'link') this.#noteOwner(event.link);
  }

  settled(): Promise<void> {
    return this.#learning;
  }

  #noteOwner({ phone, lid, name }: Link): void {
    const who = `${phone}/${lid}/${name}`;
    if (phone === null || who === this.#linkedAs) return;
    this.#linkedAs = who;
    this.#enqueue(() => noteLinked(this.#db, this.#lease, { phone, lid, name }));
  }

  #enqueue(work: () => Promise<unknown>): void {
    this.#learning = this.#learning.then(work).then(
      () => {},
      (error: unknown) => this.#log.warn('learning who is who failed', { error }),
    );
  }
}
