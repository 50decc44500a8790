// Linking with WhatsApp's passkey, as pure steps: what Relay accepts, computes and would send next. Not the passkeys
// with which phones sign in to Relay. docs/decisions/0053 lists the sources and where they disagree.
// Invariant: each step happens once and in order; anything else throws, and nothing may be sent after that.
import {
  createCipheriv,
  createHash,
  createHmac,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { LinkAssertion } from '@relay/contract/api/whatsapp';
import { proto } from '@whiskeysockets/baileys';
import { z } from 'zod';

/** The only origin whose pages may use a passkey of WhatsApp, and the name that the passkey belongs to. */
const ORIGIN = 'https://web.whatsapp.com';
const RP_ID = 'whatsapp.com';

const HANDOFF_INFO = 'shortcake-passkey-handoff-v1';
const ENCRYPTION_INFO = 'Pairing Information Encryption Key';
const NONCE_BYTES = 32;
const KEY_BYTES = 32;
const IV_BYTES = 12;
/** Forty bits: eight characters. */
const CODE_BYTES = 5;
/** WhatsApp's alphabet for codes: no 0, I, O or U. */
const CODE_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTVWXYZ';
const MOST_OPTIONS = 8_192;
const MOST_REF = 512;

/** WhatsApp sent something that the ceremony does not have at this point. */
export class UnexpectedStep extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnexpectedStep';
  }
}

const bytesText = z.string().regex(/^[\w-]{16,2048}$/);

const optionsSchema = z.looseObject({
  challenge: bytesText,
  rpId: z.literal(RP_ID),
  userVerification: z.literal('required'),
  timeout: z.int().positive().optional(),
  allowCredentials: z
    .array(z.looseObject({ type: z.literal('public-key'), id: bytesText }))
    .max(64)
    .optional(),
});

type WhatsAppPasskeyOptions = z.infer<typeof optionsSchema>;

/** The WebAuthn options of a passkey request: UTF-8 JSON. */
export function parsePasskeyOptions(bytes: Uint8Array): WhatsAppPasskeyOptions {
  if (bytes.length > MOST_OPTIONS) throw new UnexpectedStep('the passkey request is too long');
  let given: unknown;
  try {
    given = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new UnexpectedStep('the passkey request is not JSON');
  }
  const options = optionsSchema.safeParse(given);
  if (options.success) return options.data;
  const [issue] = options.error.issues;
  throw new UnexpectedStep(`the passkey request has an unknown ${issue?.path.join('.')}`);
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
/** The hash of the name, a byte of flags and the counter. */
const LEAST_AUTHENTICATOR_DATA = 37;

const clientDataSchema = z.looseObject({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});

/** Why WhatsApp would refuse this answer; null if only the signature is left, which WhatsApp alone can verify. */
export function findAssertionFault(
  { id, rawId, response }: LinkAssertion,
  { allowCredentials = [], challenge }: WhatsAppPasskeyOptions,
): string | null {
  if (id !== rawId) return 'it names two passkeys';
  const client = readClientData(response.clientDataJSON);
  if (client === null) return 'it is not complete';
  if (client.type !== 'webauthn.get') return 'it is not the use of a passkey';
  if (!decode(client.challenge).equals(decode(challenge))) return 'it answers another request';
  if (client.origin !== ORIGIN)
    return `it was made at ${client.origin.slice(0, 100)}, not in WhatsApp Web`;
  if (client.crossOrigin === true) return 'it was made inside another page';
  const data = decode(response.authenticatorData);
  if (data.length < LEAST_AUTHENTICATOR_DATA) return 'it is not complete';
  if (!data.subarray(0, 32).equals(sha256(RP_ID))) return 'it is a passkey of another site';
  const flags = data.readUInt8(32);
  if (!(flags & USER_PRESENT) || !(flags & USER_VERIFIED)) {
    return 'the passkey did not check who you are';
  }
  const isKnown = allowCredentials.length === 0 || allowCredentials.some((one) => one.id === id);
  return isKnown ? null : 'it is not a passkey of this account';
}

function readClientData(text: string): z.infer<typeof clientDataSchema> | null {
  try {
    return clientDataSchema.parse(JSON.parse(decode(text).toString('utf8')));
  } catch {
    return null;
  }
}

/** What a test fixes to compare with known values. */
export interface CeremonyRandom {
  bytes(length: number): Buffer;
  /** An X25519 private key. */
  privateKey(): KeyObject;
}

const RANDOM: CeremonyRandom = {
  bytes: (length) => randomBytes(length),
  privateKey: () => generateKeyPairSync('x25519').privateKey,
};

export interface Prologue {
  readonly credentialId: Buffer;
  readonly assertion: Buffer;
  readonly payload: Buffer;
  readonly handoffProof: Buffer;
}

interface Reveal {
  readonly companionNonce: Buffer;
  /** `XXXX-XXXX`, for a phone that shows a code. */
  readonly code: string;
}

interface DeviceKeys {
  readonly noiseKey: Uint8Array;
  readonly identityKey: Uint8Array;
}

type Step = 'requested' | 'answered' | 'revealed' | 'sealed';

export class PasskeyCeremony {
  readonly options: WhatsAppPasskeyOptions;
  /** The secret that replaces the one of the code: it must be durable before anything is sent. */
  readonly advSecret: Buffer;
  #step: Step = 'requested';
  readonly #random: CeremonyRandom;
  readonly #deviceType: number;
  readonly #handoffKey: Buffer;
  readonly #privateKey: KeyObject;
  readonly #nonce: Buffer;
  #ref = '';
  #key: Buffer | undefined;

  constructor(request: {
    readonly options: WhatsAppPasskeyOptions;
    /** The secret in the QR code, or agreed on with the pairing code. */
    readonly codeSecret: Uint8Array;
    readonly deviceType: number;
    readonly random?: CeremonyRandom;
  }) {
    this.options = request.options;
    this.#deviceType = request.deviceType;
    this.#random = request.random ?? RANDOM;
    this.#handoffKey = hkdf(request.codeSecret, Buffer.alloc(0), HANDOFF_INFO);
    this.advSecret = this.#random.bytes(KEY_BYTES);
    this.#privateKey = this.#random.privateKey();
    this.#nonce = this.#random.bytes(NONCE_BYTES);
  }

  /** `passkey_prologue`: the owner's answer, and a commitment to a key and a nonce that is revealed later. */
  answer(assertion: LinkAssertion, refBytes: Uint8Array): Prologue {
    this.#advance('requested', 'answered');
    if (refBytes.length === 0 || refBytes.length > MOST_REF) {
      throw new UnexpectedStep('the reference of the link has an unknown form');
    }
    this.#ref = Buffer.from(refBytes).toString('utf8');
    const identity = proto.CompanionEphemeralIdentity.encode({
      publicKey: publicBytes(this.#privateKey),
      deviceType: this.#deviceType,
      ref: this.#ref,
    }).finish();
    const payload = Buffer.from(
      proto.ProloguePayload.encode({
        companionEphemeralIdentity: identity,
        commitment: { hash: sha256(Buffer.concat([identity, this.#nonce])) },
      }).finish(),
    );
    return {
      credentialId: decode(assertion.rawId),
      assertion: Buffer.from(JSON.stringify(assertionForWhatsApp(assertion))),
      payload,
      handoffProof: createHmac('sha256', this.#handoffKey).update(payload).digest(),
    };
  }

  /** `crsc_continuation`: the phone's half of the key. */
  reveal(primaryIdentity: Uint8Array): Reveal {
    this.#advance('answered', 'revealed');
    const { nonce, publicKey } = readPrimaryIdentity(primaryIdentity);
    const salt = Buffer.from(`Companion Pairing ${this.#deviceType} with ref ${this.#ref}`);
    this.#key = hkdf(agree(this.#privateKey, publicKey), salt, ENCRYPTION_INFO);
    const digest = sha256(Buffer.concat([this.#nonce, publicKey]));
    const code = Buffer.from(
      digest.subarray(0, CODE_BYTES).map((byte, at) => byte ^ nonce.readUInt8(at)),
    );
    return { companionNonce: this.#nonce, code: formatCode(code) };
  }

  /** `encrypted_pairing_request`: what the phone needs to link this device. */
  seal({ identityKey, noiseKey }: DeviceKeys): Buffer {
    this.#advance('revealed', 'sealed');
    if (this.#key === undefined) throw new UnexpectedStep('there is no key yet');
    const request = proto.PairingRequest.encode({
      companionPublicKey: noiseKey,
      companionIdentityKey: identityKey,
      advSecret: this.advSecret,
    }).finish();
    const iv = this.#random.bytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv);
    const encryptedPayload = Buffer.concat([
      cipher.update(request),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return Buffer.from(proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish());
  }

  #advance(from: Step, to: Step): void {
    if (this.#step !== from)
      throw new UnexpectedStep(`a step after “${this.#step}” came out of order`);
    this.#step = to;
  }
}

/** Exactly the fields that WhatsApp is known to accept; browsers add more. */
const assertionForWhatsApp = ({ id, rawId, response, type }: LinkAssertion) => ({
  id,
  rawId,
  type,
  response: {
    clientDataJSON: response.clientDataJSON,
    authenticatorData: response.authenticatorData,
    signature: response.signature,
    userHandle: response.userHandle ?? null,
  },
});

function readPrimaryIdentity(bytes: Uint8Array): { nonce: Buffer; publicKey: Buffer } {
  let read: proto.IPrimaryEphemeralIdentity;
  try {
    read = proto.PrimaryEphemeralIdentity.decode(bytes);
  } catch {
    throw new UnexpectedStep('the phone’s identity cannot be read');
  }
  const nonce = Buffer.from(read.nonce ?? []);
  const publicKey = Buffer.from(read.publicKey ?? []);
  if (nonce.length !== NONCE_BYTES || publicKey.length !== KEY_BYTES) {
    throw new UnexpectedStep('the phone’s identity has an unknown form');
  }
  return { nonce, publicKey };
}

/** The DER of an X25519 public key before its 32 bytes. */
const SPKI_X25519 = Buffer.from('302a300506032b656e032100', 'hex');

const publicBytes = (privateKey: KeyObject): Buffer =>
  createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);

/** Fails for a key that makes every shared secret the same. */
function agree(privateKey: KeyObject, theirs: Buffer): Buffer {
  const key = Buffer.concat([SPKI_X25519, theirs]);
  try {
    const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
    return diffieHellman({ privateKey, publicKey });
  } catch {
    throw new UnexpectedStep('the phone’s key cannot be used');
  }
}

function formatCode(bytes: Buffer): string {
  const bits = bytes.reduce((all, byte) => all + byte.toString(2).padStart(8, '0'), '');
  const code = bits.replace(/.{5}/g, (five) => CODE_ALPHABET.charAt(Number.parseInt(five, 2)));
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

const decode = (text: string): Buffer => Buffer.from(text, 'base64url');

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();

const hkdf = (secret: Uint8Array, salt: Uint8Array, info: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, KEY_BYTES));
