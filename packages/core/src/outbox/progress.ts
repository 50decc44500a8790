// How far a message has come. Receipts come late, twice and in any order: what is known to have happened
// is never taken back. A message whose fate is in doubt is offered again only when it has been
// reconciled, and always under its own id.

import type { OutboxState } from '@relay/contract/outbox/states';

export interface DeliveryProgress {
  readonly state: OutboxState;
  /** It may have left, and nobody has said yet whether it did. */
  readonly inDoubt: boolean;
}

export type OutboxEvent =
  /** It is about to be handed to the wire. */
  | { readonly type: 'offered' }
  /** The server has taken it. */
  | { readonly type: 'accepted' }
  /** This attempt certainly did not leave; `last` when there will be no other. */
  | { readonly type: 'not_sent'; readonly last: boolean }
  /** Nobody answered this attempt, or whoever waited for the answer is gone. */
  | { readonly type: 'lost' }
  | { readonly type: 'refused'; readonly verdict: 'final' | 'later' }
  | { readonly type: 'receipt'; readonly status: ReachedState }
  /** It may no longer be sent. */
  | { readonly type: 'stopped' };

export type ReachedState = 'sent' | 'delivered' | 'read';

const REACHED: Readonly<Record<OutboxState, number>> = {
  pending: 0,
  unknown: 0,
  failed: 0,
  sent: 1,
  delivered: 2,
  read: 3,
};

export const isReached = (state: OutboxState): state is ReachedState => REACHED[state] > 0;

export function advanceProgress(before: DeliveryProgress, event: OutboxEvent): DeliveryProgress {
  switch (event.type) {
    case 'accepted':
      return reach(before, 'sent');
    case 'receipt':
      return reach(before, event.status);
    case 'refused':
      return refuse(before, event.verdict);
    default:
      return isUnsettled(before.state) ? whileOpen(before, event) : before;
  }
}

/** WhatsApp has not acknowledged it, and it was not given up. */
export const isUnsettled = (state: OutboxState): boolean =>
  state === 'pending' || state === 'unknown';

function whileOpen(
  before: DeliveryProgress,
  event: Extract<OutboxEvent, { type: 'offered' | 'not_sent' | 'lost' | 'stopped' }>,
): DeliveryProgress {
  switch (event.type) {
    case 'offered':
      return { ...before, inDoubt: true };
    case 'lost':
      return before.inDoubt ? { state: 'unknown', inDoubt: true } : before;
    case 'not_sent':
      // An earlier attempt of an unknown one may have left all the same.
      if (before.state === 'unknown') return before;
      return { state: event.last ? 'failed' : 'pending', inDoubt: false };
    case 'stopped':
      return { state: 'failed', inDoubt: before.inDoubt };
  }
}

function reach(before: DeliveryProgress, status: ReachedState): DeliveryProgress {
  // What certainly failed has nothing to be told of.
  if (before.state === 'failed' && !before.inDoubt) return before;
  return REACHED[status] > REACHED[before.state] ? { state: status, inDoubt: false } : before;
}

function refuse(before: DeliveryProgress, verdict: 'final' | 'later'): DeliveryProgress {
  // Taken by the server and refused on second thought; past that, somebody has it already.
  if (before.state === 'sent') return { state: 'failed', inDoubt: false };
  if (!isUnsettled(before.state) || !before.inDoubt) return before;
  // What was refused is this attempt; an earlier one may have left all the same.
  const inDoubt = before.state === 'unknown';
  if (verdict === 'final') return { state: 'failed', inDoubt };
  return { state: before.state, inDoubt };
}

/** May be handed to the wire: certainly never left, or in doubt and reconciled. */
export const mayOffer = (progress: DeliveryProgress, reconciled: boolean): boolean =>
  progress.state === 'unknown' ? reconciled : progress.state === 'pending' && !progress.inDoubt;
