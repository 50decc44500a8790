// Operations on conversations for routes, commands and other agents. Each is one transaction; each refusal is a
// RelayError.

import { createHash } from 'node:crypto';
import type {
  ConversationService,
  CreateInstanceRequest,
  StateTransition,
  TranscriptLine,
  TranscriptQuery,
} from '@relay/contract/api/instances';
import {
  INSTANCE_STATES,
  type InstanceState,
  isTerminal,
} from '@relay/contract/conversation/states';
import { RelayError } from '@relay/contract/errors';
import { type ContactId, type InstanceId, instanceId, type TokenId } from '@relay/contract/ids';
import { type ConversationEvent, legalEvents } from '@relay/core/conversation/transition-table';
import { withContent } from '@relay/core/messages/outgoing';
import { toStorableText } from '@relay/core/messages/text';
import type { TokenHolder } from '@relay/core/policy/actors';
import { type ConversationControl, decideControl } from '@relay/core/policy/decide';
import { type Decision, refusalError } from '@relay/core/policy/reasons';
import { sql } from 'kysely';
import { actorName } from '../../pipeline/gate/actors.ts';
import type {
  ApprovedConversationActions,
  ApprovedMessage,
} from '../../pipeline/gate/approvals.ts';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import { requireQuotable } from '../../pipeline/gate/quotable.ts';
import type { OwnerTextInChat, SendInConversation } from '../../pipeline/gate/send-as-owner.ts';
import { claimIdempotencyKey, keepIdempotentAnswer } from '../../platform/db/idempotency-keys.ts';
import { appendLedger } from '../../platform/db/ledger.ts';
import { transaction, type UnitOfWork } from '../../platform/db/transaction.ts';
import {
  isContactTaken,
  requireStarted,
  type StartedConversation,
  startConversation,
  startConversationOnce,
} from './create.ts';
import { countInstances, describeInstance, listInstances, readQueuedLines } from './list.ts';
import {
  type InstanceRow,
  lockInstance,
  readContentOfLines,
  readInstance,
  saveInstance,
  selectTranscript,
  type TranscriptLineRow,
  toApiInstance,
  toApiTransition,
  toInstance,
  toTranscriptLine,
} from './sql.ts';
import {
  type AppliedTransition,
  appendTranscriptLine,
  applyEvents,
  type ConversationDeps,
  evaluateText,
  lockContact,
} from './transitions.ts';

const OWNER = { kind: 'owner' } as const;

export function createConversationService(deps: ConversationDeps): ConversationService {
  const change = (
    id: InstanceId,
    event: (work: UnitOfWork, row: InstanceRow) => Promise<ConversationEvent>,
  ): Promise<AppliedTransition> =>
    transaction(deps, async (work) => {
      const row = await lockInstance(work.tx, deps.lease, id);
      return applyEvents(deps, work, row, [await event(work, row)]);
    });
  const simply = async (id: InstanceId, type: 'pause' | 'cancel') =>
    toApiInstance((await change(id, async () => ({ type }))).row);

  return {
    create: async (request, key) => {
      const created = await deps.gate.withNumberCheck((check) =>
        transaction(deps, (work) =>
          key === undefined
            ? startConversation(deps, work, request, OWNER, check)
            : startConversationOnce(deps, work, request, key, check),
        ),
      );
      return 'conversation' in created ? requireStarted(created) : created;
    },
    list: (query) => listInstances(deps, query),
    counts: () => countInstances(deps),
    get: (id) => describeInstance(deps, id),
    transcript: (id, query) => readTranscript(deps, id, query),
    transitions: (id) => readTransitions(deps, id),
    cancel: (id) => simply(id, 'cancel'),
    pause: (id) => simply(id, 'pause'),
    resume: async (id) =>
      toApiInstance(
        (
          await change(id, async (work, row) => ({
            type: 'resume',
            contactIsFree: await isContactFree(deps, work, row),
          }))
        ).row,
      ),
    send: async (id, message, key, replyTo) => {
      const send = (work: UnitOfWork) => sendByHand(deps, work, id, message, replyTo);
      const said = await transaction(deps, (work) =>
        key === undefined
          ? send(work)
          : sendByHandOnce(deps, work, { id, message, replyTo, key }, send),
      );
      if (said instanceof RelayError) throw said;
      return toTranscriptLine(said);
    },
  };
}

/** A refusal is returned, not thrown, so that its ledger entry is committed. */
async function sendByHand(
  deps: ConversationDeps,
  work: UnitOfWork,
  id: InstanceId,
  message: string,
  replyTo: string | undefined,
): Promise<TranscriptLineRow | RelayError> {
  const row = await lockInstance(work.tx, deps.lease, id);
  const quotes =
    replyTo === undefined
      ? {}
      : { quotes: await requireQuotable(work.tx, deps.lease.account, row.chat_id, replyTo) };
  const { decision, line } = await writeByHand(deps, work, row, {
    text: toStorableText(message),
    ...quotes,
  });
  return line ?? refusalError(decision.reason);
}

type HandwrittenText = Pick<OwnerTextInChat, 'text' | 'quotes' | 'content' | 'key'>;

/** Without a line, the gate refused it. */
async function writeByHand(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  written: HandwrittenText,
  context: Pick<SubmitContext, 'checksNumber'> = {},
): Promise<{ readonly decision: Decision; readonly line: TranscriptLineRow | null }> {
  const speech = { role: 'manual', followUp: false, ...written } as const;
  const evaluated = await evaluateText(deps, work, row, speech, context);
  const { decision } = evaluated;
  if (decision.outcome !== 'allow' && legalEvents(row.state).includes('manual_send')) {
    await evaluated.submit();
    return { decision, line: null };
  }
  const said = withContent(written.text, written.content);
  const events = [{ type: 'manual_send', text: said }] as const;
  const { lines } = await applyEvents(deps, work, row, events, { evaluated: [evaluated] });
  const [line] = lines;
  if (line === undefined) throw new Error('a manual send left no line in the transcript');
  return { decision, line };
}

/** What the owner writes in a chat becomes part of the open conversation there, wherever they write it. */
export const sendInOpenConversation =
  (deps: ConversationDeps): SendInConversation =>
  async (work, { chat, ...written }, context) => {
    const { account } = deps.lease;
    const open = await work.tx
      .selectFrom('instances')
      .select('id')
      .where('account_id', '=', account)
      .where('chat_id', '=', chat)
      .where('state', 'in', TAKING_MESSAGES)
      // A conversation that was paused in the queue has not begun.
      .where(sql<boolean>`previous_state IS DISTINCT FROM 'QUEUED'`)
      .executeTakeFirst();
    if (open === undefined) return null;
    const row = await lockInstance(work.tx, deps.lease, open.id);
    if (!TAKING_MESSAGES.includes(row.state)) return null;
    const { decision, line } = await writeByHand(deps, work, row, written, context);
    const message = await work.tx
      .selectFrom('outbox')
      .select(['id', 'message_id as messageId', 'state'])
      .where('account_id', '=', account)
      .where('id', '=', line?.outbox_id ?? null)
      .executeTakeFirst();
    return { decision, message: message ?? null };
  };

const TAKING_MESSAGES: readonly InstanceState[] = INSTANCE_STATES.filter((state) =>
  legalEvents(state).includes('manual_send'),
);

/** Relevant only for an instance that was paused in the queue: whether the contact has no active instance now. */
async function isContactFree(
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
): Promise<boolean> {
  if (row.previous_state !== 'QUEUED') return false;
  await lockContact(deps, work, row.contact_id);
  return !(await isContactTaken(deps, work, row.contact_id));
}

/** With a limit and no `after`, the last lines are read; lines are always returned in ascending order. */
async function readTranscript(
  deps: ConversationDeps,
  id: InstanceId,
  { after, before, limit }: TranscriptQuery = {},
): Promise<readonly TranscriptLine[]> {
  await readInstance(deps.db, deps.lease, id);
  const isLast = limit !== undefined && after === undefined;
  let rows = selectTranscript(deps.db, deps.lease.account, id).orderBy(
    'm.id',
    isLast ? 'desc' : 'asc',
  );
  if (after !== undefined) rows = rows.where('m.id', '>', Number(after));
  if (before !== undefined) rows = rows.where('m.id', '<', Number(before));
  if (limit !== undefined) rows = rows.limit(limit);
  const found = await rows.execute();
  const queued = await readQueuedLines(deps, found);
  const { account } = deps.lease;
  const shown = found.map(toTranscriptLine);
  const contentOf = await readContentOfLines(deps.db, account, id, shown);
  const lines = shown.map((line, index) => {
    const outbox = found[index]?.outbox_id ?? null;
    return { ...line, ...contentOf(line), ...(outbox === null ? {} : queued.get(outbox)) };
  });
  return isLast ? lines.reverse() : lines;
}

async function readTransitions(
  deps: ConversationDeps,
  id: InstanceId,
): Promise<readonly StateTransition[]> {
  await readInstance(deps.db, deps.lease, id);
  const rows = await deps.db
    .selectFrom('instance_transitions')
    .selectAll()
    .where('account_id', '=', deps.lease.account)
    .where('instance_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(toApiTransition);
}

// Message with the owner's idempotency key: a repeated request sends nothing and returns the existing line. A refusal
// is not stored, so the key can be used again later.

interface KeyedSend {
  readonly id: InstanceId;
  readonly message: string;
  readonly replyTo: string | undefined;
  readonly key: string;
}

async function sendByHandOnce(
  { lease: { account } }: ConversationDeps,
  work: UnitOfWork,
  { id, message, replyTo, key }: KeyedSend,
  send: (work: UnitOfWork) => Promise<TranscriptLineRow | RelayError>,
): Promise<TranscriptLineRow | RelayError> {
  const asked = {
    account,
    actor: actorName({ kind: 'owner' }),
    key,
    hash: createHash('sha256')
      .update(
        `send_by_hand\n${id}\n${replyTo === undefined ? '' : `reply to ${replyTo}\n`}${message}`,
      )
      .digest(),
  };
  const before = (await claimIdempotencyKey(work.tx, asked)) as { readonly line: number } | null;
  if (before !== null) {
    return selectTranscript(work.tx, account, id)
      .where('m.id', '=', before.line)
      .executeTakeFirstOrThrow();
  }
  const said = await send(work);
  await keepIdempotentAnswer(work.tx, asked, said instanceof RelayError ? null : { line: said.id });
  return said;
}

// Conversations of clients: started, paused, resumed and cancelled in the transaction of the call, and decided as the
// client's own act. Invariant: a client resumes only what it paused and cancels only what it started; every decision,
// refusals included, is in the ledger under its name.

interface ControlResult {
  readonly decision: Decision;
  /** The state after the call. */
  readonly state: InstanceState;
}

export const createClientConversations = (deps: ConversationDeps) => ({
  create: (
    work: UnitOfWork,
    actor: TokenHolder,
    request: CreateInstanceRequest,
    context: SubmitContext,
  ): Promise<StartedConversation> => startConversation(deps, work, request, actor, context),
  control: (
    work: UnitOfWork,
    actor: TokenHolder,
    id: InstanceId,
    control: ConversationControl,
  ): Promise<ControlResult> => controlForClient(deps, work, actor, id, control),
  /** After the owner revoked the token, the conversations it started stay paused until the owner resumes them. */
  pauseStartedBy: async (work: UnitOfWork, token: TokenId): Promise<void> => {
    for (const id of await findStartedBy(deps, work, `token:${token}`)) {
      const row = await lockInstance(work.tx, deps.lease, id);
      if (legalEvents(row.state).includes('pause')) {
        await applyEvents(deps, work, row, [{ type: 'pause' }]);
      }
    }
  },
});

const PAUSABLE = INSTANCE_STATES.filter((state) => legalEvents(state).includes('pause'));

async function findStartedBy({ lease }: ConversationDeps, { tx }: UnitOfWork, by: string) {
  const { rows } = await sql<{ id: InstanceId }>`SELECT id FROM instances
    WHERE account_id = ${lease.account} AND created_by = ${by}
      AND state = ANY(${PAUSABLE}) ORDER BY id`.execute(tx);
  return rows.map(({ id }) => id);
}

async function controlForClient(
  deps: ConversationDeps,
  work: UnitOfWork,
  actor: TokenHolder,
  id: InstanceId,
  control: ConversationControl,
): Promise<ControlResult> {
  const by = actorName(actor);
  const row = await lockInstance(work.tx, deps.lease, id);
  const decision = decideControl(control, {
    startedIt: row.created_by === by,
    pausedIt: control === 'resume' && (await isPausedBy(work, row, by)),
  });
  const { state } =
    decision.outcome === 'allow'
      ? (
          await applyEvents(deps, work, row, [await controlEvent(deps, work, row, control)], {
            by,
          })
        ).row
      : row;
  await appendLedger(work.tx, deps.lease.account, {
    actor: by,
    action: `${control}_conversation`,
    subject: { kind: 'conversation', id },
    ...decision,
  });
  return { decision, state };
}

const controlEvent = async (
  deps: ConversationDeps,
  work: UnitOfWork,
  row: InstanceRow,
  control: ConversationControl,
) =>
  control === 'resume'
    ? ({ type: control, contactIsFree: await isContactFree(deps, work, row) } as const)
    : ({ type: control } as const);

/** False if somebody wrote a message by hand after the pause: then the owner has taken the conversation over. */
async function isPausedBy({ tx }: UnitOfWork, row: InstanceRow, by: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM (SELECT t.to_state, t.caused_by, t.at FROM instance_transitions t
      WHERE t.account_id = ${row.account_id} AND t.instance_id = ${row.id} ORDER BY t.id DESC LIMIT 1) last
    WHERE last.to_state = 'PAUSED' AND last.caused_by = ${by} AND NOT EXISTS (
      SELECT FROM instance_messages m WHERE m.account_id = ${row.account_id} AND m.instance_id = ${row.id}
        AND m.role = 'manual' AND m.at >= last.at)`.execute(tx);
  return rows.length > 0;
}

// Carries out approvals: exactly the approved text is sent as the agent's, and the waiting conversation continues. Runs
// in the gate's transaction, so a refusal here also undoes the approval.

export function carryOutApproved(deps: ConversationDeps): ApprovedConversationActions {
  return {
    sendInConversation: (work, message) => sendApproved(deps, work, message),
    onRejected: (work, instance, reason) => noteRejected(deps, work, instance, reason),
    createConversation: async (work, { approval, actor, request, evaluated }) => {
      await startConversation(deps, work, request, actor, { approval }, evaluated);
    },
  };
}

async function sendApproved(
  deps: ConversationDeps,
  work: UnitOfWork,
  { instance, text, followUp, evaluated }: ApprovedMessage,
): Promise<void> {
  const row = await lockInstance(work.tx, deps.lease, instance);
  if (row.state !== 'NEEDS_HUMAN_INTERVENTION') {
    throw new RelayError('conflict', {
      what: `The conversation is ${row.state} and no longer waits for this message. Decline it; the agent writes a new one.`,
    });
  }
  await applyEvents(
    deps,
    work,
    row,
    [
      { type: 'resume', contactIsFree: false },
      { type: 'message_sent', texts: [text], followUp },
    ],
    { evaluated: [evaluated] },
  );
}

/** The conversation still waits for the owner; the system line tells the agent not to repeat the message. */
async function noteRejected(
  deps: ConversationDeps,
  work: UnitOfWork,
  instance: InstanceId,
  why: string | null,
): Promise<void> {
  const row = await lockInstance(work.tx, deps.lease, instance);
  if (isTerminal(row.state)) return;
  const content = `The message that waited was rejected${why ? `: ${why}` : '.'}`;
  await appendTranscriptLine(work, row, { role: 'system', content });
  if (row.state !== 'NEEDS_HUMAN_INTERVENTION') return;
  const reason =
    'You declined its message. Resume it to let the agent write a new one, or write yourself.';
  await saveInstance(work.tx, deps.lease, { ...toInstance(row), reason }, deps.now());
}

// Ends every conversation with one contact, before that contact is erased. Queued ones are ended first, because ending
// the active one would start the next in the queue.

export const cancelAllWithContact =
  ({ db, lease }: Pick<ConversationDeps, 'db' | 'lease'>, { cancel }: ConversationService) =>
  async (contact: ContactId): Promise<void> => {
    const { rows } = await sql<{ id: string }>`
      SELECT id FROM instances WHERE account_id = ${lease.account} AND contact_id = ${contact}
        AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED')
      ORDER BY state = 'QUEUED' OR previous_state IS NOT DISTINCT FROM 'QUEUED' DESC, queue_seq DESC`.execute(
      db,
    );
    for (const { id } of rows) await cancel(instanceId(id));
  };
