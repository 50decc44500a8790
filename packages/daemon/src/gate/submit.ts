// The only door. A proposal is decided, the decision written to the ledger with its reason, and what was
// decided carried out, all in the transaction of the change that caused it: a permitted message goes into
// the outbox, a grant is changed, what a person must see first goes into the approvals.
import { randomUUID } from 'node:crypto';
import type { ApprovalId, ChatId, GrantId, PermitId } from '@relay/core/ids';
import { permitId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import type { Decision } from '@relay/core/policy/reasons';
import type { PutMessage } from '../outbox/outbox.ts';
import type { Reader, Transaction } from '../store/database.ts';
import { addLedgerRow } from '../store/ledger.ts';
import { markAnswered } from '../store/observer/requests.ts';
import { actorName } from './actor-names.ts';
import { askPerson, spendApproval } from './approval-rows.ts';
import {
  type Circumstances,
  type Considered,
  type Considering,
  consider,
  NumberUnchecked,
} from './consider.ts';
import { writeGrant } from './grant-rows.ts';
import { setHold } from './hold-row.ts';
import { detailOf } from './ledger-detail.ts';
import { showNotice } from './notices.ts';
import { ownersChat } from './owners-chat.ts';
import { type Given, type InstanceNow, instanceNow, permitMessage } from './permit.ts';
import { type Askable, isAskable, type Proposal, subjectOf } from './proposals.ts';
import { type QueuedFirstContact, queuedFirstContacts } from './queued.ts';

export interface GateOptions extends Considering {
  /** What waits for a yes is told in the owner's own chat as well. */
  readonly tellOwner?: boolean;
  /** After the commit: something waits in the outbox. Costs nothing when it is lost. */
  readonly hint: () => void;
  /** Asks WhatsApp whether a number is registered and keeps the answer, if there is one in time. Never rejects. */
  readonly askNumber?: (address: string) => Promise<unknown>;
}

export interface Submitted {
  readonly decision: Decision;
  /** There exactly if a message was permitted. */
  readonly message: PutMessage | null;
  readonly permit: PermitId | null;
  /** There exactly if a person is asked. */
  readonly approval: ApprovalId | null;
  /** There exactly if a grant was changed: its record's, also of one that is gone now. */
  readonly grant: GrantId | null;
}

/** What was asked first in a transaction, and the answer: it is not looked up again when it is submitted. */
interface Asked extends Considered {
  readonly question: string;
}

interface Decided {
  readonly permit: PermitId;
  readonly row: Given['row'];
  readonly considered: Considered;
}

export class Gate {
  readonly #options: GateOptions;
  readonly #asked = new WeakMap<Transaction, Asked>();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  hint(): void {
    this.#options.hint();
  }

  /**
   * Runs work that may submit a first message. Where the number is not known to be registered, WhatsApp is asked with no
   * transaction open, and the work is run again. Without an answer it goes on: the outbox asks before the message leaves.
   */
  async checkingNumbers<T>(
    run: (circumstances: Pick<Circumstances, 'checkNumber'>) => Promise<T>,
  ): Promise<T> {
    const { askNumber } = this.#options;
    if (askNumber === undefined) return run({});
    try {
      return await run({ checkNumber: true });
    } catch (error) {
      if (!(error instanceof NumberUnchecked)) throw error;
      await askNumber(error.address);
      return run({});
    }
  }

  /** First messages that wait for the limits on first contacts, each with when it can leave. */
  queuedFirstContacts(db: Reader): Promise<readonly QueuedFirstContact[]> {
    const { account, pacing, now = () => new Date() } = this.#options;
    return queuedFirstContacts(db, account, pacing, now());
  }

  /** What `submit` would decide now. Writes nothing. */
  async ask(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    circumstances: Circumstances = {},
  ): Promise<Decision> {
    const considered = await consider(tx, this.#options, actor, proposal, circumstances);
    if (!this.#asked.has(tx)) {
      const question = questionOf(actor, proposal, circumstances);
      this.#asked.set(tx, { question, ...considered });
    }
    return considered.decision;
  }

  async submit(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    circumstances: Circumstances = {},
  ): Promise<Submitted> {
    const considered =
      this.#answered(tx, questionOf(actor, proposal, circumstances)) ??
      (await consider(tx, this.#options, actor, proposal, circumstances));
    const { decision } = considered;
    const own = await this.#chatToTell(tx, actor, proposal, decision, circumstances);
    const permit = permitId(randomUUID());
    const permits = proposal.kind === 'send_message' && decision.outcome === 'allow';
    const { account } = this.#options;
    const row = await addLedgerRow<InstanceNow>(
      tx,
      account,
      {
        actor: actorName(actor),
        action: proposal.kind,
        subject: subjectOf(proposal),
        outcome: decision.outcome,
        reason: decision.reason,
        detail: detailOf(proposal, circumstances, considered, permits ? permit : null),
      },
      permits ? instanceNow(account, circumstances.conversation?.instance ?? null) : undefined,
    );
    // A permitted message seals it with the permit.
    if (!permits) await row.sealing?.execute(tx);
    const nothing: Submitted = {
      decision,
      message: null,
      permit: null,
      approval: null,
      grant: null,
    };
    switch (decision.outcome) {
      case 'deny':
        return nothing;
      case 'needs_approval':
        if (!isAskable(proposal)) return nothing;
        return {
          ...nothing,
          approval: await this.#askPerson(tx, actor, proposal, decision, circumstances, own),
        };
      case 'allow':
        return {
          ...nothing,
          permit: permits ? permit : null,
          grant: considered.change?.id ?? null,
          message: await this.#carryOut(tx, actor, proposal, circumstances, {
            permit,
            row,
            considered,
          }),
        };
    }
  }

  /** Good for the first that is submitted: what that changes, the next must see. */
  #answered(tx: Transaction, question: string): Considered | null {
    const asked = this.#asked.get(tx);
    this.#asked.delete(tx);
    return asked?.question === question ? asked : null;
  }

  /**
   * Where the notice goes, if there is one. Found before the ledger's row, which keeps the ledger locked from there to
   * the commit.
   */
  async #chatToTell(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    { outcome }: Decision,
    { askIn }: Circumstances,
  ): Promise<ChatId | null> {
    if (outcome !== 'needs_approval' || !isAskable(proposal)) return null;
    if (askIn !== undefined) return askIn;
    // The assistant's questions are shown where its owner speaks with it.
    if (this.#options.tellOwner !== true || actor.kind === 'assistant') return null;
    return ownersChat(tx, this.#options.account);
  }

  async #askPerson(
    tx: Transaction,
    actor: Actor,
    proposal: Askable,
    { reason }: Decision,
    { conversation, run, schedule, edits }: Circumstances,
    own: ChatId | null,
  ): Promise<ApprovalId> {
    const { id, noticed } = await askPerson(tx, this.#options.account, {
      proposal,
      reason,
      requestedBy: actorName(actor),
      instance: conversation?.instance ?? null,
      run: run ?? null,
      schedule: schedule ?? null,
      beganAs: edits ?? null,
    });
    if (!noticed && own !== null) {
      await showNotice(tx, { gate: this, account: this.#options.account }, id, own);
    }
    return id;
  }

  async #carryOut(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    { conversation, approval, run, schedule, reason = '' }: Circumstances,
    { permit, row, considered }: Decided,
  ): Promise<PutMessage | null> {
    const { account } = this.#options;
    if (approval !== undefined) await spendApproval(tx, account, approval);
    if (proposal.kind === 'set_hold') await setHold(tx, account, proposal.on, reason);
    if (proposal.kind === 'manage_grant' && considered.change !== null) {
      const { id, after } = considered.change;
      await writeGrant(tx, account, { of: proposal.of, id, record: after });
    }
    if (proposal.kind !== 'send_message') return null;
    const put = await permitMessage(tx, account, proposal, {
      permit,
      row,
      firstContact: considered.firstContact,
      actor: actorName(actor),
      instance: conversation?.instance ?? null,
      approval: approval ?? null,
      run: run ?? null,
      schedule: schedule ?? null,
    });
    if (considered.answersInGroup && actor.kind === 'assistant') {
      const { now = () => new Date() } = this.#options;
      const answer = { chat: proposal.chat, run: actor.run, outbox: put.id, at: now() };
      await markAnswered(tx, account, answer);
    }
    return put;
  }
}

const questionOf = (...asked: [Actor, Proposal, Circumstances]): string => JSON.stringify(asked);
