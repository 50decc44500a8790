// A software authenticator: creates a passkey and signs challenges, correctly or with one thing wrong.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { Assertion, PasskeyOptions, Registration } from '@relay/contract/api/remote';

export interface Ceremony {
  readonly origin: string;
  readonly rpId: string;
  readonly isUserVerified?: boolean;
  /** The signature counter that it reports. */
  readonly counter?: number;
}

export interface Authenticator {
  readonly id: string;
  create(options: PasskeyOptions, ceremony: Ceremony): Registration['credential'];
  get(options: PasskeyOptions, ceremony: Ceremony): Assertion;
}

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const CREDENTIAL_INCLUDED = 0x40;

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

export function createAuthenticator(): Authenticator {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const rawId = randomBytes(16);
  const id = base64url(rawId);
  const cose = encodeCbor(
    new Map<number, number | Buffer>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]),
  );
  const head = ({ rpId, isUserVerified = true, counter = 0 }: Ceremony, extra: number) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = USER_PRESENT | (isUserVerified ? USER_VERIFIED : 0) | extra;
    return Buffer.concat([sha256(rpId), Buffer.of(flags), count]);
  };
  const clientData = (type: string, { challenge }: PasskeyOptions, { origin }: Ceremony) =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false });
  return {
    id,
    create(options, ceremony) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(rawId.length);
      const authData = Buffer.concat([
        head(ceremony, CREDENTIAL_INCLUDED),
        Buffer.alloc(16),
        length,
        rawId,
        cose,
      ]);
      const attestation = new Map<string, Cbor>([
        ['fmt', 'none'],
        ['attStmt', new Map<string, Cbor>()],
        ['authData', authData],
      ]);
      const response = {
        clientDataJSON: base64url(clientData('webauthn.create', options, ceremony)),
        attestationObject: base64url(encodeCbor(attestation)),
      };
      return { id, rawId: id, type: 'public-key', response };
    },
    get(options, ceremony) {
      const authData = head(ceremony, 0);
      const json = clientData('webauthn.get', options, ceremony);
      const signature = sign('sha256', Buffer.concat([authData, sha256(json)]), privateKey);
      const response = {
        clientDataJSON: base64url(json),
        authenticatorData: base64url(authData),
        signature: base64url(signature),
      };
      return { id, rawId: id, type: 'public-key', response };
    },
  };
}

type Cbor = number | string | Buffer | ReadonlyMap<number | string, Cbor>;

/** As much of CBOR as a passkey needs. */
function encodeCbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string')
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  const pairs = [...value].map(([key, held]) => Buffer.concat([encodeCbor(key), encodeCbor(held)]));
  return Buffer.concat([cborHead(5, value.size), ...pairs]);
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.of((major << 5) | length);
  if (length < 256) return Buffer.of((major << 5) | 24, length);
  return Buffer.of((major << 5) | 25, length >> 8, length & 0xff);
}
