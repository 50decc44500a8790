// A way to reach WhatsApp. A small required interface and optional capabilities; what it received it has
// already made durable through its WireStore, so its events are hints and receipts, never messages.
import type { ConnectionState } from '@relay/contract/connection/states';
import type { MessageId } from '@relay/contract/ids';

export type LinkMethod =
  | { readonly kind: 'qr' }
  /** A code to type on the phone with this number, digits only. */
  | { readonly kind: 'code'; readonly phone: string };

export interface WhatsAppLink {
  readonly state: ConnectionState;
  readonly since: Date;
  /** The number of the linked account, digits only; known once linked, also while away. */
  readonly phone: string | null;
  readonly lid: string | null;
  readonly name: string | null;
  /** The text inside the QR code, while there is one to scan. */
  readonly qr: string | null;
  /** When the next code takes its place. */
  readonly qrExpiresAt: Date | null;
  readonly pairingCode: string | null;
  /** Messages of the offline replay still to come; null when there is none. */
  readonly replaying: number | null;
  /** First contacts are refused until then. */
  readonly timeLockedUntil: Date | null;
  /** When it will try again by itself; null when it will not. */
  readonly retryAt: Date | null;
  readonly health: LinkHealth;
}

export interface LinkHealth {
  readonly lastStanzaAt: Date | null;
  readonly pingMs: number | null;
  /** Closes within the last hour. */
  readonly flaps: number;
  readonly received: number;
  readonly undecryptable: number;
  /** How often a socket that had gone deaf was restarted. */
  readonly restarts: number;
  /** How far this machine's clock was ahead of WhatsApp's at the last login, in seconds; behind is less than nothing. */
  readonly clockAheadS?: number | null;
}

export type TransportEvent =
  /** State, QR code, pairing code or account changed. */
  | { readonly type: 'link'; readonly link: WhatsAppLink }
  /** Something was added to the inbox and is durable. */
  | { readonly type: 'received' }
  | {
      readonly type: 'receipt';
      readonly id: MessageId;
      readonly chat: string;
      readonly status: 'sent' | 'delivered' | 'read';
      readonly at: Date;
    }
  /** The server refused a message that had left. */
  | { readonly type: 'refused'; readonly id: MessageId; readonly code: number }
  /** These addresses name one person. */
  | { readonly type: 'aliases'; readonly addresses: readonly string[] }
  | { readonly type: 'group'; readonly group: GroupInfo }
  /** What groups of the account are called; told of all of them once connected. */
  | { readonly type: 'group_names'; readonly groups: readonly GroupName[] }
  /** The replay of what waited while the account was away is over. */
  | { readonly type: 'replayed'; readonly count: number };

export interface GroupName {
  readonly address: string;
  readonly subject: string;
}

export interface GroupInfo extends GroupName {
  readonly members: readonly {
    readonly addresses: readonly string[];
    readonly role: 'member' | 'admin';
  }[];
  readonly expiresAfterS: number | null;
}

export interface OutgoingMessage {
  /** Chosen and stored before the first attempt; the same at every attempt. */
  readonly id: MessageId;
  readonly chat: string;
  readonly text: string;
  readonly media?: OutgoingMedia;
}

export interface OutgoingMedia {
  readonly kind: 'image' | 'video' | 'audio' | 'document';
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly fileName?: string;
}

export interface Transport {
  readonly link: WhatsAppLink;
  /** A receipt whose listener gives a promise stays with the server until that resolves. */
  subscribe(listener: (event: TransportEvent) => unknown): () => void;
  /** Returns at once; does nothing while connected or connecting. */
  connect(method?: LinkMethod): void;
  /** Connects if the account is linked already; asks nobody to link it. */
  resume(): void;
  /** Resolves when the old socket is gone. `forget` unlinks the device and drops its keys. */
  disconnect(options: { readonly forget: boolean }): Promise<void>;
  /** Resolves when the server has taken the message. Rejects with a SendFault. */
  send(message: OutgoingMessage): Promise<void>;
  close(): Promise<void>;
  readonly capabilities: TransportCapabilities;
}

export interface TransportCapabilities {
  readonly media?: true;
  /** Shows the other end that somebody writes. */
  readonly typing?: (chat: string, on: boolean) => Promise<void>;
  readonly groups?: (address: string) => Promise<GroupInfo | null>;
  /**
   * Asks WhatsApp who has registered a phone number. Gives the address that WhatsApp knows them by, which may be
   * another spelling of the number or a LID; null when nobody has. Rejects when there is no answer.
   */
  readonly findRegistered?: (address: string) => Promise<string | null>;
}

/** What came of a send. Only `not_sent` may be tried again without further thought. */
export class SendFault extends Error {
  /**
   * `not_sent`: certainly did not leave. `uncertain`: may have left; receipts will tell.
   * `refused`: the server said no, with this code.
   */
  readonly kind: 'not_sent' | 'uncertain' | 'refused';
  readonly code: number | null;

  constructor(kind: SendFault['kind'], message: string, code: number | null = null) {
    super(message);
    this.name = 'SendFault';
    this.kind = kind;
    this.code = code;
  }
}

/** What was sent under an id, for a recipient whose device asks to have it again. */
export type FindSent = (id: MessageId) => Promise<Pick<OutgoingMessage, 'text'> | null>;

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
interface JournalEntry {
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
export interface TransportUnit {
  readonly keys?: readonly KeyWrite[];
  readonly credentials?: Uint8Array;
  readonly journal?: readonly JournalEntry[];
  readonly inbox?: readonly InboxEntry[];
}

export interface TransportStore {
  /** Null only if the account was never linked. Unreadable is not missing: that is a fault. */
  credentials(): Promise<Uint8Array | null>;
  /** Those that exist. */
  read(kind: number, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  journal(digest: Uint8Array): Promise<Uint8Array | null>;
  /** Resolves when the unit is durable. Rejects with a WireFault, after which the store is of no use. */
  submit(unit: TransportUnit): Promise<void>;
  /** How many units were submitted, and how many of them are durable. */
  readonly submitted: number;
  readonly durable: number;
  /** After every commit. */
  onDurable(listener: () => void): () => void;
  /** Once, when the store can no longer be believed: nothing more may leave, open it again. */
  onFault(listener: (fault: TransportStoreFault) => void): () => void;
  /** The device was unlinked: its credentials and keys go, what was received stays. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** The store could not answer. Never to be taken for "there is no such key". */
export class TransportStoreFault extends Error {
  /** `unreadable`: a record is damaged or its key is not the one it was sealed with; opening again will not help. */
  readonly kind: 'unreadable' | 'unavailable' | 'lease_lost';

  constructor(
    kind: TransportStoreFault['kind'],
    message: string,
    options: { cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'WireFault';
    this.kind = kind;
  }
}
