// Where a message of the outbox stands, as the end of a sentence.
import { stopClause } from './stops.ts';
import type { DeliveryFacts, Reading } from './story.ts';
import { clause, when } from './words.ts';

const WAITS = {
  hold: 'because sending is on hold',
  paused: 'because its conversation is paused',
} as const;

/** `what` is “it” or “the answer”. */
export function stands(what: string, facts: DeliveryFacts, reading: Reading): string {
  const { state, at, waitsFor } = facts;
  const time = at === null ? '' : ` ${when(at, reading)}`;
  switch (state) {
    case 'pending':
      return `${what} waits ${waitsFor === null ? 'to be sent' : WAITS[waitsFor]}`;
    case 'sent':
      return `${what} was sent${time}, and WhatsApp has not said yet that it arrived`;
    case 'delivered':
      return `${what} was delivered${time}`;
    case 'read':
      return `${what} was read${time}`;
    case 'unknown':
      return `${what} may have arrived or not, for WhatsApp gave no answer`;
    case 'failed':
      return `${what} ${failed(facts)}`;
  }
}

function failed({ stop, failure, inDoubt }: DeliveryFacts): string {
  const doubt = inDoubt ? ', though an earlier attempt may have arrived' : '';
  if (stop !== null) return `was not sent, because ${stopClause(stop)}${doubt}`;
  const why = failure === null ? '' : `: ${clause(failure)}`;
  return `could not be sent${why}${doubt}`;
}
