// The gate: decides a proposal, writes the decision and its reason to the ledger, and carries it out, all in the
// transaction of the change that caused it. An allowed message goes to the outbox, a grant is changed, and what the
// owner must see first becomes an approval.
import { randomUUID } from 'node:crypto';
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import {
  type AccountId,
  type ApprovalId,
  type ChatId,
  type GrantId,
  type InstanceId,
  type OutboxId,
  type PermitId,
  permitId,
  type RunId,
  type ScheduleId,
} from '@relay/contract/ids';
import type { PacingSettings } from '@relay/contract/settings';
import type { GrantRecord } from '@relay/core/contacts/grants';
import { activeFreeze } from '@relay/core/outbox/freeze';
import { firstContactTimes } from '@relay/core/outbox/pacing';
import type { Actor } from '@relay/core/policy/actors';
import { mintPermit } from '@relay/core/policy/permit';
import type { Decision, ReasonCode } from '@relay/core/policy/reasons';
import { type RawBuilder, sql } from 'kysely';
import { type Db, onCommit, sealOf, type Transaction } from '../../platform/db/database.ts';
import { type AddedLedgerRow, addLedgerRow } from '../../platform/db/ledger.ts';
import { markRequestAnswered } from '../../platform/db/observer/requests.ts';
import { contentHash, permitFacts } from '../../platform/db/seal.ts';
import { isFirstContactSql, isPausedSql, loadRecentSendings } from '../outbox/claim.ts';
import { newMessageIds, type OutboxMessage, putMessage } from '../outbox/outbox.ts';
import { readFreezes } from '../outbox/sending-health.ts';
import { actorName } from './actors.ts';
import { createApproval, markApprovalUsed } from './approval-store.ts';
import {
  type EvaluateOptions,
  type Evaluation,
  evaluate,
  type SubmitContext,
  UncheckedNumberError,
} from './evaluate.ts';
import { writeGrant } from './grant-store.ts';
import { findOrMakeOwnerChat, showNotice } from './owner-notices.ts';
import {
  type ApprovableProposal,
  type ApprovalToAnswer,
  contentOf,
  isApprovable,
  ledgerSubjectOf,
  type MessageToSend,
  type Proposal,
  proposalHash,
} from './proposals.ts';

export interface GateOptions extends EvaluateOptions {
  /** Also shows approvals in the owner's own chat. */
  readonly notifyOwner?: boolean;
  /** Called after the commit of a message. Losing the call only costs time. */
  readonly wakeOutbox: () => void;
  /** Asks WhatsApp whether a number is registered and stores the answer, if it arrives in time. Never rejects. */
  readonly checkNumber?: (address: string) => Promise<unknown>;
}

export interface GateResult {
  readonly decision: Decision;
  /** Set exactly if a message was permitted. */
  readonly message: OutboxMessage | null;
  readonly permit: PermitId | null;
  /** Set exactly if the owner is asked. */
  readonly approval: ApprovalId | null;
  /** Set exactly if a grant was changed or removed. */
  readonly grant: GrantId | null;
}

/** A decided proposal of which nothing is written yet. */
export interface EvaluatedProposal {
  readonly decision: Decision;
  /** Writes the decision to the ledger and carries it out, in the transaction in which it was made. Call it once. */
  submit(): Promise<GateResult>;
}

interface AllowedProposal {
  readonly permit: PermitId;
  readonly row: PermitDetails['row'];
  readonly evaluation: Evaluation;
}

export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  wakeOutbox(): void {
    this.#options.wakeOutbox();
  }

  /**
   * Runs work that may submit a first message. If the number is not known to be registered, it asks WhatsApp with no
   * transaction open and runs the work again. Without an answer the work continues: the outbox asks before it sends the
   * message.
   */
  async withNumberCheck<T>(
    run: (context: Pick<SubmitContext, 'checksNumber'>) => Promise<T>,
  ): Promise<T> {
    const { checkNumber } = this.#options;
    if (checkNumber === undefined) return run({});
    try {
      return await run({ checksNumber: true });
    } catch (error) {
      if (!(error instanceof UncheckedNumberError)) throw error;
      await checkNumber(error.address);
      return run({});
    }
  }

  /** First messages that wait for the limits on first contacts, each with the earliest time it can be sent. */
  queuedFirstContacts(db: Db): Promise<readonly QueuedFirstContact[]> {
    const { account, pacing, now = () => new Date() } = this.#options;
    return listQueuedFirstContacts(db, account, pacing, now());
  }

  /** Decides and writes nothing. The caller may have to do something before it submits, or never submit. */
  async evaluate(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    context: SubmitContext = {},
  ): Promise<EvaluatedProposal> {
    const evaluation = await evaluate(tx, this.#options, actor, proposal, context);
    let isSubmitted = false;
    return {
      decision: evaluation.decision,
      submit: () => {
        if (isSubmitted) throw new Error('a proposal is submitted once');
        isSubmitted = true;
        return this.#submit(tx, actor, proposal, context, evaluation);
      },
    };
  }

  async submit(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    context: SubmitContext = {},
  ): Promise<GateResult> {
    return (await this.evaluate(tx, actor, proposal, context)).submit();
  }

  async #submit(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    context: SubmitContext,
    evaluation: Evaluation,
  ): Promise<GateResult> {
    const { decision } = evaluation;
    const own = await this.#chatToTell(tx, actor, proposal, decision, context);
    const permit = permitId(randomUUID());
    const permits = proposal.kind === 'send_message' && decision.outcome === 'allow';
    const { account } = this.#options;
    const row = await addLedgerRow<InstanceSnapshot>(
      tx,
      account,
      {
        actor: actorName(actor),
        action: proposal.kind,
        subject: ledgerSubjectOf(proposal),
        outcome: decision.outcome,
        reason: decision.reason,
        detail: ledgerDetailOf(proposal, context, evaluation, permits ? permit : null),
      },
      permits ? instanceSnapshotSql(account, context.conversation?.instance ?? null) : undefined,
    );
    // For a permitted message, `permitMessage` seals the row together with the permit.
    if (!permits) await row.sealing?.execute(tx);
    const nothing: GateResult = {
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
        if (!isApprovable(proposal)) return nothing;
        return {
          ...nothing,
          approval: await this.#askPerson(tx, actor, proposal, decision, context, own),
        };
      case 'allow':
        return {
          ...nothing,
          permit: permits ? permit : null,
          grant: evaluation.change?.id ?? null,
          message: await this.#carryOut(tx, actor, proposal, context, {
            permit,
            row,
            evaluation,
          }),
        };
    }
  }

  /**
   * The chat for the notice, or null. Looked up before the ledger row is added, because that row keeps the ledger
   * locked until the commit.
   */
  async #chatToTell(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    { outcome }: Decision,
    { noticeChat }: SubmitContext,
  ): Promise<ChatId | null> {
    if (outcome !== 'needs_approval' || !isApprovable(proposal)) return null;
    if (noticeChat !== undefined) return noticeChat;
    // The assistant's approvals are shown where the owner talks to it.
    if (this.#options.notifyOwner !== true || actor.kind === 'assistant') return null;
    return findOrMakeOwnerChat(tx, this.#options.account);
  }

  async #askPerson(
    tx: Transaction,
    actor: Actor,
    proposal: ApprovableProposal,
    { reason }: Decision,
    { conversation, run, schedule, editOf }: SubmitContext,
    own: ChatId | null,
  ): Promise<ApprovalId> {
    const { id, noticed } = await createApproval(tx, this.#options.account, {
      proposal,
      reason,
      requestedBy: actorName(actor),
      instance: conversation?.instance ?? null,
      run: run ?? null,
      schedule: schedule ?? null,
      beganAs: editOf ?? null,
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
    { conversation, approval, run, schedule, reason = '' }: SubmitContext,
    { permit, row, evaluation }: AllowedProposal,
  ): Promise<OutboxMessage | null> {
    const { account } = this.#options;
    if (approval !== undefined) await markApprovalUsed(tx, account, approval);
    if (proposal.kind === 'set_hold') await setHold(tx, account, proposal.on, reason);
    if (proposal.kind === 'manage_grant' && evaluation.change !== null) {
      const { id, after } = evaluation.change;
      await writeGrant(tx, account, { of: proposal.of, id, record: after });
    }
    if (proposal.kind !== 'send_message') return null;
    const put = await permitMessage(tx, account, proposal, {
      permit,
      row,
      firstContact: evaluation.firstContact,
      actor: actorName(actor),
      instance: conversation?.instance ?? null,
      approval: approval ?? null,
      run: run ?? null,
      schedule: schedule ?? null,
    });
    await onCommit(tx, () => this.wakeOutbox());
    if (evaluation.answersInGroup && actor.kind === 'assistant') {
      const { now = () => new Date() } = this.#options;
      const answer = { chat: proposal.chat, run: actor.run, outbox: put.id, at: now() };
      await markRequestAnswered(tx, account, answer);
    }
    return put;
  }
}

// Writes the permit for one message, signed and with what its re-check needs, and the message to the outbox.

/** The state of the conversation when the message is permitted. */
interface InstanceSnapshot {
  readonly instance_epoch: number | null;
  /** The last line of its transcript. */
  readonly last_line: number | null;
}

/** Read in the same statement as the ledger row. */
const instanceSnapshotSql = (account: AccountId, instance: InstanceId | null) => sql`
  (SELECT epoch FROM instances WHERE account_id = ${account} AND id = ${instance}::uuid) AS instance_epoch,
  (SELECT coalesce(max(id), 0) FROM instance_messages
    WHERE account_id = ${account} AND instance_id = ${instance}::uuid) AS last_line`;

interface PermitDetails {
  readonly permit: PermitId;
  /** The ledger row with the reason; it is sealed here. */
  readonly row: AddedLedgerRow & { readonly also: InstanceSnapshot };
  readonly actor: string;
  readonly instance: InstanceId | null;
  readonly approval: ApprovalId | null;
  readonly run: RunId | null;
  readonly schedule: ScheduleId | null;
  readonly firstContact: boolean;
}

async function permitMessage(
  tx: Transaction,
  account: AccountId,
  message: MessageToSend,
  { permit: id, row, actor, instance, approval, run, schedule, firstContact }: PermitDetails,
): Promise<OutboxMessage> {
  const { kind: intent, chat, text: body, quotes = null, content = null, key = null } = message;
  const hash = contentHash(message);
  const { instance_epoch: epoch, last_line } = row.also;
  const after = message.followUp === true ? last_line : null;
  const put = newMessageIds();
  const mac = sealOf(tx).sign(
    'permit',
    permitFacts({
      account_id: account,
      id,
      ledger_seq: row.seq,
      actor,
      intent,
      chat_id: chat,
      hash,
      instance_id: instance,
      instance_epoch: epoch,
      follow_up_after: after,
      approval_id: approval,
      run_id: run,
      schedule_id: schedule,
      message_id: put.messageId,
    }),
  );
  const written = sql`
    INSERT INTO permits (account_id, id, ledger_seq, actor, intent, chat_id, instance_id, content_hash,
      approval_id, run_id, schedule_id, instance_epoch, follow_up_after, mac)
    VALUES (${account}, ${id}, ${row.seq}, ${actor}, ${intent}, ${chat}, ${instance},
      ${Buffer.from(hash, 'hex')}, ${approval}, ${run}, ${schedule}, ${epoch}, ${after}, ${mac})`;
  const minted = mintPermit({ account, id, chat, instance, hash });
  return putMessage(tx, minted, [written, ...(row.sealing === null ? [] : [row.sealing])], {
    ...put,
    body,
    quotes,
    content,
    firstContact,
    key,
  });
}

// The details of a decision in the ledger: ids, hashes and figures that later show which grant, run and schedule were
// involved, and what kind of content it was. Never text of a message.

/** For these reasons the ledger also records the taint. */
const isTaintReason = (reason: ReasonCode): boolean => reason.startsWith('read_then_');

function ledgerDetailOf(
  proposal: Proposal,
  { approval, run, schedule, answersMessage }: SubmitContext,
  { decision, grant, change, taint }: Evaluation,
  permit: PermitId | null,
): Readonly<Record<string, unknown>> {
  return {
    ...(isApprovable(proposal) ? { hash: proposalHash(proposal) } : {}),
    ...(proposal.kind === 'send_message' ? { permit } : {}),
    ...contentDetail(contentOf(proposal)),
    ...(proposal.kind === 'answer_approval' ? answerDetail(proposal) : {}),
    ...(approval === undefined ? {} : { approval }),
    ...(run === undefined ? {} : { run }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(answersMessage === undefined ? {} : { message: answersMessage }),
    ...(grant === null ? {} : { grant }),
    ...(isTaintReason(decision.reason) ? { taint } : {}),
    ...(change === null
      ? {}
      : {
          grant: change.id,
          change: change.change,
          before: figuresOf(change.before),
          after: figuresOf(change.after),
        }),
  };
}

/** The hash above covers the file's bytes; a hash of the bytes alone would outlive them. */
const contentDetail = (content: OutgoingContent | null) => {
  if (content === null) return {};
  return content.kind === 'media'
    ? { content: content.as, bytes: content.bytes }
    : { content: content.kind };
};

const answerDetail = ({ answer, instead }: ApprovalToAnswer) => ({
  answer,
  ...(instead === undefined ? {} : { approval: instead }),
});

const figuresOf = (record: GrantRecord | null) => record?.grant ?? null;

// First messages that the daily limit on first contacts, or a freeze by WhatsApp, keeps in the outbox, with the
// earliest time for each. For display only: it is decided again when the message is sent.

interface QueuedFirstContact {
  readonly id: OutboxId;
  readonly instance: InstanceId | null;
  /** The earliest time it can be sent. */
  readonly from: Date;
}

/** For people: why the message is queued, and until when. */
export const queuedFirstContactSentence = ({ from }: Pick<QueuedFirstContact, 'from'>): string =>
  `First messages are limited. It can be sent from ${from.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;

/** More than can be sent in weeks. */
const MAX_QUEUED = 200;

async function listQueuedFirstContacts(
  db: Db,
  account: AccountId,
  pacing: PacingSettings,
  now: Date,
): Promise<readonly QueuedFirstContact[]> {
  // Of several messages to one new contact only the first counts as first contact; the others wait behind it. The
  // agent's messages of a paused conversation wait until it is resumed, and nothing waits behind them.
  const { rows } = await sql<{ id: OutboxId; instance: InstanceId | null }>`
    SELECT o.id, o.instance_id AS instance FROM outbox o
    WHERE o.account_id = ${account} AND o.state = 'pending' AND NOT o.in_doubt AND ${isFirstContactSql(sql.ref('o'))}
      AND NOT ${isPausedSql(sql.ref('o'))}
      AND NOT EXISTS (SELECT FROM outbox e WHERE e.account_id = o.account_id AND e.chat_id = o.chat_id
        AND e.state = 'pending' AND e.seq < o.seq AND NOT ${isPausedSql(sql.ref('e'))})
    ORDER BY o.seq LIMIT ${MAX_QUEUED}`.execute(db);
  if (rows.length === 0) return [];
  const freeze = activeFreeze(await readFreezes(db, account), 'first_contacts', now);
  const history = pacing.enabled ? await loadRecentSendings(db, account, now) : [];
  const times = firstContactTimes(history, pacing, freeze?.until ?? now, rows.length);
  return rows.flatMap(({ id, instance }, nth) => {
    const from = times[nth];
    return from !== undefined && from > now ? [{ id, instance, from }] : [];
  });
}

// The hold is a row that exists while nothing may be sent. Only the gate writes it.

/** Serializes changes of the hold: beginning one while another ends would otherwise deadlock. */
export async function lockHold(tx: Transaction, account: AccountId): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`hold:${account}`}, 0))`.execute(tx);
}

/** `share`: a hold that is found stays until this transaction ends. `update`: nobody else can read it until then. */
export async function isOnHold(
  tx: Transaction,
  account: AccountId,
  lock: 'share' | 'update',
): Promise<boolean> {
  const held = tx.selectFrom('holds').select('since').where('account_id', '=', account);
  const row = await (lock === 'share' ? held.forShare() : held.forUpdate()).executeTakeFirst();
  return row !== undefined;
}

/** The same as an SQL expression, with the lock `share`. */
export const isOnHoldSql = (account: AccountId): RawBuilder<boolean> =>
  sql<boolean>`EXISTS (SELECT FROM holds WHERE account_id = ${account} FOR SHARE)`;

/** Setting a hold again keeps its start and replaces its reason, if a new one is given. */
async function setHold(
  tx: Transaction,
  account: AccountId,
  on: boolean,
  reason: string,
): Promise<void> {
  if (!on) {
    await tx.deleteFrom('holds').where('account_id', '=', account).execute();
    return;
  }
  await tx
    .insertInto('holds')
    .values({ account_id: account, reason })
    .onConflict((on) => {
      const again = on.column('account_id');
      return reason === '' ? again.doNothing() : again.doUpdateSet({ reason });
    })
    .execute();
}

// Notifies the owner in their own chat, through the gate like every message. Nothing depends on it: if it is refused or
// there is no chat, the notification is dropped.

export async function notifyOwner(
  tx: Transaction,
  { gate, account }: { readonly gate: Gate; readonly account: AccountId },
  text: string,
): Promise<void> {
  const chat = await findOrMakeOwnerChat(tx, account);
  if (chat === null) return;
  await gate.submit(tx, { kind: 'notifier' }, { kind: 'send_message', chat, text });
}
