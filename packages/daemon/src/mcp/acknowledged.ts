// A message is sent when WhatsApp has acknowledged it, and not before. Until then the call waits, for as long
// as programs do; what takes longer is on its way all the same, and is told to be.
import type { OutboxId } from '@relay/core/ids';
import { isReached } from '@relay/core/outbox/progress';
import type { Call } from './tool.ts';

export type Fate =
  | { readonly kind: 'sent'; readonly at: Date }
  | { readonly kind: 'failed'; readonly failure: string }
  | { readonly kind: 'queued' };

/** Nothing was tried yet: it waits for its turn, which may take minutes. */
const FOR_ITS_TURN_MS = 20_000;
/** Under way: time for every retry there is. */
const UNDER_WAY_MS = 45_000;
/** When a hint is lost. */
const LOOK_MS = 1_000;
const TELL_MS = 5_000;

/** `by` is when the call has to be answered at the latest. */
export async function untilAcknowledged(call: Call, id: OutboxId, by: Date): Promise<Fate> {
  const { events, now, wait } = call.world;
  const begun = now().getTime();
  let [hinted, toldAt] = [Promise.withResolvers<void>(), begun];
  const unsubscribe = events.subscribe(() => hinted.resolve());
  try {
    for (;;) {
      hinted = Promise.withResolvers<void>();
      const { state, sent_at, failure, attempts } = await read(call, id);
      if (isReached(state)) return { kind: 'sent', at: sent_at ?? now() };
      if (state === 'failed') return { kind: 'failed', failure: failure ?? '' };
      const at = now().getTime();
      const patience = attempts === 0 ? FOR_ITS_TURN_MS : UNDER_WAY_MS;
      const left = Math.min(begun + patience, by.getTime()) - at;
      if (left <= 0) return { kind: 'queued' };
      if (at - toldAt >= TELL_MS) {
        toldAt = at;
        call.progress(
          attempts === 0 ? 'It waits for its turn.' : 'Waiting for WhatsApp to acknowledge it.',
        );
      }
      await Promise.race([hinted.promise, wait(Math.min(left, LOOK_MS), call.signal)]);
    }
  } finally {
    unsubscribe();
  }
}

const read = ({ world: { db, lease } }: Call, id: OutboxId) =>
  db
    .selectFrom('outbox')
    .select(['state', 'sent_at', 'failure', 'attempts'])
    .where('account_id', '=', lease.account)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
