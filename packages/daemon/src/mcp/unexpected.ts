// WhatsApp answered as nobody expected, and it was no log-out: a person has to look. They are told where they
// look, in the log, on the live stream and, if they wish, on WhatsApp; once for each thing.

import { tellOwner } from '../gate/tell-owner.ts';
import { appendEvent } from '../store/events.ts';
import { fenced } from '../store/fenced.ts';
import type { ProgramWorld } from './world.ts';

const KIND = 'whatsapp.unexpected';

/** `about` names the thing; nothing that somebody wrote is in the sentence. */
export async function tellUnexpected(
  world: ProgramWorld,
  about: string,
  sentence: string,
): Promise<void> {
  const { db, lease, gate, settings, log, changed } = world;
  const { account } = lease;
  const { state } = world.transport.link;
  const told = await fenced(db, lease, async (tx) => {
    const before = await tx
      .selectFrom('events')
      .select('id')
      .where('account_id', '=', account)
      .where('kind', '=', KIND)
      .where('subject', '=', about)
      .executeTakeFirst();
    if (before !== undefined) return false;
    await appendEvent(tx, account, { kind: KIND, subject: about, data: { state, sentence } });
    if (settings.tell_owner_on_whatsapp) {
      await tellOwner(tx, { gate, account }, `A program could not send: ${sentence}`);
    }
    return true;
  });
  if (!told) return;
  log.error('WhatsApp answered as nobody expected', { state, reason: sentence });
  changed();
}
