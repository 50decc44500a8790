// Jobs of deliveries. A webhook has a few lanes, each with one request at a time: a receiver that is slow holds
// up nobody but itself, and what concerns one chat goes out in its order as long as all goes well.
import type { AccountId, WebhookId } from '@relay/core/ids';
import type { Facts } from '@relay/core/webhooks/told';
import type { Jobs } from '../jobs/jobs.ts';
import type { Transaction } from '../store/database.ts';
import type { Queued } from '../store/webhooks/deliveries.ts';

const LANES = 4;

const laneKey = (account: AccountId, webhook: WebhookId, lane: number): string =>
  `${account}:${webhook}:${lane}`;

export const lanesOf = (account: AccountId, webhook: WebhookId): string[] =>
  Array.from({ length: LANES }, (_, lane) => laneKey(account, webhook, lane));

/** The same for the same subject. */
function laneOf({ chat, instance, approval }: Facts): number {
  let sum = 0;
  for (const character of String(chat ?? instance ?? approval)) {
    sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  }
  return sum % LANES;
}

export async function enqueueDeliveries(
  jobs: Jobs,
  tx: Transaction,
  account: AccountId,
  deliveries: readonly Queued[],
  inSeconds = 0,
): Promise<void> {
  await jobs.enqueue(
    tx,
    'webhook',
    deliveries.map(({ id, webhook, facts }) => ({
      key: laneKey(account, webhook, laneOf(facts)),
      data: { account, subject: id },
      inSeconds,
    })),
  );
}
