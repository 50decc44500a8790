// The owner is told on WhatsApp too, if they wish: one line into their own chat, through the gate like
// everything. Refused or nowhere to go, it stays untold: the transition it tells of never depends on it.
import { phoneAlias } from '@relay/core/contacts/alias';
import type { Instance } from '@relay/core/conversation/instance';
import { noticeFor } from '@relay/core/conversation/notice';
import { STATES } from '@relay/core/conversation/states';
import type { OwnerNews } from '@relay/core/conversation/transition';
import type { ChatId } from '@relay/core/ids';
import { sql } from 'kysely';
import { findOrMakeChats } from '../../store/chats.ts';
import { meet } from '../../store/contacts.ts';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld, Work } from './work.ts';

export async function tellOwner(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  instance: Instance,
  about: OwnerNews,
): Promise<void> {
  // Who cancels knows that they did.
  if (!world.settings.tell_owner_on_whatsapp || instance.failureReason === 'cancelled') return;
  const chat = await ownersChat(world, work);
  if (chat === null) return;
  const text = noticeFor(about, {
    id: row.id,
    contact: await nameOf(work, row),
    objective: row.objective,
    reason: instance.reason ?? STATES[instance.state],
  });
  const { message } = await world.gate.submit(
    work.tx,
    { kind: 'notifier' },
    { kind: 'send_message', chat, text },
  );
  if (message !== null) work.told.push(() => world.gate.hint());
}

/** Null while no phone is linked. */
async function ownersChat({ lease }: ConversationWorld, work: Work): Promise<ChatId | null> {
  const { phone } = await work.tx
    .selectFrom('accounts')
    .select('phone')
    .where('id', '=', lease.account)
    .executeTakeFirstOrThrow();
  const alias = phone === null ? null : phoneAlias(`+${phone}`);
  if (alias === null) return null;
  const contacts = await meet(work.tx, lease.account, [[alias]]);
  const { ofContact } = await findOrMakeChats(work.tx, lease.account, { contacts, groups: [] });
  return [...ofContact.values()][0] ?? null;
}

async function nameOf(work: Work, row: InstanceRow): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`
    SELECT coalesce(display_name, push_name) AS name FROM contacts
    WHERE account_id = ${row.account_id} AND id = ${row.contact_id}`.execute(work.tx);
  const name = rows[0]?.name ?? null;
  return name === null ? row.target_contact : `${name} (${row.target_contact})`;
}
