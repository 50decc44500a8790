// For which contacts auto-reply rests at this moment, and why: shown beside what they are allowed.
import type { RestCause } from '@relay/core/auto-reply/rest';
import type { AccountId, ContactId } from '@relay/core/ids';
import type { Reader } from './database.ts';

export interface RestShown {
  readonly until: Date;
  readonly cause: RestCause;
}

export async function readRests(
  db: Reader,
  account: AccountId,
  now: Date,
): Promise<ReadonlyMap<ContactId, RestShown>> {
  const rows = await db
    .selectFrom('sessions')
    .select(['contact_id', 'resting_until', 'rest_reason'])
    .where('account_id', '=', account)
    .where('kind', '=', 'auto_reply')
    .where('resting_until', '>', now)
    .execute();
  return new Map(
    rows.flatMap(({ contact_id, resting_until: until, rest_reason }) =>
      contact_id === null || until === null
        ? []
        : [[contact_id, { until, cause: rest_reason as RestCause }] as const],
    ),
  );
}
