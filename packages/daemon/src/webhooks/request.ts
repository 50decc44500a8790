// One attempt: the body signed as Standard Webhooks has it, through the one way to the outside. The status is
// all of the answer that is looked at.
import type { DeliveryId } from '@relay/core/ids';
import type { DeliveryFailure } from '@relay/core/webhooks/failure';
import type { DeliveryType } from '@relay/core/webhooks/kinds';
import { Webhook } from 'standardwebhooks';
import { EgressError } from '../egress/error.ts';
import type { WebhookRow } from '../store/webhooks/webhooks.ts';
import { openSecrets } from './secrets.ts';
import type { WebhookWorld } from './world.ts';

export interface Told {
  readonly id: DeliveryId;
  readonly type: DeliveryType;
  readonly at: Date;
  readonly data: object;
}

export interface Attempt {
  readonly status: number | null;
  /** Null: it arrived. */
  readonly failure: DeliveryFailure | null;
}

/** Whoever takes a message puts it in a queue of its own and answers: this is long. */
const TIMEOUT_MS = 15_000;

export async function attempt(
  world: WebhookWorld,
  webhook: Pick<WebhookRow, 'id' | 'url' | 'rotated_at'>,
  told: Told,
  signal?: AbortSignal,
): Promise<Attempt> {
  const now = world.now();
  const secrets = await openSecrets(world, webhook, now);
  if (secrets === null) return { status: null, failure: 'sealed' };
  const { id, type, at, data } = told;
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
  try {
    const { status } = await world.egress(webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(+now / 1000)),
        'webhook-signature': secrets.map((key) => new Webhook(key).sign(id, now, body)).join(' '),
      },
      body,
      statusOnly: true,
      timeoutMs: TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    });
    if (status >= 200 && status <= 299) return { status, failure: null };
    return { status, failure: status === 410 ? 'gone' : 'status' };
  } catch (error) {
    // Stopped with the daemon: it was not the receiver's fault, and the next start tries it again.
    if (signal?.aborted || !(error instanceof EgressError)) throw error;
    return { status: null, failure: error.reason };
  }
}
