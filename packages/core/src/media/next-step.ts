// What follows a download that failed: ask the phone to upload the file again, try later, or give up with a reason.
import type { MediaState } from '@relay/contract/api/media';
import type { MediaFaultKind } from '../ports/transport.ts';
import { delayFor, RETRY } from '../retry.ts';

/** Why media is not stored. Persisted: never rename one. */
const MEDIA_REASONS = {
  no_read_grant: 'No agent may read this chat, so Relay did not download it.',
  view_once: 'It was to be seen once. Relay did not download it.',
  too_large: 'It is larger than the limit.',
  chat_quota: 'The media of this chat already take all the room that they may.',
  total_quota: 'All media together already take all the room that they may.',
  expired: 'WhatsApp and the phone no longer have it.',
  damaged: 'What WhatsApp has is not what was sent.',
  unreachable: 'WhatsApp’s media hosts could not be reached.',
  no_answer: 'WhatsApp no longer has it, and the phone did not answer.',
  malformed: 'The message does not say where the file is.',
  not_in_archive: 'The archive that was restored did not contain it.',
  retention: 'It was deleted by your limit for media.',
} as const;

export type MediaReason = keyof typeof MEDIA_REASONS;

export type NextStep =
  | { readonly do: 'ask_again' }
  /** `counts`: as an attempt. */
  | { readonly do: 'retry'; readonly delayMs: number; readonly counts: boolean }
  | { readonly do: 'end'; readonly state: MediaState; readonly reason: MediaReason };

interface DownloadAttempt {
  /** Those before it that counted. */
  readonly attempts: number;
  /** Whether the phone was asked for it in this attempt. */
  readonly askedAgain: boolean;
  /** In [0, 1). */
  readonly jitter: number;
}

/** Without a connection there is nothing to count. */
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
