// The question that is being answered in this tab. It lives beside the pages, so that looking at an approval or a chat
// meanwhile does not stop it; closing the tab does. Invariant: one question at a time.

import type { PostStream } from '@relay/core/client/answer-stream';
import { RelayConnectionError } from '@relay/core/client/api-error';
import { askAssistant } from '@relay/core/client/assistant-stream';
import { sentenceOf } from '../../data/relay.ts';
import { begin, type Ending, fold, type Turn } from './turn.ts';

export interface Asking {
  get(): Turn | null;
  subscribe(listener: () => void): () => void;
  /** False while another one is being answered. */
  ask(question: string): boolean;
  /** What was done by then stays done. */
  stop(): void;
  /** The history is as of then: what had ended by that time is told there from now on. */
  keep(asOf: number): void;
}

/** `onEnd` asks for the history, and whatever else a turn may have changed. */
export function createAsking(post: PostStream, onEnd: () => void): Asking {
  const listeners = new Set<() => void>();
  let turn: Turn | null = null;
  let ending = new AbortController();
  let endedAt = 0;

  const become = (next: Turn | null) => {
    turn = next;
    for (const listener of listeners) listener();
  };
  const end = (is: Ending) => {
    if (turn !== null && turn.ending === null) become({ ...turn, ending: is });
  };
  const hear = async (question: string, { signal }: AbortController) => {
    for await (const event of askAssistant(question, post, signal)) {
      if (turn !== null && !signal.aborted) become(fold(turn, event));
    }
  };
  const follow = async (question: string, ended: AbortController) => {
    await hear(question, ended).catch((error: unknown) => {
      const is = isLost(error) ? 'cut' : 'failed';
      if (!ended.signal.aborted) end({ is, sentence: sentenceOf(error) });
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
      become(begin(question, Date.now()));
      void follow(question, ending);
      return true;
    },
    stop() {
      end({ is: 'stopped' });
      ending.abort();
    },
    keep(asOf) {
      if (turn === null || turn.ending === null || turn.isKept || asOf <= endedAt) return;
      become(turn.ending.is === 'done' ? null : { ...turn, isKept: true });
    },
  };
}

/** Nobody knows how it went on. */
const isLost = (error: unknown): boolean =>
  error instanceof RelayConnectionError ||
  (error instanceof Error && 'code' in error && error.code === 'answer_broke_off');
