// The seed's transition table as printed there, and the few transitions that Relay adds.
import type { InstanceState } from '@relay/contract/conversation/states';

const rows = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

const SEED = rows(`
  CREATED agent_sends_first_message ACTIVE
  CREATED contact_has_active_instance QUEUED
  CREATED pause PAUSED
  CREATED cancel FAILED
  QUEUED prior_instance_terminal CREATED
  QUEUED pause PAUSED
  QUEUED cancel FAILED
  ACTIVE message_sent WAITING_FOR_REPLY
  ACTIVE end_conversation COMPLETED
  ACTIVE request_intervention NEEDS_HUMAN_INTERVENTION
  ACTIVE unrecoverable_error FAILED
  ACTIVE pause PAUSED
  ACTIVE cancel FAILED
  WAITING_FOR_REPLY contact_replies WAITING_FOR_AGENT
  WAITING_FOR_REPLY heartbeat_fires HEARTBEAT_SCHEDULED
  WAITING_FOR_REPLY end_conversation COMPLETED
  WAITING_FOR_REPLY pause PAUSED
  WAITING_FOR_REPLY cancel FAILED
  WAITING_FOR_AGENT agent_processes_reply ACTIVE
  WAITING_FOR_AGENT end_conversation COMPLETED
  WAITING_FOR_AGENT pause PAUSED
  WAITING_FOR_AGENT cancel FAILED
  HEARTBEAT_SCHEDULED followup_sent WAITING_FOR_REPLY
  HEARTBEAT_SCHEDULED max_followups_exceeded ABANDONED
  HEARTBEAT_SCHEDULED pause PAUSED
  HEARTBEAT_SCHEDULED cancel FAILED
  PAUSED cancel FAILED
  NEEDS_HUMAN_INTERVENTION resume ACTIVE
  NEEDS_HUMAN_INTERVENTION manual_send ACTIVE
  NEEDS_HUMAN_INTERVENTION pause PAUSED
  NEEDS_HUMAN_INTERVENTION cancel FAILED`);

/** Transitions that the seed leaves open, as Relay defines them. */
const COMPLETED = rows(`
  ACTIVE schedule_next_heartbeat WAITING_FOR_REPLY
  WAITING_FOR_AGENT request_intervention NEEDS_HUMAN_INTERVENTION
  HEARTBEAT_SCHEDULED contact_replies WAITING_FOR_AGENT
  HEARTBEAT_SCHEDULED request_intervention NEEDS_HUMAN_INTERVENTION
  HEARTBEAT_SCHEDULED end_conversation COMPLETED`);

export interface Move {
  readonly from_state: InstanceState;
  readonly trigger: string;
  readonly to_state: InstanceState;
}

const ENDS = ['COMPLETED', 'ABANDONED', 'FAILED'];

export function isLegalMove({ from_state: from, trigger, to_state: to }: Move): boolean {
  const runs = from !== 'PAUSED' && !ENDS.includes(from);
  // Returns to the previous state, which only its history knows.
  if (from === 'PAUSED' && trigger === 'resume') return to !== 'PAUSED' && !ENDS.includes(to);
  if (trigger === 'owner_takeover') return runs && to === 'PAUSED';
  if (trigger === 'unrecoverable_error') return runs && to === 'FAILED';
  return [...SEED, ...COMPLETED].includes(`${from} ${trigger} ${to}`);
}
