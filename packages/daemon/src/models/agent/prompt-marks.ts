// Marks whose text is whose in a prompt. Everything that is not the agent's own is between marks that contain a word
// unique to this turn: a message can close its mark neither by guessing the word nor with one that an agent revealed,
// and anything inside that looks like a mark is escaped.

import type { TranscriptLine } from '@relay/contract/api/instances';
import type { RunId } from '@relay/contract/ids';
import { type LabelledText, mapText, prompt, trustedText } from '@relay/core/agent/labelled-text';

export interface PromptMarks {
  contact(text: LabelledText): LabelledText;
  owner(text: LabelledText): LabelledText;
  relay(text: LabelledText): LabelledText;
  notes(text: LabelledText): LabelledText;
  /**
   * A line of the transcript, whoever wrote it. A message that was stopped before it was sent becomes a note from
   * Relay.
   */
  line(line: Pick<TranscriptLine, 'role' | 'delivery'>, text: LabelledText): LabelledText;
}

/** Matches the marks of any turn: an agent may still trust those of an earlier one. */
const LIKE_A_MARK = /<(?=[\s/]*(?:contact|owner|relay|notes|agent)-[0-9a-f]{8})/gi;

const NOT_SENT = trustedText('This was written to the contact and never sent; nobody has read it:');

/** The run's id is random, and the agent does not learn it in any other way. */
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

/** Shows a mark, for a rule about it in the prompt. */
export const showMark = (
  marks: PromptMarks,
  who: 'contact' | 'owner' | 'relay' | 'notes',
): string => `\`${marks[who](trustedText('…')).text.replaceAll('\n', '')}\``;
