// Requirements for the case that WhatsApp reveals that a LID and a phone number are the same person.
export const IDENTITY = {
  'IDENTITY-LID-FIRST':
    'Somebody known by LID alone is the same contact once their number is revealed: each message is stored once and reaches its conversation.',
  'IDENTITY-LID-SESSION':
    'A message under the LID is decrypted with the session that was begun under the number, stored once, and reaches its conversation.',
  'IDENTITY-MERGE-ANY-MOMENT':
    'Whenever two contacts are merged, nothing is lost, failed or sent twice, and every reply reaches its conversation.',
  'IDENTITY-MERGE-CARRIES':
    'A merge of two contacts carries conversations, permits, approvals, schedules, queued and doubtful messages over.',
  'IDENTITY-MERGE-NARROWS': 'A merge of two contacts never allows more than each was allowed.',
  'IDENTITY-ROUTE-ORDER':
    'Messages of a merged contact are routed one after the other, in the order they came.',
} as const;
