// Not now: until the quiet hours end, or because answering would feed a loop. What waits for the quiet to
// end is answered then; what came while auto-reply rests is not.
import { answerOf, isFirst, type Rest, restNotice } from '@relay/core/auto-reply/rest';
import { tellOwner } from '../../gate/tell-owner.ts';
import { setTimer } from '../../jobs/timers.ts';
import type { Work } from '../../jobs/work.ts';
import { appendEvent } from '../../store/events.ts';
import { note, settle, type Task } from './settle.ts';
import type { AutoReplyWorld } from './work.ts';

/** The timer stands for the session from here on, in the place of its job. */
export async function putOff(
  world: AutoReplyWorld,
  work: Work,
  task: Task,
  until: Date,
): Promise<void> {
  const { account } = world.lease;
  const subject = task.session.id;
  await setTimer(work.tx, { account, kind: 'auto_reply', subject, epoch: 0 }, until);
  await task.job.complete(work.tx);
  const detail = { until: until.toISOString() };
  await note(world, work, task, { reason: 'quiet_hours', detail });
}

export async function rest(
  world: AutoReplyWorld,
  work: Work,
  task: Task,
  { rest, name }: { readonly rest: Rest; readonly name: string },
): Promise<void> {
  const { account } = world.lease;
  const { session } = task;
  const { cause, count } = rest;
  const until = rest.until.toISOString();
  await work.tx
    .updateTable('sessions')
    .set({ resting_until: rest.until, rests: count, rest_reason: cause })
    .where('account_id', '=', account)
    .where('id', '=', session.id)
    .execute();
  await appendEvent(work.tx, account, {
    kind: 'auto_reply',
    subject: session.contact_id,
    data: { state: 'resting', until, cause, count },
  });
  await settle(world, work, task, { reason: answerOf(rest), detail: { until } });
  work.told.push(() =>
    world.log.warn('auto-reply rests', { chat: session.chat_id, reason: cause, count }),
  );
  if (!isFirst(rest) || !world.settings.tell_owner_on_whatsapp) return;
  const told = await tellOwner(work.tx, { gate: world.gate, account }, restNotice(name, rest));
  if (told) work.told.push(() => world.gate.hint());
}
