// The public verbs of delegated conversations: what routes, commands and other agents may ask for.
// Each is one transaction; each refusal is a RelayError.
import type { StateTransition, TranscriptLine, TranscriptQuery } from '@relay/core/api/instances';
import type { ConversationEvent } from '@relay/core/conversation/events';
import { legalEvents } from '@relay/core/conversation/table';
import { RelayError } from '@relay/core/errors';
import type { InstanceId } from '@relay/core/ids';
import { storable } from '@relay/core/messages/text';
import { reasonSentence } from '@relay/core/policy/reasons';
import type { ConversationVerbs } from '@relay/core/ports/conversations';
import type { Work } from '../../jobs/work.ts';
import { inOneTransaction } from '../../jobs/work.ts';
import type { Applied } from './apply.ts';
import { apply, holdContact } from './apply.ts';
import { contactIsTaken, create, orDenied } from './create.ts';
import { createOnce } from './create-once.ts';
import { countInstances, describeInstance, listInstances } from './list.ts';
import { queuedLines } from './queued.ts';
import type { InstanceRow, LineRow } from './rows.ts';
import { linesOf, lockInstance, readInstance, toApi, toTranscript, toTransition } from './rows.ts';
import { askGate, submitRefused } from './send.ts';
import { sendOnce } from './send-once.ts';
import type { ConversationWorld } from './work.ts';

const OWNER = { kind: 'owner' } as const;

export function conversationVerbs(world: ConversationWorld): ConversationVerbs {
  const change = (
    id: InstanceId,
    event: (work: Work, row: InstanceRow) => Promise<ConversationEvent>,
  ): Promise<Applied> =>
    inOneTransaction(world, async (work) => {
      const row = await lockInstance(work.tx, world.lease, id);
      return apply(world, work, row, [await event(work, row)]);
    });
  const simply = async (id: InstanceId, type: 'pause' | 'cancel') =>
    toApi((await change(id, async () => ({ type }))).row);

  return {
    create: async (request, key) => {
      const created = await world.gate.checkingNumbers((check) =>
        inOneTransaction(world, (work) =>
          key === undefined
            ? create(world, work, request, OWNER, check)
            : createOnce(world, work, request, key, check),
        ),
      );
      return 'made' in created ? orDenied(created) : created;
    },
    list: (query) => listInstances(world, query),
    counts: () => countInstances(world),
    get: (id) => describeInstance(world, id),
    transcript: (id, query) => transcript(world, id, query),
    transitions: (id) => transitions(world, id),
    cancel: (id) => simply(id, 'cancel'),
    pause: (id) => simply(id, 'pause'),
    resume: async (id) =>
      toApi(
        (
          await change(id, async (work, row) => ({
            type: 'resume',
            contactIsFree: await contactIsFree(world, work, row),
          }))
        ).row,
      ),
    send: async (id, message, key) => {
      const send = (work: Work) => sendByHand(world, work, id, message);
      const said = await inOneTransaction(world, (work) =>
        key === undefined ? send(work) : sendOnce(world, work, { id, message, key }, send),
      );
      if (said instanceof RelayError) throw said;
      return toTranscript(said);
    },
  };
}

/** A refusal is returned, not thrown: it stands in the ledger, which is to be committed. */
async function sendByHand(
  world: ConversationWorld,
  work: Work,
  id: InstanceId,
  message: string,
): Promise<LineRow | RelayError> {
  const row = await lockInstance(work.tx, world.lease, id);
  const text = storable(message);
  const speech = { role: 'manual', text, followUp: false } as const;
  if (legalEvents(row.state).includes('manual_send')) {
    const { outcome, reason } = await askGate(world, work, row, speech);
    if (outcome !== 'allow') {
      await submitRefused(world, work, row, speech);
      return new RelayError('denied', { reason: reasonSentence(reason) });
    }
  }
  const { said } = await apply(world, work, row, [{ type: 'manual_send', text }]);
  const [line] = said;
  if (line === undefined) throw new Error('a manual send left no line in the transcript');
  return line;
}

/** Matters only to an instance that was paused in the queue: may it take the contact's place now? */
export async function contactIsFree(
  world: ConversationWorld,
  work: Work,
  row: InstanceRow,
): Promise<boolean> {
  if (row.previous_state !== 'QUEUED') return false;
  await holdContact(world, work, row.contact_id);
  return !(await contactIsTaken(world, work, row.contact_id));
}

/** A part is taken from its far end, and given in order all the same. */
async function transcript(
  world: ConversationWorld,
  id: InstanceId,
  { after, before, limit }: TranscriptQuery = {},
): Promise<readonly TranscriptLine[]> {
  await readInstance(world.db, world.lease, id);
  const isLast = limit !== undefined && after === undefined;
  let rows = linesOf(world.db, world.lease.account, id).orderBy('m.id', isLast ? 'desc' : 'asc');
  if (after !== undefined) rows = rows.where('m.id', '>', Number(after));
  if (before !== undefined) rows = rows.where('m.id', '<', Number(before));
  if (limit !== undefined) rows = rows.limit(limit);
  const found = await rows.execute();
  const queued = await queuedLines(world, found);
  const lines = found.map((row) => ({
    ...toTranscript(row),
    ...(row.outbox_id === null ? {} : queued.get(row.outbox_id)),
  }));
  return isLast ? lines.reverse() : lines;
}

async function transitions(
  world: ConversationWorld,
  id: InstanceId,
): Promise<readonly StateTransition[]> {
  await readInstance(world.db, world.lease, id);
  const rows = await world.db
    .selectFrom('instance_transitions')
    .selectAll()
    .where('account_id', '=', world.lease.account)
    .where('instance_id', '=', id)
    .orderBy('id')
    .execute();
  return rows.map(toTransition);
}
