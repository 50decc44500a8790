// The only door. A proposal is decided, the decision written to the ledger with its reason, and what was
// decided carried out, all in the transaction of the change that caused it: a permitted message goes into
// the outbox, a grant is changed, what a person must see first goes into the approvals.
import { randomUUID } from 'node:crypto';
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
import { type Db, sealOf, type Transaction } from '../../platform/db/database.ts';
import { type AddedLedgerRow, addLedgerRow } from '../../platform/db/ledger.ts';
import { markRequestAnswered } from '../../platform/db/observer/requests.ts';
import { contentHash, permitFacts } from '../../platform/db/seal.ts';
import { isFirstContactSql, loadRecentSendings } from '../outbox/claim.ts';
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
  isApprovable,
  ledgerSubjectOf,
  type MessageToSend,
  type Proposal,
  proposalHash,
} from './proposals.ts';

export interface GateOptions extends EvaluateOptions {
  /** What waits for a yes is told in the owner's own chat as well. */
  readonly tellOwner?: boolean;
  /** After the commit: something waits in the outbox. Costs nothing when it is lost. */
  readonly hint: () => void;
  /** Asks WhatsApp whether a number is registered and keeps the answer, if there is one in time. Never rejects. */
  readonly askNumber?: (address: string) => Promise<unknown>;
}

export interface GateResult {
  readonly decision: Decision;
  /** There exactly if a message was permitted. */
  readonly message: OutboxMessage | null;
  readonly permit: PermitId | null;
  /** There exactly if a person is asked. */
  readonly approval: ApprovalId | null;
  /** There exactly if a grant was changed: its record's, also of one that is gone now. */
  readonly grant: GrantId | null;
}

/** A proposal that is decided, and of which nothing is written down yet. */
export interface EvaluatedProposal {
  readonly decision: Decision;
  /** Writes the decision into the ledger and carries it out, in the transaction in which it was made. Once. */
  submit(): Promise<GateResult>;
}

interface AllowedProposal {
  readonly permit: PermitId;
  readonly row: PermitDetails['row'];
  readonly considered: Evaluation;
}

export class Gate {
  readonly #options: GateOptions;

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
    run: (circumstances: Pick<SubmitContext, 'checkNumber'>) => Promise<T>,
  ): Promise<T> {
    const { askNumber } = this.#options;
    if (askNumber === undefined) return run({});
    try {
      return await run({ checkNumber: true });
    } catch (error) {
      if (!(error instanceof UncheckedNumberError)) throw error;
      await askNumber(error.address);
      return run({});
    }
  }

  /** First messages that wait for the limits on first contacts, each with when it can leave. */
  queuedFirstContacts(db: Db): Promise<readonly QueuedFirstContact[]> {
    const { account, pacing, now = () => new Date() } = this.#options;
    return listQueuedFirstContacts(db, account, pacing, now());
  }

  /** Decides, and writes nothing. Whoever asked may have to do something before it is submitted, or never submit it. */
  async evaluate(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    circumstances: SubmitContext = {},
  ): Promise<EvaluatedProposal> {
    const considered = await evaluate(tx, this.#options, actor, proposal, circumstances);
    let isSubmitted = false;
    return {
      decision: considered.decision,
      submit: () => {
        if (isSubmitted) throw new Error('a proposal is submitted once');
        isSubmitted = true;
        return this.#submit(tx, actor, proposal, circumstances, considered);
      },
    };
  }

  async submit(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    circumstances: SubmitContext = {},
  ): Promise<GateResult> {
    return (await this.evaluate(tx, actor, proposal, circumstances)).submit();
  }

  async #submit(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    circumstances: SubmitContext,
    considered: Evaluation,
  ): Promise<GateResult> {
    const { decision } = considered;
    const own = await this.#chatToTell(tx, actor, proposal, decision, circumstances);
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
        detail: ledgerDetailOf(proposal, circumstances, considered, permits ? permit : null),
      },
      permits
        ? instanceSnapshotSql(account, circumstances.conversation?.instance ?? null)
        : undefined,
    );
    // A permitted message seals it with the permit.
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

  /**
   * Where the notice goes, if there is one. Found before the ledger's row, which keeps the ledger locked from there to
   * the commit.
   */
  async #chatToTell(
    tx: Transaction,
    actor: Actor,
    proposal: Proposal,
    { outcome }: Decision,
    { askIn }: SubmitContext,
  ): Promise<ChatId | null> {
    if (outcome !== 'needs_approval' || !isApprovable(proposal)) return null;
    if (askIn !== undefined) return askIn;
    // The assistant's questions are shown where its owner speaks with it.
    if (this.#options.tellOwner !== true || actor.kind === 'assistant') return null;
    return findOrMakeOwnerChat(tx, this.#options.account);
  }

  async #askPerson(
    tx: Transaction,
    actor: Actor,
    proposal: ApprovableProposal,
    { reason }: Decision,
    { conversation, run, schedule, edits }: SubmitContext,
    own: ChatId | null,
  ): Promise<ApprovalId> {
    const { id, noticed } = await createApproval(tx, this.#options.account, {
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
    { conversation, approval, run, schedule, reason = '' }: SubmitContext,
    { permit, row, considered }: AllowedProposal,
  ): Promise<OutboxMessage | null> {
    const { account } = this.#options;
    if (approval !== undefined) await markApprovalUsed(tx, account, approval);
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
      await markRequestAnswered(tx, account, answer);
    }
    return put;
  }
}

// The gate's yes to one message, written down: the permit with what its re-check will need, signed, and the
// message in the outbox under it.

/** Where the conversation stands that the message is said in. */
interface InstanceSnapshot {
  readonly instance_epoch: number | null;
  /** The last line of its transcript. */
  readonly last_line: number | null;
}

/** Read along with the row of the ledger. */
const instanceSnapshotSql = (account: AccountId, instance: InstanceId | null) => sql`
  (SELECT epoch FROM instances WHERE account_id = ${account} AND id = ${instance}::uuid) AS instance_epoch,
  (SELECT coalesce(max(id), 0) FROM instance_messages
    WHERE account_id = ${account} AND instance_id = ${instance}::uuid) AS last_line`;

interface PermitDetails {
  readonly permit: PermitId;
  /** The ledger's row that says why; it is sealed here. */
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
  const { kind: intent, chat, text: body, key = null } = message;
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
    firstContact,
    key,
  });
}

// What the ledger keeps of a decision beside who, what and why: ids, hashes and figures, so that it can be
// told later under which grant, by which run and for which schedule. Never words that somebody wrote.

/** Of these it is told what had been read. */
const TAINT_REASONS: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'read_then_send',
  'read_then_start',
  'read_then_schedule',
  'read_then_grant',
  'read_then_cancel',
]);

function ledgerDetailOf(
  proposal: Proposal,
  { approval, run, schedule, answers }: SubmitContext,
  { decision, grant, change, taint }: Evaluation,
  permit: PermitId | null,
): Readonly<Record<string, unknown>> {
  return {
    ...(isApprovable(proposal) ? { hash: proposalHash(proposal) } : {}),
    ...(proposal.kind === 'send_message' ? { permit } : {}),
    ...(proposal.kind === 'answer_approval' ? answerDetail(proposal) : {}),
    ...(approval === undefined ? {} : { approval }),
    ...(run === undefined ? {} : { run }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(answers === undefined ? {} : { message: answers }),
    ...(grant === null ? {} : { grant }),
    ...(TAINT_REASONS.has(decision.reason) ? { taint } : {}),
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

const answerDetail = ({ answer, instead }: ApprovalToAnswer) => ({
  answer,
  ...(instead === undefined ? {} : { approval: instead }),
});

const figuresOf = (record: GrantRecord | null) => record?.grant ?? null;

// First messages that the daily limit of first contacts, or a pause that WhatsApp has ordered, keeps in the outbox: when
// each can leave at the earliest. Looked up for whoever is shown them; what is told is decided again when it leaves.

interface QueuedFirstContact {
  readonly id: OutboxId;
  readonly instance: InstanceId | null;
  /** It leaves no earlier than this. */
  readonly from: Date;
}

/** For people: why it waits, and until when. */
export const queuedFirstContactSentence = ({ from }: Pick<QueuedFirstContact, 'from'>): string =>
  `Writing to new people is limited. It can leave from ${from.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;

/** How many are looked at: more than leave in weeks. */
const MAX_QUEUED = 200;

async function listQueuedFirstContacts(
  db: Db,
  account: AccountId,
  pacing: PacingSettings,
  now: Date,
): Promise<readonly QueuedFirstContact[]> {
  // Of several to one person the first alone counts as a first contact, and the others wait behind it.
  const { rows } = await sql<{ id: OutboxId; instance: InstanceId | null }>`
    SELECT o.id, o.instance_id AS instance FROM outbox o
    WHERE o.account_id = ${account} AND o.state = 'pending' AND NOT o.in_doubt AND ${isFirstContactSql(sql.ref('o'))}
      AND NOT EXISTS (SELECT FROM outbox e WHERE e.account_id = o.account_id AND e.chat_id = o.chat_id
        AND e.state = 'pending' AND e.seq < o.seq)
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

// The hold as a row: there while nothing may leave. Written by the gate's own door alone.

/** One after the other: a hold that begins while another ends would each wait for what the other has. */
export async function lockHold(tx: Transaction, account: AccountId): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`hold:${account}`}, 0))`.execute(tx);
}

/** `share`: it stays until this transaction ends. `update`: nobody finds it until then. */
export async function isOnHold(
  tx: Transaction,
  account: AccountId,
  lock: 'share' | 'update',
): Promise<boolean> {
  const held = tx.selectFrom('holds').select('since').where('account_id', '=', account);
  const row = await (lock === 'share' ? held.forShare() : held.forUpdate()).executeTakeFirst();
  return row !== undefined;
}

/** The same within a statement; what it finds is kept as `share` keeps it. */
export const isOnHoldSql = (account: AccountId): RawBuilder<boolean> =>
  sql<boolean>`EXISTS (SELECT FROM holds WHERE account_id = ${account} FOR SHARE)`;

/** Asked for again, a hold keeps its beginning and takes the newer reason, if one is given. */
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

// The owner is told on WhatsApp too, if they wish: one message into their own chat, through the gate like
// everything. Refused or nowhere to go, it stays untold: what it tells of never depends on it.

/** True when it is on its way; the outbox is to be hinted at once the transaction has committed. */
export async function notifyOwner(
  tx: Transaction,
  { gate, account }: { readonly gate: Gate; readonly account: AccountId },
  text: string,
): Promise<boolean> {
  const chat = await findOrMakeOwnerChat(tx, account);
  if (chat === null) return false;
  const proposal = { kind: 'send_message', chat, text } as const;
  const { message } = await gate.submit(tx, { kind: 'notifier' }, proposal);
  return message !== null;
}
