// What the machine knows of a conversation. Everything here is persisted; a restart rebuilds the
// conversation from these fields alone.
import type { InstanceId } from '../ids.ts';
import type { InstanceState } from './states.ts';
import { isTerminal } from './states.ts';

export interface Instance {
  readonly id: InstanceId;
  readonly state: InstanceState;
  /** While PAUSED: the state before. After a reply to an ended conversation, while it needs the owner: how it ended. */
  readonly previousState: InstanceState | null;
  readonly heartbeat: { readonly intervalMs: number; readonly maxFollowups: number };
  readonly followUpCount: number;
  readonly failureReason: string | null;
  /** Why it stands where it stands, for a person. */
  readonly reason: string | null;
  /** Messages of the contact that no turn has read yet. */
  readonly unread: number;
  /** Grows whenever a running turn or timer became stale; both carry the epoch they were made in. */
  readonly epoch: number;
  /** A message of it is queued or in doubt: WhatsApp has not acknowledged it. */
  readonly unsent: boolean;
  /** When the next follow-up is due; set in WAITING_FOR_REPLY once every message was acknowledged. */
  readonly timerDueAt: Date | null;
  /** How much time the follow-up clock has left while it does not run: PAUSED, or a message is unsent. */
  readonly timerLeftMs: number | null;
}

export function newInstance(id: InstanceId, heartbeat: Instance['heartbeat']): Instance {
  return {
    id,
    state: 'CREATED',
    previousState: null,
    heartbeat,
    followUpCount: 0,
    failureReason: null,
    reason: null,
    unread: 0,
    epoch: 1,
    unsent: false,
    timerDueAt: null,
    timerLeftMs: null,
  };
}

/**
 * Whether it holds the contact's one place. One that was paused while queued still stands in the
 * queue, so that pausing it never blocks the conversation before it.
 */
export function holdsContact(instance: Pick<Instance, 'state' | 'previousState'>): boolean {
  const state = instance.state === 'PAUSED' ? instance.previousState : instance.state;
  return state !== null && state !== 'QUEUED' && !isTerminal(state);
}
