// The typed client for the daemon, using the page's own session. It keeps no state; data lives in the query cache.
import type { UploadedMedia } from '@relay/contract/api/media';
import {
  RelayApiError,
  RelayConnectionError,
  readResponse,
} from '@relay/contract/client/api-error';
import { createRelayClient } from '@relay/contract/client/relay-client';
import { isolate, isTextId, t } from '../i18n.ts';
import { requestAddress } from './account.ts';
import { fetchWithPasskey } from './passkey.ts';

export const relay = createRelayClient({
  baseUrl: '',
  fetch: (path, init) =>
    fetchWithPasskey(typeof path === 'string' ? requestAddress(path) : path, init),
});

/** Uploads a file; a message can then carry it. */
export async function uploadFile(file: File): Promise<UploadedMedia> {
  const query = new URLSearchParams({ file_name: file.name.slice(0, MOST_NAME_CHARACTERS) });
  const response = await fetchWithPasskey(requestAddress(`/api/media?${query}`), {
    method: 'POST',
    headers: { 'content-type': file.type || 'application/octet-stream' },
    body: file,
  }).catch((error: unknown) => {
    throw new RelayConnectionError(t('common.error.unknown'), error);
  });
  const { status, headers } = response;
  const body = await response.text();
  return readResponse({ status, headers: Object.fromEntries(headers), body }) as UploadedMedia;
}

const MOST_NAME_CHARACTERS = 256;

export const isSignedOut = (error: unknown): boolean =>
  error instanceof RelayApiError && error.status === 401;

/** The requested thing does not exist, or no longer does. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof RelayApiError && error.status === 404;

/** The session is too old for this action: the owner's token must be sent with it. */
export const needsOwnerToken = (error: unknown): boolean =>
  error instanceof RelayApiError &&
  (error.code === 'sign_in_stale' || error.code === 'owner_token_wrong');

/**
 * The error as text for people: in the console's own words if its code has some, otherwise in the daemon's. The daemon's
 * action may name a command, so the console's own sentence stands without it.
 */
export function readableError(error: unknown): string {
  if (!(error instanceof RelayApiError)) {
    return error instanceof Error ? error.message : t('common.error.unknown');
  }
  const { code, reason } = error;
  const [id, action] =
    reason === undefined
      ? [`errors.${code}`, `errors.${code}.action`]
      : [`decisions.reason.${reason}`, `errors.refused.${reason}.action`];
  const daemons = isTextId(id) ? undefined : error.action && isolate(error.action);
  const sentences = [
    isTextId(id) ? t(id) : isolate(error.sentence),
    isTextId(action) ? t(action) : daemons,
  ];
  return sentences.filter(Boolean).join(' ');
}
