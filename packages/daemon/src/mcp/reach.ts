// Whether WhatsApp can be reached now, asked before anything is submitted: after NETWORK_ERROR nothing may
// be left waiting to be sent later. A network that is away is waited for as seed 002 says; a session that has
// ended is told as that, and not as another fault.
import { type ConnectionState, connectionSentence } from '@relay/core/connection/states';
import type { Link } from '@relay/core/ports/transport';
import { RETRY } from '@relay/core/retry';
import { SeedError } from './seed-error.ts';
import type { Call } from './tool.ts';
import { tellUnexpected } from './unexpected.ts';

type Reach =
  | 'up'
  /** It comes back by itself. */
  | 'away'
  /** A person has to link it again, or to bring the link back here. */
  | 'ended'
  /** WhatsApp no longer speaks as expected. */
  | 'changed';

const REACH: Readonly<Record<ConnectionState, Reach>> = {
  disconnected: 'away',
  connecting: 'away',
  qr_ready: 'ended',
  pairing_code_ready: 'ended',
  link_expired: 'ended',
  scanned: 'away',
  passkey_required: 'ended',
  restarting: 'away',
  syncing: 'up',
  connected: 'up',
  time_locked: 'up',
  phone_offline: 'up',
  reconnecting: 'away',
  unreachable: 'away',
  logged_out: 'ended',
  replaced: 'ended',
  banned: 'ended',
  client_outdated: 'changed',
  device_mismatch: 'ended',
  session_refused: 'ended',
  credentials_unreadable: 'ended',
  taken_over: 'ended',
  closed_unexplained: 'changed',
};

export function reachOf({ state, phone }: Pick<Link, 'state' | 'phone'>): Reach {
  // Without a number nobody has linked it yet: there is nothing that could come back.
  return state === 'disconnected' && phone === null ? 'ended' : REACH[state];
}

/** Resolves while WhatsApp can be reached; refuses with the seed's error where it cannot. */
export async function untilReachable(call: Call): Promise<void> {
  const { transport, wait } = call.world;
  const { stepsMs } = RETRY.outbound_send;
  for (const [tried, ms] of stepsMs.entries()) {
    if (await isUp(call)) return;
    const which = `${tried + 1} of ${stepsMs.length}`;
    call.progress(`WhatsApp cannot be reached. Trying again in ${ms / 1_000} s (${which}).`);
    await wait(ms, call.signal);
    // It would rest for longer than the call waits.
    if (transport.link.state === 'unreachable') transport.connect();
  }
  if (await isUp(call)) return;
  throw new SeedError('NETWORK_ERROR', connectionSentence(transport.link.state));
}

async function isUp({ world }: Call): Promise<boolean> {
  const { link } = world.transport;
  const sentence = connectionSentence(link.state);
  switch (reachOf(link)) {
    case 'up':
      return true;
    case 'away':
      return false;
    case 'ended':
      throw new SeedError('SESSION_EXPIRED', sentence);
    case 'changed':
      await tellUnexpected(world, `link ${link.since.toISOString()}`, sentence);
      throw new SeedError('ELEMENT_NOT_FOUND', sentence);
  }
}
