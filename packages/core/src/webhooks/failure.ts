// Why a delivery failed: a persisted code and a sentence for people. It never contains the receiver's response, which
// may hold anything.

const DELIVERY_FAILURES = {
  status: 'The receiver answered with {status}.',
  not_an_address: 'The address of the webhook is not a web address.',
  not_http: 'Only http and https addresses are allowed.',
  address_inside:
    'The address is not on the public internet. Allow it with `webhooks.allow` in relay.config.json, such as "127.0.0.1:5678".',
  unknown_name: 'The host name of the receiver has no address.',
  unreachable: 'The receiver could not be reached.',
  too_slow: 'The receiver did not answer in time.',
  stopped: 'The delivery was stopped before the receiver answered.',
  too_large: 'The answer of the receiver was too large.',
  too_many_redirects:
    'The receiver redirects to another address, and Relay does not follow redirects.',
  garbled: 'The answer of the receiver could not be read.',
  sealed:
    'The secret was encrypted for another home folder. Create a new one with `relay webhook rotate`.',
  gone: 'The receiver answered 410 (gone), so Relay turned the webhook off.',
  disabled: 'The webhook was turned off before the delivery.',
  erased: 'The data of this event was erased, so nothing was sent.',
} as const;

export type DeliveryFailure = keyof typeof DELIVERY_FAILURES;

export const deliveryFailureSentence = (
  failure: string | null,
  status: number | null,
): string | null => {
  if (failure === null) return null;
  const sentence: string = DELIVERY_FAILURES[failure as DeliveryFailure] ?? 'The delivery failed.';
  return sentence.replace('{status}', String(status ?? 'an error'));
};
