// What Baileys calls a type of key is a number and bytes in the store. The numbers are never reused.
// Invariant: bytes that cannot be read are a WireFault, never a key that does not exist.
import { WireFault } from '@relay/core/ports/wire-store';
import { BufferJSON, proto, type SignalDataTypeMap } from '@whiskeysockets/baileys';
import { SessionRecord } from 'libsignal';
import { readSenderKey, writeSenderKey } from './sender-key-record.ts';

export type KeyType = keyof SignalDataTypeMap;

export interface Kind {
  readonly number: number;
  readonly encode: (value: unknown) => Uint8Array;
  readonly decode: (bytes: Uint8Array) => unknown;
  /** Nobody changes what `decode` gave, so one copy may be handed out again and again. */
  readonly shared: boolean;
  /** Read once in its life: not worth remembering. */
  readonly passing?: true;
}

const text = (bytes: Uint8Array) =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
const plainJson = {
  encode: (value: unknown) => Buffer.from(JSON.stringify(value)),
  decode: (bytes: Uint8Array): unknown => JSON.parse(text(bytes)),
};
const bufferJson = {
  encode: (value: unknown) => Buffer.from(JSON.stringify(value, BufferJSON.replacer)),
  decode: (bytes: Uint8Array): unknown => JSON.parse(text(bytes), BufferJSON.reviver),
};
const raw = {
  encode: (value: unknown) => Buffer.from(value as Uint8Array),
  decode: (bytes: Uint8Array) => Buffer.from(bytes),
};

export const KINDS: Readonly<Record<KeyType, Kind>> = {
  // libsignal serializes a session to a plain object and copies it when it reads it.
  session: { number: 1, encode: plainJson.encode, decode: readSession, shared: true },
  'sender-key': { number: 2, encode: writeSenderKey, decode: readSenderKey, shared: true },
  'pre-key': { number: 3, ...bufferJson, shared: false, passing: true },
  'identity-key': { number: 4, ...raw, shared: true },
  'lid-mapping': { number: 5, ...plainJson, shared: true },
  'device-list': { number: 6, ...plainJson, shared: false },
  tctoken: { number: 7, ...bufferJson, shared: false },
  'sender-key-memory': { number: 8, ...plainJson, shared: false },
  'app-state-sync-key': {
    number: 9,
    encode: bufferJson.encode,
    decode: (bytes) =>
      proto.Message.AppStateSyncKeyData.fromObject(bufferJson.decode(bytes) as object),
    shared: false,
  },
  'app-state-sync-version': { number: 10, ...bufferJson, shared: false },
};

/** Baileys takes a session that libsignal cannot read for one that does not exist: it is tried here. */
function readSession(bytes: Uint8Array): unknown {
  const session = plainJson.decode(bytes) as Uint8Array;
  SessionRecord.deserialize(session);
  return session;
}

/** What a cache may hold of a record. */
export function toCached(type: KeyType, value: unknown, bytes: Uint8Array): unknown {
  return KINDS[type].shared ? value : bytes;
}

export function fromCached(type: KeyType, cached: unknown): unknown {
  return KINDS[type].shared ? cached : decodeKey(type, cached as Uint8Array);
}

export function decodeKey(type: KeyType, bytes: Uint8Array): unknown {
  try {
    return KINDS[type].decode(bytes);
  } catch (cause) {
    throw new WireFault('unreadable', `A stored ${type} cannot be read.`, { cause });
  }
}
