// The model of `relay demo`: answers whoever visits, whatever they type, by rules that a reader can follow. It
// recognises which agent asks by the prompt and leaves digests and groups to those who do them already.
// Invariant: to others nothing is repeated that somebody wrote; only the owner is told who said what.
import type { ChatRequest, Reply } from '../schemas.ts';
import { newestUserText, systemText } from '../transcript.ts';
import { errandTurn } from './errand.ts';
import { familyAnswer } from './family.ts';
import { ownerTurn } from './owner.ts';
import { saidIn } from './said.ts';
import { smallTalk } from './talk.ts';

export function playDemo(request: ChatRequest): Reply | undefined {
  const system = systemText(request);
  if (system.includes('## WhatsApp Auto-Reply Context')) {
    const [, sender = ''] = /answering a WhatsApp message from (.+?)\. What you/.exec(system) ?? [];
    const before = request.messages.filter(({ role }) => role === 'assistant').length;
    return { text: smallTalk(saidIn(newestUserText(request)), sender, before) };
  }
  if (system.startsWith('You hold a WhatsApp conversation')) return errandTurn(request);
  if (system.startsWith('You are the personal assistant')) return ownerTurn(request);
  return / You read a WhatsApp group/.test(system) ? familyAnswer(request) : undefined;
}
