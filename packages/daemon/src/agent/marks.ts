// Whose words are whose, in a prompt. Everything that is not the agent's own stands between marks that
// carry a word of this turn alone: a message can close its mark neither by guessing nor with a word that
// an agent gave away, and what looks like a mark inside of one is no longer one.
import type { TranscriptMessage } from '@relay/core/api/instances';
import type { RunId } from '@relay/core/ids';

export interface Marks {
  contact(text: string): string;
  owner(text: string): string;
  relay(text: string): string;
  notes(text: string): string;
  /** A line of the transcript, whoever said it. */
  line(message: Pick<TranscriptMessage, 'role' | 'content'>): string;
}

/** Of any turn: an agent may still believe in the marks of an earlier one. */
const LIKE_A_MARK = /<(?=[\s/]*(?:contact|owner|relay|notes|agent)-[0-9a-f]{8})/gi;

/** A run's id is random, and no agent is told it otherwise. */
export function marksOf(run: RunId): Marks {
  const word = run.slice(0, 8);
  const mark = (who: string) => (text: string) =>
    `<${who}-${word}>\n${text.replace(LIKE_A_MARK, '‹')}\n</${who}-${word}>`;
  const marks = {
    contact: mark('contact'),
    owner: mark('owner'),
    relay: mark('relay'),
    notes: mark('notes'),
  };
  const agent = mark('agent');
  return {
    ...marks,
    line({ role, content }) {
      if (role === 'agent') return agent(content);
      if (role === 'contact') return marks.contact(content);
      return role === 'manual' ? marks.owner(content) : marks.relay(content);
    },
  };
}
