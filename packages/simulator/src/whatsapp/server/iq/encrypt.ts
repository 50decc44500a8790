// Pre-keys: uploaded by companions, counted, digested, handed to whoever begins a session.
// Invariant: a one-time key is handed out once; a badly signed key is refused.
import { createHash } from 'node:crypto';
import {
  keyNodes,
  readPreKey,
  readSignedPreKey,
  registrationNode,
  type SignedPreKey,
} from '../../signal/bundle.ts';
import { signalKey, signatureHolds, uintBytes } from '../../wire/keys.ts';
import { attr, child, children, node, type Stanza } from '../../wire/nodes.ts';
import { type Answer, type Handlers, NOTHING, type Request } from './request.ts';

const NOT_ACCEPTABLE: Answer = { error: { code: 406, text: 'not-acceptable' } };

function signedKeyIn(holder: Stanza, identity: Uint8Array): SignedPreKey | undefined {
  const skey = child(holder, 'skey');
  const key = skey && readSignedPreKey(skey);
  return key && signatureHolds(identity, signalKey(key.value), key.signature) ? key : undefined;
}

function register({ companion, stanza }: Request): Answer {
  const signed = signedKeyIn(stanza, companion.identity);
  if (!signed) return NOT_ACCEPTABLE;
  companion.signedPreKey = signed;
  companion.addPreKeys(children(child(stanza, 'list'), 'key').map(readPreKey));
  return NOTHING;
}

function rotate({ child: rotation, companion }: Request): Answer {
  const signed = signedKeyIn(rotation, companion.identity);
  if (!signed) return NOT_ACCEPTABLE;
  companion.signedPreKey = signed;
  return NOTHING;
}

function keysFor({ child: question, world }: Request): Answer {
  const users = children(question, 'user').map((user) => {
    const jid = attr(user, 'jid');
    const device = world.directory.device(jid);
    if (!device) {
      return node('user', { jid }, [node('error', { code: '404', text: 'item-not-found' })]);
    }
    const bundle = device.bundle();
    return node('user', { jid }, [registrationNode(bundle), ...keyNodes(bundle)]);
  });
  return { content: [node('list', {}, users)] };
}

export const encryptHandlers: Handlers = {
  'encrypt/get/count': ({ companion }) => ({
    content: [node('count', { value: String(companion.preKeys.length) })],
  }),
  'encrypt/set/registration': register,
  'encrypt/set/rotate': rotate,
  'encrypt/get/key': keysFor,
  'encrypt/get/digest': ({ companion: { identity, registrationId } }) => ({
    content: [
      node('digest', {}, [
        node('registration', {}, uintBytes(registrationId, 4)),
        node('type', {}, Buffer.from([5])),
        node('identity', {}, identity),
        node('hash', {}, createHash('sha1').update(identity).digest()),
      ]),
    ],
  }),
};
