// The two questions of a companion that wants to be linked by a code.
// Invariant: they come before any login; the phone's half of the exchange is in pairing/code.ts.
import { jidDecode } from '@whiskeysockets/baileys';
import type { Applicant } from '../../pairing/desk.ts';
import { attr, bytesOf, node, type Stanza } from '../../wire/nodes.ts';
import type { ServerWorld } from '../world.ts';
import type { Answer } from './request.ts';

export function linkCode(question: Stanza, applicant: Applicant, world: ServerWorld): Answer {
  const phone = jidDecode(attr(question, 'jid'))?.user ?? '';
  if (question.attrs.stage === 'companion_hello') {
    const wrapped = bytesOf(question, 'link_code_pairing_wrapped_companion_ephemeral_pub');
    const ref = world.desk.askForCode(phone, applicant, wrapped);
    const answer = node('link_code_companion_reg', { stage: 'companion_hello' }, [
      node('link_code_pairing_ref', {}, ref),
    ]);
    return { content: [answer], after: () => world.events.emit('codeWanted', { phone }) };
  }
  const finish = {
    bundle: bytesOf(question, 'link_code_pairing_wrapped_key_bundle'),
    identity: bytesOf(question, 'companion_identity_public'),
  };
  return { after: () => world.desk.finishCode(phone, finish) };
}
