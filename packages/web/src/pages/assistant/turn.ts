// One question and its answer, folded from the events of its stream. Pure. Invariant: text of an interrupted model call
// is dropped, and the complete answer is at the end once the turn is done.
import type { Approval } from '@relay/contract/api/approvals';
import type { AssistantEvent, AssistantLine } from '@relay/contract/api/assistant';
import type { PostStream } from '@relay/contract/client/answer-stream';
import { RelayConnectionError } from '@relay/contract/client/api-error';
import { askAssistant } from '@relay/contract/client/assistant-stream';
import { useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { QueryNoun } from '../../data/refresher.ts';
import { readableError, relay } from '../../data/relay.ts';

export type TurnPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'step';
      readonly id: string;
      readonly name: string;
      readonly given: unknown;
      /** As the model got it; null while the call runs. */
      readonly result: string | null;
    }
  | { readonly kind: 'approval'; readonly approval: Approval };

export type TurnEnding =
  | { readonly is: 'done' }
  /** The daemon reports what failed. */
  | { readonly is: 'failed'; readonly sentence: string }
  /** The stream broke off, so the outcome is unknown. */
  | { readonly is: 'cut'; readonly sentence: string }
  | { readonly is: 'stopped' };

export interface AssistantTurn {
  readonly question: string;
  readonly at: number;
  /** Its line in the history; null until the model was asked, and for commands to Relay itself. */
  readonly line: string | null;
  readonly parts: readonly TurnPart[];
  readonly ending: TurnEnding | null;
  /** True once the history contains it, however it ended. */
  readonly isInHistory: boolean;
}

export const beginTurn = (question: string, at: number): AssistantTurn => ({
  question,
  at,
  line: null,
  parts: [],
  ending: null,
  isInHistory: false,
});

export function applyTurnEvent(turn: AssistantTurn, event: AssistantEvent): AssistantTurn {
  const { parts } = turn;
  const last = parts.at(-1);
  switch (event.type) {
    case 'run':
      return { ...turn, line: event.question };
    case 'text':
      return last?.kind === 'text'
        ? withParts(turn, [...parts.slice(0, -1), { kind: 'text', text: last.text + event.delta }])
        : withParts(turn, [...parts, { kind: 'text', text: event.delta }]);
    case 'text_reset':
      return last?.kind === 'text' ? withParts(turn, parts.slice(0, -1)) : turn;
    case 'tool_call': {
      const { id, name, arguments: given } = event;
      return withParts(turn, [...parts, { kind: 'step', id, name, given, result: null }]);
    }
    case 'tool_result':
      return withParts(
        turn,
        parts.map((part) =>
          part.kind === 'step' && part.id === event.id ? { ...part, result: event.result } : part,
        ),
      );
    case 'approval':
      return withParts(turn, [...parts, { kind: 'approval', approval: event.approval }]);
    case 'done': {
      const before = last?.kind === 'text' ? parts.slice(0, -1) : parts;
      const said: TurnPart[] = event.text === '' ? [] : [{ kind: 'text', text: event.text }];
      return { ...withParts(turn, [...before, ...said]), ending: { is: 'done' } };
    }
    case 'error':
      return { ...turn, ending: { is: 'failed', sentence: event.message } };
  }
}

/** A call waits for the owner's decision; once they have decided it has a result. */
export const isOwnerAsked = (parts: readonly TurnPart[]): boolean =>
  parts.at(-1)?.kind === 'approval' &&
  parts.some((part) => part.kind === 'step' && part.result === null);

const withParts = (turn: AssistantTurn, parts: readonly TurnPart[]): AssistantTurn => ({
  ...turn,
  parts,
});

/** History lines except those that are shown as this turn. */
export function linesOutsideTurn<Line extends Pick<AssistantLine, 'id' | 'role' | 'content'>>(
  lines: readonly Line[],
  turn: AssistantTurn | null,
): readonly Line[] {
  if (turn === null || turn.isInHistory) return lines;
  // Until its own line is known, the turn can only be recognized by its text.
  const mine = lines.findLastIndex(
    ({ id, role, content }) =>
      role === 'user' && (turn.line === null ? content === turn.question : id === turn.line),
  );
  const isLast = mine >= 0 && lines.slice(mine + 1).every(({ role }) => role !== 'user');
  return isLast && (turn.line !== null || turn.ending === null) ? lines.slice(0, mine) : lines;
}

// The question that this tab is asking. It lives outside the pages, so that it is still shown after opening an approval
// or a chat; closing the tab or reloading does not stop it either, and the history then has the answer. Invariant: one
// question at a time.

interface TurnStore {
  get(): AssistantTurn | null;
  subscribe(listener: () => void): () => void;
  /** Returns false while another question is being answered. */
  ask(question: string): boolean;
  /** What was done by then stays done. */
  stop(): void;
  /** The history was loaded at this time: a turn that had ended by then is shown from there. */
  dropIfInHistory(asOf: number): void;
}

interface TurnCallbacks {
  /** Refetches the history and whatever else a turn may have changed. */
  onEnd(): void;
  /** Tells the daemon: the answer does not depend on this tab. */
  onStop(): void;
}

export function createTurnStore(post: PostStream, { onEnd, onStop }: TurnCallbacks): TurnStore {
  const listeners = new Set<() => void>();
  let turn: AssistantTurn | null = null;
  let ending = new AbortController();
  let endedAt = 0;

  const become = (next: AssistantTurn | null) => {
    turn = next;
    for (const listener of listeners) listener();
  };
  const end = (is: TurnEnding) => {
    if (turn !== null && turn.ending === null) become({ ...turn, ending: is });
  };
  const hear = async (question: string, { signal }: AbortController) => {
    for await (const event of askAssistant(question, post, signal, { background: true })) {
      if (turn !== null && !signal.aborted) become(applyTurnEvent(turn, event));
    }
  };
  const follow = async (question: string, ended: AbortController) => {
    await hear(question, ended).catch((error: unknown) => {
      const is = isLost(error) ? 'cut' : 'failed';
      if (!ended.signal.aborted) end({ is, sentence: readableError(error) });
    });
    endedAt = Date.now();
    onEnd();
  };
  return {
    get: () => turn,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ask(question) {
      if (turn !== null && turn.ending === null) return false;
      ending = new AbortController();
      endedAt = Number.POSITIVE_INFINITY;
      become(beginTurn(question, Date.now()));
      void follow(question, ending);
      return true;
    },
    stop() {
      if (turn?.ending === null) onStop();
      end({ is: 'stopped' });
      ending.abort();
    },
    dropIfInHistory(asOf) {
      if (turn === null || turn.ending === null || turn.isInHistory || asOf <= endedAt) return;
      become(turn.ending.is === 'done' ? null : { ...turn, isInHistory: true });
    },
  };
}

/** The stream broke off, so the outcome is unknown. */
const isLost = (error: unknown): boolean =>
  error instanceof RelayConnectionError ||
  (error instanceof Error && 'code' in error && error.code === 'answer_broke_off');

// The hook for components. What a turn changed is refetched when it ends.

let turnStore: TurnStore | null = null;

const TURN_TOUCHES = [
  'assistant',
  'approvals',
  'status',
  'schedules',
] as const satisfies QueryNoun[];

export function useAssistantTurn(): TurnStore & { readonly turn: AssistantTurn | null } {
  const queries = useQueryClient();
  turnStore ??= createTurnStore(relay.ask, {
    onEnd: () => {
      for (const noun of TURN_TOUCHES) void queries.invalidateQueries({ queryKey: [noun] });
    },
    onStop: () => void relay.post('/api/assistant/stop').catch(() => {}),
  });
  const { get, subscribe } = turnStore;
  return { ...turnStore, turn: useSyncExternalStore(subscribe, get) };
}
