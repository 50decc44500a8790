import { X509Certificate } from 'node:crypto';
import { Curve, proto } from '@whiskeysockets/baileys';
import { describe, expect, test } from 'vitest';
import { isSignatureValid, keyPairFromLabel } from './keys.ts';
import { certificateChain, mediaCertificate, NOISE_ROOT } from './trust.ts';

// Baileys' own check accepts any signature; these are the checks of a stricter client.
describe('the certificates of the simulator', () => {
  const server = keyPairFromLabel('some server');
  const { intermediate, leaf } = proto.CertChain.decode(certificateChain(server.public));
  const details = (certificate: typeof leaf) =>
    proto.CertChain.NoiseCertificate.Details.decode(certificate?.details ?? new Uint8Array());
  const holds = (key: Uint8Array, certificate: typeof leaf) =>
    isSignatureValid(
      key,
      certificate?.details ?? new Uint8Array(),
      certificate?.signature ?? new Uint8Array(),
    );

  test('are signed by the root, and by no other key', () => {
    expect(holds(NOISE_ROOT.public, intermediate)).toBe(true);
    expect(holds(Curve.generateKeyPair().public, intermediate)).toBe(false);
    expect(holds(details(intermediate).key ?? new Uint8Array(), leaf)).toBe(true);
    expect(holds(NOISE_ROOT.public, leaf)).toBe(false);
  });

  test('certify the key of the server', () => {
    expect(Buffer.from(details(leaf).key ?? [])).toEqual(server.public);
    expect(details(intermediate).issuerSerial).toBe(0);
  });

  test('are the same in every process for the media store, and valid for loopback only', () => {
    const certificate = new X509Certificate(mediaCertificate().cert);
    expect(mediaCertificate()).toEqual(mediaCertificate());
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('10.0.0.1')).toBeUndefined();
    expect(certificate.subjectAltName).toBe('IP Address:127.0.0.1');
    expect(certificate.ca).toBe(false);
  });
});
