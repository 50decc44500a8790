// Whose words are whose, in a prompt. Everything that is not the agent's own stands between marks that
// carry a word of this turn alone: a message can close its mark neither by guessing nor with a word that
// an agent gave away, and what looks like a mark inside of one is no longer one.

import type { TranscriptLine } from '@relay/contract/api/instances';
import type { RunId } from '@relay/contract/ids';
import { type LabelledText, mapText, prompt, trustedText } from '@relay/core/agent/labelled-text';

export interface PromptMarks {
  contact(text: LabelledText): LabelledText;
  owner(text: LabelledText): LabelledText;
  relay(text: LabelledText): LabelledText;
  notes(text: LabelledText): LabelledText;
  /** A line of the transcript, whoever said it. What was stopped before it left is a note of Relay's. */
  line(line: Pick<TranscriptLine, 'role' | 'delivery'>, text: LabelledText): LabelledText;
}

/** Of any turn: an agent may still believe in the marks of an earlier one. */
const LIKE_A_MARK = /<(?=[\s/]*(?:contact|owner|relay|notes|agent)-[0-9a-f]{8})/gi;

const NOT_SENT = trustedText('This was written to the contact and never sent; nobody has read it:');

/** A run's id is random, and no agent is told it otherwise. */
export function createPromptMarks(run: RunId): PromptMarks {
  const word = run.slice(0, 8);
  const mark = (who: string) => (text: LabelledText) =>
    mapText(
      text,
      (inside) => `<${who}-${word}>\n${inside.replace(LIKE_A_MARK, '‹')}\n</${who}-${word}>`,
    );
  const marks = {
    contact: mark('contact'),
    owner: mark('owner'),
    relay: mark('relay'),
    notes: mark('notes'),
  };
  const agent = mark('agent');
  return {
    ...marks,
    line({ role, delivery }, text) {
      if (delivery === 'failed') return marks.relay(prompt`${NOT_SENT}\n${text}`);
      if (role === 'agent') return agent(text);
      if (role === 'contact') return marks.contact(text);
      return role === 'manual' ? marks.owner(text) : marks.relay(text);
    },
  };
}

/** How a mark looks, for a rule about it. */
export const showMark = (
  marks: PromptMarks,
  who: 'contact' | 'owner' | 'relay' | 'notes',
): string => `\`${marks[who](trustedText('…')).text.replaceAll('\n', '')}\``;
