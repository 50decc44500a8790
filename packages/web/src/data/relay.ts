// The typed client for the daemon, using the page's own session. It keeps no state; data lives in the query cache.
import { RelayApiError } from '@relay/contract/client/api-error';
import { createRelayClient } from '@relay/contract/client/relay-client';
import { t } from '../i18n.ts';

export const relay = createRelayClient({ baseUrl: '' });

export const isSignedOut = (error: unknown): boolean =>
  error instanceof RelayApiError && error.status === 401;

/** The requested thing does not exist, or no longer does. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof RelayApiError && error.status === 404;

/** The session is too old for this action: the owner's token must be sent with it. */
export const needsOwnerToken = (error: unknown): boolean =>
  error instanceof RelayApiError &&
  (error.code === 'sign_in_stale' || error.code === 'owner_token_wrong');

/** The error as text for people; the daemon's own sentence where there is one. */
export const readableError = (error: unknown): string =>
  error instanceof Error ? error.message : t('common.error.unknown');
