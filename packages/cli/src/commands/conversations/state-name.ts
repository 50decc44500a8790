// Names of conversation states for people. They are the API's names, except for cancelled conversations: the API
// reports them as FAILED with the failure reason `cancelled`. Pure.
import type { ConversationInstance } from '@relay/contract/api/instances';

type StateAndFailure = Pick<ConversationInstance, 'state' | 'failure_reason'>;

export const isCancelled = ({ state, failure_reason }: StateAndFailure): boolean =>
  state === 'FAILED' && failure_reason === 'cancelled';

export const CANCELLED_STATE_NAME = 'CANCELLED';

export const conversationStateName = (instance: StateAndFailure): string =>
  isCancelled(instance) ? CANCELLED_STATE_NAME : instance.state;
