// Where what happened happened: the chat, whose it is and which way a message went, for the filters of
// webhooks. Null for what is gone by now: there is nothing to tell of it.
import type { AccountId } from '@relay/core/ids';
import type { Place } from '@relay/core/webhooks/filter';
import type { WebhookEvent } from '@relay/core/webhooks/kinds';
import type { Facts, Happening } from '@relay/core/webhooks/told';
import { sql } from 'kysely';
import type { Transaction } from '../database.ts';

export interface Placed {
  readonly type: WebhookEvent;
  readonly facts: Facts;
  readonly place: Place;
}

interface Row {
  n: number;
  chat: string | null;
  contact: string | null;
  from_me: boolean | null;
  message: boolean;
  outbox: boolean;
  instance: boolean;
  approval: boolean;
}

/** In the order given. */
export async function placed(
  tx: Transaction,
  account: AccountId,
  happenings: readonly Happening[],
): Promise<readonly (Placed | null)[]> {
  if (happenings.length === 0) return [];
  const asked = happenings.map(({ facts }, n) => ({ ...facts, n }));
  const { rows } = await sql<Row>`
    SELECT a.n, c.id AS chat, coalesce(c.contact_id, (p.intent->'of'->>'contact')::uuid) AS contact, m.from_me,
      m.id IS NOT NULL AS message, o.id IS NOT NULL AS outbox, i.id IS NOT NULL AS instance, p.id IS NOT NULL AS approval
    FROM json_to_recordset(${JSON.stringify(asked)}::json)
        AS a(n int, number bigint, message text, chat uuid, outbox uuid, instance uuid, approval uuid)
      LEFT JOIN message_keys k ON k.account_id = ${account} AND k.message_id = a.message AND k.id = a.number
      LEFT JOIN messages m ON m.account_id = k.account_id AND m.sent_at = k.sent_at AND m.id = k.id
      LEFT JOIN outbox o ON o.account_id = ${account} AND o.id = a.outbox
      LEFT JOIN approvals p ON p.account_id = ${account} AND p.id = a.approval
      LEFT JOIN instances i ON i.account_id = ${account} AND i.id = coalesce(a.instance, p.instance_id)
      LEFT JOIN chats c ON c.account_id = ${account} AND c.id = coalesce(m.chat_id, o.chat_id, i.chat_id,
        (p.intent->>'chat')::uuid, (p.intent->'of'->>'chat')::uuid, a.chat)`.execute(tx);
  const found = new Map(rows.map((row) => [row.n, row]));
  return happenings.map((happening, n) => place(happening, found.get(n)));
}

function place({ type, facts }: Happening, row: Row | undefined): Placed | null {
  if (row === undefined || !isThere(type, facts, row)) return null;
  const { chat, contact } = row;
  const state = type !== 'health' && typeof facts.state === 'string' ? facts.state : null;
  const known = chat === null ? facts : { ...facts, chat };
  if (type !== 'message') {
    const direction = type === 'message.sent' ? 'out' : null;
    return { type, facts: known, place: { chat, contact, direction, state } };
  }
  return row.from_me
    ? {
        type: 'message.sent',
        facts: { ...known, state: 'sent' },
        place: { chat, contact, direction: 'out', state: 'sent' },
      }
    : { type: 'message.received', facts: known, place: { chat, contact, direction: 'in', state } };
}

function isThere(type: Happening['type'], facts: Facts, row: Row): boolean {
  if (type === 'message') return row.message && row.chat !== null;
  if (type === 'message.sent' || 'outbox' in facts) return row.outbox && row.chat !== null;
  if (type === 'conversation.state') return row.instance && row.chat !== null;
  return !('approval' in facts) || row.approval;
}
