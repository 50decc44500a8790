// The daemon as the console reaches it: the typed client over the page's own session. It keeps nothing; what is
// known lives in the query cache.
import { RelayApiError } from '@relay/contract/client/api-error';
import { createRelayClient } from '@relay/contract/client/relay-client';

export const relay = createRelayClient({ baseUrl: '' });

export const isSignedOut = (error: unknown): boolean =>
  error instanceof RelayApiError && error.status === 401;

/** What was asked for is not there, or not any more. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof RelayApiError && error.status === 404;

/** The session is too old for this: the owner's token has to come with it. */
export const needsOwnerToken = (error: unknown): boolean =>
  error instanceof RelayApiError &&
  (error.code === 'sign_in_stale' || error.code === 'owner_token_wrong');

/** What went wrong, for a person; the daemon's own words where it spoke. */
export const readableError = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong.';
