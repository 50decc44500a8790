// The end of an answer, one transaction: submitted to the gate as the assistant's, signed so that nobody
// takes it for the owner's own words, and settled with the job. Silence where there is nothing to say.
import { signed } from '@relay/core/agent/signature';
import { inOneTransaction } from '../../jobs/work.ts';
import { lockRequest } from '../../store/observer/requests.ts';
import { endRun } from '../../store/runs.ts';
import type { Turn } from './begin.ts';
import type { Composed } from './compose.ts';
import { note, settleSilent } from './settle.ts';
import type { GroupAnswerJob, GroupAnswerWorld } from './work.ts';

export function finish(
  world: GroupAnswerWorld,
  job: GroupAnswerJob,
  { group: { chat }, run, asked }: Turn,
  composed: Composed,
): Promise<void> {
  return inOneTransaction(world, async (work) => {
    const { tx } = work;
    const { account } = world.lease;
    const request = await lockRequest(tx, world.lease, job.data.subject);
    await job.complete(tx);
    // Taken back, taken anew by another run, or the group is observed no longer.
    if (request === null || request.state !== 'answering' || request.run_id !== run) {
      return endRun(tx, account, run, 'discarded');
    }
    if ('failure' in composed) {
      const { failure: reason } = composed;
      return settleSilent(world, work, request, { reason, run, failed: true });
    }
    if (composed.text === '') {
      return settleSilent(world, work, request, { reason: 'nothing_said', run });
    }
    await endRun(tx, account, run, 'done');
    const { message, approval, decision } = await world.gate.submit(
      tx,
      { kind: 'assistant', run },
      { kind: 'send_message', chat, text: signed(composed.text) },
      { run, answers: asked, taint: { chats: [chat], outside: false } },
    );
    if (message !== null) {
      work.told.push(() => world.gate.hint());
      const detail = { chat, run, outbox: message.id };
      return note(world, work, asked, { reason: 'replied', detail });
    }
    if (approval !== null) {
      return note(world, work, asked, { reason: 'draft', detail: { chat, run, approval } });
    }
    return settleSilent(world, work, request, { reason: 'refused', refusal: decision.reason, run });
  });
}
