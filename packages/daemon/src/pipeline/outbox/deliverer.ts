// Sends queued messages in order and records the result of each. It is driven by the rows: a hint makes it look at
// once, and polling makes a lost hint cost only time. It never creates a message id, and never offers again what may
// have been sent unless it was reconciled.
import { whatsappStatusOf } from '@relay/contract/connection/states';
import type { AccountId, OutboxId } from '@relay/contract/ids';
import type { Log } from '@relay/core/log';
import { interpretRefusal, NOT_REACHED_SENTENCE } from '@relay/core/outbox/freeze';
import { typingMs } from '@relay/core/outbox/pacing';
import {
  ContentDiffers,
  SendFault,
  type Transport,
  type TransportEvent,
} from '@relay/core/ports/transport';
import { delayFor, RETRY } from '@relay/core/retry';
import { sql } from 'kysely';
import { noteNumberRegistration } from '../../platform/db/contacts.ts';
import type { Db, Transaction } from '../../platform/db/database.ts';
import type { Lease } from '../../platform/db/lease.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { type NextLook, PollLoop, WakeableSleep } from '../../platform/poll-loop.ts';
import type { OutgoingBuilder } from './build.ts';
import {
  type BuiltMessage,
  type ClaimOptions,
  type ClaimResult,
  claimMessages,
  hasOpenMessages,
  NOTHING_CLAIMED,
  type ReadyRow,
} from './claim.ts';
import {
  applyDeliveryReports,
  type DeliveryReport,
  type DeliveryUpdate,
  markDoubtful,
  type OutboxTarget,
  reconcileDoubtful,
  recordStops,
} from './delivery-updates.ts';
import { quoteOf } from './outbox.ts';
import { recordFreeze, recordTimeLock } from './sending-health.ts';

export interface DelivererOptions extends ClaimOptions {
  readonly transport: Transport;
  /** Builds messages that are more than text. */
  readonly builder: OutgoingBuilder;
  readonly log: Log;
  /** Called after a commit that changed something a stream shows. */
  readonly onChange: () => void;
  readonly now?: () => Date;
  readonly random?: () => number;
}

/** How often it looks while messages wait. Without any it waits for a hint. */
const POLL_MS = 1_000;
/** How long WhatsApp may take to say whether a number is registered, and when to ask again if it did not answer. */
const NUMBER_ANSWER_MS = 10_000;
const NUMBER_ASKED_AGAIN_MS = 30_000;
/** Messages that are built at once: each reads its file and uploads it. */
const MOST_BUILDS = 16;
/** While several files are uploaded, what is ready within this time is claimed, or recorded, together. */
const GATHER_MS = 30;
/** After a database error; doubled up to POLL_MS. */
const FIRST_WAIT_MS = 50;

export class Deliverer {
  readonly #options: DelivererOptions;
  readonly #now: () => Date;
  readonly #inFlight = new Map<OutboxId, Promise<void>>();
  /** Of those in flight, the ones that WhatsApp has not answered; the others are being recorded. */
  readonly #unanswered = new Set<OutboxId>();
  readonly #building = new Map<OutboxId, Promise<void>>();
  /** Built and not stored yet. Lost with the process: then they are built again. */
  #built: readonly BuiltMessage[] = [];
  readonly #loop = new PollLoop({
    look: () => this.#look(),
    failed: (error) => this.#failed(error),
    hintsEndFailure: true,
    gatherMs: () => this.#gatherMs(),
  });
  readonly #typing = new WakeableSleep();
  readonly #outcomes: DeliveryReportWriter;
  #failures = 0;
  #begun = false;
  /** The message for which typing was shown, so that it may be sent. */
  #typed: OutboxId | 'nobody' = 'nobody';
  /** Connected, caught up, and messages in doubt have had their time. */
  #reconciled = false;
  #doubtful = true;
  /** When it last looked. The system clock may be set back. */
  #lookedAt = new Date(0);
  /** WhatsApp did not say whether a number is registered: first contacts that need it wait until this time. */
  #numbersFrom: Date | null = null;
  #checking: Promise<void> | null = null;
  /** The value written last. */
  #lockedUntil: number | null = null;

  constructor(options: DelivererOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => new Date());
    this.#outcomes = new DeliveryReportWriter({
      write: (reports) => this.#settle(reports),
      log: options.log,
      gatherMs: () => this.#gatherMs(),
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Call it when there may be something new to send. */
  wake(): void {
    this.#loop.hint();
  }

  /** Handles a transport event. Resolves when the result is written, if there is one. */
  async onTransportEvent(event: TransportEvent): Promise<void> {
    switch (event.type) {
      case 'receipt': {
        const { id: messageId, status } = event;
        const now = this.#now();
        return this.#outcomes.add({
          target: { messageId },
          apply: (row) => ({
            event: { type: 'receipt', status },
            at: clampReceiptTime(event.at, row.attempted_at, now),
          }),
        });
      }
      case 'refused':
        return this.#outcomes.add(this.#refusal({ messageId: event.id }, event.code));
      case 'link':
        if (whatsappStatusOf(event.link.state) !== 'connected') {
          this.#reconciled = false;
          this.#numbersFrom = null;
        }
        return this.wake();
      case 'replayed':
        return this.wake();
      default:
    }
  }

  /** Resolves when everything reported so far is written. */
  settled(): Promise<void> {
    return this.#outcomes.settled();
  }

  /** Offers nothing new. Messages in flight have this long to be answered, and are in doubt afterwards. */
  async stop(withinMs: number): Promise<void> {
    this.#loop.end();
    this.#typing.wake();
    await this.#loop.stop();
    const answered = Promise.all([
      ...this.#inFlight.values(),
      ...this.#building.values(),
      this.#outcomes.settled(),
      this.#checking,
    ]);
    const late = new WakeableSleep();
    await Promise.race([answered, late.sleep(withinMs)]);
    late.wake();
    this.#outcomes.close();
  }

  async #look(): Promise<NextLook> {
    if (!this.#begun) await this.#begin();
    this.#begun = true;
    const { toType, toCheck, checkAgainAt } = await this.#round(this.#typed);
    this.#failures = 0;
    this.#checkNumbers(toCheck);
    this.#typed = toType === null ? 'nobody' : await this.#type(toType);
    return toType === null && toCheck.length === 0 ? await this.#until(checkAgainAt) : 'more';
  }

  #failed(error: unknown): number {
    this.#options.log.warn('delivery failed; retrying', { error });
    // The commit's answer may have been lost: a message that was marked as offered but never sent is in doubt.
    this.#reconciled = false;
    return Math.min(FIRST_WAIT_MS * 2 ** this.#failures++, POLL_MS);
  }

  #gatherMs(): number {
    return this.#building.size > 1 ? GATHER_MS : 0;
  }

  /** Before anything is offered, marks what the last process offered as in doubt. */
  #begin(): Promise<void> {
    const now = this.#now();
    return this.#write(async (tx, { account }) => {
      await correctFutureTimes(tx, account, now);
      await markDoubtful(tx, account, [], now, this.#options.hooks);
    });
  }

  async #round(typed: OutboxId | 'nobody'): Promise<ClaimResult> {
    await this.#noticeClock();
    const room = this.#room();
    if (!this.#connected() || room === 0) return NOTHING_CLAIMED;
    await this.#noteLock();
    await this.#reconcile();
    const built = this.#built;
    const claimed = await claimMessages(this.#options, {
      now: this.#now(),
      room,
      inFlight: [...this.#inFlight.keys()],
      building: [...this.#building.keys()],
      roomToBuild: MOST_BUILDS - this.#building.size,
      built,
      reconciled: this.#reconciled,
      timeLockedUntil: this.#options.transport.link.timeLockedUntil,
      checkNumbers: this.#numberChecks(),
      typed: this.#types() ? typed : 'unneeded',
    });
    this.#built = this.#built.filter((one) => !built.includes(one));
    for (const row of claimed.rows) this.#send(row);
    for (const row of claimed.toBuild) this.#build(row);
    if (claimed.stopped) this.#options.onChange();
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

  /** Runs in the background: only the messages to these addresses wait for the answer. */
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

  /** Stored, so that the gate refuses new first contacts and the lock survives a restart. */
  async #noteLock(): Promise<void> {
    const until = this.#options.transport.link.timeLockedUntil;
    if (until === null || until.getTime() === this.#lockedUntil) return;
    await this.#write((tx, { account }) => recordTimeLock(tx, account, until, this.#now()));
    this.#lockedUntil = until.getTime();
  }

  #room(): number {
    const { pacing, delivery } = this.#options;
    return pacing.enabled ? 1 - this.#inFlight.size : delivery.in_flight - this.#unanswered.size;
  }

  async #reconcile(): Promise<void> {
    if (this.#options.transport.link.replaying !== null) return;
    const isNewConnection = !this.#reconciled;
    if (!isNewConnection && !this.#doubtful) return;
    const { delivery, hooks } = this.#options;
    const [now, inFlight] = [this.#now(), [...this.#inFlight.keys()]];
    // Set before the work, so that a connection that breaks meanwhile can reset it.
    this.#reconciled = true;
    this.#doubtful = false;
    await this.#write(async (tx, { account }) => {
      if (isNewConnection) await markDoubtful(tx, account, inFlight, now, hooks);
      if ((await reconcileDoubtful(tx, account, delivery, now, isNewConnection, hooks)) > 0)
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

  /** In the background: other chats do not wait for an upload. It is claimed and checked again when it is built. */
  #build(row: ReadyRow): void {
    const built = this.#buildMessage(row)
      .catch((error: unknown) => {
        this.#options.log.warn('building a message failed; it is built again', { error });
      })
      .finally(() => {
        this.#building.delete(row.id);
        this.wake();
      });
    this.#building.set(row.id, built);
  }

  async #buildMessage(row: ReadyRow): Promise<void> {
    const { builder, log } = this.#options;
    let wire: Uint8Array;
    try {
      wire = await builder.build(row);
    } catch (error) {
      if (error instanceof ContentDiffers) return this.#stopAltered(row);
      log.info('not built', { message: row.message_id, error });
      const at = this.#now();
      const apply = ({ state, attempts: before }: { state: string; attempts: number }) => {
        const attempts = before + 1;
        return state === 'pending' ? { ...notSentUpdate(attempts, at), attempts } : null;
      };
      return this.#outcomes.add({ target: row, apply });
    }
    this.#built = [...this.#built, { id: row.id, wire }];
  }

  /** The store's file is not the one that was permitted. */
  async #stopAltered(row: ReadyRow): Promise<void> {
    const { hooks } = this.#options;
    const at = this.#now();
    await this.#write(async (tx, { account }) => {
      const apply = () =>
        ({ event: { type: 'stopped' }, at, sentence: ALTERED_FILE, lost: true }) as const;
      await applyDeliveryReports(tx, account, [{ target: row, apply }], hooks);
      await recordStops(tx, account, [{ row, reason: 'altered' }]);
    });
  }

  async #attempt(row: ReadyRow): Promise<void> {
    const { builder, transport, delivery } = this.#options;
    const give = async () => {
      const built = builder.open(row);
      await transport.send({
        id: row.message_id,
        chat: row.address ?? '',
        text: row.body,
        ...quoteOf(row.quoted),
        ...(built === null ? {} : { built }),
      });
    };
    this.#unanswered.add(row.id);
    const fault = await sendWithTimeout(give(), delivery.answer_within_ms);
    this.#unanswered.delete(row.id);
    await this.#outcomes.add(this.#answer(row, fault));
  }

  #answer(row: ReadyRow, fault: SendFault | null): DeliveryReport {
    const at = this.#now();
    if (fault === null) return { target: row, apply: () => ({ event: { type: 'accepted' }, at }) };
    this.#options.log.info('not sent', {
      message: row.message_id,
      reason: fault.kind,
      error: fault,
    });
    switch (fault.kind) {
      case 'refused':
        return this.#refusal(row, fault.code);
      case 'uncertain':
        return { target: row, apply: () => ({ event: { type: 'lost' }, at, notBefore: null }) };
      case 'not_sent':
        return { target: row, apply: ({ attempts }) => notSentUpdate(attempts, at) };
    }
  }

  #refusal(target: OutboxTarget, code: number | null): DeliveryReport {
    const { verdict, freeze, sentence } = interpretRefusal(code);
    const at = this.#now();
    return {
      target,
      // Only a message in flight or just accepted can be refused; a second report adds nothing.
      apply: (row) =>
        row.in_doubt || row.state === 'sent'
          ? { event: { type: 'refused', verdict }, at, sentence, freeze }
          : null,
    };
  }

  async #settle(outcomes: readonly DeliveryReport[]): Promise<void> {
    const { hooks, pacing } = this.#options;
    await this.#write(async (tx, { account }) => {
      const settled = await applyDeliveryReports(tx, account, outcomes, hooks);
      if (settled.some(({ row }) => row.state === 'unknown')) this.#doubtful = true;
      const causes = new Set(settled.map(({ update }) => update.freeze ?? null));
      for (const cause of causes) {
        if (cause !== null) await recordFreeze(tx, account, cause, pacing, this.#now());
      }
    });
    this.wake();
  }

  async #write(
    work: (tx: Transaction, lease: ClaimOptions['lease']) => Promise<void>,
  ): Promise<void> {
    const { lease, onChange } = this.#options;
    await transaction(this.#options, ({ tx }) => work(tx, lease));
    onChange();
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
    if (!this.#loop.isStopping) await this.#typing.sleep(typingMs(row.body, pacing, random()));
    await show(false);
    return row.id;
  }

  #connected(): boolean {
    return whatsappStatusOf(this.#options.transport.link.state) === 'connected';
  }

  async #until(checkAgainAt: Date | null): Promise<number> {
    if (checkAgainAt === null) {
      const { db, lease } = this.#options;
      const isBusy = this.#inFlight.size + this.#building.size > 0;
      const waits = isBusy || (await hasOpenMessages(db, lease.account));
      return waits ? POLL_MS : Number.POSITIVE_INFINITY;
    }
    return Math.min(Math.max(checkAgainAt.getTime() - this.#now().getTime(), 0), POLL_MS);
  }
}

const ALTERED_FILE = 'The file differs from the one that was allowed, so it was not sent.';

/**
 * WhatsApp's clock may differ from ours, and follow-ups are timed by ours: not before the attempt, and not in the
 * future.
 */
const clampReceiptTime = (at: Date, attemptedAt: Date | null, now: Date): Date =>
  new Date(Math.min(Math.max(at.getTime(), attemptedAt?.getTime() ?? 0), now.getTime()));

function notSentUpdate(attempts: number, at: Date): DeliveryUpdate {
  const wait = delayFor(RETRY.outbound_send, attempts, 0);
  return {
    event: { type: 'not_sent', last: wait === null },
    at,
    sentence: NOT_REACHED_SENTENCE,
    notBefore: wait === null ? null : new Date(at.getTime() + wait),
  };
}

/** The result of a send; null if the server accepted it. No answer in time is `uncertain`. */
async function sendWithTimeout(sending: Promise<void>, ms: number): Promise<SendFault | null> {
  const patience = new WakeableSleep();
  const silent = patience.sleep(ms).then(() => new SendFault('uncertain', 'no answer in time'));
  try {
    return await Promise.race([sending.then(() => null), silent]);
  } catch (error) {
    if (error instanceof SendFault) return error;
    return new SendFault('uncertain', error instanceof Error ? error.message : 'failed');
  } finally {
    patience.wake();
  }
}

// Writes delivery reports in batches: reports that arrive while a batch is written go into the next. A report that
// cannot be written does not block the others.

interface DeliveryReportWriterOptions {
  readonly write: (outcomes: readonly DeliveryReport[]) => Promise<void>;
  readonly log: Log;
  /** How long to wait for more reports. */
  readonly gatherMs: () => number;
}

interface PendingReport {
  readonly outcome: DeliveryReport;
  readonly written: () => void;
}

const REPORT_BATCH = 100;
const FIRST_WRITE_RETRY_MS = 50;
const LONGEST_WRITE_RETRY_MS = 1_000;

class DeliveryReportWriter {
  readonly #options: DeliveryReportWriterOptions;
  readonly #pause = new WakeableSleep();
  #reports: PendingReport[] = [];
  #writing: Promise<void> | null = null;
  #closed = false;

  constructor(options: DeliveryReportWriterOptions) {
    this.#options = options;
  }

  /** Resolves when it is written; never, if the writer is closed before. */
  add(outcome: DeliveryReport): Promise<void> {
    return new Promise((written) => {
      this.#reports.push({ outcome, written });
      this.#writing ??= this.#run();
    });
  }

  /** Resolves when everything reported so far is written. */
  async settled(): Promise<void> {
    while (this.#writing !== null) await this.#writing;
  }

  /** What is not written by now stays in doubt: it is reconciled, not lost. */
  close(): void {
    this.#closed = true;
    this.#pause.wake();
  }

  async #run(): Promise<void> {
    let most = REPORT_BATCH;
    let wait = FIRST_WRITE_RETRY_MS;
    // Collects the reports of the same tick into one batch.
    await null;
    while (this.#reports.length > 0 && !this.#closed) {
      if (most > 1) await this.#pause.sleep(this.#options.gatherMs());
      const batch = this.#reports.splice(0, most);
      try {
        await this.#options.write(batch.map(({ outcome }) => outcome));
        for (const { written } of batch) written();
        [most, wait] = [REPORT_BATCH, FIRST_WRITE_RETRY_MS];
      } catch (error) {
        this.#options.log.warn('writing delivery reports failed; retrying', { error });
        // From here on each report is written alone, and failed ones go to the end: their order does not matter.
        this.#reports.push(...batch);
        if (batch.length === 1) await this.#pause.sleep(wait);
        [most, wait] = [1, Math.min(wait * 2, LONGEST_WRITE_RETRY_MS)];
      }
    }
    this.#writing = null;
  }
}

// Corrects times in the future. They were written while the clock was ahead, and it has been set back since. Left as
// they are, they would stop all sending until then.

/**
 * A time in the future becomes now. Limits still count those messages, and retries and freezes keep their length. The
 * end of a time lock comes from WhatsApp and stays.
 */
async function correctFutureTimes(tx: Transaction, account: AccountId, now: Date): Promise<void> {
  const at = sql`${now}::timestamptz`;
  await sql`UPDATE outbox SET attempted_at = ${at}, unknown_since = least(unknown_since, ${at}),
      not_before = CASE WHEN not_before > attempted_at THEN not_before - (attempted_at - ${at}) ELSE not_before END
    WHERE account_id = ${account} AND attempted_at > ${at}`.execute(tx);
  await sql`UPDATE freezes SET since = ${at}, until = until - (since - ${at})
    WHERE account_id = ${account} AND since > ${at} AND cause <> 'time_lock'`.execute(tx);
}

// Asks WhatsApp whether a number is registered, and stores the answer. Accounts are reported to be locked for writing
// to numbers that are not.

interface NumberCheckDeps {
  readonly db: Db;
  readonly lease: Lease;
  readonly transport: Pick<Transport, 'link' | 'capabilities'>;
  readonly log: Log;
  readonly now: () => Date;
}

/** Whether there was an answer; false while WhatsApp cannot be reached. Never rejects. */
export async function checkNumber(
  { db, lease, transport, log, now }: NumberCheckDeps,
  address: string,
  withinMs: number,
): Promise<boolean> {
  const { findRegistered } = transport.capabilities;
  if (findRegistered === undefined || whatsappStatusOf(transport.link.state) !== 'connected')
    return false;
  const patience = new WakeableSleep();
  try {
    const silence = patience.sleep(withinMs).then(() => {
      throw new Error('no answer in time');
    });
    const found = await Promise.race([findRegistered(address), silence]);
    await noteNumberRegistration(db, lease, { asked: address, found, at: now() });
    return true;
  } catch (error) {
    log.warn('checking whether a number is registered failed', { error });
    return false;
  } finally {
    patience.wake();
  }
}
