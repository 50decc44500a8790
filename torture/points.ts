// The points at which a daemon is killed, named after the way of a message:
// receive → journal → receipt → inbox, and outbox → encrypt → wire → ack → status; and after the steps of
// an agent's turn, which ends with outbox: begin → model → call → outbox.
// `before`: the statement or the bytes have not left. `ready`: all was said, the commit has not left.
// `during`: the commit has, its answer has not come; or the request has, and the model's answer has not.
// `after`: it is durable, or on the wire, and nobody has acted on that.

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
  // Of a turn: they have run, and the model has not been told.
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
