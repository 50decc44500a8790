// Not now: until the quiet hours end, or because answering would feed a loop. What waits for the quiet to
// end is answered then; what came while auto-reply rests is not.

import type { Verdict } from '@relay/core/auto-reply/consider';
import { restNotice } from '@relay/core/auto-reply/notice';
import { isFirst } from '@relay/core/auto-reply/rest';
import { tellOwner } from '../../gate/tell-owner.ts';
import { setTimer } from '../../jobs/timers.ts';
import type { Work } from '../../jobs/work.ts';
import { appendEvent } from '../../store/events.ts';
import type { OpenSession, WaitingLine } from './rows.ts';
import { note, settle } from './settle.ts';
import type { AutoReplyWorld, ReplyJob } from './work.ts';

interface Of {
  readonly session: OpenSession;
  readonly line: WaitingLine;
}

/** The timer stands for the session from here on, in the place of its job. */
export async function putOff(
  world: AutoReplyWorld,
  work: Work,
  job: ReplyJob,
  { session, line }: Of,
  until: Date,
): Promise<void> {
  const { account } = world.lease;
  await setTimer(work.tx, { account, kind: 'auto_reply', subject: session.id, epoch: 0 }, until);
  await job.complete(work.tx);
  await note(world, work, { session, line, reason: 'quiet_hours' });
}

export async function rest(
  world: AutoReplyWorld,
  work: Work,
  job: ReplyJob,
  { session, line, name }: Of & { readonly name: string },
  { reason, rest }: Extract<Verdict, { to: 'rest' }>,
): Promise<void> {
  const { account } = world.lease;
  await work.tx
    .updateTable('sessions')
    .set({ resting_until: rest.until, rests: rest.count, rest_reason: reason })
    .where('account_id', '=', account)
    .where('id', '=', session.id)
    .execute();
  const until = rest.until.toISOString();
  await appendEvent(work.tx, account, {
    kind: 'auto_reply',
    subject: session.contact_id,
    data: { state: 'resting', until, reason, count: rest.count },
  });
  await settle(world, work, job, { session, line, reason });
  work.told.push(() => world.log.warn('auto-reply rests', { chat: session.chat_id, reason }));
  if (!isFirst(rest) || !world.settings.tell_owner_on_whatsapp) return;
  const text = restNotice(name, reason, rest);
  const told = await tellOwner(work.tx, { gate: world.gate, account }, text);
  if (told) work.told.push(() => world.gate.hint());
}
