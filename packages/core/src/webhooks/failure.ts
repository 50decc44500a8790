// Why a delivery failed: a persisted code and a sentence for people. It never contains the receiver's response, which
// may hold anything.

const DELIVERY_FAILURES = {
  status: 'The receiver answered with {status}.',
  not_an_address: 'The address of the webhook is none on the web.',
  not_http: 'Only http and https lead outside.',
  address_inside:
    'The address is not on the public internet. `webhooks.allow` in relay.config.json lets one in, as "127.0.0.1:5678".',
  unknown_name: 'The name of the receiver has no address.',
  unreachable: 'Nothing answers there.',
  too_slow: 'The receiver took too long to answer.',
  stopped: 'It was stopped before the receiver had answered.',
  too_large: 'The answer was too large.',
  too_many_redirects: 'The receiver sends on to another address; what is told goes to yours alone.',
  garbled: 'The answer could not be read.',
  sealed: 'The secret was sealed for another home. `relay webhook rotate` makes a new one.',
  gone: 'The receiver said that it is gone (410), so the webhook was switched off.',
  disabled: 'The webhook was switched off before it could be told.',
  erased: 'What it was about has been erased, so nothing was told.',
} as const;

export type DeliveryFailure = keyof typeof DELIVERY_FAILURES;

export const deliveryFailureSentence = (
  failure: string | null,
  status: number | null,
): string | null => {
  if (failure === null) return null;
  const sentence: string =
    DELIVERY_FAILURES[failure as DeliveryFailure] ?? 'It could not be delivered.';
  return sentence.replace('{status}', String(status ?? 'an error'));
};
