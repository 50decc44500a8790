// The only door. A proposal is decided, the decision written to the ledger with its reason, and what was
// decided carried out, all in the transaction of the change that caused it: a permitted message goes into
// the outbox, one that a person must see first into the approvals.
import { randomUUID } from 'node:crypto';
import type { AccountId, ApprovalId, PermitId } from '@relay/core/ids';
import { permitId } from '@relay/core/ids';
import type { Actor } from '@relay/core/policy/actors';
import { decide } from '@relay/core/policy/decide';
import type { ApprovalFacts, ConversationFacts } from '@relay/core/policy/facts';
import { BARE_FACTS } from '@relay/core/policy/facts';
import { because, type Decision } from '@relay/core/policy/reasons';
import type { PutMessage } from '../outbox/outbox.ts';
import type { Transaction } from '../store/database.ts';
import { appendLedger } from '../store/ledger.ts';
import { actorName } from './actor-names.ts';
import { askPerson, readApproval, spendApproval } from './approval-rows.ts';
import { type ChatKnowledge, type KnowOptions, knowChat } from './facts.ts';
import { setHold } from './hold-row.ts';
import { permitMessage } from './permit.ts';
import { quotesPrivateWords } from './private-words.ts';
import {
  type Askable,
  hashOf,
  intentOf,
  isAskable,
  type Proposal,
  subjectOf,
} from './proposals.ts';

export interface GateOptions extends KnowOptions {
  readonly account: AccountId;
  /** What the owner tells all agents; as private as an objective. */
  readonly instructions?: string | null;
  /** After the commit: something waits in the outbox. Costs nothing when it is lost. */
  readonly hint: () => void;
}

/** What the one who submits knows of it. */
export interface Circumstances {
  /** The conversation it is said in. */
  readonly conversation?: ConversationFacts;
  /** What the same turn says before it, of which nothing is written down yet. */
  readonly sayingBefore?: readonly string[];
  /** The owner's yes it comes back with. */
  readonly approval?: ApprovalId;
  /** Of a hold: why. */
  readonly reason?: string;
}

export interface Submitted {
  readonly decision: Decision;
  /** There exactly if a message was permitted. */
  readonly message: PutMessage | null;
  /** There exactly if a person is asked. */
  readonly approval: ApprovalId | null;
}

interface Considered {
  readonly decision: Decision;
  readonly firstContact: boolean;
}

/** What was asked first in a transaction, and the answer: it is not looked up again when it is submitted. */
interface Asked extends Considered {
  readonly question: string;
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

  /** What `submit` would decide now. Writes nothing. */
  async ask(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    circumstances: Circumstances = {},
  ): Promise<Decision> {
    const considered = await this.#consider(tx, actor, proposal, circumstances);
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
      (await this.#consider(tx, actor, proposal, circumstances));
    const { decision } = considered;
    const permit = permitId(randomUUID());
    const permits = proposal.kind === 'send_message' && decision.outcome === 'allow';
    const seq = await appendLedger(tx, this.#options.account, {
      actor: actorName(actor),
      action: proposal.kind,
      subject: subjectOf(proposal),
      outcome: decision.outcome,
      reason: decision.reason,
      detail: {
        ...(isAskable(proposal) ? { hash: hashOf(proposal) } : {}),
        ...(proposal.kind === 'send_message' ? { permit: permits ? permit : null } : {}),
        ...(proposal.kind === 'answer_approval' ? { answer: proposal.answer } : {}),
        ...(circumstances.approval === undefined ? {} : { approval: circumstances.approval }),
      },
    });
    const nothing: Submitted = { decision, message: null, approval: null };
    switch (decision.outcome) {
      case 'deny':
        return nothing;
      case 'needs_approval':
        if (!isAskable(proposal)) return nothing;
        return {
          ...nothing,
          approval: await this.#askPerson(tx, actor, proposal, decision, circumstances),
        };
      case 'allow':
        return {
          ...nothing,
          message: await this.#carryOut(tx, actor, proposal, circumstances, {
            permit,
            seq,
            firstContact: considered.firstContact,
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

  async #consider(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    { conversation, approval, sayingBefore = [] }: Circumstances,
  ): Promise<Considered> {
    const { account, instructions = null } = this.#options;
    const known: ChatKnowledge = isAskable(proposal)
      ? await knowChat(tx, account, proposal.chat, conversation ?? null, this.#options)
      : { facts: BARE_FACTS, firstContact: false };
    const { firstContact } = known;
    const approved = approval === undefined ? null : await readApproval(tx, account, approval);
    const spoilt = approval === undefined ? null : spoiltBy(approved, proposal);
    if (spoilt !== null) return { decision: because(spoilt), firstContact };
    // Nor can the database: it would be an error in place of an answer.
    if (proposal.kind === 'send_message' && proposal.text.includes('\0')) {
      return { decision: because('unsendable'), firstContact };
    }
    const quotesPrivate =
      actor.kind === 'conversation' &&
      proposal.kind === 'send_message' &&
      (await quotesPrivateWords(tx, proposal.text, {
        account,
        instance: actor.instance,
        instructions,
        sayingBefore,
      }));
    const facts = { ...known.facts, approval: approved, quotesPrivate };
    return { decision: decide(actor, intentOf(proposal, firstContact), facts), firstContact };
  }

  #askPerson(
    tx: Transaction,
    actor: Actor,
    proposal: Askable,
    { reason }: Decision,
    { conversation }: Circumstances,
  ): Promise<ApprovalId> {
    return askPerson(tx, this.#options.account, {
      proposal,
      reason,
      requestedBy: actorName(actor),
      instance: conversation?.instance ?? null,
    });
  }

  async #carryOut(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    { conversation, approval, reason = '' }: Circumstances,
    given: { permit: PermitId; seq: number; firstContact: boolean },
  ): Promise<PutMessage | null> {
    const { account } = this.#options;
    if (approval !== undefined) await spendApproval(tx, account, approval);
    if (proposal.kind === 'set_hold') await setHold(tx, account, proposal.on, reason);
    if (proposal.kind !== 'send_message') return null;
    return permitMessage(tx, account, proposal, {
      ...given,
      actor: actorName(actor),
      instance: conversation?.instance ?? null,
      approval: approval ?? null,
    });
  }
}

const questionOf = (...asked: [Actor, Proposal, Circumstances]): string => JSON.stringify(asked);

/** A yes that is brought must be good for this, whatever else would allow it. */
function spoiltBy(approved: ApprovalFacts | null, proposal: Proposal) {
  if (approved === null || !isAskable(proposal)) return 'approval_differs';
  if (approved.hash !== hashOf(proposal)) return 'approval_differs';
  return approved.spent ? 'approval_spent' : null;
}
