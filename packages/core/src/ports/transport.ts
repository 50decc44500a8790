// The interface of the transport and its store. Received messages become durable through the store, so the transport's
// events never contain them.
import type { OutgoingContent } from '@relay/contract/api/outgoing';
import type { LinkPasskeyAnswer } from '@relay/contract/api/whatsapp';
import type { ConnectionFault, ConnectionState } from '@relay/contract/connection/states';
import type { MessageId } from '@relay/contract/ids';

export type LinkMethod =
  | { readonly kind: 'qr' }
  /** A code to type on the phone with this number, digits only. */
  | { readonly kind: 'code'; readonly phone: string };

/** WhatsApp's request for the account's passkey. Not a passkey that signs a phone in to Relay. */
export interface LinkPasskeyRequest {
  /** Names this attempt: an answer to another one is refused. */
  readonly attempt: string;
  /** The number that is being linked; null with a QR code, where WhatsApp tells it only at the end. */
  readonly phone: string | null;
  /** WebAuthn options as WhatsApp sent them. */
  readonly options: { readonly challenge: string; readonly rpId: string };
  readonly expiresAt: Date;
  /** To compare with the phone, if it shows a code; null until the passkey was accepted. */
  readonly code: string | null;
}

export interface WhatsAppLink {
  readonly state: ConnectionState;
  readonly since: Date;
  /** The linked account's number, digits only; known once linked, also while offline. */
  readonly phone: string | null;
  readonly lid: string | null;
  readonly name: string | null;
  /** The content of the QR code, while there is one to scan. */
  readonly qr: string | null;
  /** When the next code replaces it. */
  readonly qrExpiresAt: Date | null;
  readonly pairingCode: string | null;
  readonly passkey: LinkPasskeyRequest | null;
  /** Messages of the offline replay still to come; null if there is no replay. */
  readonly replaying: number | null;
  /** WhatsApp refuses first contacts until then. */
  readonly timeLockedUntil: Date | null;
  /** When the next automatic attempt is due; null if there is none. */
  readonly retryAt: Date | null;
  /** Why the last attempt did not reach WhatsApp; null if unknown, or once connected. */
  readonly fault: ConnectionFault | null;
  readonly health: LinkHealth;
}

export interface LinkHealth {
  readonly lastStanzaAt: Date | null;
  readonly pingMs: number | null;
  /** Closed connections within the last hour. */
  readonly flaps: number;
  readonly received: number;
  readonly undecryptable: number;
  /** Restarts of an unresponsive socket. */
  readonly restarts: number;
  /** How far this machine's clock was ahead of WhatsApp's at the last login, in seconds; negative if behind. */
  readonly clockAheadS?: number | null;
}

export type TransportEvent =
  /** The state, QR code, pairing code or account changed. */
  | { readonly type: 'link'; readonly link: WhatsAppLink }
  | {
      readonly type: 'receipt';
      readonly id: MessageId;
      readonly chat: string;
      readonly status: 'sent' | 'delivered' | 'read';
      readonly at: Date;
    }
  /** The server refused a message after it was sent. */
  | { readonly type: 'refused'; readonly id: MessageId; readonly code: number }
  /** These addresses belong to one person. */
  | { readonly type: 'aliases'; readonly addresses: readonly string[] }
  | { readonly type: 'group'; readonly group: GroupInfo }
  /** The names of the account's groups; all of them are reported once connected. */
  | { readonly type: 'group_names'; readonly groups: readonly GroupName[] }
  /** The replay of what waited while the account was offline is complete. */
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
  readonly quote?: QuotedMessage;
  /** What `build` made of content that is more than text. It is sent exactly so; `text` and `quote` are part of it. */
  readonly built?: Uint8Array;
}

/** A message of the chat that a message refers to. */
export interface MessageTarget {
  readonly id: MessageId;
  /** The author's address; null if the account itself wrote it. */
  readonly author: string | null;
}

/** The message of the same chat that a text replies to. */
interface QuotedMessage extends MessageTarget {
  readonly text: string;
}

/** A message that is more than text, to be built once before its first attempt. */
export interface MessageToBuild extends Pick<OutgoingMessage, 'chat' | 'text' | 'quote'> {
  readonly content: ContentToBuild;
}

export type ContentToBuild =
  | FileToSend
  /** An empty emoji removes the reaction. */
  | { readonly kind: 'reaction'; readonly target: MessageTarget; readonly emoji: string }
  | { readonly kind: 'edit' | 'delete'; readonly target: MessageTarget }
  | Extract<OutgoingContent, { kind: 'poll' | 'location' }>;

export interface FileToSend extends Omit<Extract<OutgoingContent, { kind: 'media' }>, 'media'> {
  /** Opens the plain bytes. They are read once, in pieces, and never kept. */
  readonly open: () => AsyncIterable<Uint8Array>;
}

/** The bytes are not those that were permitted: nothing of them may be sent. */
export class ContentDiffers extends Error {
  constructor() {
    super('the file differs from the one that was allowed');
    this.name = 'ContentDiffers';
  }
}

/** Decides when a socket may log in and be written to. */
export interface SocketGate {
  /** Resolves when the next login may begin. */
  turn(): Promise<void>;
  /** Whether a byte may be written now; asked right before each write. */
  mayWrite(): boolean;
  /** Called when every socket must be closed at once. */
  onShut(listener: () => void): () => void;
}

export interface Transport {
  readonly link: WhatsAppLink;
  /** If a listener returns a promise for a receipt, the server keeps the receipt until that resolves. */
  subscribe(listener: (event: TransportEvent) => unknown): () => void;
  /** Returns at once; does nothing while connected or connecting. */
  connect(method?: LinkMethod): void;
  /** Connects if the account is already linked; never starts linking. */
  resume(): void;
  /** Sends the owner's answer to `link.passkey`, once. Throws a RelayError, and sends nothing, if it is no answer to it. */
  answerPasskey(answer: LinkPasskeyAnswer): void;
  /** Resolves when the old socket is gone. `forget` unlinks the device and deletes its keys. */
  disconnect(options: { readonly forget: boolean }): Promise<void>;
  /** Resolves when the server has accepted the message. Rejects with a SendFault. */
  send(message: OutgoingMessage): Promise<void>;
  close(): Promise<void>;
  readonly capabilities: TransportCapabilities;
}

export interface TransportCapabilities {
  /**
   * Builds a message that is more than text: uploads its file and returns what is sent at every attempt, as bytes to be
   * stored before the first one. No message is sent yet. Rejects with `ContentDiffers`, or with a SendFault that
   * is `not_sent`.
   */
  readonly build?: (message: MessageToBuild) => Promise<Uint8Array>;
  /**
   * The decrypted bytes of a received message's file, as they arrive. Throws a MediaFault; then nothing of what was read
   * can be trusted, because the hashes are known only at the end.
   */
  readonly downloadMedia?: (
    message: MessageWithMedia,
    options: DownloadOptions,
  ) => AsyncIterable<Uint8Array>;
  /**
   * Asks the account's phone to upload the file again, because WhatsApp no longer has it. Returns where it is then.
   * Throws a MediaFault.
   */
  readonly requestMediaAgain?: (message: MessageWithMedia) => Promise<string>;
  /** Shows the typing indicator to the other side. */
  readonly typing?: (chat: string, on: boolean) => Promise<void>;
  readonly groups?: (address: string) => Promise<GroupInfo | null>;
  /**
   * Asks WhatsApp who has registered a phone number. Returns WhatsApp's address for them, which may be another spelling
   * of the number or a LID; null if nobody has. Rejects without a response.
   */
  readonly findRegistered?: (address: string) => Promise<string | null>;
}

/** A received message with a file, as it was stored. */
export interface MessageWithMedia {
  readonly id: MessageId;
  /** The addresses in its stanza. */
  readonly chat: string;
  readonly sender: string;
  readonly fromMe: boolean;
  /** The decrypted message. */
  readonly content: Uint8Array;
}

export interface DownloadOptions {
  /** In bytes. */
  readonly limit: number;
  /** What `requestMediaAgain` returned; otherwise what the message says. */
  readonly path?: string | null;
  readonly signal?: AbortSignal;
}

const MEDIA_FAULTS = {
  not_connected: 'There is no connection to WhatsApp.',
  unreachable: 'WhatsApp’s media hosts did not answer, or not to the end.',
  expired: 'WhatsApp no longer has the file.',
  damaged: 'The file is not the one that the message is about.',
  not_there: 'The account’s phone no longer has the file either.',
  no_answer: 'The account’s phone did not answer.',
  too_large: 'The file is larger than allowed.',
  malformed: 'The message does not say where its file is, or how to open it.',
} as const;

export type MediaFaultKind = keyof typeof MEDIA_FAULTS;

/** Why a file could not be downloaded. */
export class MediaFault extends Error {
  readonly kind: MediaFaultKind;

  constructor(kind: MediaFaultKind, options: { cause?: unknown } = {}) {
    super(MEDIA_FAULTS[kind], options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'MediaFault';
    this.kind = kind;
  }
}

/** Why a send failed. Only `not_sent` may be tried again without further checks. */
export class SendFault extends Error {
  /**
   * `not_sent`: certainly not sent. `uncertain`: may have been sent; receipts will show. `refused`: the server refused
   * it with this code.
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

/** What was sent under an id, for a recipient's device that requests it again. */
export type FindSent = (
  id: MessageId,
) => Promise<Pick<OutgoingMessage, 'text' | 'quote' | 'built'> | null>;

// The store of a transport: bytes under names that must be durable. What is durable is always a prefix of what was
// submitted, and a unit is durable as a whole.

/** A key of the transport. The transport defines the kinds; their numbers are never reused. */
export interface KeyWrite {
  readonly kind: number;
  readonly id: string;
  /** Null deletes. */
  readonly value: Uint8Array | null;
}

/** A ciphertext that can be decrypted only once, and its plaintext. */
interface JournalEntry {
  readonly digest: Uint8Array;
  /** Null if its content is an inbox entry of the same unit: then it only has to be acknowledged again. */
  readonly plain: Uint8Array | null;
}

/** A message without content: one byte of padding. Baileys decrypts and acknowledges it like any other. */
export const EMPTY_MESSAGE = Uint8Array.of(1);

/** A message as received; `InboxReader` can read it. Unique per chat, sender and id. */
export interface InboxEntry {
  readonly chat: string;
  readonly sender: string;
  readonly id: string;
  readonly stanza: Uint8Array;
  readonly content: Uint8Array;
}

/** One change of the transport's state: a decryption with its ratchet and message, an encryption, new keys. */
export interface TransportUnit {
  readonly keys?: readonly KeyWrite[];
  readonly credentials?: Uint8Array;
  readonly journal?: readonly JournalEntry[];
  readonly inbox?: readonly InboxEntry[];
}

export interface TransportStore {
  /** Null only if the account was never linked. Unreadable credentials are a fault, not missing ones. */
  credentials(): Promise<Uint8Array | null>;
  /** Only keys that exist. */
  read(kind: number, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** `EMPTY_MESSAGE` for an entry without plaintext; null if the ciphertext is unknown. */
  journal(digest: Uint8Array): Promise<Uint8Array | null>;
  /** Resolves when the unit is durable. Rejects with a TransportStoreFault, after which the store is unusable. */
  submit(unit: TransportUnit): Promise<void>;
  /** The number of submitted units, and how many of them are durable. */
  readonly submitted: number;
  readonly durable: number;
  /** Called after every commit. */
  onDurable(listener: () => void): () => void;
  /** Called once, when the store can no longer be trusted: send nothing more and open it again. */
  onFault(listener: (fault: TransportStoreFault) => void): () => void;
  /** The device was unlinked: deletes its credentials and keys, keeps what was received. */
  forget(): Promise<void>;
  close(): Promise<void>;
}

/** The store failed. Never treat this as a missing key. */
export class TransportStoreFault extends Error {
  /** `unreadable`: a record is damaged or was sealed with another key; opening again will not help. */
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
