// Starts a conversation: finds or creates the contact and makes the instance active or queues it, in one transaction.
// Two starts for one contact wait for each other.
import { createHash, randomUUID } from 'node:crypto';
import {
  type CreateInstanceRequest,
  type CreateInstanceResponse,
  heartbeatConfigSchema,
} from '@relay/contract/api/instances';
import { RelayError } from '@relay/contract/errors';
import {
  type AccountId,
  type ApprovalId,
  type ContactId,
  instanceId,
  mediaId,
} from '@relay/contract/ids';
import { type Alias, aliasOfJid, phoneAlias } from '@relay/core/contacts/alias';
import { newInstance } from '@relay/core/conversation/transition';
import type { Actor } from '@relay/core/policy/actors';
import { type Decision, refusalError } from '@relay/core/policy/reasons';
import { sql } from 'kysely';
import { actorName } from '../../pipeline/gate/actors.ts';
import type { SubmitContext } from '../../pipeline/gate/evaluate.ts';
import type { EvaluatedProposal } from '../../pipeline/gate/gate.ts';
import { findOrMakeChats } from '../../platform/db/chats.ts';
import { resolveSightings } from '../../platform/db/contacts.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { claimIdempotencyKey, keepIdempotentAnswer } from '../../platform/db/idempotency-keys.ts';
import { findMedia } from '../../platform/db/media.ts';
import type { UnitOfWork } from '../../platform/db/transaction.ts';
import { applyEvents, type ConversationDeps, enqueueTurns, lockContact } from './transitions.ts';

export interface StartedConversation {
  readonly decision: Decision;
  /** Set exactly when the start was allowed. */
  readonly conversation: CreateInstanceResponse | null;
  /** Set exactly when the owner is asked. */
  readonly approval: ApprovalId | null;
}

export function requireStarted({
  decision,
  conversation,
}: StartedConversation): CreateInstanceResponse {
  if (conversation === null) throw refusalError(decision.reason);
  return conversation;
}

/** A refusal is returned, not thrown, so that its ledger entry is committed. */
export async function startConversation(
  deps: ConversationDeps,
  work: UnitOfWork,
  request: CreateInstanceRequest,
  actor: Actor = { kind: 'owner' },
  context: SubmitContext = {},
  approved?: EvaluatedProposal,
): Promise<StartedConversation> {
  const { target_contact: target } = request;
  // A client names a contact by the address it was given; the owner uses a phone number.
  const address = actor.kind === 'token' ? aliasOfJid(target) : null;
  const alias = address ?? phoneAlias(target);
  if (alias === null) throw new RelayError('invalid_phone');
  const { account } = deps.lease;
  const [contact] = await resolveSightings(work.tx, account, [[alias]]);
  if (contact === undefined) throw new Error('an address without a contact');
  const { byContact } = await findOrMakeChats(work.tx, account, {
    contacts: [contact],
    groups: [],
  });
  const chat = byContact.get(contact);
  if (chat === undefined) throw new Error('a contact without a chat');
  await lockContact(deps, work, contact);

  const heartbeat = heartbeatConfigSchema.parse(request.heartbeat_config ?? {});
  const instance = newInstance(instanceId(randomUUID()), {
    intervalMs: heartbeat.interval_ms,
    maxFollowups: heartbeat.max_followups,
  });
  const taken = await isContactTaken(deps, work, contact);
  await requireFiles(work.tx, account, actor, request.media ?? []);
  const proposal = { kind: 'create_conversation', chat, request } as const;
  const evaluated = approved ?? (await deps.gate.evaluate(work.tx, actor, proposal, context));
  const { decision, approval } = await evaluated.submit();
  if (decision.outcome !== 'allow') return { decision, conversation: null, approval };
  const row = await work.tx
    .insertInto('instances')
    .values({
      account_id: account,
      id: instance.id,
      contact_id: contact,
      chat_id: chat,
      target_contact: addressedAs(alias),
      objective: request.objective,
      todos: JSON.stringify(
        request.todos.map(({ text }, i) => ({ id: String(i + 1), text, status: 'pending' })),
      ),
      options: JSON.stringify({
        facts: request.facts ?? [],
        ...(request.media === undefined ? {} : { media: request.media }),
      }),
      ...(request.result_schema === undefined
        ? {}
        : { result_schema: JSON.stringify(request.result_schema), result_status: 'pending' }),
      // Queued from the start if the contact is taken: the unique index allows only one active instance.
      state: taken ? 'QUEUED' : 'CREATED',
      interval_ms: heartbeat.interval_ms,
      max_followups: heartbeat.max_followups,
      follow_up_count: 0,
      unread: 0,
      epoch: instance.epoch,
      created_by: actorName(actor),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  work.afterCommit.push(() =>
    deps.log.info('conversation created', { instance: row.id, state: row.state }),
  );
  const created = { decision, conversation: { id: row.id, state: row.state }, approval: null };
  if (taken) {
    await applyEvents(deps, work, { ...row, state: 'CREATED' }, [
      { type: 'contact_has_active_instance' },
    ]);
    return created;
  }
  const { id, epoch } = instance;
  await enqueueTurns(deps, work, [{ id, epoch, purpose: 'first_message' }]);
  await appendEvent(work.tx, account, {
    kind: 'conversation',
    subject: row.id,
    data: { state: row.state, from: null, trigger: 'created' },
  });
  return created;
}

/** Only the owner attaches files: a client's would be its own words, and the agent's are those of its chat. */
async function requireFiles(
  tx: Transaction,
  account: AccountId,
  actor: Actor,
  files: readonly string[],
): Promise<void> {
  if (files.length > 0 && actor.kind !== 'owner') throw refusalError('owner_only');
  const found = await Promise.all(files.map((id) => findMedia(tx, account, mediaId(id))));
  if (found.some((media) => media === null)) throw new RelayError('media_not_found');
}

/** One spelling per contact, however the request wrote it: E.164 for a number, otherwise the LID address. */
const addressedAs = ({ kind, value }: Alias): string =>
  kind === 'phone' ? `+${value}` : `${value}@lid`;

export async function isContactTaken(
  deps: ConversationDeps,
  work: UnitOfWork,
  contact: ContactId,
): Promise<boolean> {
  // Must equal the predicate of the unique index instances_one_per_contact, so that the index is used.
  const { rows } = await sql`
    SELECT 1 FROM instances WHERE account_id = ${deps.lease.account} AND contact_id = ${contact}
      AND state NOT IN ('COMPLETED', 'ABANDONED', 'FAILED', 'QUEUED') AND previous_state IS DISTINCT FROM 'QUEUED'
    LIMIT 1`.execute(work.tx);
  return rows.length > 0;
}

// Start with the owner's idempotency key: a repeated request creates no second conversation and gets the first answer.
// A refusal is not stored, so the key can be used again later.

const OWNER = { kind: 'owner' } as const;

export async function startConversationOnce(
  deps: ConversationDeps,
  work: UnitOfWork,
  request: CreateInstanceRequest,
  key: string,
  context: SubmitContext,
): Promise<StartedConversation | CreateInstanceResponse> {
  const asked = {
    account: deps.lease.account,
    actor: actorName(OWNER),
    key,
    hash: createHash('sha256')
      .update(`create_conversation\n${JSON.stringify(request)}`)
      .digest(),
  };
  const before = await claimIdempotencyKey(work.tx, asked);
  if (before !== null) return before as CreateInstanceResponse;
  const created = await startConversation(deps, work, request, OWNER, context);
  await keepIdempotentAnswer(work.tx, asked, created.conversation);
  return created;
}
