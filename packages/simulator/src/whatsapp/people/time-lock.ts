// The service's punishment for writing to too many strangers: no new chats until a moment.
// Invariant: companions are told when it begins or ends, and whoever asks gets the same facts.
import { node, notification, type Stanza, seconds } from '../wire/nodes.ts';

export function timeLockState(until: Date | undefined) {
  return {
    is_active: until !== undefined,
    ...(until && { time_enforcement_ends: seconds(until), enforcement_type: 'DEFAULT' }),
  };
}

export function timeLockNews(until: Date | undefined): Stanza {
  const data = { xwa2_notify_account_reachout_timelock: timeLockState(until) };
  const attrs = { op_name: 'NotificationUserReachoutTimelockUpdate' };
  return notification('mex', [node('update', attrs, Buffer.from(JSON.stringify({ data })))]);
}
