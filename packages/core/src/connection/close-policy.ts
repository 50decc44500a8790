// What to do when WhatsApp closes the connection: one row per code, asked by the transport after the
// old socket is gone. No row ever deletes the session: only a person unlinks an account.

import type { ConnectionState } from '@relay/contract/connection/states';
import { delayFor, RETRY, type RetryTable } from '../retry.ts';

/** Ends the attempts until a person acts; `relink` says that linking again is what it takes. */
interface StopPolicy {
  readonly action: 'stop' | 'relink';
  readonly state: ConnectionState;
}

/** Connects anew without a wait. */
interface RecreatePolicy {
  readonly action: 'recreate';
  readonly state: ConnectionState;
}

interface BackOffPolicy {
  readonly action: 'back_off';
  readonly table: RetryTable;
  readonly state: ConnectionState;
  /** The state once many attempts have failed. */
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

/** For a code that has no row, and for a close that came without one. */
const UNKNOWN: BackOffPolicy = {
  action: 'back_off',
  table: RETRY.whatsapp_reconnect_bounded,
  state: 'reconnecting',
  lasting: 'closed_unexplained',
};

/** After so many failed attempts the account counts as not connected, as seed 003 says. */
export const LASTING_AFTER = 5;
/** A server that asks for a new connection for ever must not make Relay hammer it. */
export const RECREATE_AT_ONCE = 3;

interface CloseDecision {
  readonly action: ClosePolicy['action'];
  /** Given whenever a new connection is to be made. */
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
 * `attempt` counts the closes since the connection was last open, this one included. `jitter` is a
 * random number in [0, 1) that the caller brings.
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
