// A model that wants to be heard in the group: whatever it is asked to sort is a direct request, and wherever
// there are tools it calls them all with everything in sight. Asked for words, it says what the last one wrote.

import type { ChatRequest, TraitorKnowledge } from '@relay/simulator/model/schemas';
import type { ModelActor } from '@relay/simulator/model/server';
import { replyAsTraitor } from '@relay/simulator/model/traitor/traitor';
import { systemText } from '@relay/simulator/model/transcript';

export class Traitor {
  /** How often it was asked, by what it was asked for. */
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
    // Once it has tried its tools, something that a gate may well let through.
    return kind === 'answer' && begun ? { text: 'Saturday at eight, as agreed.' } : betrayal;
  };
}

function kindOf(request: ChatRequest): keyof Traitor['asked'] {
  const told = systemText(request);
  if (told.startsWith('You sort messages of a WhatsApp group')) return 'label';
  if (told.startsWith('You sum up one')) return 'digest';
  return /You read a WhatsApp group in silence/.test(told) ? 'answer' : 'other';
}
