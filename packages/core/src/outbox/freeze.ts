// Decides what WhatsApp's refusals mean for a message and for later ones. A freeze only delays. The causes are
// persisted: never rename one.

import type { PacingSettings } from '@relay/contract/settings';
import { delayFor, longestWait, RETRY } from '../retry.ts';

interface FreezeSpec {
  readonly stops: 'everything' | 'first_contacts';
  /** `{until}` is the end of the freeze. */
  readonly sentence: string;
}

export const FREEZES = {
  too_fast: {
    stops: 'everything',
    sentence:
      'WhatsApp reports that this account sends too many messages at once. Sending is paused until {until}; queued messages are kept.',
  },
  time_lock: {
    stops: 'first_contacts',
    sentence:
      'WhatsApp blocks this account from writing to new people until {until}. Known contacts are not affected.',
  },
  stranger_refused: {
    stops: 'first_contacts',
    sentence:
      'WhatsApp refused a first message to a new person, so first messages are paused until {until}. Known contacts are not affected.',
  },
} as const satisfies Record<string, FreezeSpec>;

export type FreezeCause = keyof typeof FREEZES;

/** WhatsApp sends a time lock with its end; the others follow from a refusal. */
export type RefusalCause = Exclude<FreezeCause, 'time_lock'>;

export interface Freeze {
  readonly cause: FreezeCause;
  readonly until: Date;
  /** Consecutive freezes of this cause. */
  readonly strikes: number;
}

interface SendRefusal {
  /** `later`: certainly not sent, and to be tried again after the freeze. */
  readonly verdict: 'final' | 'later';
  readonly freeze: RefusalCause | null;
  readonly sentence: string;
}

export function interpretRefusal(code: number | null): SendRefusal {
  switch (code) {
    case 463:
      return {
        verdict: 'final',
        freeze: 'stranger_refused',
        sentence:
          'WhatsApp does not allow this account to write to this person first. You can write after they have written to you.',
      };
    case 429:
      return {
        verdict: 'later',
        freeze: 'too_fast',
        sentence: 'WhatsApp reports too many messages at once. The message is queued.',
      };
    default:
      return {
        verdict: 'final',
        freeze: null,
        sentence: refusedSentence(code),
      };
  }
}

/** The freeze after a refusal, given the previous one of the same cause. */
export function freezeAfter(
  cause: RefusalCause,
  before: Freeze | null,
  pacing: PacingSettings,
  now: Date,
): Freeze {
  if (cause === 'stranger_refused') {
    return { cause, strikes: 1, until: after(now, pacing.first_contact_freeze_hours * 3_600_000) };
  }
  // Refusals of messages that were already in flight add nothing.
  if (before !== null && before.until > now) return before;
  // After a quiet period as long as the longest freeze the count starts again.
  const quiet = before === null ? null : now.getTime() - before.until.getTime();
  const again = quiet !== null && quiet < longestWait(RETRY.sent_too_fast);
  const strikes = again ? (before?.strikes ?? 0) + 1 : 1;
  return {
    cause,
    strikes,
    until: after(
      now,
      delayFor(RETRY.sent_too_fast, strikes, 0) ?? longestWait(RETRY.sent_too_fast),
    ),
  };
}

/** The longest freeze that applies now; null if there is none. */
export function activeFreeze(
  freezes: readonly Freeze[],
  stops: FreezeSpec['stops'],
  now: Date,
): Freeze | null {
  const active = freezes.filter(
    ({ cause, until }) =>
      until > now && (FREEZES[cause].stops === 'everything' || FREEZES[cause].stops === stops),
  );
  return active.reduce<Freeze | null>(
    (longest, freeze) => (longest === null || freeze.until > longest.until ? freeze : longest),
    null,
  );
}

export const freezeSentence = ({ cause, until }: Freeze): string =>
  FREEZES[cause].sentence.replace(
    '{until}',
    `${until.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
  );

const after = (now: Date, ms: number): Date => new Date(now.getTime() + ms);

// Why a failed message was not sent: sentences for people, some of which clients must be able to distinguish.

// Failures are stored as text, and these beginnings classify them: never change one.
const NOT_REACHED = 'WhatsApp could not be reached for this message';
const REFUSED = 'WhatsApp refused this message';

export const NOT_REACHED_SENTENCE = `${NOT_REACHED} after several attempts. Check the connection and send it again.`;

/** For an unknown code. */
const refusedSentence = (code: number | null): string =>
  `${REFUSED}${code === null ? '' : ` (code ${code})`}. Check the recipient and send it again.`;

type FailureKind =
  /** The network failed. */
  | 'not_reached'
  /** WhatsApp's response was unexpected. */
  | 'unexpected'
  /** It was stopped, and the sentence says why. */
  | 'stopped';

export function classifyFailure(failure: string): FailureKind {
  if (failure.startsWith(NOT_REACHED)) return 'not_reached';
  return failure.startsWith(REFUSED) ? 'unexpected' : 'stopped';
}
