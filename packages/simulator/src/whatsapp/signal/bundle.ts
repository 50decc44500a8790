// Converts a device's public keys between the server's, the stanzas' and libsignal's formats. Invariant: keys in a
// Bundle have no type byte; it is added only for libsignal.

import { signalKey, uintFromBytes, uintToBytes } from '../wire/keys.ts';
import { child, childBytes, node, type Stanza } from '../wire/nodes.ts';

export interface PublicPreKey {
  id: number;
  value: Uint8Array;
}

export interface SignedPreKey extends PublicPreKey {
  signature: Uint8Array;
}

export interface Bundle {
  registrationId: number;
  identity: Uint8Array;
  signedPreKey: SignedPreKey;
  preKey: PublicPreKey | undefined;
}

export function registrationNode(bundle: Bundle): Stanza {
  return node('registration', {}, uintToBytes(bundle.registrationId, 4));
}

/** The content of `<keys>` in a retry receipt, and of `<user>` in a key answer after its registration. */
export function keyNodes(bundle: Bundle): Stanza[] {
  const { identity, preKey, signedPreKey } = bundle;
  return [
    node('type', {}, Buffer.from([5])),
    node('identity', {}, identity),
    ...(preKey
      ? [
          node('key', {}, [
            node('id', {}, uintToBytes(preKey.id, 3)),
            node('value', {}, preKey.value),
          ]),
        ]
      : []),
    node('skey', {}, [
      node('id', {}, uintToBytes(signedPreKey.id, 3)),
      node('value', {}, signedPreKey.value),
      node('signature', {}, signedPreKey.signature),
    ]),
  ];
}

export function readPreKey(key: Stanza): PublicPreKey {
  return { id: uintFromBytes(childBytes(key, 'id')), value: childBytes(key, 'value') };
}

export function readSignedPreKey(key: Stanza): SignedPreKey {
  return { ...readPreKey(key), signature: childBytes(key, 'signature') };
}

export function readBundle(keys: Stanza, registrationId: number): Bundle {
  const signed = child(keys, 'skey');
  const preKey = child(keys, 'key');
  if (!signed) throw new Error('<keys> lacks <skey>');
  return {
    registrationId,
    identity: childBytes(keys, 'identity'),
    signedPreKey: readSignedPreKey(signed),
    preKey: preKey && readPreKey(preKey),
  };
}

export function forLibsignal(bundle: Bundle) {
  const { identity, preKey, registrationId, signedPreKey } = bundle;
  return {
    registrationId,
    identityKey: signalKey(identity),
    signedPreKey: {
      keyId: signedPreKey.id,
      publicKey: signalKey(signedPreKey.value),
      signature: Buffer.from(signedPreKey.signature),
    },
    ...(preKey && { preKey: { keyId: preKey.id, publicKey: signalKey(preKey.value) } }),
  };
}
