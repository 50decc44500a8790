// Carries messages to the wire, in order, and writes down what became of each. Driven by the rows
// themselves: a hint makes it look at once, a poll makes a lost hint cost only time. It never makes an id
// and never offers again what may have left, unless it was reconciled.
import { statusOf } from '@relay/core/connection/states';
import type { OutboxId } from '@relay/core/ids';
import type { Log } from '@relay/core/log';
import { NOT_REACHED } from '@relay/core/outbox/failures';
import { meaningOf } from '@relay/core/outbox/freeze';
import { typingMs } from '@relay/core/outbox/pacing';
import type { Transport, TransportEvent } from '@relay/core/ports/transport';
import { SendFault } from '@relay/core/ports/transport';
import { delayFor, RETRY } from '@relay/core/retry';
import type { Transaction } from '../store/database.ts';
import { fence } from '../store/lease.ts';
import { checkNumber } from './check-number.ts';
import type { Claimed, ClaimOptions } from './claim.ts';
import { claim, NOTHING } from './claim.ts';
import { freezeFor, lockUntil } from './freezes.ts';
import { correctFutureTimes } from './future-times.ts';
import { Outcomes } from './outcomes.ts';
import { Pause } from './pause.ts';
import type { ReadyRow } from './ready.ts';
import { markDoubtful, tendDoubtful } from './reconcile.ts';
import type { Happened, Named, Outcome } from './settle.ts';
import { settle } from './settle.ts';

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
/** How long WhatsApp may take to say whether a number is registered, and when it is asked again after silence. */
const NUMBER_ANSWER_MS = 10_000;
const NUMBER_ASKED_AGAIN_MS = 30_000;
/** After a fault of the database; doubled up to POLL_MS. */
const FIRST_WAIT_MS = 50;

export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #now: () => Date;
  readonly #inFlight = new Map<OutboxId, Promise<void>>();
  readonly #pause = new Pause();
  readonly #typing = new Pause();
  readonly #outcomes: Outcomes;
  #loop: Promise<void> = Promise.resolve();
  #stopping = false;
  /** Connected, caught up, and the doubtful have been given their time. */
  #reconciled = false;
  #doubtful = true;
  /** When it last looked, by a clock that may be put back. */
  #lookedAt = new Date(0);
  /** WhatsApp did not say whether a number is registered: first contacts that need it wait until then. */
  #numbersFrom: Date | null = null;
  #checking: Promise<void> | null = null;
  /** As written last. */
  #lockedUntil: number | null = null;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
    this.#outcomes = new Outcomes({ write: (told) => this.#settle(told), log: options.log });
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** There may be something new to send. */
  wake(): void {
    this.#pause.end();
  }

  /** What the transport tells. Resolves when it is written, where there is something to write. */
  async follow(event: TransportEvent): Promise<void> {
    switch (event.type) {
      case 'receipt': {
        const { id: messageId, status } = event;
        const now = this.#now();
        return this.#outcomes.tell({
          of: { messageId },
          is: (row) => ({
            event: { type: 'receipt', status },
            at: within(event.at, row.attempted_at, now),
          }),
        });
      }
      case 'refused':
        return this.#outcomes.tell(this.#refusal({ messageId: event.id }, event.code));
      case 'link':
        if (statusOf(event.link.state) !== 'connected') {
          this.#reconciled = false;
          this.#numbersFrom = null;
        }
        return this.wake();
      case 'replayed':
        return this.wake();
      default:
    }
  }

  /** Everything that was told so far is written. */
  settled(): Promise<void> {
    return this.#outcomes.settled();
  }

  /** Offers nothing new; what is on its way has this long to be answered, and is in doubt afterwards. */
  async stop(withinMs: number): Promise<void> {
    this.#stopping = true;
    this.#pause.end();
    this.#typing.end();
    await this.#loop;
    const answered = Promise.all([
      ...this.#inFlight.values(),
      this.#outcomes.settled(),
      this.#checking,
    ]);
    const late = new Pause();
    await Promise.race([answered, late.sleep(withinMs)]);
    late.end();
    this.#outcomes.close();
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
        const { toType, toCheck, again } = await this.#round(typed);
        faults = 0;
        this.#checkNumbers(toCheck);
        typed = toType === null ? 'nobody' : await this.#type(toType);
        const idle = toType === null && toCheck.length === 0;
        if (idle) await this.#pause.sleep(this.#until(again));
      } catch (error) {
        this.#options.log.warn('delivery stumbled', { error });
        // The answer may have been lost on its way: what was marked as offered and was not is in doubt.
        this.#reconciled = false;
        await this.#pause.sleep(Math.min(FIRST_WAIT_MS * 2 ** faults++, POLL_MS));
      }
    }
  }

  /** Before anything is offered: what the last process offered is in doubt. */
  #begin(): Promise<void> {
    const now = this.#now();
    return this.#write(async (tx, { account }) => {
      await correctFutureTimes(tx, account, now);
      await markDoubtful(tx, account, [], now, this.#options.aftermath);
    });
  }

  async #round(typed: OutboxId | 'nobody'): Promise<Claimed> {
    await this.#noticeClock();
    const room = this.#room();
    if (!this.#connected() || room === 0) return NOTHING;
    await this.#noteLock();
    await this.#reconcile();
    const claimed = await claim(this.#options, {
      now: this.#now(),
      room,
      inFlight: [...this.#inFlight.keys()],
      reconciled: this.#reconciled,
      timeLockedUntil: this.#options.transport.link.timeLockedUntil,
      checkNumbers: this.#numberChecks(),
      typed: this.#types() ? typed : 'unneeded',
    });
    for (const row of claimed.rows) this.#send(row);
    if (claimed.stopped) this.#options.changed();
    return claimed;
  }

  async #noticeClock(): Promise<void> {
    const now = this.#now();
    if (now < this.#lookedAt) {
      await this.#write((tx, { account }) => correctFutureTimes(tx, account, now));
    }
    this.#lookedAt = now;
  }

  #numberChecks(): 'now' | 'later' | 'never' {
    if (this.#options.transport.capabilities.findRegistered === undefined) return 'never';
    const silent = this.#numbersFrom !== null && this.#numbersFrom > this.#now();
    return silent || this.#checking !== null ? 'later' : 'now';
  }

  /** Beside everything else: only who is asked about waits for the answer. */
  #checkNumbers(addresses: readonly string[]): void {
    if (addresses.length === 0) return;
    const { db, lease, transport, log } = this.#options;
    const deps = { db, lease, transport, log, now: this.#now };
    const asked = addresses.map((address) => checkNumber(deps, address, NUMBER_ANSWER_MS));
    this.#checking = Promise.all(asked).then((answered) => {
      const isAnswered = answered.every((answer) => answer);
      const again = new Date(this.#now().getTime() + NUMBER_ASKED_AGAIN_MS);
      this.#numbersFrom = isAnswered ? null : again;
      this.#checking = null;
      this.wake();
    });
  }

  /** Kept in a row, so that the gate refuses new ones and a restart remembers. */
  async #noteLock(): Promise<void> {
    const until = this.#options.transport.link.timeLockedUntil;
    if (until === null || until.getTime() === this.#lockedUntil) return;
    await this.#write((tx, { account }) => lockUntil(tx, account, until, this.#now()));
    this.#lockedUntil = until.getTime();
  }

  #room(): number {
    const { pacing, delivery } = this.#options;
    return (pacing.enabled ? 1 : delivery.in_flight) - this.#inFlight.size;
  }

  async #reconcile(): Promise<void> {
    if (this.#options.transport.link.replaying !== null) return;
    const anew = !this.#reconciled;
    if (!anew && !this.#doubtful) return;
    const { delivery, aftermath } = this.#options;
    const [now, inFlight] = [this.#now(), [...this.#inFlight.keys()]];
    // Before it is done: a connection that breaks meanwhile has the last word.
    this.#reconciled = true;
    this.#doubtful = false;
    await this.#write(async (tx, { account }) => {
      if (anew) await markDoubtful(tx, account, inFlight, now, aftermath);
      if ((await tendDoubtful(tx, account, delivery, now, anew, aftermath)) > 0)
        this.#doubtful = true;
    });
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
    await this.#outcomes.tell(this.#answer(row, fault));
  }

  #answer(row: ReadyRow, fault: SendFault | null): Outcome {
    const at = this.#now();
    if (fault === null) return { of: row, is: () => ({ event: { type: 'accepted' }, at }) };
    this.#options.log.info('not sent', {
      message: row.message_id,
      reason: fault.kind,
      error: fault,
    });
    switch (fault.kind) {
      case 'refused':
        return this.#refusal(row, fault.code);
      case 'uncertain':
        return { of: row, is: () => ({ event: { type: 'lost' }, at, notBefore: null }) };
      case 'not_sent':
        return { of: row, is: ({ attempts }) => notSent(attempts, at) };
    }
  }

  #refusal(of: Named, code: number | null): Outcome {
    const { verdict, freeze, sentence } = meaningOf(code);
    const at = this.#now();
    return {
      of,
      // Only what is on its way or was just taken can be refused; a second word on it says nothing new.
      is: (row) =>
        row.in_doubt || row.state === 'sent'
          ? { event: { type: 'refused', verdict }, at, sentence, freeze }
          : null,
    };
  }

  async #settle(outcomes: readonly Outcome[]): Promise<void> {
    const { aftermath, pacing } = this.#options;
    await this.#write(async (tx, { account }) => {
      const settled = await settle(tx, account, outcomes, aftermath);
      if (settled.some(({ row }) => row.state === 'unknown')) this.#doubtful = true;
      const causes = new Set(settled.map(({ happened }) => happened.freeze ?? null));
      for (const cause of causes) {
        if (cause !== null) await freezeFor(tx, account, cause, pacing, this.#now());
      }
    });
    this.wake();
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

/** WhatsApp's clock may differ from ours, which follow-ups are timed by: not before the attempt, and not in the future. */
const within = (at: Date, attemptedAt: Date | null, now: Date): Date =>
  new Date(Math.min(Math.max(at.getTime(), attemptedAt?.getTime() ?? 0), now.getTime()));

function notSent(attempts: number, at: Date): Happened {
  const wait = delayFor(RETRY.outbound_send, attempts, 0);
  return {
    event: { type: 'not_sent', last: wait === null },
    at,
    sentence: NOT_REACHED,
    notBefore: wait === null ? null : new Date(at.getTime() + wait),
  };
}

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
