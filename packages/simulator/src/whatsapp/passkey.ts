// Linking an account that demands its WhatsApp passkey: the server's and the phone's side, and the passkey itself.
// Invariant: a companion is linked only after every field of every step was verified, in order and in time; each
// attempt is recorded with what ended it.
import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { aesDecryptGCM, Curve, hkdf, proto } from '@whiskeysockets/baileys';
import { childBytes, contentBytes, node, notification, type Stanza } from './wire/nodes.ts';

const ORIGIN = 'https://web.whatsapp.com';
const RP_ID = 'whatsapp.com';
const TIMEOUT_MS = 600_000;
const HANDOFF_MS = 300_000;
const USER_PRESENT_AND_VERIFIED = 0x05;
const ALPHABET = [...'123456789ABCDEFGHJKLMNPQRSTVWXYZ'];

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest();

/** What can go wrong at the server or the phone. */
export const PASSKEY_FAULTS = [
  /** The request has options that are not JSON. */
  'malformed_request',
  /** Somebody else than the server sends a request first. */
  'foreign_request',
  /** A second request with another challenge follows the first. */
  'second_request',
  /** The server counts every challenge as expired. */
  'expired_challenge',
  /** The prologue is accepted, and the phone never answers. */
  'no_continuation',
  /** The phone's key and nonce are too short. */
  'malformed_continuation',
  /** The phone's key makes every shared secret zero. */
  'zero_key',
  /** The continuation comes before the owner has answered. */
  'early_continuation',
  /** The connection is cut after the prologue. */
  'cut_after_prologue',
  /** The phone signs the device with the secret of the code instead of the new one. */
  'old_secret',
] as const;
export type PasskeyFault = (typeof PASSKEY_FAULTS)[number];

interface SigningOptions {
  readonly challenge: string;
}

/** What is wrong with an answer on purpose. */
interface SigningFaults {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly isVerified?: boolean;
}

/** The passkey of an account, as an authenticator holds it. */
export class AccountPasskey {
  readonly id = randomBytes(16);
  readonly userHandle = randomBytes(16);
  readonly publicKey: KeyObject;
  readonly #privateKey: KeyObject;

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.publicKey = publicKey;
  }

  /** For a browser's virtual authenticator. */
  export() {
    const privateKey = this.#privateKey.export({ format: 'der', type: 'pkcs8' });
    return {
      rpId: RP_ID,
      credentialId: this.id.toString('base64'),
      userHandle: this.userHandle.toString('base64'),
      privateKey: privateKey.toString('base64'),
    };
  }

  /** Answers a request as a browser does in a tab of WhatsApp Web. */
  answer(options: SigningOptions, faults: SigningFaults = {}) {
    const {
      challenge = options.challenge,
      isVerified = true,
      origin = ORIGIN,
      rpId = RP_ID,
    } = faults;
    const client = Buffer.from(
      JSON.stringify({ type: 'webauthn.get', challenge, origin, crossOrigin: false }),
    );
    const flags = isVerified ? USER_PRESENT_AND_VERIFIED : 1;
    const data = Buffer.concat([sha256(rpId), Buffer.from([flags, 0, 0, 0, 1])]);
    const signed = Buffer.concat([data, sha256(client)]);
    const id = this.id.toString('base64url');
    return {
      id,
      rawId: id,
      type: 'public-key' as const,
      response: {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, this.#privateKey).toString('base64url'),
        userHandle: this.userHandle.toString('base64url'),
      },
    };
  }
}

/** The connection that is being linked, as far as the ceremony needs it. */
interface LinkingConnection {
  readonly noiseKey: Buffer;
  readonly registration: proto.ClientPayload.IDevicePairingRegistrationData;
  send(stanza: Stanza): void;
  cut(): void;
}

type StepAnswer =
  | { content?: Stanza[]; after?: () => void }
  | { error: { code: number; text: string } };

type Step = 'asked' | 'referred' | 'answered' | 'revealed' | 'sealed' | 'over';

interface PasskeyAttemptDeps {
  readonly applicant: LinkingConnection;
  readonly passkey: AccountPasskey;
  /** The companion's identity, and the secret of the code that was scanned or typed. */
  readonly identity: Buffer;
  readonly codeSecret: Buffer;
  readonly fault: () => PasskeyFault | undefined;
  /** Challenges that were answered once, of all attempts. */
  readonly used: Set<string>;
  /** The phone links the device with this secret. */
  readonly link: (secret: Buffer) => Promise<unknown>;
}

export class PasskeyAttempt {
  readonly challenge = randomBytes(32).toString('base64url');
  readonly at = Date.now();
  /** Why it failed, `linked`, or null while it continues. */
  outcome: string | null = null;
  /** The code that the phone would show. */
  code: string | null = null;
  #step: Step = 'asked';
  #isAcknowledged = false;
  #requestId = '';
  readonly #ref = `3@${randomBytes(24).toString('base64')}`;
  readonly #key = Curve.generateKeyPair();
  readonly #nonce = randomBytes(32);
  #companion: Buffer = Buffer.alloc(0);
  #commitment: Buffer = Buffer.alloc(0);
  #deviceType = 0;
  readonly #deps: PasskeyAttemptDeps;

  constructor(deps: PasskeyAttemptDeps) {
    this.#deps = deps;
  }

  begin(): void {
    const { applicant, fault } = this.#deps;
    if (fault() === 'early_continuation') this.#continue();
    const other = () => requestOf(JSON.stringify(optionsOf(randomBytes(32).toString('base64url'))));
    if (fault() === 'foreign_request') {
      const { attrs, content, tag } = other();
      applicant.send(node(tag, { ...attrs, from: '15550000002@s.whatsapp.net' }, content));
    }
    const options = JSON.stringify(optionsOf(this.challenge));
    const request = requestOf(fault() === 'malformed_request' ? options.slice(1) : options);
    this.#requestId = request.attrs.id ?? '';
    applicant.send(request);
    if (fault() === 'second_request') applicant.send(other());
  }

  /** The companion left, or the attempt failed. */
  end(outcome: string): void {
    this.outcome ??= outcome;
    this.#step = 'over';
  }

  onAck({ attrs }: Stanza): void {
    const isRight = attrs.class === 'notification' && attrs.type === 'passkey_prologue_request';
    if (isRight && attrs.id === this.#requestId) this.#isAcknowledged = true;
  }

  /** Null for a question that is not part of this. */
  answer(key: string, question: Stanza): StepAnswer | null {
    const steps: Record<string, () => StepAnswer> = {
      'md/get/ref': () => this.#onRef(),
      'md/set/passkey_prologue': () => this.#onPrologue(question),
      'md/set/companion_nonce': () => this.#onNonce(question),
      'md/set/encrypted_pairing_request': () => this.#onRequest(question),
    };
    const step = steps[key];
    if (!step) return null;
    try {
      return step();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.end(text);
      return { error: { code: 400, text } };
    }
  }

  #onRef(): StepAnswer {
    this.#advance('asked', 'referred');
    return { content: [node('ref', {}, Buffer.from(this.#ref))] };
  }

  #onPrologue(prologue: Stanza): StepAnswer {
    this.#advance('referred', 'answered');
    const { fault } = this.#deps;
    demand(this.#isAcknowledged, 'the request was not acknowledged');
    const tags = Array.isArray(prologue.content) ? prologue.content.map(({ tag }) => tag) : [];
    demand(
      tags.join() === 'credential_id,webauthn_assertion,prologue_payload,pairing_handoff_proof',
      `the prologue has ${tags.join()}`,
    );
    demand(
      Date.now() - this.at <= TIMEOUT_MS && fault() !== 'expired_challenge',
      'the challenge has expired',
    );
    this.#verifyAssertion(
      childBytes(prologue, 'webauthn_assertion'),
      childBytes(prologue, 'credential_id'),
    );
    const payload = childBytes(prologue, 'prologue_payload');
    this.#verifyProof(payload, childBytes(prologue, 'pairing_handoff_proof'));
    this.#readPayload(payload);
    if (fault() === 'cut_after_prologue') return { after: () => this.#deps.applicant.cut() };
    return { after: () => fault() !== 'no_continuation' && this.#continue() };
  }

  #verifyAssertion(bytes: Buffer, credentialId: Buffer): void {
    const { passkey, used } = this.#deps;
    const given = JSON.parse(bytes.toString('utf8')) as ReturnType<AccountPasskey['answer']>;
    const fields = [...Object.keys(given), ...Object.keys(given.response)].sort().join();
    demand(fields === FIELDS, `the assertion has ${fields}`);
    demand(
      given.id === given.rawId && given.type === 'public-key',
      'the assertion is no passkey’s',
    );
    demand(given.rawId === credentialId.toString('base64url'), 'two credential ids');
    demand(passkey.id.equals(credentialId), 'the passkey is unknown');
    const [client, data, signature] = [
      given.response.clientDataJSON,
      given.response.authenticatorData,
      given.response.signature,
    ].map((text) => Buffer.from(text, 'base64url')) as [Buffer, Buffer, Buffer];
    const { challenge, crossOrigin, origin, type } = JSON.parse(client.toString('utf8'));
    demand(type === 'webauthn.get' && crossOrigin !== true, 'the assertion is no use of a passkey');
    demand(origin === ORIGIN, `wrong origin ${origin}`);
    demand(!used.has(challenge), 'the assertion was used before');
    demand(challenge === this.challenge, 'the assertion answers another challenge');
    used.add(challenge);
    demand(data.length >= 37 && data.subarray(0, 32).equals(sha256(RP_ID)), 'wrong relying party');
    const flags = data.readUInt8(32) & USER_PRESENT_AND_VERIFIED;
    demand(flags === USER_PRESENT_AND_VERIFIED, 'the user was not verified');
    const signed = Buffer.concat([data, sha256(client)]);
    demand(verify('sha256', signed, passkey.publicKey, signature), 'wrong signature');
  }

  #verifyProof(payload: Buffer, proof: Buffer): void {
    const { codeSecret } = this.#deps;
    const key = hkdf(codeSecret, 32, { info: 'shortcake-passkey-handoff-v1' });
    const expected = createHmac('sha256', key).update(payload).digest();
    demand(proof.equals(expected), 'wrong handoff proof');
    demand(Date.now() - this.at <= HANDOFF_MS, 'the handoff proof has expired');
  }

  #readPayload(payload: Buffer): void {
    const { applicant } = this.#deps;
    const { commitment, companionEphemeralIdentity } = proto.ProloguePayload.decode(payload);
    this.#companion = Buffer.from(companionEphemeralIdentity ?? []);
    this.#commitment = Buffer.from(commitment?.hash ?? []);
    const identity = proto.CompanionEphemeralIdentity.decode(this.#companion);
    demand(identity.publicKey?.length === 32, 'the companion’s key has a wrong length');
    demand(identity.ref === this.#ref, 'the companion’s identity has a wrong ref');
    const { deviceProps } = applicant.registration;
    const { platformType } = proto.DeviceProps.decode(deviceProps ?? new Uint8Array());
    demand(identity.deviceType === platformType, 'the companion changed its platform');
    this.#deviceType = Number(identity.deviceType);
    const again = proto.ProloguePayload.encode({
      companionEphemeralIdentity: proto.CompanionEphemeralIdentity.encode({
        publicKey: identity.publicKey ?? null,
        deviceType: identity.deviceType ?? null,
        ref: identity.ref ?? null,
      }).finish(),
      commitment: { hash: this.#commitment },
    }).finish();
    demand(payload.equals(again), 'the prologue has fields that nobody knows');
  }

  #continue(): void {
    const fault = this.#deps.fault();
    const short = fault === 'malformed_continuation';
    const zero = fault === 'zero_key';
    const publicKey = zero ? Buffer.alloc(32) : Buffer.from(this.#key.public);
    const identity = proto.PrimaryEphemeralIdentity.encode({
      publicKey: short ? publicKey.subarray(1) : publicKey,
      nonce: short ? this.#nonce.subarray(0, 5) : this.#nonce,
    }).finish();
    this.#deps.applicant.send(
      notification('crsc_continuation', [node('primary_ephemeral_identity', {}, identity)]),
    );
  }

  #onNonce(question: Stanza): StepAnswer {
    this.#advance('answered', 'revealed');
    const nonce = contentBytes(question);
    const hash = sha256(Buffer.concat([this.#companion, nonce]));
    demand(
      nonce.length === 32 && hash.equals(this.#commitment),
      'the nonce is not the promised one',
    );
    const digest = sha256(Buffer.concat([nonce, this.#key.public]));
    let value = 0n;
    for (let at = 0; at < 5; at++) {
      value = (value << 8n) | BigInt(digest.readUInt8(at) ^ this.#nonce.readUInt8(at));
    }
    const letters = Array.from(
      { length: 8 },
      (_, at) => ALPHABET[Number((value >> BigInt(35 - 5 * at)) & 31n)],
    );
    this.code = `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
    return {};
  }

  #onRequest(question: Stanza): StepAnswer {
    this.#advance('revealed', 'sealed');
    const { applicant, codeSecret, fault, identity, link } = this.#deps;
    const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(contentBytes(question));
    demand(iv?.length === 12, 'the request has a wrong IV');
    const theirs = proto.CompanionEphemeralIdentity.decode(this.#companion).publicKey;
    const shared = Curve.sharedKey(this.#key.private, theirs ?? new Uint8Array());
    const key = hkdf(shared, 32, {
      salt: Buffer.from(`Companion Pairing ${this.#deviceType} with ref ${this.#ref}`),
      info: 'Pairing Information Encryption Key',
    });
    const plain = aesDecryptGCM(
      encryptedPayload ?? new Uint8Array(),
      key,
      iv ?? new Uint8Array(),
      Buffer.alloc(0),
    );
    const request = proto.PairingRequest.decode(plain);
    const [noise, theirIdentity, secret] = [
      request.companionPublicKey,
      request.companionIdentityKey,
      request.advSecret,
    ].map((bytes) => Buffer.from(bytes ?? [])) as [Buffer, Buffer, Buffer];
    demand(noise.equals(applicant.noiseKey), 'another noise key');
    demand(theirIdentity.equals(identity), 'another identity');
    demand(secret.length === 32 && !secret.equals(codeSecret), 'the secret was not changed');
    const used = fault() === 'old_secret' ? codeSecret : secret;
    return {
      after: () => {
        link(used).then(
          () => this.end('linked'),
          (error: unknown) => this.end(String(error)),
        );
      },
    };
  }

  #advance(from: Step, to: Step): void {
    demand(this.#step === from, `a step out of order: ${this.#step}`);
    this.#step = to;
  }
}

const FIELDS = [
  ...['id', 'rawId', 'response', 'type'],
  ...['authenticatorData', 'clientDataJSON', 'signature', 'userHandle'],
]
  .sort()
  .join();

const optionsOf = (challenge: string) => ({
  challenge,
  timeout: TIMEOUT_MS,
  rpId: RP_ID,
  allowCredentials: [],
  userVerification: 'required',
  extensions: { uvm: true },
});

const requestOf = (options: string): Stanza =>
  notification('passkey_prologue_request', [
    node('passkey_request_options', {}, Buffer.from(options)),
  ]);

function demand(isRight: boolean, otherwise: string): asserts isRight {
  if (!isRight) throw new Error(otherwise);
}
