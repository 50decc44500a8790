// Test harness for the gate on a fresh database: functions for grants and approvals, proposals by any actor, and the
// re-check of everything in the outbox.
import { randomUUID } from 'node:crypto';
import type { CreatePermission, Permission } from '@relay/contract/api/contacts';
import { chatId, contactId, type RunId, runId } from '@relay/contract/ids';
import { pacingSchema } from '@relay/contract/settings';
import type { Grant } from '@relay/core/contacts/grants';
import type { Actor } from '@relay/core/policy/actors';
import { freshStore } from '@relay/testing/store';
import { takeLease } from '../../../platform/db/lease.ts';
import { findReady } from '../../outbox/claim.ts';
import { type ApprovedSchedule, createApprovalService } from '../approvals.ts';
import type { SubmitContext } from '../evaluate.ts';
import { Gate, type GateOptions } from '../gate.ts';
import { createGrantService, createPeopleService } from '../grants.ts';
import type { Proposal } from '../proposals.ts';
import { recheckPermits } from '../recheck.ts';
import { findOrMakeChat } from '../send-as-owner.ts';

export const ALL: Grant = { canRead: true, canReply: true, replyMode: 'auto', canInitiate: true };
export const NOTHING: Grant = {
  canRead: false,
  canReply: false,
  replyMode: 'auto',
  canInitiate: false,
};

const pacing = pacingSchema.parse({ enabled: false });
const unreached = () => Promise.reject(new Error('no conversation is about here'));

export async function freshGate(options: Partial<GateOptions> = {}) {
  const store = await freshStore();
  const { account, database, sql } = store;
  const db = database.kysely;
  const lease = await takeLease(db, account, randomUUID());
  if (lease === null) throw new Error('a fresh account is free');
  const gate = new Gate({ account, pacing, wakeOutbox: () => {}, ...options });
  const deps = { db, lease, gate, onChange: () => {} };
  /** Schedules that were approved. */
  const scheduled: ApprovedSchedule[] = [];
  const approvals = createApprovalService({
    ...deps,
    actions: {
      sendInConversation: unreached,
      onRejected: unreached,
      createConversation: unreached,
      cancelSchedule: () => Promise.reject(new Error('nothing is cancelled here')),
      scheduleMessage: async (_work, schedule) => {
        scheduled.push(schedule);
      },
    },
  });
  const grants = createGrantService(deps);

  let numbers = 0;
  const newNumber = () => `4915177${String(++numbers).padStart(6, '0')}`;
  const granted = (given: Partial<CreatePermission> = {}): Promise<Permission> =>
    grants.create({
      phoneNumber: newNumber(),
      displayName: 'Mom',
      options: {},
      ...ALL,
      ...given,
    });
  const of = ({ contactId: id }: Permission) =>
    ({ kind: 'contact', contact: contactId(id ?? '') }) as const;
  /** Their chat. They have written before, so that no message is a first contact. */
  const chatOf = async (permission: Permission) => {
    const chat = await db
      .transaction()
      .execute((tx) => findOrMakeChat(tx, account, permission.jid ?? ''));
    await sql(
      `INSERT INTO message_keys (account_id, chat_id, sender, message_id, sent_at, id)
       VALUES ($1, $2, 'x', $3, now(), 1)`,
      [account, chat, randomUUID()],
    );
    return chat;
  };
  const submit = (actor: Actor, proposal: Proposal, context: SubmitContext = {}) =>
    db.transaction().execute((tx) => gate.submit(tx, actor, proposal, context));
  const verdicts = async () => {
    // As if it had been built: only then is it claimed.
    await sql(`UPDATE outbox SET wire = 'x' WHERE content IS NOT NULL`);
    return db.transaction().execute(async (tx) => {
      const rows = await findReady(tx, account, {
        now: new Date(),
        room: 100,
        inFlight: [],
        firstContacts: 'open',
        reconciled: true,
        horizon: new Date(0),
      });
      return recheckPermits(account, { pacing, ...options })(tx, rows);
    });
  };
  const ledger = async (count: number) =>
    (
      await sql<{ action: string; outcome: string; reason: string; detail: object }>(
        'SELECT action, outcome, reason, detail FROM ledger ORDER BY seq DESC LIMIT $1',
        [count],
      )
    ).reverse();
  return {
    ...store,
    approvals,
    chatOf,
    db,
    gate,
    granted,
    grants,
    ledger,
    lease,
    newNumber,
    of,
    people: createPeopleService({ ...deps, admins: [] }),
    scheduled,
    submit,
    verdicts,
  };
}

export const assistant = (run: RunId = runId(randomUUID())) =>
  ({ kind: 'assistant', run }) as const;
export const autoReply = (chat: string) => ({ kind: 'auto_reply', chat: chatId(chat) }) as const;
