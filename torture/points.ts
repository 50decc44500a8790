// The points at which a daemon is killed, named after the way of a message:
// receive → journal → receipt → inbox, and outbox → encrypt → wire → ack → status.
// `before`: the statement or the bytes have not left. `during`: the commit has, its answer has not come.
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

export type Point = (typeof RECEIVING)[number] | (typeof SENDING)[number];
