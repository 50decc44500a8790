// The points at which a daemon is killed, named after the path of a message:
// receive → journal → receipt → inbox, and outbox → encrypt → wire → ack → status; and after the steps of
// an agent's turn, which ends with outbox: begin → model → call → outbox.
// A received file: media → draft → place → object → model → understood, and forget → remove when it is erased.
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

/** Of a received file: its row, the sealed file that is written and gets its name, its content's row, its removal. */
export const FILING = [
  'media:before',
  'media:ready',
  'media:during',
  'media:after',
  'draft:before',
  'draft:after',
  'place:before',
  'place:after',
  'object:before',
  'object:ready',
  'object:during',
  'object:after',
] as const;

export const FORGETTING = [
  'forget:before',
  'forget:ready',
  'forget:during',
  'forget:after',
  'remove:before',
  'remove:after',
] as const;

/** Of a voice message: the request to the transcription server, and the row that says what was understood. */
export const TRANSCRIBING = [
  'model:before',
  'model:during',
  'model:after',
  'understood:before',
  'understood:ready',
  'understood:during',
  'understood:after',
] as const;

export type Point =
  | (typeof FILING)[number]
  | (typeof FORGETTING)[number]
  | (typeof RECEIVING)[number]
  | (typeof SENDING)[number]
  | (typeof TRANSCRIBING)[number]
  | (typeof TURNING)[number];
