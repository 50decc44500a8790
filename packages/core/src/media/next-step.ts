// What follows a download that failed: ask the phone to upload the file again, try later, or give up with a reason.
import type { MediaState } from '@relay/contract/api/media';
import type { MediaFaultKind } from '../ports/transport.ts';
import { delayFor, RETRY } from '../retry.ts';

/** Why media is not stored. Persisted: never rename one. */
export type MediaReason =
  /** No agent may read the chat. */
  | 'no_read_grant'
  | 'view_once'
  | 'too_large'
  | 'chat_quota'
  | 'total_quota'
  /** WhatsApp and the phone no longer have it. */
  | 'expired'
  /** WhatsApp's copy differs from what was sent. */
  | 'damaged'
  /** WhatsApp's media hosts did not answer. */
  | 'unreachable'
  /** WhatsApp no longer has it, and the phone did not answer. */
  | 'no_answer'
  /** The message does not say where the file is. */
  | 'malformed'
  /** The restored archive did not contain it. */
  | 'not_in_archive'
  /** Deleted by the owner's limit. */
  | 'retention';

export type NextStep =
  | { readonly do: 'ask_again' }
  /** `counts`: whether the failure counts as an attempt. */
  | { readonly do: 'retry'; readonly delayMs: number; readonly counts: boolean }
  | { readonly do: 'end'; readonly state: MediaState; readonly reason: MediaReason };

interface DownloadAttempt {
  /** The earlier attempts that counted. */
  readonly attempts: number;
  /** Whether the phone was asked for it in this attempt. */
  readonly askedAgain: boolean;
  /** In [0, 1). */
  readonly jitter: number;
}

/** An attempt without a connection does not count. */
const UNTIL_CONNECTED_MS = 60_000;

const end = (state: MediaState, reason: MediaReason): NextStep => ({ do: 'end', state, reason });

export function afterMediaFault(kind: MediaFaultKind, attempt: DownloadAttempt): NextStep {
  switch (kind) {
    case 'not_connected':
      return { do: 'retry', delayMs: UNTIL_CONNECTED_MS, counts: false };
    case 'too_large':
      return end('refused', 'too_large');
    case 'malformed':
      return end('unavailable', 'malformed');
    case 'expired':
    case 'damaged':
      return attempt.askedAgain ? end('unavailable', kind) : { do: 'ask_again' };
    case 'not_there':
      return end('unavailable', 'expired');
    case 'unreachable':
    case 'no_answer': {
      const delayMs = delayFor(RETRY.media, attempt.attempts + 1, attempt.jitter);
      return delayMs === null ? end('unavailable', kind) : { do: 'retry', delayMs, counts: true };
    }
  }
}
