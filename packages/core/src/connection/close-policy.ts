// Decides what to do when WhatsApp closes the connection: one row per code, used by the transport after the old socket
// is gone. No row ever deletes the session: only a person unlinks an account.

import type { ConnectionState } from '@relay/contract/connection/states';
import { delayFor, RETRY, type RetryTable } from '../retry.ts';

/** Stops until a person acts; `relink` means that the account must be linked again. */
interface StopPolicy {
  readonly action: 'stop' | 'relink';
  readonly state: ConnectionState;
}

/** Reconnects without a delay. */
interface RecreatePolicy {
  readonly action: 'recreate';
  readonly state: ConnectionState;
}

interface BackOffPolicy {
  readonly action: 'back_off';
  readonly table: RetryTable;
  readonly state: ConnectionState;
  /** The state after many failed attempts. */
  readonly lasting: ConnectionState;
}

type ClosePolicy = StopPolicy | RecreatePolicy | BackOffPolicy;

const LOST: BackOffPolicy = {
  action: 'back_off',
  table: RETRY.whatsapp_reconnect,
  state: 'reconnecting',
  lasting: 'unreachable',
};

export const CLOSE_POLICY: Readonly<Partial<Record<number, ClosePolicy>>> = {
  401: { action: 'relink', state: 'logged_out' },
  403: { action: 'stop', state: 'banned' },
  405: { action: 'stop', state: 'client_outdated' },
  408: LOST,
  411: { action: 'stop', state: 'device_mismatch' },
  428: LOST,
  440: { action: 'stop', state: 'replaced' },
  500: {
    action: 'back_off',
    table: RETRY.whatsapp_reconnect_bounded,
    state: 'reconnecting',
    lasting: 'session_refused',
  },
  503: LOST,
  515: { action: 'recreate', state: 'restarting' },
};

/** For a code without a row, and for a close without a code. */
const UNKNOWN: BackOffPolicy = {
  action: 'back_off',
  table: RETRY.whatsapp_reconnect_bounded,
  state: 'reconnecting',
  lasting: 'closed_unexplained',
};

/** After this many failed attempts the account counts as not connected, as seed 003 says. */
export const LASTING_AFTER = 5;
/** Limits immediate reconnects, in case the server keeps asking for a new connection. */
export const RECREATE_AT_ONCE = 3;

interface CloseDecision {
  readonly action: ClosePolicy['action'];
  /** Set whenever a new connection is to be made. */
  readonly delayMs?: number;
  readonly state: ConnectionState;
}

function backOff(policy: BackOffPolicy, attempt: number, jitter: number): CloseDecision {
  const delayMs = delayFor(policy.table, attempt, jitter);
  if (delayMs === null) return { action: 'stop', state: policy.lasting };
  const state = attempt > LASTING_AFTER ? policy.lasting : policy.state;
  return { action: 'back_off', delayMs, state };
}

/**
 * `attempt` counts the closes since the connection was last open, this one included. `jitter` is a random number in [0,
 * 1) from the caller.
 */
export function decideOnClose(
  code: number | undefined,
  attempt: number,
  jitter: number,
): CloseDecision {
  const policy = (code === undefined ? undefined : CLOSE_POLICY[code]) ?? UNKNOWN;
  switch (policy.action) {
    case 'stop':
    case 'relink':
      return { action: policy.action, state: policy.state };
    case 'recreate':
      return attempt <= RECREATE_AT_ONCE
        ? { action: 'recreate', delayMs: 0, state: policy.state }
        : backOff(LOST, attempt - RECREATE_AT_ONCE, jitter);
    case 'back_off':
      return backOff(policy, attempt, jitter);
  }
}
