// Why a message that was given up did not arrive, as it stands beside it: sentences for people, of which
// programs that sent it must tell some apart.

export const NOT_REACHED =
  'WhatsApp could not be reached for this message after several tries. Check the connection and send it anew.';

const REFUSED = 'WhatsApp refused this message';

/** For a code that nobody knows. */
export const refusedWith = (code: number | null): string =>
  `${REFUSED}${code === null ? '' : ` (code ${code})`}. Check the recipient and send it anew.`;

export type FailureKind =
  /** The network failed. */
  | 'not_reached'
  /** WhatsApp answered as nobody expected. */
  | 'unexpected'
  /** Somebody or something stopped it, and the sentence says why. */
  | 'stopped';

export function kindOfFailure(failure: string): FailureKind {
  if (failure === NOT_REACHED) return 'not_reached';
  return failure.startsWith(REFUSED) ? 'unexpected' : 'stopped';
}
