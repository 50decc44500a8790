// Whose words are whose, in a prompt. Everything that is not the agent's own stands between marks that
// carry a word the contact cannot know, so that no message can close its mark and speak as another.
import type { TranscriptMessage } from '@relay/core/api/instances';
import type { InstanceId } from '@relay/core/ids';

export interface Marks {
  contact(text: string): string;
  owner(text: string): string;
  relay(text: string): string;
  notes(text: string): string;
  /** A line of the transcript, whoever said it. */
  line(message: Pick<TranscriptMessage, 'role' | 'content'>): string;
}

/** The same over the life of a conversation, so that providers can reuse what they have read. */
export function marksOf(instance: InstanceId): Marks {
  const word = instance.slice(0, 8);
  const mark = (who: string) => (text: string) => `<${who}-${word}>\n${text}\n</${who}-${word}>`;
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
