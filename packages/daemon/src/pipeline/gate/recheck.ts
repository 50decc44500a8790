// Checks each permit again just before its message is sent: the same decision as at first, on the present facts. A hold
// makes the message wait; a permission that was revoked ends it.
import type {
  AccountId,
  ChatId,
  ContactId,
  InstanceId,
  OutboxId,
  PermitId,
  ScheduleId,
} from '@relay/contract/ids';
import type { StopReason } from '@relay/core/ledger/rows';
import type { Actor } from '@relay/core/policy/actors';
import { decide } from '@relay/core/policy/decide';
import { BARE_FACTS, type ConversationFacts, type PolicyFacts } from '@relay/core/policy/facts';
import { type ReasonFor, reasonText } from '@relay/core/policy/reasons';
import { sql } from 'kysely';
import { sealOf, type Transaction } from '../../platform/db/database.ts';
import { contentHash, type PermitFacts, permitFacts } from '../../platform/db/seal.ts';
import {
  isTakenOverSql,
  type PermitRecheck,
  type ReadyRow,
  type RecheckVerdict,
} from '../outbox/claim.ts';
import { loadNamedActor } from './actors.ts';
import { type ContentFacts, loadContentFacts } from './content-facts.ts';
import {
  type FactOptions,
  type GroupAnswerFacts,
  type LoadedSchedule,
  loadChatFacts,
  loadGroupAnswerFacts,
  loadScheduleFacts,
  NO_GROUP_ANSWER,
} from './load-facts.ts';

interface PermitRow extends Omit<PermitFacts, 'account_id' | 'message_id'> {
  mac: Buffer | null;
  revoked: boolean;
  /** Null if the message belongs to no conversation or the conversation is gone. */
  instance: InstanceId | null;
  instance_chat: ChatId;
  contact_id: ContactId;
  cancelled: boolean;
  taken_over: boolean;
  overtaken: boolean;
  /** An assistant's answer in a group that was observed at that time. */
  in_group: boolean;
  schedule: LoadedSchedule | null;
}

const REVOKED = 'The permission for this message was revoked before it was sent.';
const TAKEN_OVER =
  'You took over this conversation before this message was sent, so it was not sent.';
const OVERTAKEN = 'The contact replied before this follow-up was sent, so it was not sent.';
const UNSCHEDULED = 'The schedule was cancelled, so this message was not sent.';
const TOO_OLD =
  'It would have been sent too long after you asked in the group, so it was not sent.';
const ALTERED = 'The message differs from the one that was allowed, so it was not sent.';
const FORGED =
  'The permit of this message was not written by Relay, so it was not sent. The database was changed outside Relay. Run `relay doctor`.';

export const recheckPermits =
  (account: AccountId, options: FactOptions): PermitRecheck =>
  async (tx, rows) => {
    const permits = await readPermits(tx, account, rows);
    const chats = new Map<ChatId, PolicyFacts>();
    for (const chat of new Set(rows.map((row) => row.chat_id))) {
      chats.set(chat, (await loadChatFacts(tx, account, chat, null, options)).facts);
    }
    const actors = await loadActors(tx, account, rows, permits);
    const faults = await loadFaults(tx, account, options, rows, actors);
    const verdicts: RecheckVerdict[] = [];
    for (const row of rows) {
      const found = permits.get(row.permit_id);
      const permit = found && { ...found, isSigned: isSigned(tx, account, found, row) };
      const known = chats.get(row.chat_id) ?? BARE_FACTS;
      const actor = actors.get(row.id) ?? 'no_rule';
      const asked =
        typeof actor === 'string'
          ? NO_GROUP_ANSWER
          : await loadGroupAnswerFacts(
              tx,
              { account, actor, chat: known.chat, seq: row.seq },
              options,
            );
      const fault = faults.get(row.id) ?? null;
      verdicts.push(judge(row, permit, actor, known, { ...asked, fault }));
    }
    return verdicts;
  };

type PermittedActor = Actor | ReasonFor<'deny'>;

/** Who sends each message, with their present rights. */
async function loadActors(
  tx: Transaction,
  account: AccountId,
  rows: readonly ReadyRow[],
  permits: ReadonlyMap<PermitId, PermitRow>,
): Promise<ReadonlyMap<OutboxId, PermittedActor>> {
  const known = new Map<string, PermittedActor>();
  const actors = new Map<OutboxId, PermittedActor>();
  for (const { id, permit_id, chat_id } of rows) {
    const name = permits.get(permit_id)?.actor;
    if (name === undefined) continue;
    const key = `${name} ${chat_id}`;
    const actor = known.get(key) ?? (await loadNamedActor(tx, account, name, chat_id));
    known.set(key, actor);
    actors.set(id, actor);
  }
  return actors;
}

/** Why the content of a message can no longer be sent. */
async function loadFaults(
  tx: Transaction,
  account: AccountId,
  { admins = [], now = () => new Date() }: FactOptions,
  rows: readonly ReadyRow[],
  actors: ReadonlyMap<OutboxId, PermittedActor>,
): Promise<ReadonlyMap<OutboxId, ContentFacts['fault']>> {
  const asked = rows.flatMap(({ id, chat_id: chat, content }) => {
    const actor = actors.get(id) ?? 'no_rule';
    return typeof actor === 'string' || content === null ? [] : [{ id, actor, chat, content }];
  });
  const facts = await loadContentFacts(tx, { account, admins, now: now() }, asked);
  return new Map(asked.map(({ id }, index) => [id, facts[index]?.fault ?? null]));
}

function judge(
  row: ReadyRow,
  permit: (PermitRow & { readonly isSigned: boolean }) | undefined,
  actor: PermittedActor,
  known: PolicyFacts,
  { isTooOld, fault, ...asked }: GroupAnswerFacts & Pick<ContentFacts, 'fault'>,
): RecheckVerdict {
  if (permit === undefined || permit.revoked) return lost('revoked', REVOKED);
  const hash = contentHash({
    chat: row.chat_id,
    text: row.body,
    quotes: row.quotes,
    content: row.content,
  });
  if (permit.hash !== hash) return lost('altered', ALTERED);
  if (!permit.isSigned) return lost('forged', FORGED);
  const isApproved = permit.approval_id !== null;
  if (permit.taken_over) return stop('taken_over', TAKEN_OVER);
  if (permit.overtaken) return stop('overtaken', OVERTAKEN);
  if (permit.schedule?.isCancelled) return stop('unscheduled', UNSCHEDULED);
  if (permit.in_group && !asked.isAskedByOwner) {
    return stop('not_observed', reasonText('not_observed'));
  }
  if (isTooOld && !isApproved) return stop('too_old', TOO_OLD);
  if (row.first_contact && known.unregistered) {
    return lost('not_on_whatsapp', reasonText('not_on_whatsapp'));
  }
  if (known.hold) return { verdict: 'wait' };
  if (typeof actor === 'string') return lost(actor, reasonText(actor));
  if (fault !== null) return lost(fault, reasonText(fault));
  const { outcome, reason } = decide(
    actor,
    // Whether it is a first contact was decided when it was permitted; pacing decides when it may be sent.
    { kind: 'send_message', chat: row.chat_id, hash, firstContact: false },
    {
      ...known,
      ...asked,
      conversation: conversationOf(permit),
      schedule: permit.schedule,
      approval: isApproved ? { hash, spent: false } : null,
    },
  );
  return outcome === 'allow' ? { verdict: 'go' } : lost(reason, reasonText(reason));
}

const stop = (reason: StopReason, sentence: string) =>
  ({ verdict: 'stop', reason, sentence }) as const;

const lost = (reason: StopReason, sentence: string): RecheckVerdict => ({
  ...stop(reason, sentence),
  lost: true,
});

async function readPermits(
  tx: Transaction,
  account: AccountId,
  outbox: readonly ReadyRow[],
): Promise<ReadonlyMap<PermitId, PermitRow>> {
  const { rows } = await sql<Omit<PermitRow, 'schedule'>>`
    SELECT p.id, p.ledger_seq, p.actor, p.intent, p.chat_id, encode(p.content_hash, 'hex') AS hash,
      p.instance_id, p.instance_epoch, p.follow_up_after, p.approval_id, p.run_id, p.schedule_id, p.mac,
      p.revoked_at IS NOT NULL AS revoked,
      i.id AS instance, i.chat_id AS instance_chat, i.contact_id,
      EXISTS (SELECT FROM instance_transitions t WHERE t.account_id = i.account_id
        AND t.instance_id = i.id AND t.trigger = 'cancel') AS cancelled,
      ${isTakenOverSql(sql.ref('p'))} AS taken_over,
      EXISTS (SELECT FROM instance_messages m WHERE m.account_id = i.account_id
        AND m.instance_id = i.id AND m.role = 'contact' AND m.id > p.follow_up_after) AS overtaken,
      EXISTS (SELECT FROM runs r JOIN sessions s ON s.account_id = r.account_id AND s.id = r.session_id
        WHERE r.account_id = p.account_id AND r.id = p.run_id AND s.kind = 'observer') AS in_group
    FROM permits p LEFT JOIN instances i ON i.account_id = p.account_id AND i.id = p.instance_id
    WHERE p.account_id = ${account} AND p.id = ANY(${outbox.map((row) => row.permit_id)}::uuid[])`.execute(
    tx,
  );
  const ids = rows.flatMap((row) => row.schedule_id ?? []);
  const schedules = await loadScheduleFacts(tx, account, ids);
  const of = (id: ScheduleId | null) => (id === null ? null : (schedules.get(id) ?? null));
  return new Map(rows.map((row) => [row.id, { ...row, schedule: of(row.schedule_id) }]));
}

/** Whether this daemon signed the permit for exactly this message. */
const isSigned = (
  tx: Transaction,
  account: AccountId,
  { mac, ...permit }: PermitRow,
  { message_id }: ReadyRow,
): boolean =>
  sealOf(tx).isSigned(mac, 'permit', permitFacts({ ...permit, account_id: account, message_id }));

/** A completed conversation may still send its last message; one that the owner cancelled may not. */
const conversationOf = (permit: PermitRow): ConversationFacts | null =>
  permit.instance === null
    ? null
    : {
        instance: permit.instance,
        chat: permit.instance_chat,
        contact: permit.contact_id,
        ended: permit.cancelled,
        firstContactApproved: true,
      };
