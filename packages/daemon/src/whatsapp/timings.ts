// Every wait of the transport that is its own and not the close policy's, in milliseconds.
// Invariant: production uses DEFAULT_TIMINGS; tests shorten single ones and change nothing else.

export interface Timings {
  /** After a question of ours: how long the server may take to answer. */
  readonly queryMs: number;
  /** After a message was handed to the socket: how long the server may take to acknowledge it. */
  readonly ackMs: number;
  /** Before that: how long looking up devices, fetching keys and uploading a file may take. */
  readonly relayMs: number;
  /** Between two pings of ours. */
  readonly pingMs: number;
  /** After a ping: how long the line may be silent before it counts as deaf. */
  readonly deafMs: number;
  /** Baileys' event buffer sticks now and then; it is emptied this often. */
  readonly flushMs: number;
  /** From `connect` on: how long codes are renewed while nobody uses one. */
  readonly linkMs: number;
  /** How long one QR code is shown; null leaves it to Baileys: a minute, then 20 s each. */
  readonly qrMs: number | null;
  /** A connection that stayed open this long forgets the failures before it. */
  readonly steadyMs: number;
  /** How long the server may take to say that nothing more waits, and each of what waited to be read. */
  readonly replayMs: number;
  /** How long a socket may take to close politely. */
  readonly closeMs: number;
  /** The waits of the close policy are multiplied by this: 1 but for tests. */
  readonly backOff: number;
}

export const DEFAULT_TIMINGS: Timings = {
  queryMs: 30_000,
  ackMs: 30_000,
  relayMs: 120_000,
  pingMs: 25_000,
  deafMs: 15_000,
  flushMs: 250,
  linkMs: 180_000,
  qrMs: null,
  steadyMs: 10_000,
  replayMs: 20_000,
  closeMs: 3_000,
  backOff: 1,
};
