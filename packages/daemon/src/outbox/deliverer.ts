// Carries messages to the wire, in order, and writes down what became of each. Driven by the rows
// themselves: a hint makes it look at once, a poll makes a lost hint cost only time. It never makes an id
// and never offers again what may have left, unless it was reconciled.
import { statusOf } from '@relay/core/connection/states';
import type { OutboxId } from '@relay/core/ids';
import type { Log } from '@relay/core/log';
import { meaningOf } from '@relay/core/outbox/freeze';
import { typingMs } from '@relay/core/outbox/pacing';
import type { Transport, TransportEvent } from '@relay/core/ports/transport';
import { SendFault } from '@relay/core/ports/transport';
import { delayFor, RETRY } from '@relay/core/retry';
import type { Transaction } from '../store/database.ts';
import { fence } from '../store/lease.ts';
import type { Claimed, ClaimOptions } from './claim.ts';
import { claim } from './claim.ts';
import { freezeFor, lockUntil } from './freezes.ts';
import { Pause } from './pause.ts';
import type { ReadyRow } from './ready.ts';
import { markDoubtful, tendDoubtful } from './reconcile.ts';
import type { Happened, Named, OutboxRow } from './settle.ts';
import { lockRow, settle } from './settle.ts';

export interface DelivererOptions extends ClaimOptions {
  readonly transport: Transport;
  readonly log: Log;
  /** After a commit that changed something a stream shows. */
  readonly changed: () => void;
  readonly now?: () => Date;
  readonly random?: () => number;
}

/** The floor when a hint is lost. */
const POLL_MS = 1_000;
/** After a fault of the database; doubled up to POLL_MS. */
const FIRST_WAIT_MS = 50;

export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #now: () => Date;
  readonly #inFlight = new Map<OutboxId, Promise<void>>();
  readonly #pause = new Pause();
  readonly #typing = new Pause();
  /** Receipts and the like, one after the other. */
  #following: Promise<void> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();
  #stopping = false;
  /** Connected, caught up, and the doubtful have been given their time. */
  #reconciled = false;
  #doubtful = true;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** There may be something new to send. */
  wake(): void {
    this.#pause.end();
  }

  /** What the transport tells. Returns at once; `settled` waits for it. */
  follow(event: TransportEvent): void {
    switch (event.type) {
      case 'receipt': {
        const { id: messageId, status, at } = event;
        this.#enqueue(() =>
          this.#happened({ messageId }, { event: { type: 'receipt', status }, at }),
        );
        return;
      }
      case 'refused':
        this.#enqueue(() => this.#refused({ messageId: event.id }, event.code));
        return;
      case 'link':
        if (!this.#connected()) this.#reconciled = false;
        if (event.link.timeLockedUntil !== null) this.#lock(event.link.timeLockedUntil);
        this.wake();
        return;
      case 'replayed':
        this.wake();
        return;
      default:
    }
  }

  #lock(until: Date): void {
    this.#enqueue(() =>
      this.#write((tx, { account }) => lockUntil(tx, account, until, this.#now())),
    );
  }

  /** Everything that was told so far is written. */
  settled(): Promise<void> {
    return this.#following;
  }

  /** Offers nothing new; what is on its way has this long to be answered, and is in doubt afterwards. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    this.#pause.end();
    this.#typing.end();
    await this.#loop;
    const answered = Promise.all([...this.#inFlight.values(), this.#following]);
    const late = new Pause();
    await Promise.race([answered, late.sleep(withinMs)]);
    late.end();
  }

  async #run(): Promise<void> {
    let faults = 0;
    let typed: OutboxId | 'nobody' = 'nobody';
    let begun = false;
    while (!this.#stopping) {
      this.#pause.arm();
      try {
        if (!begun) await this.#begin();
        begun = true;
        const { toType, again } = await this.#round(typed);
        faults = 0;
        typed = toType === null ? 'nobody' : await this.#type(toType);
        if (toType === null) await this.#pause.sleep(this.#until(again));
      } catch (error) {
        this.#options.log.warn('delivery stumbled', { error });
        await this.#pause.sleep(Math.min(FIRST_WAIT_MS * 2 ** faults++, POLL_MS));
      }
    }
  }

  /** Before anything is offered: what the last process offered is in doubt. */
  #begin(): Promise<void> {
    return this.#write(async (tx, { account }) => {
      await markDoubtful(tx, account, [], this.#now(), this.#options.recordSent);
    });
  }

  async #round(typed: OutboxId | 'nobody'): Promise<Claimed> {
    const room = this.#room();
    if (!this.#connected() || room === 0) return { rows: [], toType: null, again: null };
    await this.#reconcile();
    const claimed = await claim(this.#options, {
      now: this.#now(),
      room,
      inFlight: [...this.#inFlight.keys()],
      reconciled: this.#reconciled,
      timeLockedUntil: this.#options.transport.link.timeLockedUntil,
      typed: this.#types() ? typed : 'unneeded',
    });
    for (const row of claimed.rows) this.#send(row);
    if (claimed.again !== null) this.#options.changed();
    return claimed;
  }

  #room(): number {
    const { pacing, delivery } = this.#options;
    return (pacing.enabled ? 1 : delivery.in_flight) - this.#inFlight.size;
  }

  async #reconcile(): Promise<void> {
    if (this.#options.transport.link.replaying !== null) return;
    const anew = !this.#reconciled;
    if (!anew && !this.#doubtful) return;
    const { delivery, recordSent } = this.#options;
    const [now, inFlight] = [this.#now(), [...this.#inFlight.keys()]];
    this.#doubtful = false;
    await this.#write(async (tx, { account }) => {
      if (anew) await markDoubtful(tx, account, inFlight, now, recordSent);
      if ((await tendDoubtful(tx, account, delivery, now, anew)) > 0) this.#doubtful = true;
    });
    this.#reconciled = true;
  }

  #send(row: ReadyRow): void {
    const answered = this.#attempt(row).finally(() => {
      this.#inFlight.delete(row.id);
      this.wake();
    });
    this.#inFlight.set(row.id, answered);
  }

  async #attempt(row: ReadyRow): Promise<void> {
    const { transport, delivery } = this.#options;
    const message = { id: row.message_id, chat: row.address ?? '', text: row.body };
    const fault = await inTime(transport.send(message), delivery.answer_within_ms);
    if (fault?.kind === 'refused') return this.#insist(() => this.#refused(row, fault.code));
    return this.#insist(() => this.#answered(row, fault));
  }

  async #answered(row: ReadyRow, fault: SendFault | null): Promise<void> {
    const at = this.#now();
    if (fault === null) return this.#happened(row, { event: { type: 'accepted' }, at });
    this.#options.log.info('not sent', {
      message: row.message_id,
      reason: fault.kind,
      error: fault,
    });
    if (fault.kind === 'uncertain') {
      return this.#happened(row, { event: { type: 'lost' }, at, notBefore: null });
    }
    return this.#happened(row, (now) => {
      const wait = delayFor(RETRY.outbound_send, now.attempts, 0);
      return {
        event: { type: 'not_sent', last: wait === null },
        at,
        sentence: NOT_REACHED,
        notBefore: wait === null ? null : new Date(at.getTime() + wait),
      };
    });
  }

  #refused(named: Named, code: number | null): Promise<void> {
    const { verdict, freeze, sentence } = meaningOf(code);
    const at = this.#now();
    return this.#write(async (tx, { account }) => {
      const row = await lockRow(tx, account, named);
      if (row === undefined) return;
      // Only what is on its way or was just taken can be refused; a second word on it says nothing new.
      if (row.in_doubt || row.state === 'sent') {
        await this.#settle(tx, row, { event: { type: 'refused', verdict }, at, sentence });
        if (freeze !== null) await freezeFor(tx, account, freeze, this.#options.pacing, at);
      }
    });
  }

  #happened(named: Named, happened: Happened | ((row: OutboxRow) => Happened)): Promise<void> {
    return this.#write(async (tx, { account }) => {
      const row = await lockRow(tx, account, named);
      if (row === undefined) return;
      await this.#settle(tx, row, typeof happened === 'function' ? happened(row) : happened);
    });
  }

  async #settle(tx: Transaction, row: OutboxRow, happened: Happened): Promise<void> {
    const now = await settle(tx, row, happened, this.#options.recordSent);
    if (now.state === 'unknown') this.#doubtful = true;
  }

  async #write(
    work: (tx: Transaction, lease: ClaimOptions['lease']) => Promise<void>,
  ): Promise<void> {
    const { db, lease, changed } = this.#options;
    await db.transaction().execute(async (tx) => {
      await fence(tx, lease);
      await work(tx, lease);
    });
    changed();
  }

  #enqueue(work: () => Promise<void>): void {
    this.#following = this.#following.then(() => this.#insist(work)).then(() => this.wake());
  }

  /** The database may be away for a moment; what is not written by the end is in doubt, not lost. */
  async #insist(work: () => Promise<void>): Promise<void> {
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, POLL_MS)) {
      try {
        return await work();
      } catch (error) {
        this.#options.log.warn('writing what became of a message failed', { error });
        if (this.#stopping) return;
        await new Pause().sleep(wait);
      }
    }
  }

  #types(): boolean {
    return (
      this.#options.pacing.enabled && this.#options.transport.capabilities.typing !== undefined
    );
  }

  async #type(row: ReadyRow): Promise<OutboxId> {
    const { transport, pacing, random = Math.random } = this.#options;
    const show = async (on: boolean) =>
      transport.capabilities.typing?.(row.address ?? '', on).catch(() => {});
    await show(true);
    this.#typing.arm();
    if (!this.#stopping) await this.#typing.sleep(typingMs(row.body, pacing, random()));
    await show(false);
    return row.id;
  }

  #connected(): boolean {
    return statusOf(this.#options.transport.link.state) === 'connected';
  }

  #until(again: Date | null): number {
    if (again === null) return POLL_MS;
    return Math.min(Math.max(again.getTime() - this.#now().getTime(), 0), POLL_MS);
  }
}

const NOT_REACHED =
  'WhatsApp could not be reached for this message after several tries. Check the connection and send it anew.';

/** What came of a send; null when the server has taken it. Silence is no answer. */
async function inTime(sending: Promise<void>, ms: number): Promise<SendFault | null> {
  const patience = new Pause();
  const silent = patience.sleep(ms).then(() => new SendFault('uncertain', 'no answer in time'));
  try {
    return await Promise.race([sending.then(() => null), silent]);
  } catch (error) {
    if (error instanceof SendFault) return error;
    return new SendFault('uncertain', error instanceof Error ? error.message : 'failed');
  } finally {
    patience.end();
  }
}
