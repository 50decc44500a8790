// The phone vouches for a companion, and the companion for itself: the end of both ways of pairing.
// Invariant: nobody is linked before their signature over the phone's key has really been checked.
import { hmacSign, type KeyPair, proto, S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import { sign, signatureHolds } from '../wire/keys.ts';
import { node, randomHex, seconds } from '../wire/nodes.ts';
import type { Applicant } from './desk.ts';

const ACCOUNT_SIGNATURE = Buffer.from([6, 0]);
const DEVICE_SIGNATURE = Buffer.from([6, 1]);

export interface Introduction {
  applicant: Applicant;
  accountKey: KeyPair;
  companionIdentity: Buffer;
  advSecret: Buffer;
  rawId: number;
  keyIndex: number;
  jid: string;
  lid: string;
}

export async function introduce(introduction: Introduction): Promise<void> {
  const { accountKey, advSecret, applicant, companionIdentity } = introduction;
  const { keyIndex, rawId } = introduction;
  const details = proto.ADVDeviceIdentity.encode({
    rawId,
    timestamp: Math.floor(Date.now() / 1000),
    keyIndex,
    accountType: proto.ADVEncryptionType.E2EE,
    deviceType: proto.ADVEncryptionType.E2EE,
  }).finish();
  const accountSignature = sign(
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

  const answer = applicant.signed();
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
  if (!deviceSignature || !signatureHolds(companionIdentity, signed, deviceSignature)) {
    throw new Error('the companion signed its identity wrongly');
  }
}
