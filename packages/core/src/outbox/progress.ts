// The delivery states of a message. Receipts arrive late, twice and in any order: a known fact is never taken back. A
// message with an unknown result is sent again only after reconciliation, and always under the same id.

import type { OutboxState } from '@relay/contract/outbox/states';

export interface DeliveryProgress {
  readonly state: OutboxState;
  /** Whether it may have been sent without an acknowledgement so far. */
  readonly inDoubt: boolean;
}

export type OutboxEvent =
  /** It is about to be handed to the transport. */
  | { readonly type: 'offered' }
  /** The server has accepted it. */
  | { readonly type: 'accepted' }
  /** This attempt was certainly not sent; `last` if there will be no other. */
  | { readonly type: 'not_sent'; readonly last: boolean }
  /** This attempt has no acknowledgement, or the process that waited for it is gone. */
  | { readonly type: 'lost' }
  | { readonly type: 'refused'; readonly verdict: 'final' | 'later' }
  | { readonly type: 'receipt'; readonly status: ReachedState }
  /** It must no longer be sent. */
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

/** Whether WhatsApp has not acknowledged it and it has not failed. */
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
      // An earlier attempt of an unknown message may have been sent after all.
      if (before.state === 'unknown') return before;
      return { state: event.last ? 'failed' : 'pending', inDoubt: false };
    case 'stopped':
      return { state: 'failed', inDoubt: before.inDoubt };
  }
}

function reach(before: DeliveryProgress, status: ReachedState): DeliveryProgress {
  // A message that certainly failed gets no receipts.
  if (before.state === 'failed' && !before.inDoubt) return before;
  return REACHED[status] > REACHED[before.state] ? { state: status, inDoubt: false } : before;
}

function refuse(before: DeliveryProgress, verdict: 'final' | 'later'): DeliveryProgress {
  // Accepted by the server and refused afterwards; in a later state it has already arrived.
  if (before.state === 'sent') return { state: 'failed', inDoubt: false };
  if (!isUnsettled(before.state) || !before.inDoubt) return before;
  // The refusal is about this attempt; an earlier one may have been sent after all.
  const inDoubt = before.state === 'unknown';
  if (verdict === 'final') return { state: 'failed', inDoubt };
  return { state: before.state, inDoubt };
}

/** May be handed to the transport: certainly never sent, or unknown and reconciled. */
export const mayOffer = (progress: DeliveryProgress, reconciled: boolean): boolean =>
  progress.state === 'unknown' ? reconciled : progress.state === 'pending' && !progress.inDoubt;
