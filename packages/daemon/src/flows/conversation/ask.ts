// Asks for turns of agents: a job each, in the caller's transaction, bound to the epoch it is asked in.
import type { TurnPurpose } from '@relay/core/conversation/turns';
import type { InstanceId } from '@relay/core/ids';
import type { Work } from '../../jobs/work.ts';
import type { ConversationWorld } from './work.ts';

export interface WantedTurn {
  readonly id: InstanceId;
  readonly epoch: number;
  readonly purpose: TurnPurpose;
}

export async function askForTurns(
  world: ConversationWorld,
  work: Work,
  turns: readonly WantedTurn[],
): Promise<void> {
  if (turns.length === 0) return;
  const { account } = world.lease;
  await world.jobs.enqueue(
    work.tx,
    'conversation',
    turns.map(({ id, epoch, purpose }) => ({
      key: `${account}:${id}`,
      data: { account, subject: id, epoch, wake: purpose },
    })),
  );
  work.filled.add('conversation');
}
