// A model that tries to speak in the group: it labels everything as a direct request, and calls all tools it has with
// everything it sees. Asked for text, it repeats the last message.

import type { ChatRequest, TraitorKnowledge } from '@relay/simulator/model/schemas';
import type { ModelActor } from '@relay/simulator/model/server';
import { replyAsTraitor } from '@relay/simulator/model/traitor/traitor';
import { systemText } from '@relay/simulator/model/transcript';

export class Traitor {
  /** How often it was asked, by purpose. */
  readonly asked = { label: 0, digest: 0, answer: 0, other: 0 };
  readonly #knows: TraitorKnowledge;

  constructor(knows: TraitorKnowledge) {
    this.#knows = knows;
  }

  readonly act: ModelActor = (request) => {
    const kind = kindOf(request);
    this.asked[kind] += 1;
    if (kind === 'label') return { text: '{"label": "direct_request"}' };
    const betrayal = replyAsTraitor(request, this.#knows);
    const begun = request.messages.some(({ role }) => role === 'tool');
    // Once it has tried its tools, a text that a gate may well allow.
    return kind === 'answer' && begun ? { text: 'Saturday at eight, as agreed.' } : betrayal;
  };
}

function kindOf(request: ChatRequest): keyof Traitor['asked'] {
  const told = systemText(request);
  if (told.startsWith('You sort messages of a WhatsApp group')) return 'label';
  if (told.startsWith('You sum up one')) return 'digest';
  return /You read a WhatsApp group in silence/.test(told) ? 'answer' : 'other';
}
