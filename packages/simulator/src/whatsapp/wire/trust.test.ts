import { X509Certificate } from 'node:crypto';
import { Curve, proto } from '@whiskeysockets/baileys';
import { describe, expect, test } from 'vitest';
import { isSignatureValid, keyPairFromLabel } from './keys.ts';
import { certificateChain, mediaCertificate, NOISE_ROOT } from './trust.ts';

// Baileys' own check accepts any signature; these are the ones a stricter client would make.
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

  test('hang from the root, and from no other key', () => {
    expect(holds(NOISE_ROOT.public, intermediate)).toBe(true);
    expect(holds(Curve.generateKeyPair().public, intermediate)).toBe(false);
    expect(holds(details(intermediate).key ?? new Uint8Array(), leaf)).toBe(true);
    expect(holds(NOISE_ROOT.public, leaf)).toBe(false);
  });

  test('certify the key of the server', () => {
    expect(Buffer.from(details(leaf).key ?? [])).toEqual(server.public);
    expect(details(intermediate).issuerSerial).toBe(0);
  });

  test('the media store has the same certificate in every process, for loopback alone', () => {
    const certificate = new X509Certificate(mediaCertificate().cert);
    expect(mediaCertificate()).toEqual(mediaCertificate());
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('10.0.0.1')).toBeUndefined();
    expect(certificate.subjectAltName).toBe('IP Address:127.0.0.1');
    expect(certificate.ca).toBe(false);
  });
});
