// The points at which a daemon is killed, named after the path of a message:
// receive → journal → receipt → inbox, and outbox → encrypt → wire → ack → status; and after the steps of
// an agent's turn, which ends with outbox: begin → model → call → outbox.
// `before`: the statement or the bytes have not been sent. `ready`: all statements were sent, the commit was not.
// `during`: the commit was sent, its answer has not come; or the request was sent, and the model has not answered.
// `after`: it is durable, or on the wire, and nothing has acted on it.

export const RECEIVING = [
  'receive',
  'journal:before',
  'journal:during',
  'journal:after',
  'receipt:before',
  'receipt:after',
  'inbox:before',
  'inbox:during',
  'inbox:after',
] as const;

export const SENDING = [
  'outbox:before',
  'outbox:during',
  'outbox:after',
  'encrypt:before',
  'encrypt:during',
  'encrypt:after',
  'wire:before',
  'wire:after',
  'ack',
  'status:before',
  'status:during',
  'status:after',
] as const;

export const TURNING = [
  'begin:before',
  'begin:during',
  'begin:after',
  'model:before',
  'model:during',
  'model:after',
  // In a turn: the calls have run, and the model has not got the results.
  'call 1:after',
  'call 2:after',
  'call 3:after',
  'outbox:before',
  'outbox:ready',
  'outbox:during',
  'outbox:after',
] as const;

export type Point =
  | (typeof RECEIVING)[number]
  | (typeof SENDING)[number]
  | (typeof TURNING)[number];
