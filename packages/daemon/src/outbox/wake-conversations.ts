// Wakes a conversation when one of its messages was sent, stopped or lost. The job is written in the transaction that
// writes what became of the message.
import type { AccountId } from '@relay/core/ids';
import type { Jobs } from '../jobs/jobs.ts';
import type { Aftermath } from './settle.ts';

export function wakeConversations(
  jobs: Jobs,
  account: AccountId,
): Pick<Aftermath, 'undelivered' | 'settled'> {
  return {
    undelivered: (tx, messages) =>
      jobs.enqueue(
        tx,
        'conversation',
        messages.map(({ id, instance }) => ({
          key: `${account}:${instance}`,
          // Good in any epoch: what could not be delivered stays undelivered.
          data: { account, subject: instance, epoch: 0, wake: 'undelivered', message: id },
        })),
      ),
    settled: (tx, instances) =>
      jobs.enqueue(
        tx,
        'conversation',
        instances.map((subject) => ({
          key: `${account}:${subject}`,
          data: { account, subject, epoch: 0, wake: 'acknowledged' },
        })),
      ),
  };
}
