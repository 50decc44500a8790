// What a conversation tells its owner on WhatsApp, if they wish: one line into their own chat. Whether it
// arrives or not, the transition it tells of never depends on it.
import type { Instance } from '@relay/core/conversation/instance';
import { noticeFor } from '@relay/core/conversation/notice';
import { STATES } from '@relay/core/conversation/states';
import type { OwnerNews } from '@relay/core/conversation/transition';
import { sql } from 'kysely';
import { tellOwner as tellOnWhatsApp } from '../../gate/tell-owner.ts';
import type { Work } from '../../jobs/work.ts';
import type { InstanceRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

export const WAITS_FOR_YES =
  'A message waits for your yes: `relay approvals`. Or resume it to let it write anew.';

export async function tellOwner(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
  instance: Instance,
  about: OwnerNews,
): Promise<void> {
  // Who cancels knows that they did.
  if (!world.settings.tell_owner_on_whatsapp || instance.failureReason === 'cancelled') return;
  // The gate's own notice says it, with the text.
  if (instance.reason === WAITS_FOR_YES) return;
  const text = noticeFor(about, {
    id: row.id,
    contact: await nameOf(work, row),
    objective: row.objective,
    reason: instance.reason ?? STATES[instance.state],
  });
  const { gate, lease } = world;
  const told = await tellOnWhatsApp(work.tx, { gate, account: lease.account }, text);
  if (told) work.told.push(() => gate.hint());
}

async function nameOf(work: Work, row: InstanceRow): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`
    SELECT coalesce(display_name, push_name) AS name FROM contacts
    WHERE account_id = ${row.account_id} AND id = ${row.contact_id}`.execute(work.tx);
  const name = rows[0]?.name ?? null;
  return name === null ? row.target_contact : `${name} (${row.target_contact})`;
}
