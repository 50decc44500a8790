// What is asked before something that cannot be taken lightly, and what a yes brings. Pure.
import type { Flags } from './use-grant.ts';

export type Question = 'reply' | 'auto' | 'start' | 'delete';

export interface Asked {
  readonly title: string;
  readonly means: string;
  readonly yes: string;
  readonly no: string;
  /** What a yes opens; null when it deletes. */
  readonly flags: Flags | null;
}

const WITHOUT_ASKING =
  'answers by itself, without showing you first. Pacing, quiet hours and the hold still apply, and each reply stands in the ledger.';

export function questionOf(question: Question, name: string): Asked {
  switch (question) {
    case 'reply':
    case 'auto':
      return {
        title: `Let replies to ${name} leave without asking you?`,
        means: `Relay then reads what ${name} writes and ${WITHOUT_ASKING}`,
        yes: 'Answer without asking',
        no: 'Keep asking me',
        flags: question === 'reply' ? { canReply: true } : { replyMode: 'auto' },
      };
    case 'start':
      return {
        title: `May agents write to ${name} first?`,
        means: `Agents may then begin a conversation with ${name} without asking you. It is still paced, and the first message ever still waits for your yes.`,
        yes: 'Allow',
        no: 'Keep it closed',
        flags: { canInitiate: true },
      };
    case 'delete':
      return {
        title: `Delete ${name}?`,
        means: 'Nothing stays open for them, and what waits is not sent.',
        yes: 'Delete',
        no: 'Keep',
        flags: null,
      };
  }
}
