// Finds the handler of an iq request and sends its answer; faults can delay or drop it. Invariant: every request gets
// exactly one answer, unless a fault says otherwise.
import { jidDecode, S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import type { Applicant } from '../../pairing.ts';
import { attr, childBytes, firstChild, node, type Stanza } from '../../wire/nodes.ts';
import {
  type CompanionSession,
  countUnknown,
  EMPTY_ANSWER,
  type IqAnswer,
  type IqHandlers,
  type NetworkContext,
} from '../context.ts';
import { sessionHandlers } from '../session.ts';
import { encryptHandlers } from './encrypt.ts';
import { groupHandlers } from './groups.ts';
import { appStateHandlers, settingsHandlers } from './settings.ts';
import { usyncHandlers } from './usync.ts';

const HANDLERS: IqHandlers = {
  ...appStateHandlers,
  ...encryptHandlers,
  ...groupHandlers,
  ...sessionHandlers,
  ...settingsHandlers,
  ...usyncHandlers,
};

const LINK_CODE = 'md/set/link_code_companion_reg';
const PING = 'w:p/get/ping';

interface IqClient {
  /** Absent until login. */
  session: CompanionSession | undefined;
  applicant: Applicant | undefined;
  send(stanza: Stanza): void;
}

export async function answerIq(
  stanza: Stanza,
  asker: IqClient,
  deps: NetworkContext,
): Promise<void> {
  const question = firstChild(stanza) ?? node('');
  const key = `${stanza.attrs.xmlns}/${stanza.attrs.type}/${question.tag}`;
  const { iqDelayMs, iqIgnore } = deps.faults.current;
  if (iqIgnore.includes(key)) return;
  const delay = iqDelayMs[key] ?? 0;
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  const answer = await answerIqQuestion(key, stanza, question, asker, deps);
  const from = stanza.attrs.to ?? S_WHATSAPP_NET;
  const { id } = stanza.attrs;
  if ('error' in answer) {
    const { code, text } = answer.error;
    const error = node('error', { code: String(code), text });
    asker.send(node('iq', { from, type: 'error', id }, [error]));
    return;
  }
  asker.send(node('iq', { from, type: 'result', id }, answer.content));
  answer.after?.();
}

async function answerIqQuestion(
  key: string,
  stanza: Stanza,
  child: Stanza,
  { applicant, session }: IqClient,
  deps: NetworkContext,
): Promise<IqAnswer> {
  if (applicant && key === LINK_CODE) return linkCode(child, applicant, deps);
  if (applicant && key === PING) return EMPTY_ANSWER;
  const attempt = applicant && deps.pairings.passkeyOf(applicant);
  const answer = attempt?.answer(key, child) ?? null;
  if (answer !== null) return answer;
  const handler = HANDLERS[key];
  if (handler && session) return handler({ stanza, child, world: deps, ...session });
  countUnknown(deps, `iq/${key}`);
  return EMPTY_ANSWER;
}

// The two requests of a companion that is linked by a code. Invariant: they come before any login; the phone's half of
// the exchange is in whatsapp/pairing.ts.

function linkCode(question: Stanza, applicant: Applicant, deps: NetworkContext): IqAnswer {
  const phone = jidDecode(attr(question, 'jid'))?.user ?? '';
  if (question.attrs.stage === 'companion_hello') {
    const wrapped = childBytes(question, 'link_code_pairing_wrapped_companion_ephemeral_pub');
    const ref = deps.pairings.askForCode(phone, applicant, wrapped);
    const answer = node('link_code_companion_reg', { stage: 'companion_hello' }, [
      node('link_code_pairing_ref', {}, ref),
    ]);
    return { content: [answer], after: () => deps.events.emit('codeWanted', { phone }) };
  }
  const finish = {
    bundle: childBytes(question, 'link_code_pairing_wrapped_key_bundle'),
    identity: childBytes(question, 'companion_identity_public'),
  };
  return { after: () => deps.pairings.finishCode(phone, finish) };
}
