// One turn of the owner's assistant, as its tools see it: who acts, what was read so far, and whether
// somebody looks on who is asked before anything is sent.
import type { Labelled, Trusted } from '@relay/core/agent/labelled';
import type { ApprovalId, ChatId, RunId } from '@relay/core/ids';
import type { AssistantRun as Actor } from '@relay/core/policy/actors';
import type { Taint } from '@relay/core/policy/facts';
import type { DigestVerbs } from '@relay/core/ports/digests';
import type { Gate } from '../../gate/submit.ts';
import type { Reader, Transaction } from '../../store/database.ts';
import { fenced } from '../../store/fenced.ts';
import type { Lease } from '../../store/lease.ts';
import { saveTaint } from '../../store/taint.ts';
import type { FindMessages, Schedules } from './ports.ts';

/** What became of a question to the owner; `waiting` when nobody answered in time. */
export type OwnersAnswer =
  | { readonly kind: 'approved' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'rejected'; readonly why: string | null };

export interface ToolWorld {
  readonly db: Reader;
  readonly lease: Lease;
  readonly gate: Gate;
  /** The owner's other numbers, in digits. */
  readonly admins: readonly string[];
  readonly find: FindMessages;
  readonly schedules: Schedules;
  readonly digests: DigestVerbs['digests'];
  /** After a commit: something may wait in the outbox, and streams have something to show. */
  changed(): void;
}

export interface RunOptions {
  readonly world: ToolWorld;
  readonly id: RunId;
  /** What the history that it is shown was made of. */
  readonly taint: Taint;
  /** Asks before each send, and waits for the answer. Null: nobody looks on. */
  readonly confirm: ((approval: ApprovalId, signal: AbortSignal) => Promise<OwnersAnswer>) | null;
  /** The owner's chat on WhatsApp that the turn answers, if it does. */
  readonly askIn: ChatId | null;
  /** A question to the model beside the turn, without tools. */
  ask(instructions: Trusted, text: Labelled): Promise<Labelled>;
}

export class ToolRun {
  readonly world: ToolWorld;
  readonly id: RunId;
  readonly confirm: RunOptions['confirm'];
  readonly ask: RunOptions['ask'];
  readonly askIn: ChatId | null;
  #taint: Taint;

  constructor({ world, id, taint, confirm, ask, askIn }: RunOptions) {
    this.world = world;
    this.id = id;
    this.confirm = confirm;
    this.ask = ask;
    this.askIn = askIn;
    this.#taint = taint;
  }

  get account() {
    return this.world.lease.account;
  }

  get actor(): Actor {
    return { kind: 'assistant', run: this.id };
  }

  get taint(): Taint {
    return this.#taint;
  }

  /**
   * A write of this turn, and of no turn that is over; with a signal, of none that nobody waits for any
   * more: what the model is told did not happen has not happened.
   */
  write<T>(work: (tx: Transaction) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const { db, lease } = this.world;
    return fenced(db, lease, async (tx) => {
      const run = await tx
        .selectFrom('runs')
        .select('state')
        .where('account_id', '=', lease.account)
        .where('id', '=', this.id)
        .forUpdate()
        .executeTakeFirst();
      if (run?.state !== 'running') throw new Error('the turn is over');
      const done = await work(tx);
      signal?.throwIfAborted();
      return done;
    });
  }

  /** Before the model sees text of others. */
  async reads(taint: Taint): Promise<void> {
    await this.write((tx) => saveTaint(tx, this.account, this.id, taint));
    this.#taint = taint;
  }
}
