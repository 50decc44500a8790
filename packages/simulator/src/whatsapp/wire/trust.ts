// The root that the simulated network's Noise certificates hang from, and the chain itself.
// Invariant: production code trusts this root nowhere; only trust-preload.ts sets it.
import { proto } from '@whiskeysockets/baileys';
import { keyPairFromLabel, sign } from './keys.ts';

export const ROOT = keyPairFromLabel('root');

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
    intermediate: { details: middle, signature: sign(ROOT.private, middle) },
    leaf: { details: leaf, signature: sign(intermediate.private, leaf) },
  }).finish();
}
