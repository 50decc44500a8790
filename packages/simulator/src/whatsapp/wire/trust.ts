// The root certificate of the simulated network's Noise certificates, and the chain. Invariant: production code never
// trusts this root; only trust-preload.ts sets it.

import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import { keyPairFromLabel, seedFromLabel, signWithKey } from './keys.ts';

export const NOISE_ROOT = keyPairFromLabel('root');

const YEAR = 365 * 86_400;

/** Leaf signed by the intermediate, intermediate signed by the root, as Baileys checks it. */
export function certificateChain(serverKey: Uint8Array): Uint8Array {
  const { Details } = proto.CertChain.NoiseCertificate;
  const intermediate = keyPairFromLabel('intermediate');
  const now = Math.floor(Date.now() / 1000);
  const valid = { notBefore: now - YEAR, notAfter: now + 10 * YEAR };
  const middle = Details.encode({
    serial: 1,
    issuerSerial: 0,
    key: intermediate.public,
    ...valid,
  }).finish();
  const leaf = Details.encode({ serial: 2, issuerSerial: 1, key: serverKey, ...valid }).finish();
  return proto.CertChain.encode({
    intermediate: { details: middle, signature: signWithKey(NOISE_ROOT.private, middle) },
    leaf: { details: leaf, signature: signWithKey(intermediate.private, leaf) },
  }).finish();
}

// The TLS certificate of the media store, because Baileys uses only https. Invariant: key and bytes are the same in
// every process, so a preload can trust it beforehand; it names only 127.0.0.1, so trusting it allows no other host.

const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519 = der(0x30, Buffer.from('06032b6570', 'hex'));
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALT_NAME = Buffer.from('0603551d11', 'hex');
const LOOPBACK = Buffer.from([127, 0, 0, 1]);

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const long =
    body.length > 0xff ? [0x82, body.length >> 8, body.length & 0xff] : [0x81, body.length];
  const length = body.length < 0x80 ? [body.length] : long;
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

function pem(label: string, bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

export function mediaCertificate(): { key: string; cert: string } {
  const secret = Buffer.concat([PKCS8_ED25519, seedFromLabel('media')]);
  const privateKey = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
  const publicKey = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const utf8 = der(0x0c, Buffer.from('Relay simulator media'));
  const name = der(0x30, der(0x31, der(0x30, COMMON_NAME, utf8)));
  const validity = der(
    0x30,
    der(0x17, Buffer.from('200101000000Z')),
    der(0x17, Buffer.from('491231235959Z')),
  );
  const addresses = der(0x04, der(0x30, der(0x87, LOOPBACK)));
  const extensions = der(0xa3, der(0x30, der(0x30, SUBJECT_ALT_NAME, addresses)));
  const version3 = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const body = der(0x30, version3, serial, ED25519, name, validity, name, publicKey, extensions);
  const signature = der(0x03, Buffer.from([0]), sign(null, body, privateKey));
  return {
    key: pem('PRIVATE KEY', secret),
    cert: pem('CERTIFICATE', der(0x30, body, ED25519, signature)),
  };
}
