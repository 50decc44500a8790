// Checks whether WhatsApp is reachable, defines the errors that seed 002 has codes for, and reports unexpected answers of
// WhatsApp to the owner.
import { type ConnectionState, connectionSentence } from '@relay/contract/connection/states';
import { type KnownErrorCode, RelayError } from '@relay/contract/errors';
import type { WhatsAppLink } from '@relay/core/ports/transport';
import { RETRY } from '@relay/core/retry';
import { notifyOwner } from '../../pipeline/gate/gate.ts';
import { appendEvent } from '../../platform/db/events.ts';
import { transaction } from '../../platform/db/transaction.ts';
import type { ClientCall, ClientDeps } from './tool.ts';

// WhatsApp is checked before anything is submitted: after NETWORK_ERROR nothing may stay queued. For a lost network the
// check waits as seed 002 says; an ended session is reported as such and not as another error.

type Reachability =
  | 'up'
  /** It reconnects by itself. */
  | 'away'
  /** A person has to link the account again, or move the link back to this daemon. */
  | 'ended'
  /** WhatsApp's protocol is no longer as expected. */
  | 'changed';

const REACHABILITY_OF_STATE: Readonly<Record<ConnectionState, Reachability>> = {
  disconnected: 'away',
  connecting: 'away',
  qr_ready: 'ended',
  pairing_code_ready: 'ended',
  link_expired: 'ended',
  scanned: 'away',
  passkey_requested: 'away',
  passkey_sent: 'away',
  passkey_required: 'ended',
  passkey_refused: 'ended',
  passkey_failed: 'ended',
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

export function reachabilityOf({
  state,
  phone,
}: Pick<WhatsAppLink, 'state' | 'phone'>): Reachability {
  // Without a number the account was never linked, so no connection can come back.
  return state === 'disconnected' && phone === null ? 'ended' : REACHABILITY_OF_STATE[state];
}

/** Resolves when WhatsApp is reachable, or throws the seed's error. */
export async function waitUntilReachable(call: ClientCall): Promise<void> {
  const { transport, wait } = call.deps;
  const { stepsMs } = RETRY.outbound_send;
  for (const [tried, ms] of stepsMs.entries()) {
    if (await isUp(call)) return;
    const which = `${tried + 1} of ${stepsMs.length}`;
    call.progress(`WhatsApp cannot be reached. Trying again in ${ms / 1_000} s (${which}).`);
    await wait(ms, call.signal);
    // Its own reconnect delay is longer than the call waits.
    if (transport.link.state === 'unreachable') transport.connect();
  }
  if (await isUp(call)) return;
  throw new SeedError('NETWORK_ERROR', connectionSentence(transport.link.state));
}

async function isUp({ deps }: ClientCall): Promise<boolean> {
  const { link } = deps.transport;
  const sentence = connectionSentence(link.state);
  switch (reachabilityOf(link)) {
    case 'up':
      return true;
    case 'away':
      return false;
    case 'ended':
      throw new SeedError('SESSION_EXPIRED', sentence);
    case 'changed':
      await reportUnexpected(deps, `link ${link.since.toISOString()}`, sentence);
      throw new SeedError('ELEMENT_NOT_FOUND', sentence);
  }
}

// The errors that seed 002 has codes for. Over MCP they are JSON-RPC errors with the seed's code and name; every other
// refusal is the result of the call, so that the client's model reads the sentence.

const SEED_ERRORS = {
  SESSION_PATH_INVALID: { rpc: -32000, code: 'session_not_kept' },
  BROWSER_LAUNCH_FAILED: { rpc: -32001, code: 'whatsapp_not_started' },
  SESSION_EXPIRED: { rpc: -32000, code: 'whatsapp_not_connected' },
  CHAT_NOT_FOUND: { rpc: -32001, code: 'chat_not_found' },
  NETWORK_ERROR: { rpc: -32002, code: 'whatsapp_unreachable' },
  ELEMENT_NOT_FOUND: { rpc: -32003, code: 'whatsapp_changed' },
} as const satisfies Record<string, { readonly rpc: number; readonly code: KnownErrorCode }>;

type SeedErrorName = keyof typeof SEED_ERRORS;

export class SeedError extends RelayError {
  readonly seedName: SeedErrorName;

  constructor(name: SeedErrorName, sentence: string) {
    super(SEED_ERRORS[name].code, { sentence });
    this.name = 'SeedError';
    this.seedName = name;
  }

  get rpc(): number {
    return SEED_ERRORS[this.seedName].rpc;
  }
}

/** The seed's code for an error name; undefined for any other name. */
export const seedErrorCode = (name: unknown): number | undefined =>
  typeof name === 'string' && Object.hasOwn(SEED_ERRORS, name)
    ? SEED_ERRORS[name as SeedErrorName].rpc
    : undefined;

// Reports an unexpected answer of WhatsApp that is not a log-out, because a person has to look at it. The owner is
// notified in the log, on the live stream and, if enabled, on WhatsApp, once per subject.

const UNEXPECTED_EVENT = 'whatsapp.unexpected';

/** `about` identifies the subject; the sentence contains no text from messages. */
export async function reportUnexpected(
  deps: ClientDeps,
  about: string,
  sentence: string,
): Promise<void> {
  const { lease, gate, settings, log, onChange } = deps;
  const { account } = lease;
  const { state } = deps.transport.link;
  const isNew = await transaction(deps, async ({ tx }) => {
    const before = await tx
      .selectFrom('events')
      .select('id')
      .where('account_id', '=', account)
      .where('kind', '=', UNEXPECTED_EVENT)
      .where('subject', '=', about)
      .executeTakeFirst();
    if (before !== undefined) return false;
    await appendEvent(tx, account, {
      kind: UNEXPECTED_EVENT,
      subject: about,
      data: { state, sentence },
    });
    if (settings.tell_owner_on_whatsapp) {
      const text = `Relay: a client could not send a message. ${sentence}`;
      await notifyOwner(tx, { gate, account }, text);
    }
    return true;
  });
  if (!isNew) return;
  log.error('unexpected answer from WhatsApp', { state, reason: sentence });
  onChange();
}
