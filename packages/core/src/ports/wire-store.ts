// What a transport must have made durable, in its own words: bytes under names. Implemented by `store`.
// Invariant: what is durable is always a prefix of what was submitted, and a unit is durable whole.

/** A key of the transport's. What the kinds mean is the transport's business; numbers are never reused. */
export interface KeyWrite {
  readonly kind: number;
  readonly id: string;
  /** Null deletes. */
  readonly value: Uint8Array | null;
}

/** A ciphertext that was opened once and cannot be opened again, and what was in it. */
export interface JournalEntry {
  readonly digest: Uint8Array;
  readonly plain: Uint8Array;
}

/** A message as it came; `InboxReader` knows how to read it. Known once per chat, sender and id. */
export interface InboxEntry {
  readonly chat: string;
  readonly sender: string;
  readonly id: string;
  readonly stanza: Uint8Array;
  readonly content: Uint8Array;
  /** Of the journal entry in the same unit. */
  readonly digest?: Uint8Array;
}

/** One change of the wire's state: a decrypt with its ratchet and its message, an encrypt, new keys. */
export interface WireUnit {
  readonly keys?: readonly KeyWrite[];
  readonly credentials?: Uint8Array;
  readonly journal?: readonly JournalEntry[];
  readonly inbox?: readonly InboxEntry[];
}

export interface WireStore {
  /** Null only if the account was never linked. Unreadable is not missing: that is a fault. */
  credentials(): Promise<Uint8Array | null>;
  /** Those that exist. */
  read(kind: number, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  journal(digest: Uint8Array): Promise<Uint8Array | null>;
  /** Resolves when the unit is durable. Rejects with a WireFault, after which the store is of no use. */
  submit(unit: WireUnit): Promise<void>;
  /** How many units were submitted, and how many of them are durable. */
  readonly submitted: number;
  readonly durable: number;
  /** After every commit. */
  onDurable(listener: () => void): () => void;
  /** Once, when the store can no longer be believed: nothing more may leave, open it again. */
  onFault(listener: (fault: WireFault) => void): () => void;
  /** The device was unlinked: its credentials and keys go, what was received stays. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** The store could not answer. Never to be taken for "there is no such key". */
export class WireFault extends Error {
  /** `unreadable`: a record is damaged or its key is not the one it was sealed with; opening again will not help. */
  readonly kind: 'unreadable' | 'unavailable' | 'lease_lost';

  constructor(kind: WireFault['kind'], message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'WireFault';
    this.kind = kind;
  }
}
