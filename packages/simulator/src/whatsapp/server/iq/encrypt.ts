// Handles pre-keys: upload by companions, count, digest, and delivery to a device that begins a session. Invariant: a
// one-time key is delivered once; a badly signed key is refused.
import { createHash } from 'node:crypto';
import {
  keyNodes,
  readPreKey,
  readSignedPreKey,
  registrationNode,
  type SignedPreKey,
} from '../../signal/bundle.ts';
import { isSignatureValid, signalKey, uintToBytes } from '../../wire/keys.ts';
import { attr, child, children, node, type Stanza } from '../../wire/nodes.ts';
import { EMPTY_ANSWER, type IqAnswer, type IqHandlers, type IqRequest } from '../context.ts';

const NOT_ACCEPTABLE: IqAnswer = { error: { code: 406, text: 'not-acceptable' } };

function signedKeyIn(holder: Stanza, identity: Uint8Array): SignedPreKey | undefined {
  const skey = child(holder, 'skey');
  const key = skey && readSignedPreKey(skey);
  return key && isSignatureValid(identity, signalKey(key.value), key.signature) ? key : undefined;
}

function register({ companion, stanza }: IqRequest): IqAnswer {
  const signed = signedKeyIn(stanza, companion.identity);
  if (!signed) return NOT_ACCEPTABLE;
  companion.signedPreKey = signed;
  companion.addPreKeys(children(child(stanza, 'list'), 'key').map(readPreKey));
  return EMPTY_ANSWER;
}

function rotate({ child: rotation, companion }: IqRequest): IqAnswer {
  const signed = signedKeyIn(rotation, companion.identity);
  if (!signed) return NOT_ACCEPTABLE;
  companion.signedPreKey = signed;
  return EMPTY_ANSWER;
}

function keysFor({ child: question, world: deps }: IqRequest): IqAnswer {
  const users = children(question, 'user').map((user) => {
    const jid = attr(user, 'jid');
    const device = deps.directory.device(jid);
    if (!device) {
      return node('user', { jid }, [node('error', { code: '404', text: 'item-not-found' })]);
    }
    const bundle = device.bundle();
    return node('user', { jid }, [registrationNode(bundle), ...keyNodes(bundle)]);
  });
  return { content: [node('list', {}, users)] };
}

export const encryptHandlers: IqHandlers = {
  'encrypt/get/count': ({ companion }) => ({
    content: [node('count', { value: String(companion.preKeys.length) })],
  }),
  'encrypt/set/registration': register,
  'encrypt/set/rotate': rotate,
  'encrypt/get/key': keysFor,
  'encrypt/get/digest': ({ companion: { identity, registrationId } }) => ({
    content: [
      node('digest', {}, [
        node('registration', {}, uintToBytes(registrationId, 4)),
        node('type', {}, Buffer.from([5])),
        node('identity', {}, identity),
        node('hash', {}, createHash('sha1').update(identity).digest()),
      ]),
    ],
  }),
};
