// A message that will not arrive wakes its conversation, which decides what that means. The job is written
// with the message's end; the workers find it by themselves.
import type { AccountId } from '@relay/core/ids';
import type { Jobs } from '../jobs/jobs.ts';
import type { Aftermath } from './settle.ts';

export const wakeConversations =
  (jobs: Jobs, account: AccountId): Aftermath['undelivered'] =>
  (tx, messages) =>
    jobs.enqueue(
      tx,
      'conversation',
      messages.map(({ id, instance }) => ({
        key: `${account}:${instance}`,
        // Good in any epoch: what could not be delivered stays undelivered.
        data: { account, subject: instance, epoch: 0, wake: 'undelivered', message: id },
      })),
    );
