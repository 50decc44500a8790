// The model of `relay demo`: answers whatever visitors write, by simple rules. It recognises the agent that asks by the
// prompt. Invariant: it repeats a contact's text to nobody but the owner and the group it was written in.
import type { ChatRequest, Reply } from '../schemas.ts';
import { newestUserText, systemText } from '../transcript.ts';
import { playOwnerAssistant } from './assistant.ts';
import { contactText } from './contact-text.ts';
import { playDigest } from './digests.ts';
import { playErrand } from './errand.ts';
import { playGroupAnswer } from './group-answers.ts';
import { smallTalk } from './small-talk.ts';
import { playSummary } from './summaries.ts';

const HEARD = /\[Audio message\] \(written down by a machine\) /gi;

/** Undefined for other requests, such as whether a message in a group is meant for the assistant. */
export function playDemo(request: ChatRequest): Reply | undefined {
  const system = systemText(request);
  if (system.includes('## WhatsApp Auto-Reply Context')) {
    const [, sender = ''] = /answering a WhatsApp message from (.+?)\. What you/.exec(system) ?? [];
    const before = request.messages.filter(({ role }) => role === 'assistant').length;
    // What a machine heard is answered like text.
    const said = contactText(newestUserText(request)).replace(HEARD, '');
    return { text: smallTalk(said, sender, before) };
  }
  if (system.startsWith('You hold a WhatsApp conversation')) return playErrand(request);
  if (system.startsWith('You are the personal assistant')) return playOwnerAssistant(request);
  if (/ You read a WhatsApp group/.test(system)) return playGroupAnswer(request);
  return playDigest(request) ?? playSummary(request);
}
