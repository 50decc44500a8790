// Finds the handler of a question and sends its answer; faults may hold it up or lose it.
// Invariant: every question gets exactly one answer, unless a fault says otherwise.
import { S_WHATSAPP_NET } from '@whiskeysockets/baileys';
import type { Applicant } from '../../pairing/desk.ts';
import { firstChild, node, type Stanza } from '../../wire/nodes.ts';
import { noteUnknown, type ServerWorld, type Session } from '../world.ts';
import { appStateHandlers } from './app-state.ts';
import { encryptHandlers } from './encrypt.ts';
import { groupHandlers } from './groups.ts';
import { linkCode } from './link-code.ts';
import { type Answer, type Handlers, NOTHING } from './request.ts';
import { sessionHandlers } from './session.ts';
import { settingsHandlers } from './settings.ts';
import { usyncHandlers } from './usync.ts';

const HANDLERS: Handlers = {
  ...appStateHandlers,
  ...encryptHandlers,
  ...groupHandlers,
  ...sessionHandlers,
  ...settingsHandlers,
  ...usyncHandlers,
};

const LINK_CODE = 'md/set/link_code_companion_reg';
const PING = 'w:p/get/ping';

export interface Asker {
  /** Absent until the login. */
  session: Session | undefined;
  applicant: Applicant | undefined;
  send(stanza: Stanza): void;
}

export async function answerIq(stanza: Stanza, asker: Asker, world: ServerWorld): Promise<void> {
  const question = firstChild(stanza) ?? node('');
  const key = `${stanza.attrs.xmlns}/${stanza.attrs.type}/${question.tag}`;
  const { iqDelayMs, iqIgnore } = world.faults.current;
  if (iqIgnore.includes(key)) return;
  const delay = iqDelayMs[key] ?? 0;
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  const answer = await find(key, stanza, question, asker, world);
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

async function find(
  key: string,
  stanza: Stanza,
  child: Stanza,
  { applicant, session }: Asker,
  world: ServerWorld,
): Promise<Answer> {
  if (applicant && key === LINK_CODE) return linkCode(child, applicant, world);
  if (applicant && key === PING) return NOTHING;
  const handler = HANDLERS[key];
  if (handler && session) return handler({ stanza, child, world, ...session });
  noteUnknown(world, `iq/${key}`);
  return NOTHING;
}
