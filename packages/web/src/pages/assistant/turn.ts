// One question and what comes of it, folded from the events of its stream. Pure. Invariant: what a broken-off model
// said does not count, and the whole answer stands at the end once it is done.
import type { Approval } from '@relay/core/api/approvals';
import type { AssistantEvent, AssistantLine } from '@relay/core/api/assistant';

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'step';
      readonly id: string;
      readonly name: string;
      readonly given: unknown;
      /** As the model was told; null while it is at it. */
      readonly result: string | null;
    }
  | { readonly kind: 'approval'; readonly approval: Approval };

export type Ending =
  | { readonly is: 'done' }
  /** The daemon says what failed. */
  | { readonly is: 'failed'; readonly sentence: string }
  /** Nobody knows how it went on. */
  | { readonly is: 'cut'; readonly sentence: string }
  | { readonly is: 'stopped' };

export interface Turn {
  readonly question: string;
  readonly at: number;
  /** Its line in the history; null until the model was asked, and for what was said to Relay itself. */
  readonly line: string | null;
  readonly parts: readonly Part[];
  readonly ending: Ending | null;
  /** Once the history has it, however it ended. */
  readonly isKept: boolean;
}

export const begin = (question: string, at: number): Turn => ({
  question,
  at,
  line: null,
  parts: [],
  ending: null,
  isKept: false,
});

export function fold(turn: Turn, event: AssistantEvent): Turn {
  const { parts } = turn;
  const last = parts.at(-1);
  switch (event.type) {
    case 'run':
      return { ...turn, line: event.question };
    case 'text':
      return last?.kind === 'text'
        ? holding(turn, [...parts.slice(0, -1), { kind: 'text', text: last.text + event.delta }])
        : holding(turn, [...parts, { kind: 'text', text: event.delta }]);
    case 'text_reset':
      return last?.kind === 'text' ? holding(turn, parts.slice(0, -1)) : turn;
    case 'tool_call': {
      const { id, name, arguments: given } = event;
      return holding(turn, [...parts, { kind: 'step', id, name, given, result: null }]);
    }
    case 'tool_result':
      return holding(
        turn,
        parts.map((part) =>
          part.kind === 'step' && part.id === event.id ? { ...part, result: event.result } : part,
        ),
      );
    case 'approval':
      return holding(turn, [...parts, { kind: 'approval', approval: event.approval }]);
    case 'done': {
      const before = last?.kind === 'text' ? parts.slice(0, -1) : parts;
      const said: Part[] = event.text === '' ? [] : [{ kind: 'text', text: event.text }];
      return { ...holding(turn, [...before, ...said]), ending: { is: 'done' } };
    }
    case 'error':
      return { ...turn, ending: { is: 'failed', sentence: event.message } };
  }
}

const holding = (turn: Turn, parts: readonly Part[]): Turn => ({ ...turn, parts });

/** Lines of the history that are shown as this turn, and not twice. */
export function besides<Line extends Pick<AssistantLine, 'id' | 'role' | 'content'>>(
  lines: readonly Line[],
  turn: Turn | null,
): readonly Line[] {
  if (turn === null || turn.isKept) return lines;
  // Until its own line is known it can only be told by its words.
  const mine = lines.findLastIndex(
    ({ id, role, content }) =>
      role === 'user' && (turn.line === null ? content === turn.question : id === turn.line),
  );
  const isLast = mine >= 0 && lines.slice(mine + 1).every(({ role }) => role !== 'user');
  return isLast && (turn.line !== null || turn.ending === null) ? lines.slice(0, mine) : lines;
}
