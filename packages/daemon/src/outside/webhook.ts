// Segments over the owner's webhook, signed as Standard Webhooks has it, through the one way to the outside. The
// id stays the same when it is tried again, so that whoever receives it can tell.

import type { Segment } from '@relay/core/outside/segment';
import { Webhook } from 'standardwebhooks';
import type { Egress } from '../egress/egress.ts';

export interface Endpoint {
  readonly url: string;
  /** `whsec_…` */
  readonly secret: string;
}

export interface OutsideEvent {
  readonly id: string;
  readonly type: 'digest.written' | 'digest.erased';
  readonly timestamp: string;
  readonly data: { readonly digest_id: string; readonly segments?: readonly Segment[] };
}

export class WebhookRefused extends Error {}

const TIMEOUT_MS = 20_000;

export async function sendEvent(
  egress: Egress,
  { url, secret }: Endpoint,
  { id, ...event }: OutsideEvent,
  now: Date,
): Promise<void> {
  const body = JSON.stringify(event);
  const { status } = await egress(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(+now / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    },
    body,
    timeoutMs: TIMEOUT_MS,
  });
  if (status < 200 || status > 299) throw new WebhookRefused(`the webhook answered with ${status}`);
}
