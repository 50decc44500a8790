import { execFile } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { mediaCertificate, NOISE_ROOT } from './wire/trust.ts';

const PRELOAD = join(import.meta.dirname, 'trust-preload.ts');
const PROGRAM = `
  import { X509Certificate } from 'node:crypto';
  import { getCACertificates } from 'node:tls';
  import { WA_CERT_DETAILS } from '@whiskeysockets/baileys';
  console.log(JSON.stringify({
    root: Buffer.from(WA_CERT_DETAILS.PUBLIC_KEY).toString('hex'),
    hosts: getCACertificates('default').map((pem) => new X509Certificate(pem).fingerprint256),
  }));
`;

/** What a separate process trusts, with or without the preload. */
async function trustOf(...flags: string[]): Promise<{ root: string; hosts: string[] }> {
  const args = [...flags, '--input-type=module', '--eval', PROGRAM];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
  });
  return JSON.parse(stdout);
}

describe('trust in the simulator', () => {
  test('exists only with the preload', async () => {
    const root = Buffer.from(NOISE_ROOT.public).toString('hex');
    const without = await trustOf();
    const preloaded = await trustOf('--import', PRELOAD);
    const media = new X509Certificate(mediaCertificate().cert).fingerprint256;
    expect(without.root).not.toBe(root);
    expect(without.hosts).not.toContain(media);
    expect(preloaded.root).toBe(root);
    expect(preloaded.hosts).toContain(media);
    expect(new Set(preloaded.hosts)).toEqual(new Set([...without.hosts, media]));
  });
});
