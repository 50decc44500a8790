// The beginning of an answer, one transaction: whether it may be given at all, asked of the gate before a
// model is, and what the model may know of the group.
import type { MessageId, RunId } from '@relay/core/ids';
import type { GroupMessage } from '@relay/core/observer/message';
import { ASKED_WITHIN_MS, isTooOld } from '@relay/core/observer/patience';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import { type ReadContext, readGroupContext } from '../../store/observer/context.ts';
import { type ObservedGroup, observedGroup } from '../../store/observer/groups.ts';
import { messageAt, messageNamed } from '../../store/observer/messages.ts';
import {
  changeRequest,
  lockRequest,
  messageOf,
  type RequestRow,
} from '../../store/observer/requests.ts';
import { beginObserverRun } from '../../store/observer/runs.ts';
import { settleSilent } from './settle.ts';
import type { GroupAnswerJob, GroupAnswerWorld } from './work.ts';

export interface Turn {
  readonly group: ObservedGroup;
  readonly run: RunId;
  /** The owner's message, as WhatsApp knows it. */
  readonly asked: MessageId;
  readonly question: GroupMessage;
  readonly quoted: GroupMessage | null;
  readonly context: ReadContext;
}

/** Null when there is nothing to answer; the job is settled then. */
export function begin(world: GroupAnswerWorld, job: GroupAnswerJob): Promise<Turn | null> {
  return inOneTransaction(world, async (work) => {
    const { account } = world.lease;
    const request = await lockRequest(work.tx, world.lease, job.data.subject);
    const group = request && (await observedGroup(work.tx, account, request.chat_id));
    if (request === null || group === null || request.state !== 'answering') {
      await job.complete(work.tx);
      return null;
    }
    if (isTooOld(request.sent_at, world.now(), ASKED_WITHIN_MS)) {
      await job.complete(work.tx);
      await settleSilent(world, work, request, { reason: 'too_old' });
      return null;
    }
    return turnOf(world, work, job, request, group);
  });
}

async function turnOf(
  world: GroupAnswerWorld,
  work: Work,
  job: GroupAnswerJob,
  request: RequestRow,
  group: ObservedGroup,
): Promise<Turn | null> {
  const { lease, admins, settings } = world;
  const { account } = lease;
  const { tx } = work;
  const { chat } = group;
  const reader = { account, admins, dailyAt: settings.observer.daily_at };
  const asked = await messageOf(tx, request);
  const place = { chat, number: request.message, sentAt: request.sent_at };
  const heard = await messageAt(tx, reader, place);
  const context = await readGroupContext(tx, reader, chat, world.now());
  if (asked === null || heard === null || context === null) {
    await job.complete(tx);
    await settleSilent(world, work, request, { reason: 'taken_back' });
    return null;
  }
  const { message: question } = heard;
  const quoted =
    question.quotedId === null ? null : await messageNamed(tx, reader, chat, question.quotedId);
  const run = await beginObserverRun(tx, account, group, 'assistant');
  await changeRequest(tx, request, { state: 'answering', run });
  // Nobody pays for an answer that the gate will not let go.
  const proposal = { kind: 'send_message', chat, text: '…' } as const;
  const { outcome, reason } = await world.gate.ask(tx, { kind: 'assistant', run }, proposal, {
    run,
  });
  if (outcome === 'deny') {
    await job.complete(tx);
    await settleSilent(world, work, request, { reason: 'refused', refusal: reason, run });
    return null;
  }
  return { group, run, asked, question, quoted: quoted?.message ?? null, context };
}
