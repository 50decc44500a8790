// The phone's half of pairing by code: both ephemeral keys travel under a key made from the code.
// Invariant: with a wrong code nothing decrypts, and the pairing fails instead of linking anybody.
import { randomBytes } from 'node:crypto';
import {
  aesDecryptCTR,
  aesDecryptGCM,
  aesEncryptCTR,
  Curve,
  derivePairingCodeKey,
  hkdf,
  type KeyPair,
} from '@whiskeysockets/baileys';
import { node, notification, type Stanza } from '../wire/nodes.ts';
import type { CodeFinish, CodeRequest } from './desk.ts';

export interface CodeExchange {
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
