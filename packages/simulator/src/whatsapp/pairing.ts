// Pairing of companions that are not linked yet, by QR code or pairing code. Invariant: a companion that disconnects is
// forgotten, and whoever waited for it is notified.
import { randomBytes } from 'node:crypto';
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  Curve,
  derivePairingCodeKey,
  hkdf,
  hmacSign,
  type KeyPair,
  proto,
  S_WHATSAPP_NET,
} from '@whiskeysockets/baileys';
import type { PasskeyAttempt } from './passkey.ts';
import { isSignatureValid, signWithKey } from './wire/keys.ts';
import { node, notification, randomHex, type Stanza, seconds } from './wire/nodes.ts';

/** A connection that asks to be linked. */
export interface Applicant {
  readonly noiseKey: Buffer;
  readonly registration: proto.ClientPayload.IDevicePairingRegistrationData;
  send(stanza: Stanza): void;
  finish(stanza: Stanza): void;
  cut(): void;
  /** The companion's answer to `pair-success`: its signed identity. */
  signedIdentity(): Promise<Buffer>;
}

interface CodeFinish {
  bundle: Buffer;
  identity: Buffer;
}

interface CodeRequest {
  applicant: Applicant;
  ref: Buffer;
  wrapped: Buffer;
  finished: PromiseWithResolvers<CodeFinish>;
}

const REFS = 6;
const HELLO_PATIENCE_MS = 5_000;
const POLL_MS = 10;

export class PendingPairings {
  readonly #byRef = new Map<string, Applicant>();
  readonly #byPhone = new Map<string, CodeRequest>();
  readonly #passkeys = new Map<Applicant, PasskeyAttempt>();

  /** The refs that a companion turns into QR codes, one after the other. */
  register(applicant: Applicant): string[] {
    const refs = Array.from({ length: REFS }, () => `2@${randomBytes(60).toString('base64')}`);
    for (const ref of refs) this.#byRef.set(ref, applicant);
    return refs;
  }

  /** The linking of this companion continues with the account's passkey. */
  beginPasskey(applicant: Applicant, attempt: PasskeyAttempt): void {
    this.#passkeys.set(applicant, attempt);
    attempt.begin();
  }

  passkeyOf(applicant: Applicant): PasskeyAttempt | undefined {
    return this.#passkeys.get(applicant);
  }

  leave(applicant: Applicant): void {
    this.#passkeys.get(applicant)?.end('the companion left');
    this.#passkeys.delete(applicant);
    for (const [ref, holder] of this.#byRef) if (holder === applicant) this.#byRef.delete(ref);
    for (const [phone, request] of this.#byPhone) {
      if (request.applicant !== applicant) continue;
      this.#byPhone.delete(phone);
      request.finished.reject(new Error('the companion left while it was being linked'));
    }
  }

  byRef(ref: string): Applicant {
    const applicant = this.#byRef.get(ref);
    if (!applicant) throw new Error('this QR code is unknown or has expired');
    return applicant;
  }

  askForCode(phone: string, applicant: Applicant, wrapped: Buffer): Buffer {
    const ref = Buffer.from(`ref-${randomHex(8)}`);
    const finished = Promise.withResolvers<CodeFinish>();
    finished.promise.catch(() => undefined);
    this.#byPhone.set(phone, { applicant, ref, wrapped, finished });
    return ref;
  }

  finishCode(phone: string, finish: CodeFinish): void {
    this.#byPhone.get(phone)?.finished.resolve(finish);
    this.#byPhone.delete(phone);
  }

  /** Baileys shows its code before the server has the request, so a fast caller has to wait a moment. */
  async codeRequest(phone: string): Promise<CodeRequest> {
    const until = Date.now() + HELLO_PATIENCE_MS;
    for (;;) {
      const request = this.#byPhone.get(phone);
      if (request) return request;
      if (Date.now() > until) throw new Error(`no companion asked for a code for ${phone}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
}

// The content of a companion's QR code. Invariant: the text is `[address#]ref,noise key,identity key,adv
// secret[,platform]`.
interface QrText {
  ref: string;
  identity: Buffer;
  advSecret: Buffer;
}

export function readQr(text: string): QrText {
  const [ref, , identity, advSecret] = text.slice(text.indexOf('#') + 1).split(',');
  if (!ref || !identity || !advSecret) throw new Error('this is no WhatsApp QR code');
  return {
    ref,
    identity: Buffer.from(identity, 'base64'),
    advSecret: Buffer.from(advSecret, 'base64'),
  };
}

// The phone's half of pairing by code: both ephemeral keys are encrypted with a key derived from the code. Invariant:
// with a wrong code nothing decrypts, and the pairing fails instead of linking anybody.

interface CodeExchange {
  primaryHello: Stanza;
  /** From the companion's last message: the secret that authenticates the introduction. */
  advSecret(finish: CodeFinish): Buffer;
}

export async function exchangeCode(
  code: string,
  { ref, wrapped }: CodeRequest,
  identity: KeyPair,
): Promise<CodeExchange> {
  const typed = code.replaceAll('-', '').toUpperCase();
  const theirKey = await derivePairingCodeKey(typed, wrapped.subarray(0, 32));
  const companion = aesDecryptCTR(wrapped.subarray(48, 80), theirKey, wrapped.subarray(32, 48));

  const ephemeral = Curve.generateKeyPair();
  const salt = randomBytes(32);
  const iv = randomBytes(16);
  const sealed = aesEncryptCTR(ephemeral.public, await derivePairingCodeKey(typed, salt), iv);
  const primaryHello = notification('link_code_companion_reg', [
    node('link_code_companion_reg', { stage: 'primary_hello' }, [
      node(
        'link_code_pairing_wrapped_primary_ephemeral_pub',
        {},
        Buffer.concat([salt, iv, sealed]),
      ),
      node('primary_identity_pub', {}, identity.public),
      node('link_code_pairing_ref', {}, ref),
    ]),
  ]);

  const advSecret = ({ bundle, identity: theirs }: CodeFinish): Buffer => {
    const shared = Curve.sharedKey(ephemeral.private, companion);
    const key = hkdf(shared, 32, {
      salt: bundle.subarray(0, 32),
      info: 'link_code_pairing_key_bundle_encryption_key',
    });
    const plain = aesDecryptGCM(bundle.subarray(44), key, bundle.subarray(32, 44), Buffer.alloc(0));
    if (!plain.subarray(0, 32).equals(theirs)) throw new Error('two identities in one pairing');
    const identities = Curve.sharedKey(identity.private, theirs);
    const random = plain.subarray(64, 96);
    return Buffer.from(
      hkdf(Buffer.concat([shared, identities, random]), 32, { info: 'adv_secret' }),
    );
  };
  return { primaryHello, advSecret };
}

// The signatures of phone and companion that end both ways of pairing. Invariant: nobody is linked before the signature
// over the phone's key was verified.

const ACCOUNT_SIGNATURE = Buffer.from([6, 0]);
const DEVICE_SIGNATURE = Buffer.from([6, 1]);

interface PairingDetails {
  applicant: Applicant;
  accountKey: KeyPair;
  companionIdentity: Buffer;
  advSecret: Buffer;
  rawId: number;
  keyIndex: number;
  jid: string;
  lid: string;
}

export async function completePairing(introduction: PairingDetails): Promise<void> {
  const { accountKey, advSecret, applicant, companionIdentity } = introduction;
  const { keyIndex, rawId } = introduction;
  const details = proto.ADVDeviceIdentity.encode({
    rawId,
    timestamp: Math.floor(Date.now() / 1000),
    keyIndex,
    accountType: proto.ADVEncryptionType.E2EE,
    deviceType: proto.ADVEncryptionType.E2EE,
  }).finish();
  const accountSignature = signWithKey(
    accountKey.private,
    Buffer.concat([ACCOUNT_SIGNATURE, details, companionIdentity]),
  );
  const identity = proto.ADVSignedDeviceIdentity.encode({
    details,
    accountSignatureKey: accountKey.public,
    accountSignature,
  }).finish();
  const sealed = proto.ADVSignedDeviceIdentityHMAC.encode({
    details: identity,
    hmac: hmacSign(identity, advSecret),
  }).finish();

  const answer = applicant.signedIdentity();
  applicant.send(
    node('iq', { from: S_WHATSAPP_NET, type: 'set', id: randomHex(6), xmlns: 'md', t: seconds() }, [
      node('pair-success', {}, [
        node('device-identity', {}, sealed),
        node('platform', { name: 'android' }),
        node('device', { jid: introduction.jid, lid: introduction.lid }),
      ]),
    ]),
  );

  const { deviceSignature } = proto.ADVSignedDeviceIdentity.decode(await answer);
  const signed = Buffer.concat([
    DEVICE_SIGNATURE,
    details,
    companionIdentity,
    Buffer.from(accountKey.public),
  ]);
  if (!deviceSignature || !isSignatureValid(companionIdentity, signed, deviceSignature)) {
    throw new Error('the companion signed its identity wrongly');
  }
}
