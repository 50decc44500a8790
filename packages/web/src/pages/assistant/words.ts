// What the assistant's page says of itself, seen and spoken. Pure.
import { approvalWords } from '../../parts/approval-words.ts';
import { aboutCall, type Whom } from './steps.ts';
import type { Turn } from './turn.ts';

export const SUGGESTIONS = [
  'What did I miss today?',
  'Who waits for an answer from me?',
  'Remind me tomorrow at 9 to call the plumber.',
];

export function assistantSentence(hasModel: boolean, turn: Turn | null): string {
  if (!hasModel) return 'Your assistant has no model to think with.';
  if (turn === null || turn.ending !== null) return 'Ask your assistant.';
  return isAsking(turn) ? 'Your assistant waits for your yes.' : 'Your assistant is at it.';
}

/** A call is open and the last thing that came is a question to the owner. */
const isAsking = ({ parts }: Turn): boolean => parts.at(-1)?.kind === 'approval';

/** For a reader of the screen: each step once, the answer when it is whole; never word by word. */
export function spoken(turn: Turn, whom: Whom): string {
  const last = turn.parts.at(-1);
  if (turn.ending?.is === 'done') return last?.kind === 'text' ? last.text : 'Done.';
  if (turn.ending !== null) return '';
  switch (last?.kind) {
    case undefined:
      return 'Thinking.';
    case 'approval':
      return `It asks for your yes: ${approvalWords(last.approval).question}`;
    case 'step':
      return `${aboutCall(last.name, last.given, whom)}.`;
    case 'text':
      return 'Writing.';
  }
}
