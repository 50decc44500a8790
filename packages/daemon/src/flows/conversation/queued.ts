// What is said of a conversation whose first message is still queued: that nobody has been written to yet, and when the
// message can leave. Looked up when it is shown, because limits and settings change meanwhile.
import type { ListedInstance, TranscriptLine } from '@relay/core/api/instances';
import type { OutboxId } from '@relay/core/ids';
import { queuedSentence } from '../../gate/queued.ts';
import type { LineRow } from './rows.ts';
import type { ConversationWorld } from './work.ts';

export type QueueReader = Pick<ConversationWorld, 'db' | 'gate'>;

export async function withQueuedReason(
  { db, gate }: QueueReader,
  listed: readonly ListedInstance[],
): Promise<readonly ListedInstance[]> {
  // In the other states something else is the reason.
  if (!listed.some(({ state }) => state === 'WAITING_FOR_REPLY')) return listed;
  const queued = await gate.queuedFirstContacts(db);
  return listed.map((one) => {
    const first = queued.find(({ instance }) => instance === one.id);
    if (first === undefined || one.state !== 'WAITING_FOR_REPLY') return one;
    return { ...one, reason: `The first message is queued. ${queuedSentence(first)}` };
  });
}

/** When each of these lines can leave at the earliest, by the message that it stands for. */
export async function queuedLines(
  { db, gate }: QueueReader,
  lines: readonly LineRow[],
): Promise<ReadonlyMap<OutboxId, Pick<TranscriptLine, 'queued_until'>>> {
  if (!lines.some(({ delivery }) => delivery === 'pending')) return new Map();
  const queued = await gate.queuedFirstContacts(db);
  return new Map(queued.map(({ id, from }) => [id, { queued_until: from.toISOString() }]));
}
